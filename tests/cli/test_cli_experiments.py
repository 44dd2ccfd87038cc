"""What `budgeted experiment run` says and leaves behind, as somebody meets it who is new to it."""

import json
import re
import tomllib
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted.cli.experiments import _amount
from budgeted.cli.main import main
from budgeted.errors import ExperimentError
from budgeted.experiments.runs import Run, Runs
from budgeted.experiments.spec import parse, read
from budgeted.experiments.store import read_results

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


def rows_of(printed):
    """The cells of a table by the first of each row."""
    lines = [re.split("[│┃]", line)[1:-1] for line in printed.splitlines()]
    return {cells[0].strip(): [each.strip() for each in cells[1:]] for cells in lines if cells}


def files(folder):
    return {each.name: each.read_bytes() for each in (folder / "out").iterdir() if each.is_file()}


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_changed_table_is_computed_anew_and_it_is_said(folder):
    before = run(folder)
    assert "not used" not in before.stderr
    table = (folder / "visits.csv").read_text()
    (folder / "visits.csv").write_text(table.rpartition("59,")[0])
    after = run(folder)
    assert "visits: not used, as other code computed them or the experiment was" in after.stderr
    assert "already" not in after.stderr, "all were computed"
    again = run(folder)
    assert again.stderr.startswith("visits: runs that were there already: 8; computed: 0")
    more = run(folder, "--runs", "5")
    assert "visits: runs that were there already: 8; computed: 2" in more.stderr
    (folder / "visits.csv").write_text(table)
    assert run(folder).stdout == before.stdout


FRUGAL = """
from dataclasses import dataclass
from typing import ClassVar

from budgeted.policies import Choice


@dataclass(frozen=True)
class Frugal:
    name: ClassVar[str] = "frugal"
    summary: ClassVar[str] = "fever, three times"

    def choose(self, state, rng):
        cells = [cell for cell in state.affordable() if cell.feature == 0]
        return Choice(cells[0]) if len(state.history) < 3 else None
"""


@pytest.mark.slow
def test_a_policy_that_stops_early_is_listed_and_drawn_with_what_it_spent(folder):
    (folder / "frugal.py").write_text(FRUGAL)
    (folder / "visits.toml").write_text(
        'modules = ["frugal.py"]\n' + TOML + '\n[[policy]]\nname = "frugal"\n'
    )
    printed = run(folder)
    assert printed.exit_code == 0, printed.output
    rows = rows_of(printed.stdout)
    quarter, half, end, spent = rows["frugal"]
    assert (quarter, half, spent) == ("–", "–", "3"), "a quarter of 20 was never spent"
    assert "±" in end
    assert rows["policy"][-2:] == ["at the end", "spent"]
    told = json.loads(run(folder, "--json").stdout)
    frugal = told["policies"][-1]
    assert (frugal["budget"], frugal["mean_spent"]) == ("20", 3)
    drawn = json.loads((folder / "out" / "visits.json").read_text())["data"]["values"]
    ends = {name: max(row["x"] for row in drawn if row["policy"] == name)
            for name in ("frugal", "round-robin")}  # fmt: skip
    assert ends["frugal"] == 3
    assert ends["round-robin"] > 15


@pytest.mark.slow
def test_where_all_money_is_spent_the_table_does_not_repeat_it(folder):
    (folder / "visits.toml").write_text(TOML.replace("fever = 1, age = 4, smoker = 2", "").replace(
        "costs = {}", "costs = 1"))  # fmt: skip
    assert rows_of(run(folder).stdout)["policy"][-1] == "at the end"


@pytest.mark.parametrize(
    ("spent", "says"),
    [((20, 20), "20"), ((20, 19), "19.50"), ((1, 1, 0), "0.66"), (("0.125", "0.124"), "0.124")],
)
def test_less_than_the_budget_never_looks_like_it(spent, says):
    runs = [
        Run(*[np.zeros(1, int)] * 3, (Decimal(each),), (Decimal(each),), np.zeros(1), 0.1, 0.2)
        for each in spent
    ]
    assert _amount(Runs(("x",), tuple(runs))) == says


def test_all_mistakes_of_a_file_are_reported_at_once_a_line_each(folder):
    """Also that the table has no such column, which only shows when it is read."""
    wrong = TOML.replace("runs =", "rnus =").replace('"greedy"', '"gredy"\nlearner = "none"')
    wrong = wrong.replace('"state"', '"stat"').replace("budget = 20", 'budget = "lots"')
    (folder / "visits.toml").write_text(wrong)
    result = run(folder)
    assert result.exit_code == 1
    first, *lines = result.stderr.splitlines()
    assert first == f"Error: {folder / 'visits.toml'}: 5 mistakes"
    starts = [
        "  rnus: unknown; did you mean 'runs'?",
        "  policy[0]: learner: there is no learner 'none'; there are",
        "  policy[0]: there is no policy 'gredy'; did you mean 'greedy'?",
        "  budget: must be an amount of money",
        "  problem: label: there is no column 'stat'; did you mean 'state'?",
    ]
    assert len(lines) == len(starts)
    for line, start in zip(lines, starts, strict=True):
        assert line.startswith(start)


def test_a_module_that_cannot_be_loaded_does_not_make_its_policies_unknown(folder):
    (folder / "frugal.py").write_text("def\n")
    named = TOML + '\n[[policy]]\nname = "frugal"\n\n[[policy]]\nname = "sfl"\ndepth = 1\n'
    (folder / "visits.toml").write_text('modules = ["frugal.py"]\n' + named)
    with pytest.raises(ExperimentError) as caught:
        read(folder / "visits.toml")
    broken, parameter = caught.value.mistakes
    assert broken == f"{folder / 'frugal.py'}: line 1: invalid syntax"
    assert parameter.startswith("policy[3]: policy 'sfl' has no parameter 'depth'")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"problem": 3}, r"^problem: must be a table, as below \[problem\], got 3$"),
        ({"policy": {"name": "sfl"}}, r"^policy: each one must be a table of its own, below \[\["),
        ({"policy": ["sfl"]}, r"^policy: each one must be a table of its own, below \[\["),
    ],
)
def test_tables_of_the_wrong_kind_are_mistakes(folder, change, says):
    with pytest.raises(ExperimentError, match=says):
        parse({**tomllib.loads(TOML), **change}, "visits", folder=folder)
