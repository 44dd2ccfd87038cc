"""A study as a dataframe, results from one, and all studies as one table."""

import datetime
from decimal import Decimal

import pandas
import polars
import pyarrow
import pytest

from budgeted import Feature, Number, Problem
from budgeted.errors import StudyError, StudyFileError
from budgeted.studies.tables import TABLES
from tests import sample_studies as studies

BACKENDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.Table}


def begin(folder, name="study"):
    problem = Problem(
        [Feature("grade", ("1", "2", "3"), "1.50"), Feature("crp", Number((5, 10)), "2.05"),
         Feature("mcv", ("low", "high"), "0.10")],
        ("well", "ill"), (0.5, 0.5), "60.00",
    )  # fmt: skip
    return studies.begin(str(folder / f"{name}.db"), name, problem=problem)


@pytest.fixture
def study(tmp_path):
    with begin(tmp_path) as begun:
        asked = begun.ask(3, only=("crp",))
        begun.tell(asked[0].number, "7.25", cost="2.10")
        begun.fail(asked[1].number, charged=True, why="haemolysis")
        begun.record([("case 1", "grade", "2")])
        yield begun


def records(frame, backend):
    """Rows as dictionaries, null as None."""
    if backend == "pandas":
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return [{name: each.to_pydatetime() if isinstance(each, pandas.Timestamp) else each
                 for name, each in row.items()} for row in rows]  # fmt: skip
    return frame.to_dicts() if backend == "polars" else frame.to_pylist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_row_for_each_request_with_exact_money_times_and_who(study, backend):
    frame = study.to_dataframe("long", backend=backend)
    assert isinstance(frame, BACKENDS[backend])
    rows = records(frame, backend)
    by_number = {row["request"]: row for row in rows}
    assert sorted(by_number) == [each.number for each in study.requests()]
    for each in study.requests():
        row = by_number[each.number]
        assert (row["case"], row["feature"], row["label"]) == (each.case, each.feature, each.label)
        assert row["value"] == each.value
        assert isinstance(row["price"], Decimal)
        assert row["requested_by"] == each.by
        assert row["requested_at"] == datetime.datetime.fromisoformat(each.at)
    charged = [row["charged"] for row in rows if row["charged"] is not None]
    assert sum(charged) == study.state.spent == Decimal("4.15")
    reserved = [row["reserved"] for row in rows if row["reserved"] is not None]
    assert sum(reserved) == study.state.reserved


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_row_for_each_case_with_its_values(study, backend):
    rows = records(study.to_dataframe(backend=backend), backend)
    held = {(row["case"], name): row[name] for row in rows for name in ("grade", "crp", "mcv")
            if row[name] is not None}  # fmt: skip
    told = {(each.case, each.feature): each.value for each in study.requests()
            if each.value is not None}  # fmt: skip
    assert held == {place: float(value) if place[1] == "crp" else value
                    for place, value in told.items()}  # fmt: skip
    assert len(rows) == 12


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("which", TABLES)
def test_every_table_has_the_columns_of_the_csv(study, which, backend):
    frame = study.to_dataframe(which, backend=backend)
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert tuple(names) == TABLES[which](study.snapshot(), True).columns
    blind = study.to_dataframe(which, backend=backend, labels=False)
    assert "label" not in (blind.column_names if backend == "pyarrow" else blind.columns)


def test_what_a_study_writes_another_one_reads(study, tmp_path):
    """The wide frame of one, without what is no feature, into an empty one: the same values."""
    for backend in BACKENDS:
        with begin(tmp_path, f"copy {backend}") as copy:
            frame = study.to_dataframe(backend=backend)
            results = copy.results_in(frame, meant={"label": "", "withdrawn": ""})
            seen = copy.preview(results)
            assert seen.count("recorded") == len(results) == 2
            assert not copy.requests()
            copy.enter(results)
            assert {(each.case, each.feature, each.value) for each in copy.requests()} == {
                (each.case, each.feature, each.value) for each in study.requests()
                if each.value is not None
            }  # fmt: skip


def test_a_long_frame_has_exact_costs_and_answers_requests(study):
    (pending,) = study.requests("pending")
    frame = polars.DataFrame(
        {"patient": [pending.case, "case 2"], "test": ["crp", "grade"], "value": ["3.5", "3"],
         "cost": [Decimal("2.123456"), None], "comment": ["late", None]}
    )  # fmt: skip
    results = study.results_in(frame)
    assert [each.cost for each in results] == ["2.123456", ""]
    spent = study.state.spent
    told, recorded = study.enter(results)
    assert (told.fate, recorded.fate) == ("told", "recorded")
    assert study.state.spent == spent + Decimal("2.123456")


def test_whole_numbers_in_a_column_with_gaps_are_whole(study):
    frame = pandas.DataFrame({"case": ["case 3", "case 4"], "grade": [3, None]})
    assert frame["grade"].dtype == float
    (result,) = study.results_in(frame)
    assert study.enter([result])[0].value == "3"


@pytest.mark.parametrize(
    ("columns", "words"),
    [({"case": ["x"], "crpp": [1.0]}, "did you mean 'crp'"),
     ({"who": ["x"], "crp": [1.0]}, "no column names the case"),
     ({"case": ["x"], "crp": [object()]}, "cells must be"),
     ({"case": [], "crp": []}, "no rows")],
)  # fmt: skip
def test_what_is_not_understood_is_asked_about(study, columns, words):
    with pytest.raises(ValueError, match=words):
        study.results_in(pandas.DataFrame(columns))
    assert issubclass(StudyFileError, ValueError)


def test_unknown_tables_and_libraries_are_refused_in_words(study, monkeypatch):
    with pytest.raises(StudyError, match=r"no table 'logn'; did you mean 'long'\?"):
        study.to_dataframe("logn")
    with pytest.raises(StudyError, match="backend: must be one of pandas, polars, pyarrow"):
        study.to_dataframe(backend="excel")
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(StudyError, match="pip install polars, or name another"):
        study.to_dataframe(backend="polars")
