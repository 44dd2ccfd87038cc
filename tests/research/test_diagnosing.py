"""The rivals of the active classifier are fair."""

from decimal import Decimal

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase
from budgeted.diagnosis import Experience
from budgeted.learners import NaiveBayes
from budgeted.learners.model import Model
from research.quality.rivals import Table, by_fixed_order, by_information, by_tree, fixed_order


@pytest.fixture(scope="module")
def table():
    """Three tests at 1, 2 and 4; the last one alone says the label, the second one mostly."""
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=300)
    noise = rng.random((300, 3)) < (0.5, 0.2, 0.0)
    values = labels[:, None] ^ noise
    names = ("guess", "hint", "truth")
    features = [Feature(name, ("no", "yes"), 1) for name in names]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), 10)
    bought = [
        Purchase(at, int(label), int(row[at]), 1)
        for row, label in zip(values, labels, strict=True)
        for at in range(3)
    ]
    model = Model.of(NaiveBayes().fit(problem, bought))
    prices = (Decimal(1), Decimal(2), Decimal(4))
    seen = Experience(values.astype(int), labels)
    given = Table(
        model,
        values.astype(int),
        labels,
        lambda tests: sum((prices[t] for t in tests), Decimal(0)),
        seen,
    )
    return given, values.astype(int), labels


@pytest.mark.parametrize(("limit", "chosen", "error"), [(2, (1,), 0.25), (4, (2,), 0.0)])
def test_rivals_order_what_is_best_within_the_limit(table, limit, chosen, error):
    given, rows, labels = table
    assert set(chosen) <= set(fixed_order(given, Decimal(limit)))
    for rival in (by_fixed_order, by_tree):
        found = rival(given, rows, Decimal(limit))
        assert found.paid.max() <= limit
        assert found.error(labels) <= error
    greedy = by_information(given, rows, Decimal(limit))
    assert greedy.paid.max() <= limit


def test_nobody_pays_without_money(table):
    given, rows, _ = table
    for rival in (by_fixed_order, by_information, by_tree):
        assert rival(given, rows, Decimal(0)).paid.max() == 0
