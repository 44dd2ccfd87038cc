"""The R of a model, run by Rscript, says what the package says."""

import csv
import io
import math
import subprocess

import pytest

from budgeted.learners.formats import model_format
from tests.learners.exported import NAMES, assert_same_labels, cases, model, refused
from tests.system_packages import R, require

pytestmark = pytest.mark.slow

RUN = """
options(encoding = "UTF-8")
source("model.R", encoding = "UTF-8")
cases <- read.csv("cases.csv", check.names = FALSE, colClasses = "character", encoding = "UTF-8",
                  na.strings = "NA")
rows <- lapply(seq_len(nrow(cases)), function(row) tryCatch(
  predict_cases(cases[row, , drop = FALSE]),
  error = function(error) data.frame(label = paste("ERROR", conditionMessage(error)))))
if (any(vapply(rows, ncol, 0) == 1)) rows <- lapply(rows, function(each) each["label"])
write.csv(do.call(rbind, rows), "said.csv", row.names = FALSE, fileEncoding = "UTF-8")
"""


@pytest.fixture
def say(tmp_path):
    """Ask the script of a model about cases."""
    rscript = require(R)

    def ask(made, asked):
        (tmp_path / "model.R").write_bytes(model_format("r").content(made))
        (tmp_path / "run.R").write_text(RUN, encoding="utf-8")
        table = io.StringIO()
        writer = csv.writer(table)
        writer.writerow([each.name for each in made.features])
        writer.writerows([[told(each, case.get(each.name)) for each in made.features]
                          for case in asked])  # fmt: skip
        (tmp_path / "cases.csv").write_text(table.getvalue(), encoding="utf-8")
        done = subprocess.run(
            [rscript, "--vanilla", "run.R"], cwd=tmp_path, capture_output=True, text=True,
            check=False, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with (tmp_path / "said.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))[1:]

    return ask


def told(feature, value):
    """As a cell of a file, with the decimal mark of the feature."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if feature.kind.name == "number" and feature.kind.decimal == "comma":
        return str(value).replace(".", ",")
    return str(value)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same(name, say):
    said = say(model(name), cases(name))
    chances = [[float(cell) for cell in each[1:]] for each in said]
    assert_same_labels(name, [each[0] for each in said], chances)


@pytest.mark.parametrize("name", ["three labels", "numbers"])
def test_it_refuses_what_the_package_refuses(name, say):
    wrong = refused(model(name))
    said = say(model(name), [{feature: value} for feature, value in wrong])
    for (feature, _), (each,) in zip(wrong, said, strict=True):
        assert each.startswith("ERROR feature ")
        assert feature in each
