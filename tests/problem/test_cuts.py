"""Cuts by quantiles and by labels, against slow computations of their own."""

import math
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.problem.cuts import label_cuts, quantile_cuts
from budgeted.problem.values import Number

NUMBERS = st.integers(0, 12).map(Decimal)
CASES = st.lists(st.tuples(NUMBERS, st.sampled_from("abc")), min_size=2, max_size=40)


@given(st.lists(st.integers(0, 30).map(Decimal), min_size=1, max_size=60), st.integers(2, 10))
def test_quantiles_are_numbers_of_the_list_with_as_many_on_each_side(numbers, parts):
    cuts = quantile_cuts(numbers, parts)
    assert cuts == sorted(set(cuts))
    assert set(cuts) <= set(numbers)
    assert len(cuts) < parts
    assert bool(cuts) == (len(set(numbers)) > 1)
    for cut in cuts:
        assert any(number < cut for number in numbers)
    for at in range(1, parts):  # between the cuts around each quantile lies the quantile
        place = sorted(numbers)[len(numbers) * at // parts]
        assert place in cuts or place == min(numbers)


def entropy(labels):
    """In bits, by NumPy."""
    _, counts = np.unique(labels, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def by_hand(cases):
    """Fayyad and Irani by the letter: all midpoints, recursively; None where it is too close."""
    values = sorted({number for number, _ in cases})
    count, labels = len(cases), [label for _, label in cases]
    scored = []
    for low, high in pairwise(values):
        left = [case for case in cases if case[0] <= low]
        right = [case for case in cases if case[0] >= high]
        parts = [[label for _, label in part] for part in (left, right)]
        after = sum(len(part) / count * entropy(part) for part in parts)
        kinds = [len(set(part)) for part in (labels, *parts)]
        delta = math.log2(3 ** kinds[0] - 2) - (
            kinds[0] * entropy(labels) - kinds[1] * entropy(parts[0]) - kinds[2] * entropy(parts[1])
        )
        gain, price = entropy(labels) - after, (math.log2(count - 1) + delta) / count
        scored.append((gain, price, (low + high) / 2, left, right))
    if not scored:
        return []
    best = max(gain for gain, *_ in scored)
    tied = [each for each in scored if each[0] > best - 1e-9]
    gain, price, cut, left, right = tied[0]
    if abs(gain - price) < 1e-9:
        return None
    if gain <= price:
        return []
    below, above = by_hand(left), by_hand(right)
    return None if below is None or above is None else [*below, cut, *above]


@given(CASES)
def test_cuts_by_labels_are_those_of_fayyad_and_irani(cases):
    wanted = by_hand(cases)
    if wanted is None:
        return
    found = label_cuts([number for number, _ in cases], [label for _, label in cases])
    if wanted:
        assert found.accepted
        assert found.cuts == wanted
    else:
        assert not found.accepted
        assert len(found.cuts) == (len({number for number, _ in cases}) > 1)


def test_labels_that_a_number_tells_apart_are_cut_where_they_change():
    numbers = [Decimal(each) for each in range(60)]
    labels = ["low" if each < 20 else "mid" if each < 40 else "high" for each in range(60)]
    assert label_cuts(numbers, labels) == ([Decimal("19.5"), Decimal("39.5")], True)


def test_where_the_rule_accepts_none_the_best_one_is_there():
    found = label_cuts([Decimal(each) for each in (1, 2, 3, 4)], ["a", "a", "b", "a"])
    assert not found.accepted
    assert len(found.cuts) == 1
    assert label_cuts([Decimal(3)] * 5, list("ababa")) == ([], False)


@given(st.lists(st.decimals(-1000, 1000, places=6), min_size=2, max_size=12, unique=True))
def test_a_cut_lies_between_its_neighbours_and_can_be_a_parameter(numbers):
    low, high = sorted(numbers)[:2]
    (cut,), _ = label_cuts([low, high], ["a", "b"])
    assert low < cut <= high
    made = Number(cuts=[cut])
    assert (made.category(str(low)), made.category(str(high))) == (0, 1)


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_all_equal_numbers_have_no_quantiles(parts):
    assert quantile_cuts([4.0] * 9, parts) == []
    assert quantile_cuts([], parts) == []
