"""The example of docs/extending.md: a policy, a learner, a loss and a price list in a package."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem
from budgeted.testing import check_learner, check_loss, check_policy, check_price_list
from budgeted.value import expected_loss, loss
from budgeted.value.loss import GINI, Loss

PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"


@pytest.fixture
def site(tmp_path):
    """A folder with the package as an installer leaves it; the build itself needs a network."""
    with (PLUGIN / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    about = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = [
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups) + "\n")
    return tmp_path


def run(site, *command, cwd=None):
    """Run Python with the plugin installed."""
    paths = [str(site), str(PLUGIN / "src"), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=cwd, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )  # fmt: skip


@pytest.fixture
def thrifty(monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGIN / "src"))
    import thrifty

    yield thrifty
    for name in [each for each in sys.modules if each.partition(".")[0] == "thrifty"]:
        del sys.modules[name]


def test_it_keeps_the_contracts(thrifty):
    check_policy(thrifty.Thrifty())
    check_loss(thrifty.BHATTACHARYYA)
    from thrifty.kernel import Kernel
    from thrifty.visits import VisitFee

    check_learner(Kernel())
    check_learner(Kernel(alike=0.75))
    check_price_list(VisitFee())
    check_price_list(VisitFee(fee="0.25"))


def test_the_policy_the_loss_and_the_price_list_are_known_to_the_command_line(site):
    listed = json.loads(run(site, "-m", "budgeted", "policies", "--json").stdout)
    assert listed[-1]["name"] == "thrifty"
    done = run(site, "-m", "budgeted", "simulate", "--policy", "thrifty", "--runs", "2",
               "--budget", "5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run(site, "-m", "budgeted", "simulate", "--policy", "greedy", "--runs", "1",
               "--budget", "2", "--features", "3", "--loss", "bhattacharyya")  # fmt: skip
    assert done.returncode == 0, done.stderr
    listed = json.loads(run(site, "-m", "budgeted", "price-lists", "--json").stdout)
    assert listed[-1]["name"] == "visit-fee"
    assert listed[-1]["parameters"] == ["fee"]
    done = run(site, "-m", "budgeted", "simulate", "--policy", "round-robin", "--runs", "1",
               "--budget", "13", "--features", "3", "--prices", "visit-fee", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    spent = [point["spent"] for point in json.loads(done.stdout)["curve"]]
    assert spent == [6, 12, 13], "the first of each case costs 1 and the fee of 5, the next one 1"
    without = subprocess.run(
        [sys.executable, "-m", "budgeted", "simulate", "--policy", "thrifty"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert without.returncode == 1
    assert "there is no policy 'thrifty'" in without.stderr


def test_what_cannot_be_loaded_is_one_plain_line(site):
    entries = next(site.glob("*.dist-info")) / "entry_points.txt"
    text = entries.read_text().replace("thrifty:Thrifty", "thrifty:Nobody")
    entries.write_text(text.replace("kernel = ", "naive-bayes = "))
    done = run(site, "-m", "budgeted", "policies")
    assert done.returncode == 0, done.stderr
    assert "thrifty" not in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("Warning: policy 'thrifty' of budgeted-thrifty (thrifty:Nobody) cannot ")
    done = run(site, "-m", "budgeted", "simulate", "--learner", "naive-bayes", "--runs", "1",
               "--budget", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = "Warning: budgeted-thrifty (thrifty.kernel:Kernel) names a learner 'naive-bayes', and"
    assert said not in done.stderr, "nobody asked for it"
    done = run(site, "-m", "budgeted", "simulate", "--learner", "nobody", "--runs", "1")
    assert said in done.stderr
    assert "PluginWarning" not in done.stderr


STUDY = """
name = "paid"
budget = 10
learner = "kernel"
loss = "bhattacharyya"
labels = ["well", "ill"]
prior = [0.5, 0.5]
case_rule = "overlap"
[prices]
list = "visit-fee"
fee = "2.50"
[policy]
name = "thrifty"
[[features]]
name = "fever"
values = ["no", "yes"]
cost = 1
[[features]]
name = "scan"
values = ["no", "yes"]
cost = 3
"""


def test_a_study_uses_all_four_by_their_names(site, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "cases.csv").write_text("case,label\n" + "".join(
        f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(8)
    ))  # fmt: skip

    def study(*command):
        done = run(site, "-m", "budgeted", "study", *command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    study("new", "study.toml", "--cases", "cases.csv")
    asked = json.loads(study("ask", "--json"))
    assert "fever" in json.dumps(asked)
    assert "nothing costs less than 3.50" in json.dumps(asked), "1 and the fee"
    assert asked["requests"][0]["cost"] == "3.50"
    assert "chosen by thrifty of budgeted-thrifty 0.1.0" in study("why", "1")
    study("tell", "1", "yes")
    status = json.loads(study("status", "--json"))
    assert 0 <= status["outlook"]["error"] <= 1
    # One patient was here for the first test: her second one costs no fee.
    assert [each["cost"] for each in status["cells"]] == ["3.50", "3.50", "3", "5.50"]
    study("model", "--out", "model.json")
    plain = json.loads((tmp_path / "model.json").read_text())
    assert plain["learner"] == "kernel"
    assert [each["values"] for each in plain["predictor"]["cases"]] == [[1, -1]]
    (tmp_path / "new.csv").write_text("fever,scan\nyes,\n,\n")
    said = study("predict", "new.csv", "--model", "model.json").splitlines()
    assert said[2].endswith("0.500000,0.500000")
    without = subprocess.run(
        [sys.executable, "-m", "budgeted", "study", "predict", "new.csv", "--model", "model.json"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert without.returncode == 1
    assert "it was made by the learner 'kernel', which alone can read it; install" in without.stderr
    more = json.loads(study("record", "P0", "scan", "yes", "--charge", "3", "--json"))
    assert more["spent"] == "6.50"
    study("verify")


def test_a_loss_of_ones_own_is_computed_by_going_through_all_cases(thrifty):
    """Of two labels it is the Bhattacharyya coefficient; GINI under another name is GINI."""
    problem = Problem([Feature("a", ("no", "yes"), 1), Feature("b", ("x", "y", "z"), 1)],
                      ("well", "ill"), (0.6, 0.4), 100)  # fmt: skip
    belief = Belief(problem, np.array([[3, 1, 2, 0, 1], [0, 2, 1, 1, 1]]))
    found = loss(belief, thrifty.BHATTACHARYYA)
    assert found.engine == "enumeration"
    one, two = (np.outer(row[:2], row[2:]).ravel() for row in belief.means)
    assert float(found) == pytest.approx(np.sqrt(0.6 * one * 0.4 * two).sum())
    copy = Loss("copy", GINI.term, GINI.gather, GINI.finish, GINI.largest)
    bought = {("a", "well"): 2, ("b", "ill"): 1}
    theirs, ours = (expected_loss(belief, bought, each) for each in (copy, GINI))
    assert (theirs.engine, ours.engine) == ("enumeration", "spectral")
    assert float(theirs) == pytest.approx(float(ours), abs=1e-9)


EXPERIMENT = """
budget = 4
runs = 2
seed = 1
[problem]
synthetic = "figure-3b"
[prices]
list = "visit-fee"
fee = 1
[[policy]]
name = "thrifty"
learner = "kernel"
[[policy]]
name = "greedy"
"""
PACKAGES = """
import json, sys
from budgeted.experiments.spec import read
from budgeted.experiments.store import provenance
print(json.dumps(dict(provenance(read("mine.toml")).own)))
"""


def test_an_experiment_uses_them_and_its_runs_know_their_code(site, tmp_path):
    """A changed package is another fingerprint: no run of before is taken for one of now."""
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    done = run(site, "-m", "budgeted", "experiment", "run", "mine.toml", "--workers", "1",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "thrifty" in done.stdout

    def packages(path):
        found = run(path, "-c", PACKAGES, cwd=tmp_path)
        assert found.returncode == 0, found.stderr
        return json.loads(found.stdout)

    before = packages(site)
    assert list(before) == ["thrifty"]
    changed = site / "thrifty"
    shutil.copytree(PLUGIN / "src" / "thrifty", changed,
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    text = (PLUGIN / "src" / "thrifty" / "__init__.py").read_text(encoding="utf-8")
    assert packages(site) == before
    (changed / "__init__.py").write_text(text + "\nMORE = 1\n", encoding="utf-8")
    assert packages(site)["thrifty"] != before["thrifty"]
