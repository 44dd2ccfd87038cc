"""The SQL of a model, run by SQLite and PostgreSQL, says what the package says."""

import math
import re
import sqlite3

import numpy as np
import pytest

from budgeted import Feature, Model, Problem, Purchase
from budgeted.errors import ModelError
from budgeted.learners import NaiveBayes
from budgeted.learners.formats import model_format
from tests.learners.exported import (
    CASES,
    NAMES,
    assert_same_labels,
    cases,
    model,
    refused,
)

SOME = 100


def name(text):
    return '"' + text.replace('"', '""') + '"'


def rows_of(made, asked):
    """NULL is not known; SQLite has no NaN, and text must be text."""
    return [
        (at, *(None if isinstance(cell := case.get(each.name), float) and math.isnan(cell) else cell
               for each in made.features))
        for at, case in enumerate(asked)
    ]  # fmt: skip


def in_sqlite(made, asked):
    with sqlite3.connect(":memory:") as connection:
        columns = ", ".join(
            f"{name(each.name)} {'REAL' if each.kind.name == 'number' else 'TEXT COLLATE NOCASE'}"
            for each in made.features
        )
        connection.execute(f"CREATE TABLE cases (id INTEGER PRIMARY KEY, {columns})")
        places = ", ".join("?" * (1 + len(made.features)))
        connection.executemany(f"INSERT INTO cases VALUES ({places})", rows_of(made, asked))
        found = connection.execute(model_format("sql").content(made).decode()).fetchall()
    connection.close()
    return found


@pytest.mark.parametrize("which", NAMES)
def test_sqlite_says_the_same(which):
    found = in_sqlite(model(which), cases(which))
    assert [each[0] for each in found] == list(range(CASES))
    assert_same_labels(which, [row[1] for row in found], [row[2:-1] for row in found])
    assert {row[-1] for row in found} == {None}


@pytest.mark.slow
def test_postgresql_says_the_same(postgres):
    import psycopg

    for which in ("three labels", "numbers"):
        made = model(which)
        columns = ", ".join(
            f"{name(each.name)} {'DOUBLE PRECISION' if each.kind.name == 'number' else 'TEXT'}"
            for each in made.features
        )
        plain = re.sub(r"^postgresql\+psycopg", "postgresql", postgres)
        with psycopg.connect(plain) as connection:
            connection.execute(f"CREATE TEMPORARY TABLE cases (id INTEGER, {columns})")
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO cases VALUES ({', '.join(['%s'] * (1 + len(made.features)))})",
                    [[None if cell == "" else cell for cell in row]
                     for row in rows_of(made, cases(which)[:SOME])],
                )  # fmt: skip
            found = connection.execute(model_format("sql").content(made).decode()).fetchall()
            connection.rollback()
        assert_same_labels(
            which, [row[1] for row in found], [row[2:-1] for row in found], number=SOME
        )


@pytest.mark.parametrize("which", NAMES)
def test_what_the_package_refuses_has_no_label(which):
    wrong = [(feature, value) for feature, value in refused(model(which))]
    wrong += [(each.name, "many") for each in model(which).features if each.kind.name == "number"]
    found = in_sqlite(model(which), [{feature: value} for feature, value in wrong])
    for (feature, _), row in zip(wrong, found, strict=True):
        assert row[-1] == feature
        assert set(row[1:-1]) == {None}


def test_nothing_known_at_all_is_the_population():
    made = model("another population")
    [(_, label, *chances, wrong)] = in_sqlite(made, [{}])
    np.testing.assert_allclose(chances, [0.83, 0.17])
    assert (label, wrong) == ("label 0", None)


@pytest.mark.parametrize(
    "names", [("id", "case", "case id"), ("case_key", "x"), ("ID", "Case_Key", "id_")]
)
def test_features_may_be_called_like_its_own_columns(names):
    problem = Problem(
        [Feature(each, ("a", "b"), 1) for each in names], ("well", "ill"), (0.7, 0.3), 9
    )
    bought = [Purchase(at, label, label, 1) for at in range(len(names)) for label in (0, 1)]
    made = Model.of(NaiveBayes().fit(problem, bought))
    text = model_format("sql").content(made).decode()
    [key] = re.findall(r"SELECT c\.(.*?) AS", text)
    with sqlite3.connect(":memory:") as connection:
        columns = ", ".join(f"{name(each)} TEXT" for each in names)
        connection.execute(f"CREATE TABLE cases ({key} TEXT, {columns})")
        connection.execute(f"INSERT INTO cases ({key}, {name(names[0])}) VALUES ('P1', 'b')")
        [(case, label, *chances, wrong)] = connection.execute(text).fetchall()
    connection.close()
    wanted = made.predict({names[0]: "b"})
    assert (case, label, wrong) == ("P1", max(wanted, key=wanted.get), None)
    np.testing.assert_allclose(chances, list(wanted.values()), rtol=0, atol=1e-9)


def test_a_column_that_is_not_there_is_an_error():
    """SQLite takes a quoted name that it does not know for a text: here, for the value 'a'."""
    problem = Problem([Feature("a", ("a", "b"), 1)], ("well", "ill"), (0.7, 0.3), 9)
    text = model_format("sql").content(Model.of(NaiveBayes().fit(problem, []))).decode()
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE cases (id INTEGER PRIMARY KEY, other TEXT)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute(text)
    connection.close()


def test_too_many_features_are_refused():
    problem = Problem([Feature(f"f{at}", ("a", "b"), 1) for at in range(401)],
                      ("well", "ill"), (0.5, 0.5), 9)  # fmt: skip
    with pytest.raises(ModelError, match="at most 400 features, this model has 401"):
        model_format("sql").content(Model.of(NaiveBayes().fit(problem, [])))
