import doctest
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from budgeted import Coding, Table, simulate
from budgeted.errors import DatasetError, TableError
from budgeted.learners.layout import layout_of
from budgeted.policies import policy
from budgeted.simulation import datasets
from budgeted.simulation.datasets import (
    CATALOGUE,
    describe,
    load,
    names,
    packaged,
    partition,
    rehearse,
    split,
)

PACKAGED = [name for name, entry in CATALOGUE.items() if entry.packaged]


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_tables_are_as_the_catalogue_says(name):
    table, entry = load(name), CATALOGUE[name]
    assert len(table) == entry.rows
    assert len(table.features) == entry.features
    assert len(table.labels) == entry.classes
    assert table.missing_cells == entry.missing_cells


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_tables_hold_the_bytes_of_uci(name):
    entry, table = CATALOGUE[name], packaged(CATALOGUE[name])
    original = table.partition(b"\n")[2] + b"\n" * entry.blank_lines
    assert entry.table(original) == table
    with pytest.raises(DatasetError, match="these are not UCI's bytes: the SHA-256 sum is"):
        entry.table(original + b"more")


def test_every_packaged_table_is_attributed():
    folder = files("budgeted.simulation.datasets") / "uci"
    text = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "creativecommons.org/licenses/by/4.0" in text
    for name in PACKAGED:
        assert f"{name}.csv.gz" in text
        assert CATALOGUE[name].title in text
        assert f"https://doi.org/{CATALOGUE[name].doi}" in text


def test_a_table_that_one_brings_must_be_ucis(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    load.cache_clear()
    path = tmp_path / "diabetes.data"
    with pytest.raises(DatasetError, match=rf"put UCI's file of it.* at {path}"):
        load("diabetes")
    path.write_bytes(b"6,148,72,35,0,33.6,0.627,50,1\n")
    with pytest.raises(DatasetError, match="these are not UCI's bytes"):
        load("diabetes")


def test_names_and_descriptions_agree():
    assert [facts["name"] for facts in describe()] == list(names()) == list(CATALOGUE)
    assert [facts["name"] for facts in describe() if not facts["in_package"]] == ["diabetes"]
    assert all(facts["doi"] for facts in describe() if facts["in_package"])


def test_facts_that_the_reproduction_rests_on():
    mushroom = load("mushroom")
    assert mushroom.features[4] == "odor"
    assert len(set(mushroom.columns[4])) == 9
    assert set(mushroom.columns[mushroom.features.index("veil-type")]) == {"p"}
    nursery = load("nursery")
    counts = Counter(nursery.labels[label] for label in nursery.row_labels)
    assert counts["recommend"] == 2
    assert counts["not_recom"] == 4320
    wisconsin = Coding.learn(load("breast-wisconsin"), range(699))
    assert wisconsin.scales[0].values == tuple(map(str, range(1, 11)))
    assert set(load("votes").columns[0]) == {"n", "y", None}


def test_an_unknown_table():
    with pytest.raises(DatasetError, match="did you mean 'nursery'"):
        load("nurseri")


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["nursery", "votes", "car"])
def test_partitions_are_balanced_by_label(name, seed):
    table = load(name)
    training, validation = partition(table, seed)
    assert sorted([*training, *validation]) == list(range(len(table)))
    labels = np.asarray(table.row_labels)
    all_rows, trained = np.bincount(labels), np.bincount(labels[training])
    assert (trained >= 1).all()
    assert (abs(trained - 0.8 * all_rows) <= 0.5).all()


def test_seeds_decide_partitions():
    table = load("votes")
    first, again, other = (partition(table, seed)[0].tolist() for seed in (5, 5, 6))
    assert first == again != other


def test_small_tables():
    table = Table("t", ("x",), (("u", "v", "u"),), ("a", "b"), (0, 1, 1))
    training, validation = partition(table, 0, training_share=0.5)
    assert {table.row_labels[row] for row in training} == {0, 1}
    assert len(validation) == 1
    with pytest.raises(TableError, match="leaves none for validation"):
        partition(table, 0, training_share=0.9)
    with pytest.raises(TableError, match="training_share"):
        partition(table, 0, training_share=1)


def purchases(rehearsal, name):
    return [
        (step.feature, step.label, step.value, step.case)
        for step in simulate(rehearsal.problem, policy(name), rehearsal.world, seed=3, loss=None)
    ]


def scrambled(table, validation, seed):
    """Validation rows with garbage for values, and their labels shuffled."""
    rng = np.random.default_rng(seed)
    labels = np.asarray(table.row_labels)
    labels[validation] = rng.permutation(labels[validation])
    garbage = ["garbage", 1e6, None, -7.0, "(other)", "e"]
    columns = [list(column) for column in table.columns]
    for column in columns:
        for row in validation:
            column[row] = garbage[rng.integers(len(garbage))]
    return replace(table, columns=tuple(map(tuple, columns)), row_labels=tuple(labels.tolist()))


@pytest.mark.parametrize("name", ["sfl", "biased-robin"])
@pytest.mark.parametrize("missing", ["no value", "own value"])
def test_validation_rows_influence_nothing(name, missing):
    table = numeric_table()
    training, validation = partition(table, 1)
    other = scrambled(table, validation, seed=4)
    runs = []
    for each in (table, other):
        coding = Coding.learn(each, training, missing=missing, bins=3)
        rehearsal = rehearse(coding, coding.problem(40), training, validation, seed=1)
        runs.append((coding.scales, rehearsal.problem, purchases(rehearsal, name)))
    assert runs[0] == runs[1]
    assert len(runs[0][2]) == 40


@pytest.mark.parametrize("name", ["sfl", "biased-robin"])
def test_values_of_validation_rows_influence_no_split(name):
    table = numeric_table()
    _, validation = partition(table, 1)
    other = replace(scrambled(table, validation, seed=4), row_labels=table.row_labels)
    runs = [split(each, seed=1, budget=40, bins=3) for each in (table, other)]
    assert runs[0].problem == runs[1].problem
    assert purchases(runs[0], name) == purchases(runs[1], name)
    assert runs[0].complete_error() != runs[1].complete_error()


def numeric_table():
    """Votes with a column of numbers, so that there are edges to leak into."""
    votes = load("votes")
    numbers = np.random.default_rng(0).normal(np.asarray(votes.row_labels), 1.0).round(3)
    return Table(
        "votes and a number",
        (*votes.features[:6], "number"),
        (*votes.columns[:6], tuple(numbers.tolist())),
        votes.labels,
        votes.row_labels,
    )


def test_split_passes_its_options_on():
    table = load("votes")
    costs = dict.fromkeys(table.features, "0.5") | {"crime": "3"}
    rehearsal = split(
        table, 1, "10", training_share=0.5, costs=costs, prior_counts=0.05, case_rule="overlap"
    )
    assert sum(rehearsal.world.cases) == pytest.approx(len(table) / 2, abs=1)
    assert rehearsal.problem.feature_index("crime") == 13
    assert str(rehearsal.problem.features[13].cost) == "3"
    assert np.all(layout_of(rehearsal.problem).prior_counts == 0.05)
    assert rehearsal.world.case_rule == "overlap"
    assert layout_of(rehearsal.problem).sizes == (2,) * 16
    own = split(table, 1, "10", missing="own value").problem
    assert layout_of(own).sizes == (3,) * 16


def test_complete_training_data_on_mushroom_errs_as_known():
    errors = [split(load("mushroom"), seed, 1).complete_error() for seed in range(3)]
    assert 0.03 < np.mean(errors) < 0.06


def test_the_examples_of_the_documentation_run(monkeypatch, tmp_path):
    page = Path(__file__).parents[2] / "docs" / "datasets.md"
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 0
    assert failures == 0
