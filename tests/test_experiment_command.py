"""What `budgeted experiment run` says and leaves behind, as somebody meets it who is new to it."""

import json
import tomllib

import pytest
from click.testing import CliRunner

from budgeted.cli import main
from budgeted.experiment import parse
from budgeted.results import Store, provenance, read_results

TOML = """
title = "Visits"
budget = 20
runs = 4
seed = 3

[problem]
file = "visits.csv"
label = "state"
ignore = ["id"]
costs = {fever = 1, age = 4, smoker = 2}

[[policy]]
name = "greedy"

[[policy]]
name = "round-robin"
"""


@pytest.fixture
def folder(tmp_path):
    """A user's folder: an experiment and a table."""
    rows = [
        f"{n},{'yes' if n % 3 else 'no'},{20 + n},{'yn'[n % 2]},{'ill' if n % 3 else 'well'}"
        for n in range(60)
    ]
    (tmp_path / "visits.csv").write_text("id,fever,age,smoker,state\n" + "\n".join(rows) + "\n")
    (tmp_path / "visits.toml").write_text(TOML)
    return tmp_path


def run(folder, *more):
    return CliRunner().invoke(
        main, ["experiment", "run", str(folder / "visits.toml"), "--out", str(folder / "out"),
               "--workers", "1", "--figure", "json", *more],
    )  # fmt: skip


def files(folder):
    return {each.name: each.read_bytes() for each in (folder / "out").iterdir() if each.is_file()}


def test_a_look_with_fewer_runs_leaves_the_full_result_alone(folder):
    assert run(folder).exit_code == 0
    full = files(folder)
    assert set(full) == {"visits.parquet", "visits.json", "visits-purchases.json"}
    look = run(folder, "--runs", "2")
    assert look.exit_code == 0, look.output
    after = files(folder)
    assert {name: after[name] for name in full} == full
    assert set(after) - set(full) == {
        "visits-2-runs.parquet", "visits-2-runs.json", "visits-2-runs-purchases.json",
    }  # fmt: skip
    assert "2 runs instead of 4" in look.stderr
    assert str(folder / "out" / "visits-2-runs.parquet") in look.stderr
    _, runs = read_results(folder / "out" / "visits-2-runs.parquet")
    assert {len(each) for each in runs.values()} == {2}
    told = json.loads(run(folder, "--runs", "2", "--json").stdout)
    assert told["results"] == str(folder / "out" / "visits-2-runs.parquet")


def test_the_number_of_runs_that_the_file_says_is_no_look(folder):
    assert "instead" not in run(folder, "--runs", "4").stderr
    assert "visits.parquet" in files(folder)


def test_a_changed_table_is_named(folder):
    before = run(folder)
    assert "since the last time" not in before.stderr
    table = (folder / "visits.csv").read_text()
    (folder / "visits.csv").write_text(table.rpartition("59,")[0])
    after = run(folder)
    said = "visits: changed since the last time: visits.csv; not used: 8 runs of before"
    assert said in after.stderr
    assert "already" not in after.stderr, "all were computed"
    again = run(folder)
    assert "since the last time" not in again.stderr, "it is said once"
    assert "visits: runs that were there already: 8; computed: 0" in again.stderr
    more = run(folder, "--runs", "5")
    assert "visits: runs that were there already: 8; computed: 2" in more.stderr
    (folder / "visits.csv").write_text(table)
    back = run(folder)
    assert back.stdout == before.stdout
    assert "changed since the last time: visits.csv; not used: 10 runs of before" in back.stderr
    assert "already: 8; computed: 0" in back.stderr


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("seed = 3", "seed = 4", "seed"),
        ("budget = 20", "budget = 19", "budget"),
        ("age = 4", "age = 5", "problem.costs"),
        ('"greedy"', '"greedy"\nloss = "entropy"', "policy 'greedy'"),
        ('"greedy"', '"sfl"', "policy 'greedy', policy 'sfl'"),
        ('"round-robin"', '"round-robin"\nbudget = 7', "policy 'round-robin'"),
    ],
)
def test_what_has_changed_in_the_experiment_is_named(folder, old, new, names):
    experiment, changed = (
        parse(tomllib.loads(each), "visits", folder=folder)
        for each in (TOML, TOML.replace(old, new))
    )
    store = Store(folder / "out", experiment.with_runs(1))
    store.begin()
    (contender, *_) = experiment.contenders
    store.keep(0, 0, experiment.play(contender, 0), provenance(experiment))
    assert store.survey().earlier is None
    assert Store(folder / "out", changed).survey().remarks() == [
        f"visits: changed since the last time: {names}; not used: 1 run of before"
    ]
    other = parse(tomllib.loads(TOML), "visits-more", folder=folder)
    assert Store(folder / "out", other).survey().remarks() == []
