"""What `budgeted experiment run` says and leaves behind, as somebody meets it who is new to it."""

import json

import pytest
from click.testing import CliRunner

from budgeted.cli import main
from budgeted.results import read_results

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
