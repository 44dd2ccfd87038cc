"""Which code computed: results of other code, or under other versions, are not used."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from budgeted import provenance
from budgeted.errors import RunnerError
from budgeted.experiments.runner import run
from budgeted.experiments.runs import Runs, one_fingerprint
from budgeted.experiments.spec import parse
from budgeted.experiments.store import Store
from budgeted.provenance import Provenance, package_hash

ONE = Provenance("c0de", "0.1.0", "3.11.7", "2.4.6", "1.17.0", {"mine.py": "a"})


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that can be imported, and changed."""
    folder = tmp_path / "somebodys_package"
    (folder / "tables").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "tables" / "some.csv.gz").write_bytes(b"1")
    (folder / "page.css").write_text("body {}")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_all_code_and_all_tables_count_and_nothing_else(package):
    found = [package_hash(package.name)]
    for name, content in (("__init__.py", "x = 1"), ("tables/some.csv.gz", "2"), ("new.py", "")):
        (package / name).write_text(content)
        found.append(package_hash(package.name))
    assert len(set(found)) == 4
    (package / "page.css").write_text("")
    assert package_hash(package.name) == found[-1]


def test_a_package_without_sources_is_refused(package):
    for each in package.rglob("*.py"):
        each.unlink()
    for name in (package.name, "no_such_package"):
        with pytest.raises(RunnerError, match="its sources are not there"):
            package_hash(name)


def test_releases_of_python_numpy_and_scipy_count_and_repairs_do_not():
    repaired = replace(ONE, budgeted="0.2.0", python="3.11.9", numpy="2.4.0", scipy="1.17.3")
    assert repaired.fingerprint == ONE.fingerprint
    for change, words in (
        ({"code": "other"}, "the code of budgeted was another"),
        ({"python": "3.12.0"}, "Python 3.12.0 instead of 3.11.7"),
        ({"numpy": "1.26.4"}, "NumPy 1.26.4 instead of 2.4.6"),
        ({"scipy": "1.11.1"}, "SciPy 1.11.1 instead of 1.17.0"),
        ({"own": {"mine.py": "b"}}, "mine.py was another"),
        ({"own": {}}, "mine.py was another"),
    ):
        other = replace(ONE, **change)
        assert other.fingerprint != ONE.fingerprint
        assert ONE.differences(other) == [words]
        assert Provenance.of(json.loads(json.dumps(other.document()))) == other


def test_runs_of_different_code_make_no_report():
    runs = [Runs(("x",), (), (each,)) for each in (ONE, replace(ONE, code="other"))]
    assert one_fingerprint(runs[:1] * 2) == ONE.fingerprint
    assert one_fingerprint([Runs(("x",), ())]) == ""
    with pytest.raises(RunnerError, match="different code cannot be put into one report"):
        one_fingerprint(runs)


EXPERIMENT = {
    "budget": 4, "runs": 2, "problem": {"synthetic": "figure-3b"}, "policy": [{"name": "greedy"}]
}  # fmt: skip


def test_runs_of_other_code_are_kept_and_named_and_not_used(tmp_path, monkeypatch):
    store = Store(tmp_path, parse(EXPERIMENT, "x"))
    with ThreadPoolExecutor(1) as executor:
        run(store.experiment, tmp_path, executor)
    assert (store.missing(), store.survey().remarks()) == ([], [])
    monkeypatch.setattr(provenance, "code", lambda: "another")
    today = Store(tmp_path, store.experiment)
    assert today.missing() == today.pairs()
    assert today.survey().remarks() == [
        "x: not used, as other code computed them or the experiment was another: the runs in "
        f"{store.runs_folder}"
    ]
    monkeypatch.undo()
    assert Store(tmp_path, store.experiment).missing() == []


class Elsewhere(ThreadPoolExecutor):
    """Workers that say they compute with another NumPy."""

    def submit(self, fn, *arguments):
        def play(*given):
            played, computed = fn(*given)
            return played, replace(computed, numpy="0.9.1")

        return super().submit(play, *arguments)


def test_runs_of_a_worker_with_other_versions_are_refused(tmp_path):
    experiment = parse(EXPERIMENT, "x")
    with (
        Elsewhere(1) as executor,
        pytest.raises(RunnerError, match=r"a worker .*NumPy 0\.9\.1 instead of .* on all workers"),
    ):
        run(experiment, tmp_path, executor)
    assert Store(tmp_path, experiment).missing() == [(0, 0), (0, 1)]
