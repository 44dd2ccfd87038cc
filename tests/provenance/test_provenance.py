"""Which code decides, and that results of other code are not used."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

import budgeted
from budgeted import provenance
from budgeted.errors import RunnerError
from budgeted.experiments.fingerprints import one_fingerprint
from budgeted.experiments.runner import run
from budgeted.experiments.runs import Runs
from budgeted.experiments.spec import parse
from budgeted.experiments.store import Store
from budgeted.provenance import Provenance
from budgeted.provenance.deciding_code import code_hash, parts_that_decide

SOURCE = Path(budgeted.__file__).parent
DECIDES = parts_that_decide(files("budgeted"))

PLAYS_EVERYTHING = """
import json, sys
from budgeted.experiments.spec import parse
from budgeted.policies import POLICIES
from budgeted.experiments.runner import play_one
loads = [
    {"name": name, "label": f"{name} {cases}", "case_rule": cases, "learner": learner}
    for name in POLICIES for cases, learner in
    [("fresh", "naive-bayes"), ("settle", "hierarchical")]
]
for problem in ({"synthetic": "figure-3b", "features": 3, "judge": "truth"}, {"table": "car"}):
    experiment = parse({"budget": 4, "problem": problem, "policy": loads}, "all")
    for contender in experiment.contenders:
        play_one(experiment, contender, 0)
print(json.dumps(sorted(name for name in sys.modules if name.startswith("budgeted"))))
"""


@pytest.mark.slow
def test_whatever_a_run_loads_decides():
    """The imports are followed on paper; here a fresh process plays, and is asked what it loaded.

    What only keeps, ships or describes runs is loaded by the function that a worker is sent.
    """
    done = subprocess.run(
        [sys.executable, "-c", PLAYS_EVERYTHING], capture_output=True, text=True, check=True
    )
    around = {"runner", "store", "run_files", "executors", "changes", "installed"}
    loaded = set(json.loads(done.stdout)) - {f"budgeted.experiments.{each}" for each in around}
    assert len(loaded) > 50
    assert loaded <= set(DECIDES)


def test_policies_beliefs_engines_and_simulations_decide():
    names = ["memory", "seeds", "experiments.spec", "experiments.runs", "experiments.own_policies"]
    wanted = {f"budgeted.{each}" for each in names}
    for package in ("policies", "learners", "value", "state", "problem", "simulation",
                    "simulation/datasets", "simulation/tables"):  # fmt: skip
        wanted |= {
            f"budgeted.{package.replace('/', '.')}.{file.stem}"
            for file in (SOURCE / package).glob("*.py")
            if file.stem != "__init__"
        }
    assert wanted <= set(DECIDES)
    assert "budgeted.simulation.datasets/uci/car.csv.gz" in DECIDES


def test_pages_commands_and_studies_do_not_decide():
    outside = ("web", "cli", "studies", "optimal", "testing", "experiments.figures",
               "experiments.comparison", "experiments.executors", "experiments.runner")  # fmt: skip
    assert not [name for name in DECIDES if name.startswith(tuple(f"budgeted.{each}" for each in
                                                                  outside))]  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package that may be changed."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(SOURCE, folder / "budgeted", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "budgeted"


def name_of(file, package):
    """The name by which a module or data file goes, worked out from where it is."""
    home = next(each for each in file.parents if (each / "__init__.py").exists())
    dotted = ".".join(["budgeted", *home.relative_to(package).parts])
    if file.suffix != ".py":
        return f"{dotted}/{file.relative_to(home)}"
    return dotted if file.stem == "__init__" else f"{dotted}.{file.stem}"


@pytest.mark.slow
def test_a_change_of_any_file_counts_if_and_only_if_it_decides(tmp_path):
    """Every file gets one more statement, or a few bytes: first those that do not decide."""
    package = tmp_path / "budgeted"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    files_ = [each for each in package.rglob("*") if each.is_file()]
    others = [each for each in files_ if name_of(each, package) not in DECIDES]
    assert len(others) > 50
    for file in others:
        file.write_bytes(file.read_bytes() + b"\n_ = 1\n")
    assert parts_that_decide(package) == DECIDES
    for file in set(files_) - set(others):
        file.write_bytes(file.read_bytes() + b"\n_ = 1\n")
    changed = parts_that_decide(package)
    assert set(changed) == set(DECIDES)
    assert not [name for name in changed if changed[name] == DECIDES[name]]


@pytest.mark.slow
def test_a_module_that_is_new_counts_as_soon_as_it_is_imported(copy):
    (copy / "policies" / "newest.py").write_text("x = 1\n")
    assert set(parts_that_decide(copy)) - set(DECIDES) == {"budgeted.policies.newest"}
    (copy / "policies" / "newest.py").unlink()
    (copy / "newest.py").write_text("from budgeted.web import app\n")
    assert parts_that_decide(copy) == DECIDES
    belief = (copy / "learners" / "belief.py").read_text()
    (copy / "learners" / "belief.py").write_text(
        f"{belief}\ndef late():\n    from budgeted import newest\n"
    )
    assert {"budgeted.newest", "budgeted.web.app"} <= set(parts_that_decide(copy))
    (copy / "learners" / "belief.py").write_text(belief)
    (copy / "newest.py").unlink()


def test_comments_docstrings_and_formatting_do_not_count():
    one = b'"""Words."""\n\ndef f(x):\n    """More."""\n    return x + 1  # why\n'
    other = b"def f(x):\n  'Other words.'\n\n  return (x +\n     1)\n"
    without = b"def f(x): return x + 1"
    assert code_hash(one, "a") == code_hash(other.replace(b"def", b"'x'\ndef", 1), "a")
    assert code_hash(one, "a") != code_hash(without.replace(b"1", b"2"), "a")
    with pytest.raises(RunnerError, match=r"a\.py: is not Python"):
        code_hash(b"def", "a.py")


def test_the_same_code_has_the_same_hash_in_an_archive(copy, tmp_path):
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w") as archive:
        for file in copy.rglob("*"):
            archive.write(file, file.relative_to(copy.parent))
    inside = zipfile.Path(tmp_path / "wheel.zip", "budgeted/")
    assert parts_that_decide(inside) == DECIDES


def test_a_package_without_sources_is_refused(tmp_path):
    (tmp_path / "experiment.pyc").write_bytes(b"compiled")
    with pytest.raises(RunnerError, match="the sources of budgeted are not there"):
        parts_that_decide(tmp_path)


def test_releases_of_python_and_numpy_count_and_repairs_do_not():
    one = Provenance("c0de", "0.1.0", "3.11.7", "2.4.6", {"mine.py": "a"})
    assert Provenance("c0de", "0.2.0", "3.11.9", "2.4.0", {"mine.py": "a"}).fingerprint == (
        one.fingerprint
    )
    for change, words in (
        ({"code": "other"}, "the code of budgeted was another"),
        ({"python": "3.12.0"}, "Python 3.12.0 instead of 3.11.7"),
        ({"numpy": "1.26.4"}, "NumPy 1.26.4 instead of 2.4.6"),
        ({"own": {"mine.py": "b"}}, "mine.py was another"),
        ({"own": {}}, "mine.py was another"),
    ):
        known = {key: value for key, value in one.document().items() if key != "fingerprint"}
        other = Provenance(**{**known, **change})
        assert other.fingerprint != one.fingerprint
        assert one.differences(other) == [words]
        assert Provenance.of(json.loads(json.dumps(other.document()))) == other


TOML = """
budget = 8
runs = 2
seed = 5

[problem]
synthetic = "figure-3b"
features = 4

[[policy]]
name = "greedy"

[[policy]]
name = "round-robin"
"""


def run_with(package, folder, *more):
    done = subprocess.run(
        [sys.executable, "-m", "budgeted", "experiment", "run", str(folder / "mine.toml"),
         "--out", str(folder / "out"), "--workers", "1", "--figure", "none", "--json", *more],
        env={**os.environ, "PYTHONPATH": str(package.parent)}, capture_output=True, text=True,
        check=True, cwd=folder,
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr


@pytest.mark.slow
def test_after_a_change_of_a_policy_the_same_folder_has_new_numbers(copy, tmp_path):
    """And after a change of the page, or of words, it computes nothing."""
    (tmp_path / "mine.toml").write_text(TOML)
    first, said = run_with(copy, tmp_path)
    assert said == ""
    files = {each: each.stat().st_mtime_ns for each in tmp_path.glob("out/runs/*/*.parquet")}
    assert len(files) == 4

    web, greedy = copy / "web" / "app.py", copy / "policies" / "greedy.py"
    web.write_text(web.read_text() + "\nCHANGED = True\n")
    greedy.write_text(greedy.read_text() + "\n# nothing but a comment\n")
    again, said = run_with(copy, tmp_path)
    all_there = "mine: runs that were there already: 4; computed: 0\n"
    assert (again, said) == (first, all_there)
    assert files == {
        each: each.stat().st_mtime_ns for each in tmp_path.glob("out/runs/*/*.parquet")
    }

    before = greedy.read_text()
    greedy.write_text(
        before + "\n_choose = Greedy.choose\nGreedy.choose = lambda self, state, rng: "
        "None if len(state.history) > 4 else _choose(self, state, rng)\n"
    )
    try:
        changed, said = run_with(copy, tmp_path)
    finally:
        greedy.write_text(before)
    bought = [sum(each["mean_purchases"].values()) for each in changed["policies"]]
    assert bought == [5, 8], "the numbers are those of the new code"
    assert changed["fingerprint"] != first["fingerprint"]
    assert (
        f"mine: not used, as other code computed them: 4 runs with the fingerprint "
        f"{first['fingerprint']} (budgeted.policies.greedy changed)" in said
    )
    assert len(list(tmp_path.glob("out/runs/*/*.parquet"))) == 8, "the old ones are kept"
    back, said = run_with(copy, tmp_path)
    assert (back, said) == (first, all_there), "going back to the old code finds its runs again"


def test_runs_of_different_code_make_no_report():
    known = [Provenance(each, "0.1.0", "3.11.7", "2.4.6") for each in ("one", "other")]
    runs = [Runs(("x",), (), (each,)) for each in known]
    assert one_fingerprint(runs[:1] * 2) == known[0].fingerprint
    assert one_fingerprint([Runs(("x",), ())]) == ""
    with pytest.raises(RunnerError, match="different code cannot be put into one report"):
        one_fingerprint(runs)


def test_the_fingerprint_is_part_of_where_runs_are_kept(tmp_path, monkeypatch):
    experiment = parse(
        {"budget": 4, "problem": {"synthetic": "figure-3b"}, "policy": [{"name": "greedy"}]}, "x"
    )
    here = Store(tmp_path, experiment).runs_folder
    monkeypatch.setattr(provenance, "parts", lambda: {"budgeted.policies.greedy": "changed"})
    assert Store(tmp_path, experiment).runs_folder != here


class Elsewhere(ThreadPoolExecutor):
    """Workers that say they compute with another NumPy."""

    def submit(self, fn, *arguments):
        def play(*given):
            played, computed = fn(*given)
            return played, replace(computed, numpy="0.9.1")

        return super().submit(play, *arguments)


def test_runs_of_a_worker_with_other_versions_are_refused(tmp_path):
    experiment = parse(
        {"budget": 4, "runs": 1, "problem": {"synthetic": "figure-3b"},
         "policy": [{"name": "greedy"}]}, "x"
    )  # fmt: skip
    with (
        Elsewhere(1) as executor,
        pytest.raises(RunnerError, match=r"a worker .*NumPy 0\.9\.1 instead of .* on all workers"),
    ):
        run(experiment, tmp_path, executor)
    assert Store(tmp_path, experiment).missing() == [(0, 0)]
