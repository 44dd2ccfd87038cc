from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Categorical, Coding, Number, Table
from budgeted.errors import ProblemError, TableError
from budgeted.learners.layout import layout_of
from budgeted.simulation.tables.coding import Scale


def table_of(*columns, labels=None):
    rows = len(columns[0])
    names = tuple(f"x{i}" for i in range(len(columns)))
    marks = tuple(i % 2 for i in range(rows)) if labels is None else labels
    return Table("t", names, tuple(map(tuple, columns)), ("a", "b"), marks)


def values(column, **options):
    table = table_of(column)
    return Coding.learn(table, range(len(table)), **options).scales[0].values


def test_texts_are_sorted_numbers_first():
    assert values(["more", 10.0, 2.0, "less"]) == ("2", "10", "less", "more")


def test_few_numbers_stand_for_themselves():
    assert values([3.0, 1.0, 2.5, 1.0]) == ("1", "2.5", "3")


def test_many_numbers_are_cut_into_bins_of_equal_frequency():
    column = [float(i) for i in range(100)]
    table = table_of(column)
    coding = Coding.learn(table, range(100), bins=4)
    assert coding.scales[0].values == ("< 25", "25 to 50", "50 to 75", ">= 75")
    assert np.bincount(coding.encode(range(100))[:, 0]).tolist() == [25, 25, 25, 25]


def test_numbers_beyond_the_training_rows_fall_into_the_outer_bins():
    table = table_of([*map(float, range(10)), -99.0, 99.0, 5.0])
    coding = Coding.learn(table, range(10), bins=2)
    assert coding.scales[0].values == ("< 5", ">= 5")
    assert coding.encode([10, 11, 12])[:, 0].tolist() == [0, 1, 1]


def test_a_pile_at_the_smallest_number_keeps_a_bin():
    assert values([0.0] * 96 + [1.0, 2.0, 3.0, 4.0], bins=3) == ("< 1", ">= 1")


def test_missing_cells():
    table = table_of(["y", None, "n", None], [1.0, None, 1.0, 1.0])
    nothing = Coding.learn(table, [0, 1, 2])
    own = Coding.learn(table, [0, 1, 2], missing="own value")
    assert nothing.encode([0, 1, 2, 3]).tolist() == [[1, 0], [-1, -1], [0, 0], [-1, 0]]
    assert own.scales[0].values == ("n", "y", "(missing)")
    assert own.scales[1].values == ("1", "(missing)")
    assert own.encode([0, 1, 2, 3]).tolist() == [[1, 0], [2, 1], [0, 0], [2, 0]]
    unseen = Coding.learn(table, [0, 2], missing="own value")
    assert unseen.scales[0].values == ("n", "y")
    assert unseen.encode([1])[0, 0] == -1


def test_a_constant_column_stays_for_sale():
    table = table_of(["p", "p", "q", "(other)"], [None, None, 1.0, 2.0])
    coding = Coding.learn(table, [0, 1])
    assert coding.scales[0].values == ("p", "(other)")
    assert coding.scales[1].values == ("(other)", "((other))")
    assert coding.encode([0, 2, 3]).tolist() == [[0, -1], [-1, -1], [-1, -1]]
    assert len(coding.problem(1).features) == 2


def test_names_in_the_data_do_not_clash_with_ours():
    assert values(["(missing)", None], missing="own value") == ("(missing)", "((missing))")


def test_unseen_values_are_unknown():
    table = table_of(["a", "b", "c", "b"], [1.0, 2.0, 3.0, "two"])
    coding = Coding.learn(table, [0, 1])
    assert coding.encode([2, 3]).tolist() == [[-1, -1], [1, -1]]


def test_other_tables_with_the_same_features_can_be_coded():
    coding = Coding.learn(table_of(["a", "b"]), [0, 1])
    other = table_of(["b", "c", "a"])
    assert coding.encode([0, 1, 2], other).tolist() == [[1], [-1], [0]]
    with pytest.raises(TableError, match="features must be"):
        coding.encode([0], replace(other, features=("z",)))


def test_the_problem_of_a_coding():
    table = table_of(["u", "v", "u", "v"], ["m", "n", "n", "n"], labels=(0, 0, 0, 1))
    coding = Coding.learn(table, range(4))
    problem = coding.problem("12.50", costs={"x0": "0.50", "x1": 2}, prior_counts=0.2)
    assert problem.prior == (0.75, 0.25)
    assert [str(feature.cost) for feature in problem.features] == ["0.50", "2"]
    assert np.all(layout_of(problem).prior_counts == 0.2)
    assert coding.problem(1, prior=(0.5, 0.5)).prior == (0.5, 0.5)
    assert {str(feature.cost) for feature in coding.problem(1, costs=0.1).features} == {"0.1"}
    with pytest.raises(TableError, match="costs: no price for 'x1'"):
        coding.problem(1, costs={"x0": 1})
    with pytest.raises(TableError, match="costs: there is no column 'x9'"):
        coding.problem(1, costs={"x0": 1, "x9": 1})
    with pytest.raises(ProblemError, match="cost: must be above 0"):
        coding.problem(1, costs=0)
    with pytest.raises(TableError, match="no training row has label 'b'"):
        Coding.learn(table, [0, 1]).problem(1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "drop"}, "'no value', 'own value' or 'not sold'"),
        ({"bins": 1}, "bins: must be a whole number from 2"),
        ({"bins": 2.5}, "bins"),
        ({"rows": []}, "at least one training row"),
        ({"rows": [4]}, "positions go from 0 to 3"),
        ({"rows": [-1]}, "positions go from 0 to 3"),
        ({"rows": [0.5]}, "whole numbers"),
    ],
)
def test_wrong_settings(options, words):
    with pytest.raises(TableError, match=words):
        Coding.learn(table_of(["a", "b", "a", "b"]), **{"rows": [0, 1], **options})


CELLS = st.one_of(
    st.none(), st.floats(-1e9, 1e9).map(lambda x: x + 0.0), st.sampled_from(["u", "v", "(other)"])
)


@given(
    st.lists(CELLS, min_size=1, max_size=40),
    st.lists(CELLS, max_size=5),
    st.sampled_from(["no value", "own value"]),
    st.integers(2, 6),
)
def test_every_training_cell_has_a_value_and_others_change_nothing(cells, others, missing, bins):
    table = table_of([*cells, *others])
    coding = Coding.learn(table, range(len(cells)), missing=missing, bins=bins)
    scale = coding.scales[0]
    assert scale == Scale.learn("x0", cells, missing, bins)
    assert len(set(scale.values)) == len(scale.values) >= 2
    codes = coding.encode(range(len(table)))[:, 0]
    assert codes.max() < len(scale.values)
    assert codes.tolist() == [scale.code(cell) for cell in (*cells, *others)]
    for cell, code in zip(cells, codes, strict=False):
        assert (code >= 0) == (cell is not None or missing == "own value")
    if scale.edges:
        assert len(scale.edges) < bins
        assert set(codes[: len(cells)]) >= set(range(scale.seen))  # no bin is empty


@given(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=60), st.integers(2, 6))
def test_bins_keep_the_order_of_numbers(numbers, bins):
    scale = Scale.learn("x", numbers, "no value", bins)
    codes = [scale.code(number) for number in sorted(numbers)]
    assert codes == sorted(codes)


def test_a_kind_says_which_value_a_cell_is():
    table = Table(
        "old", ("chol", "age"), ((190.0, 239.9, 240.0, None), (30.0, 40.0, 50.0, 60.0)),
        labels=("ill", "well"), row_labels=(0, 1, 0, 1),
    )  # fmt: skip
    kind = Number(cuts=[200, 240], unit="mg/dl")
    coding = Coding.learn(table, [0, 1], kinds={"chol": kind})
    assert coding.encode([0, 1, 2, 3])[:, 0].tolist() == [0, 1, 2, -1]
    problem = coding.problem(9)
    assert problem.features[0].kind == kind
    assert problem.features[1].kind == Categorical(("30", "40"))
    own = Coding.learn(table, [0, 3], kinds={"chol": kind}, missing="own value")
    assert own.problem(9).features[0].values == (*kind.categories, "(missing)")
    assert own.encode([2, 3])[:, 0].tolist() == [2, 3]


def test_a_kind_reads_texts_with_a_decimal_comma_and_refuses_what_is_none():
    table = Table("old", ("t",), (("37,5", "37,4", "warm"),), ("ill", "well"), (0, 1, 0))
    kind = Number(cuts=[37.5], decimal="comma")
    assert Coding.learn(table, [0, 1], kinds={"t": kind}).encode([0, 1, 2])[:, 0].tolist() == [
        1, 0, -1,
    ]  # fmt: skip
    with pytest.raises(TableError, match="column 't' takes a number, with a decimal comma, got"):
        Coding.learn(table, [0, 2], kinds={"t": kind})
    with pytest.raises(TableError, match="kinds: there is no column 'temp'"):
        Coding.learn(table, [0], kinds={"temp": kind})
