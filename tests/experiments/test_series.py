"""Several tables in one experiment, and more than the 0/1 error, from the file to the results."""

import json
import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.errors import ExperimentError, RunnerError
from budgeted.experiments.measured import COLUMNS, NAMES
from budgeted.experiments.runner import run
from budgeted.experiments.runs import Runs
from budgeted.experiments.series import read_all, series_of
from budgeted.experiments.spec import parse
from budgeted.experiments.store import Store, read_results
from budgeted.learners import NaiveBayes, fitted
from budgeted.problem.orders import Purchase
from budgeted.simulation.judge import MEASURES, probabilities

TOML = """
title = "Two"
budget = 12
runs = 3
seed = 5
measures = ["log loss", "brier", "auc", "cost of errors"]
moments = [0.5]
wrong = 10

[problem]
tables = ["car", "nursery"]

[[policy]]
name = "round-robin"

[[policy]]
name = "random-shopper"
learner = "naive-bayes"
"""


def invoke(*options):
    return CliRunner().invoke(main, ["experiment", *map(str, options)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results of the file above, computed once."""
    found = tmp_path_factory.mktemp("series")
    (found / "two.toml").write_text(TOML)
    with ThreadPoolExecutor(1) as executor:
        for each in series().tables.values():
            run(each, found / "out", executor)
    done = invoke("run", found / "two.toml", "--out", found / "out", "--figure", "json")
    assert done.exit_code == 0, done.output
    assert "Two: car" in done.output
    assert "Two: nursery" in done.output
    return found


def series():
    return series_of(tomllib.loads(TOML), "two")


def test_each_table_is_an_experiment_by_itself(folder):
    """With the same results as one that has only this table."""
    out = folder / "out"
    names = {"two.parquet", "two-car.parquet", "two-nursery.parquet", "two-car.json",
             "two-nursery-purchases.json"}  # fmt: skip
    assert names <= {each.name for each in out.iterdir()}
    document = tomllib.loads(TOML)
    alone = parse({**document, "title": "Two: car", "problem": {"table": "car"}}, "two-car")
    assert alone == series().tables["car"]
    assert Store(out, alone).survey().missing == []


def test_all_tables_are_read_back_as_they_were_written(folder):
    found = read_all(folder / "out" / "two.parquet")
    assert [name for name, _, _ in found] == ["car", "nursery"]
    for name, facts, results in found:
        told, expected = read_results(folder / "out" / f"two-{name}.parquet")
        assert facts["experiment"] == told["experiment"]
        for label, runs in results.items():
            for one, other in zip(runs.runs, expected[label].runs, strict=True):
                assert (one.cost, one.spent) == (other.cost, other.spent)
                assert (one.error == other.error).all()
                assert one.names.features == other.names.features
                for measure in one.measures:
                    np.testing.assert_array_equal(one.measures[measure], other.measures[measure])
    with pytest.raises(RunnerError, match="several tables"):
        read_results(folder / "out" / "two.parquet")


@pytest.mark.parametrize("read", [pandas.read_parquet, polars.read_parquet])
def test_the_file_is_understood_without_this_package(folder, read):
    """By the columns that docs/experiments.md lists."""
    frame = read(folder / "out" / "two.parquet")
    page = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text(encoding="utf-8")
    _, _, section = page.partition("## The file of results")
    cells = re.findall(r"^\| (`[^|]+)", section.partition("\n## ")[0], re.MULTILINE)
    listed = re.findall(r"`(\w+)`", "".join(cells))
    columns = list(frame.columns)
    assert set(columns) <= set(listed)
    assert set(listed) - set(columns) <= {COLUMNS["run time"]}
    assert set(frame["table"]) == {"car", "nursery"}
    names, at = ["car", "nursery"], columns.index
    rows = frame.itertuples(index=False) if read is pandas.read_parquet else frame.iter_rows()
    rows = [tuple(each) for each in rows]
    for name, _, results in read_all(folder / "out" / "two.parquet"):
        assert name in names
        for label, runs in results.items():
            mine = [row for row in rows if row[at("table")] == name and row[at("policy")] == label]
            assert len(mine) == sum(len(each.spent) for each in runs.runs)
            assert sum(row[at("cost")] for row in mine) == sum(
                (each.spent[-1] for each in runs.runs), Decimal(0)
            )


def test_measures_are_taken_after_the_last_purchase_within_each_moment(folder):
    """And are those of a classifier that is made anew from the purchases up to there."""
    for name, _, results in read_all(folder / "out" / "two.parquet"):
        experiment = series().tables[name]
        runs = results["random-shopper"]
        for number, played in enumerate(runs.runs):
            rehearsal = experiment.rehearsal(number, "12")
            ends = [sum(each <= amount for each in played.spent) for amount in (6, 12)]
            for measure, taken in played.measures.items():
                assert [at + 1 for at in np.flatnonzero(~np.isnan(taken))] == ends
                for end in ends:
                    bought = [
                        Purchase(feature, label, None if value < 0 else int(value), cost)
                        for feature, label, value, cost in zip(
                            played.feature[:end].tolist(), played.label[:end].tolist(),
                            played.value[:end].tolist(), played.cost[:end], strict=True)
                    ]  # fmt: skip
                    predictor = fitted(NaiveBayes(), rehearsal.problem, bought)
                    judge = rehearsal.validation
                    labels = len(rehearsal.problem.labels)
                    costs = 10 * (1 - np.eye(labels))
                    chances = probabilities(predictor, judge)
                    expected = MEASURES[measure](chances, judge.masses, costs)
                    assert taken[end - 1] == pytest.approx(expected, nan_ok=True)
        assert runs.measure_within("brier", Decimal(6)) == pytest.approx(
            [each.measures["brier"][5] for each in runs.runs]
        )
        assert np.isnan(runs.measure_within("run time", Decimal(6))).all()


def test_other_measures_are_another_experiment_and_it_is_said(folder):
    document = tomllib.loads(TOML.replace('"brier", ', ""))
    changed = series_of(document, "two").tables["car"]
    (remark,) = Store(folder / "out", changed).survey().remarks()
    assert remark.startswith("two-car: not used, as other code computed them or the experiment")


def test_show_and_json_know_all_tables(folder):
    shown = invoke("show", folder / "out" / "two.parquet")
    assert shown.exit_code == 0, shown.output
    assert "Two: car" in shown.output
    assert "Two: nursery" in shown.output
    told = json.loads(invoke("show", folder / "out" / "two.parquet", "--json").output)
    assert [each["table_name"] for each in told] == ["car", "nursery"]
    done = CliRunner().invoke(main, ["experiment", "run", str(folder / "two.toml"), "--out",
                              str(folder / "out"), "--json", "--figure", "none"])  # fmt: skip
    document = json.loads(done.stdout)
    assert [each["experiment"] for each in document["tables"]] == ["two-car", "two-nursery"]
    assert document["results"].endswith("two.parquet")


@pytest.mark.parametrize(
    ("change", "words"),
    [({"measures": ["acu"]}, r"measures: there is no 'acu'"),
     ({"measures": "auc"}, "measures: must be a list"),
     ({"moments": [0.5]}, "moments: are for measures"),
     ({"measures": ["auc"], "moments": [0, 1]}, "above 0"),
     ({"measures": ["cost of errors"]}, "wrong: say what wrong answers cost"),
     ({"measures": ["auc"], "wrong": 5}, "wrong: is for the measure"),
     ({"measures": ["cost of errors"], "wrong": {"acc": {"good": 1}}}, "wrong answers: "),
     ({"problem": {"tables": []}}, "problem.tables: must be names"),
     ({"problem": {"tables": ["car", "cra"]}}, r"problem\[1\]: there is no table 'cra'"),
     ({"problem": {"tables": ["car", "car"]}}, r"two are called 'car'"),
     ({"problem": [{"table": "car", "name": "a/b"}]}, "part of the name of a file"),
     ({"problem": [{"table": "car"}, {"table": "nursery", "bin": 3}]}, r"problem\[1\].bin: unkn"),
     ({"problem": ["car"]}, r"problem\[0\]: must be a table")],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(change, words):
    document = {"budget": 5, "problem": {"table": "car"}, "policy": [{"name": "greedy"}]}
    with pytest.raises(ExperimentError, match=words):
        series_of({**document, **change}, "x")


def test_tables_may_have_budgets_and_names_of_their_own():
    document = {"budget": 5, "policy": [{"name": "greedy"}], "problem": [
        {"table": "car", "budget": "7.50"},
        {"table": "car", "name": "dear", "costs": 2, "prior_counts": 0.5}]}  # fmt: skip
    found = series_of(document, "x").tables
    assert [each.contenders[0].budget for each in found.values()] == ["7.50", "5"]
    assert list(found) == ["car", "dear"]
    assert found["dear"].rehearsal(0, "5").problem.features[0].cost == 2


def test_run_time_is_the_processor_time_up_to_the_moment():
    document = {"budget": 6, "runs": 1, "problem": {"synthetic": "figure-3b", "features": 3},
                "measures": ["run time"], "policy": [{"name": "sfl"}]}  # fmt: skip
    experiment = parse(document, "x")
    played = experiment.play(experiment.contenders[0], 0)
    taken = played.measures["run time"]
    times = taken[~np.isnan(taken)]
    assert len(times) == 4
    assert (np.diff(times) > 0).all()
    assert times[0] > 0
    assert set(NAMES) == {*MEASURES, "run time"}


def test_the_area_under_the_curve_weighs_errors_by_money():
    from tests.experiments.test_run_files import Run

    played = Run(
        *(np.zeros(3, dtype=int),) * 3,
        cost=tuple(map(Decimal, ("1", "3", "2"))), spent=tuple(map(Decimal, ("1", "4", "6"))),
        error=np.array([0.5, 0.3, 0.1]), complete=0.0, single=0.0,
    )  # fmt: skip
    runs = Runs(("a",), (played,))
    # 0.5 from 1 to 4, 0.3 from 4 to 6, 0.1 from 6 to 8
    assert runs.area_under_curve(Decimal(8)) == pytest.approx([(1.5 + 0.6 + 0.2) / 7])
    assert runs.area_under_curve(Decimal(4)) == pytest.approx([0.5])
