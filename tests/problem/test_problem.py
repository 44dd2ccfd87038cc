from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import BudgetedError, Feature, Problem
from budgeted.errors import ObservationError, ProblemError
from budgeted.learners.layout import layout_of

FEVER = Feature("fever", values=("no", "yes"), cost="1.50")


def a_problem(**changes):
    parts = {"features": (FEVER,), "labels": ("well", "ill"), "prior": (0.7, 0.3), "budget": "500"}
    return Problem(**{**parts, **changes})


def test_the_example_of_the_issue():
    culture = Feature("culture", values=("neg", "pos", "unclear"), cost="40")
    problem = a_problem(features=(FEVER, culture))
    assert problem.budget == Decimal("500")
    assert problem.features[1].cost == Decimal("40")
    assert layout_of(problem).sizes == (2, 3)
    assert layout_of(problem).offsets == (0, 2)
    assert problem == a_problem(features=[FEVER, culture])
    assert hash(problem) == hash(a_problem(features=[FEVER, culture]))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": ""}, "name: must be a name"),
        ({"name": None}, "name: must be a name"),
        ({"values": ("no",)}, "values: at least two are needed, got 1"),
        ({"values": ("no", "no")}, "values: 'no' appears twice"),
        ({"values": ("no", " ")}, r"values\[1\]: must be a name"),
        ({"values": ("no", 1)}, r"values\[1\]: must be a name"),
        ({"values": "no"}, "values: must be a list of names"),
        ({"cost": "0"}, "cost: must be above 0, got 0"),
        ({"cost": "-1"}, "cost: must be above 0"),
        ({"cost": "NaN"}, "cost: must be an amount of money"),
        ({"cost": "1,5"}, "cost: must be an amount of money"),
        ({"cost": None}, "cost: must be an amount of money"),
        ({"prior_counts": 0}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": float("nan")}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": (1, -1)}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": (1, 1, 1)}, r"prior_counts: must have one number per value \(2\)"),
        ({"prior_counts": ((1, 1), (1,))}, r"prior_counts\[1\]: must have one number per value"),
        ({"prior_counts": "many"}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": "2/x"}, "or a total that the r values share, such as '2/r', got '2/x'"),
        ({"prior_counts": "-2/r"}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": "0/r"}, "prior_counts: must be numbers above 0"),
        ({"prior_counts": ()}, "prior_counts: must have one number per value"),
    ],
)
def test_mistakes_in_a_feature_name_the_field(changes, says):
    with pytest.raises(ProblemError, match=says):
        Feature(**{"name": "fever", "values": ("no", "yes"), "cost": "1.50", **changes})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"features": ()}, "features: at least one is needed"),
        ({"features": (FEVER, FEVER)}, "features: 'fever' appears twice"),
        ({"features": ("fever",)}, r"features\[0\]: must be a Feature"),
        ({"features": "fever"}, "features: must be a list of Feature"),
        ({"labels": ("ill",), "prior": (1.0,)}, "labels: at least two are needed"),
        ({"labels": ("ill", "ill")}, "labels: 'ill' appears twice"),
        ({"prior": (0.7, 0.2)}, "prior: must sum to 1, sums to 0.9"),
        ({"prior": (1.0, 0.0)}, r"prior\[1\]: must be a probability above 0"),
        ({"prior": (float("nan"), 0.5)}, r"prior\[0\]: must be a probability above 0"),
        ({"prior": (0.2, 0.3, 0.5)}, "prior: has 3 entries for 2 labels"),
        ({"prior": 0.5}, "prior: must be a list of probabilities"),
        ({"budget": "-1"}, "budget: must be 0 or more"),
        ({"budget": float("nan")}, "budget: must be a finite amount"),
        ({"budget": "lots"}, "budget: must be an amount of money"),
    ],
)
def test_mistakes_in_a_problem_name_the_field(changes, says):
    with pytest.raises(ProblemError, match=says) as caught:
        a_problem(**changes)
    assert isinstance(caught.value, BudgetedError)


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(ProblemError) as caught:
        a_problem(labels=("ill", "ill"), prior=(2, 3), budget=-1)
    assert len(caught.value.mistakes) == 3


def test_prior_counts_for_all_for_values_and_for_labels():
    features = (
        Feature("a", ("x", "y"), 1),
        Feature("b", ("x", "y"), 1, prior_counts=(2, 3)),
        Feature("c", ("x", "y"), 1, prior_counts=np.array([[1, 2], [3, 4]])),
    )
    problem = a_problem(features=features)
    assert layout_of(problem).prior_counts.tolist() == [[1, 1, 2, 3, 1, 2], [1, 1, 2, 3, 3, 4]]
    with pytest.raises(ValueError, match="read-only"):
        layout_of(problem).prior_counts[0, 0] = 5
    three = {"labels": ("a", "b", "c"), "prior": (0.2, 0.3, 0.5)}
    with pytest.raises(ProblemError, match=r"features\[2\] \('c'\): prior_counts has 2 rows"):
        a_problem(features=features, **three)


def test_nearly_whole_priors_are_made_whole():
    assert sum(a_problem(prior=(0.1 + 0.2, 0.7)).prior) == 1
    third = a_problem(labels=("a", "b", "c"), prior=(0.3333333333,) * 2 + (0.3333333334,))
    assert abs(sum(third.prior) - 1) < 1e-15


@pytest.mark.parametrize("wrong", [2, -1, True, 1.0, "cough", None])
def test_positions_are_not_wrapped_around(wrong):
    with pytest.raises(ObservationError, match="there is no feature"):
        a_problem().feature_index(wrong)


@given(st.floats(0.01, 100), st.integers(2, 30))
def test_values_share_a_total(total, size):
    feature = Feature("dose", tuple(map(str, range(size))), 1, prior_counts=f"{total:.4f}/r")
    assert feature.prior_counts * size == pytest.approx(float(f"{total:.4f}"))
    assert feature == Feature("dose", feature.values, 1, prior_counts=feature.prior_counts)
