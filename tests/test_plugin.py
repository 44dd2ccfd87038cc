"""The example of docs/extending.md: a package with a policy, a learner and a loss of its own."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem
from budgeted.expectation import expected_loss, loss
from budgeted.loss import GINI, Loss
from budgeted.testing import check_learner, check_policy

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
    del sys.modules["thrifty"]


def test_it_keeps_the_contracts(thrifty):
    check_policy(thrifty.Thrifty())
    check_learner(thrifty.Smoothed())
    check_learner(thrifty.Smoothed(count=2))


def test_the_policy_and_the_loss_are_known_to_the_command_line(site):
    listed = json.loads(run(site, "-m", "budgeted", "policies", "--json").stdout)
    assert listed[-1]["name"] == "thrifty"
    done = run(site, "-m", "budgeted", "simulate", "--policy", "thrifty", "--runs", "2",
               "--budget", "5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run(site, "-m", "budgeted", "simulate", "--policy", "greedy", "--runs", "1",
               "--budget", "2", "--features", "3", "--loss", "bhattacharyya")  # fmt: skip
    assert done.returncode == 0, done.stderr
    without = subprocess.run(
        [sys.executable, "-m", "budgeted", "simulate", "--policy", "thrifty"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert without.returncode == 1
    assert "there is no policy 'thrifty'" in without.stderr


STUDY = """
name = "paid"
budget = 10
learner = "smoothed"
loss = "bhattacharyya"
labels = ["well", "ill"]
prior = [0.5, 0.5]
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


def test_a_study_uses_all_three_by_their_names(site, tmp_path):
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
    assert "nothing costs less than 1" in json.dumps(asked)
    study("tell", "1", "yes")
    status = json.loads(study("status", "--json"))
    assert "smoothed" in json.dumps(status)
    model = json.loads(study("model"))
    chances = model["features"][0]["probabilities"][0]
    assert sorted(map(tuple, chances)) == [(0.25, 0.75), (0.5, 0.5)]


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
[[policy]]
name = "thrifty"
learner = "smoothed"
[[policy]]
name = "greedy"
"""
PACKAGES = """
import json, sys
from budgeted.experiment import read
from budgeted.results import provenance
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
    changed.mkdir()
    text = (PLUGIN / "src" / "thrifty" / "__init__.py").read_text(encoding="utf-8")
    (changed / "__init__.py").write_text(text + "\n# a remark\n", encoding="utf-8")
    assert packages(site) == before, "remarks do not decide"
    (changed / "__init__.py").write_text(text + "\nMORE = 1\n", encoding="utf-8")
    assert packages(site)["thrifty"] != before["thrifty"]
