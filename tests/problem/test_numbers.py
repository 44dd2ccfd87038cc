"""A measured number: kept as told, exact at the cuts, refused in words."""

import json
from bisect import bisect_right
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Categorical, Feature, Number
from budgeted.errors import ObservationError, ProblemError
from budgeted.hints import ForceIt
from budgeted.problem.values import from_table, kind, parameters_of

CHOLESTEROL = Number(unit="mg/dl", cuts=[200, 240], least=50, most=600)


def test_the_names_of_categories_say_on_which_side_a_cut_is():
    assert CHOLESTEROL.categories == ("< 200", "200 to < 240", "≥ 240")
    assert Number(cuts=[37.5], decimal="comma").categories == ("< 37,5", "≥ 37,5")
    assert [CHOLESTEROL.category(told) for told in ("199.999", "200", "239.9", "240.0")] == [
        0, 1, 1, 2,
    ]  # fmt: skip


def test_what_is_told_is_kept_as_it_was_told():
    for told in ("233", "233.0", "233.", ".5", "+7", "1e2", "-0.50", "−3"):
        assert Number(cuts=[1]).read(f" {told} ") == told
    comma = Number(cuts=[1], decimal="comma")
    assert [comma.read(each) for each in ("233,0", "233", 2.5, Decimal("1.50"), 3)] == [
        "233,0", "233", "2,5", "1,50", "3",
    ]  # fmt: skip
    for number in (233.5, np.float64(233.5), Decimal("233.5"), np.float32(233.5)):
        assert CHOLESTEROL.read(number) == "233.5"
    assert CHOLESTEROL.read(np.int64(7)) == "7"


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ("NaN", "that is no number, and where there is none there is nothing to tell"),
        ("-inf", "that is no number"),
        (float("inf"), "that is no number"),
        ("1,234", "decimals stand behind a point in this study, and thousands are written without"),
        ("1 234", "thousands are written without a separator"),
        ("1'234'567.5", "thousands are written without a separator"),
        ("37,5", "decimals stand behind a point in this study$"),
        ("233 mg/dl", "leave out the unit$"),
        ("233mg/dl", "leave out the unit$"),
        ("6.1 mmol/l", "give it in mg/dl, without the unit"),
        ("<5", "a limit is no number"),
        ("9" * 41, "at most 40 characters"),
        ("high", "takes a number in mg/dl from 50 to 600, got 'high'$"),
        ("", "got ''$"),
        ("²33", "got"),
        ("٣", "got"),
        (True, "got True$"),
        (None, "got None$"),
        (Fraction(1, 3), "got"),
        ([1], "got"),
    ],
)
def test_what_is_no_number_is_refused_in_words(told, says):
    with pytest.raises(ObservationError, match=says):
        CHOLESTEROL.read(told)


def test_with_a_decimal_comma_a_point_could_be_either():
    comma = Number(cuts=[1], decimal="comma")
    with pytest.raises(ObservationError, match=r"behind a comma.*thousands"):
        comma.read("2.330")
    with pytest.raises(ObservationError, match=r"behind a comma in this study$"):
        comma.read("2.5")
    assert comma.expects == "a number, with a decimal comma"


def test_what_is_outside_the_range_is_doubted_and_taken_by_who_insists():
    feature = Feature("chol", kind=CHOLESTEROL, cost=1)
    with pytest.raises(ObservationError, match="'chol': 2333 is outside 50–600 mg/dl") as caught:
        feature.read("2333")
    assert caught.value.hint == ForceIt()
    assert feature.read("2333", force=True) == "2333"
    assert feature.category("2333") == 2
    assert [feature.read(each) for each in ("50", "600", 600.0)] == ["50", "600", "600.0"]
    assert Number(cuts=[1], least=0).doubt("-0.1") == "-0.1 is below 0"
    assert Number(cuts=[1], most=2).doubt("2.01") == "2.01 is above 2"
    assert not Feature("a", kind=Number(cuts=[1]), cost=1).ranged
    with pytest.raises(ObservationError, match="got 'x'"):
        feature.read("x", force=True)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cuts": []}, "cuts: at least one is needed"),
        ({"cuts": [240, 200]}, "cuts: must be strictly increasing, got 240, 200"),
        ({"cuts": [1, 1.0]}, "strictly increasing"),
        ({"cuts": "terciles of old.csv"}, "cuts: must be a list of numbers such as"),
        ({"cuts": 3}, "cuts: must be a list of numbers"),
        ({"cuts": ["low"]}, r"cuts\[0\]: must be a number, got 'low'"),
        ({"cuts": [float("nan")]}, r"cuts\[0\]: must be a number"),
        ({"cuts": [None]}, r"cuts\[0\]: must be a number"),
        ({"cuts": [True]}, r"cuts\[0\]: must be a number"),
        ({"cuts": ["0.1234567890123456"]}, "more than 15 digits"),
        ({"cuts": [1e20]}, "below 1e15"),
        ({"cuts": [1], "least": 1}, "cuts: 1 is not above least"),
        ({"cuts": [3], "most": 2}, "cuts: 3 is above most"),
        ({"cuts": [3], "least": 5, "most": 4}, "most: must be above least, 5, got 4"),
        ({"cuts": [3], "unit": " kg"}, "unit: must be text"),
        ({"cuts": [3], "unit": "k" * 41}, "at most 40 characters"),
        ({"cuts": [3], "decimal": "dot"}, "decimal: must be one of point, comma"),
        ({"cuts": [3], "source": 7}, "source: must be a line"),
    ],
)
def test_mistakes_name_the_parameter(given, says):
    with pytest.raises(ProblemError, match=says):
        Number(**given)


DECIMALS = st.decimals(-10_000, 10_000, places=3)


@given(st.lists(DECIMALS, min_size=1, max_size=6, unique=True), st.lists(DECIMALS, max_size=20))
def test_categories_are_those_of_exact_fractions(cuts, numbers):
    places = sorted(cuts)
    made = Number(cuts=[float(each) for each in places])
    again = kind("number", **json.loads(json.dumps(parameters_of(made))))
    assert again == made == Number(cuts=places)
    assert len(made.categories) == len(cuts) + 1 == len(set(made.categories))
    for number in (*numbers, *places):
        at = bisect_right([Fraction(each) for each in places], Fraction(number))
        comma = Number(cuts=places, decimal="comma")
        assert made.category(made.read(str(number))) == at
        assert made.category(made.read(float(number))) == at
        assert comma.category(comma.read(str(number).replace(".", ","))) == at


def test_no_binary_fraction_moves_a_number_over_a_cut():
    # 0.1 + 0.2 is a float above 0.3, and 1.1 * 3 one above 3.3; their decimals are told apart.
    made = Number(cuts=[0.3, 3.3])
    assert [made.category(each) for each in ("0.3", "0.2999999999999999999", "3.30")] == [1, 0, 2]
    assert made.category(made.read(0.1 + 0.2)) == 1


def test_the_source_is_written_down_and_makes_no_other_kind():
    one, other = Number(cuts=[1], source="a guideline"), Number(cuts=[1])
    assert one == other
    assert hash(one) == hash(other)
    assert asdict(one)["source"] == "a guideline"
    assert one.scale == "cut at 1 (a guideline)"


def test_the_same_number_in_two_ways_is_the_same_value():
    feature = Feature("chol", kind=CHOLESTEROL, cost=1)
    assert feature.same("233", "233.0")
    assert not feature.same("233", "233.01")
    assert not feature.same("233", None)
    assert feature.same(None, None)


def test_a_feature_takes_values_or_a_kind():
    assert Feature("a", CHOLESTEROL, 1) == Feature("a", kind=CHOLESTEROL, cost=1)
    for wrong, says in (
        ({"values": ("a", "b"), "kind": CHOLESTEROL}, "not both"),
        ({}, "values: is missing"),
        ({"kind": "number"}, "kind: must be a kind of feature"),
    ):
        with pytest.raises(ProblemError, match=says):
            Feature("a", cost=1, **wrong)


def test_three_is_three_however_it_is_written_unless_both_are_declared():
    pain = Categorical(("1", "2", "3"))
    assert {pain.read(each) for each in ("3", "3.0", 3, 3.0, " 3", "+3", "3.000")} == {"3"}
    both = Categorical(("3", "3.0", "007"))
    assert [both.read(each) for each in ("3", "3.0", 3)] == ["3", "3.0", "3"]
    for told in ("3.00", "7", 7):
        with pytest.raises(ObservationError):
            both.read(told)
    assert Categorical(("0.5", "1.50")).read(1.5) == "1.50"


def test_an_order_is_recorded_only_where_there_is_one():
    plain, ordered = Categorical(("low", "high")), Categorical(("low", "high"), ordered=True)
    assert parameters_of(plain) == {"values": ("low", "high")}
    assert parameters_of(ordered) == {"values": ("low", "high"), "ordered": True}
    assert plain != ordered
    assert (plain.scale, ordered.scale) == ("", "low < high")
    assert from_table({"values": ["low", "high"], "ordered": True}) == ordered
    with pytest.raises(ProblemError, match="ordered: must be true or false"):
        Categorical(("low", "high"), ordered="yes")
