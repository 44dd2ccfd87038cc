"""The script in the page of a model, run by Node, says what the package says."""

import json
import math
import subprocess

import pytest

from budgeted.learners.formats.page import script_of
from tests import system_packages
from tests.learners.exported import (
    NAMES,
    assert_same_labels,
    cases,
    model,
    refused,
)

RUN = """
const { predict } = require(process.argv[2]);
const revive = (_, value) => value && value.float ? Number(value.float) : value;
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"), revive);
const force = process.argv[3] === "force";
console.log(JSON.stringify(cases.map((each) => {
  try { return predict(each, force); } catch (error) { return { error: error.message }; }
})));
"""


@pytest.fixture(scope="module")
def say(tmp_path_factory):
    """Ask the script of a model about cases."""
    node, folder = system_packages.require(system_packages.NODE), tmp_path_factory.mktemp("js")
    (folder / "run.cjs").write_text(RUN, encoding="utf-8")

    def ask(made, asked, *options):
        exported = "module.exports = { predict };"
        (folder / "model.cjs").write_text(script_of(made) + exported, encoding="utf-8")
        done = subprocess.run(
            [node, folder / "run.cjs", folder / "model.cjs", *options],
            input=json.dumps([{name: plain(each) for name, each in case.items()}
                              for case in asked]),
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def plain(value):
    """JSON has no NaN and no infinity."""
    return {"float": str(value).replace("inf", "Infinity")} if special(value) else value


def special(value):
    return isinstance(value, float) and not math.isfinite(value)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same(name, say):
    said = say(model(name), cases(name))
    labels = model(name).labels
    assert_same_labels(
        name,
        [each["label"] for each in said],
        [[each["probabilities"][label] for label in labels] for each in said],
    )


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_what_the_package_refuses(name, say):
    wrong = refused(model(name))
    said = say(model(name), [{feature: value} for feature, value in wrong] + [{"Fever": "yes"}])
    for (feature, _), each in zip(wrong, said, strict=False):
        assert f"feature {json.dumps(feature, ensure_ascii=False)}" in each["error"]
    assert said[-1]["error"] == 'the model has no feature "Fever"'


def test_outside_the_range_only_if_insisted(say):
    made = model("numbers")
    feature = 'chol "LDL"'
    forced = say(made, [{feature: 601}, {feature: "49.9"}, {feature: "x"}], "force")
    for each, value in zip(forced, (601, 49.9), strict=False):
        wanted = made.predict({feature: value}, force=True)
        assert each["probabilities"] == pytest.approx(wanted, abs=1e-9)
    assert "takes a number in mg/dl from 50 to 600" in forced[-1]["error"]


SPELLINGS = ("37,5", " 37.5", "37.5", "3,75e1", "−40", "+36,49999999999999999999999", "1e3", 37.5,
             36.499999999999996, True, "3,,5", "", "?", "٣", "37,5 °C", "." , "1e100")  # fmt: skip


def test_numbers_are_read_as_the_package_reads_them(say):
    made = model("numbers")
    asked = [{"fever's": value} for value in SPELLINGS]
    for case, said in zip(asked, say(made, asked), strict=True):
        try:
            wanted = made.predict(case)
        except ValueError:
            assert "error" in said, case
        else:
            assert said["probabilities"] == pytest.approx(wanted, abs=1e-9), case


def test_codes_are_read_as_the_package_reads_them(say):
    from budgeted import Feature, Model, Problem, Purchase
    from budgeted.learners import NaiveBayes

    features = [Feature("pain", ("1", "2.0", "007", "3", "3.0", "true", "False"), 1)]
    problem = Problem(features, ("well", "ill"), (0.6, 0.4), 9)
    bought = [Purchase(0, at % 2, at, 1) for at in range(7) for _ in range(at + 1)]
    made = Model.of(NaiveBayes().fit(problem, bought))
    asked = [{"pain": value} for value in
             (1, 1.0, "1.0", " 1", "01", 2, "2", 7, "7", "007", 3, "3", "3.0", "3.00", True, False,
              "True", "true", -1, "x", "+1")]  # fmt: skip
    differ = set()
    for case, said in zip(asked, say(made, asked), strict=True):
        try:
            wanted = made.predict(case)
        except ValueError:
            assert "error" in said, case
        else:
            if said.get("probabilities") != pytest.approx(wanted, abs=1e-9):
                differ.add(repr(case["pain"]))
    assert not differ
