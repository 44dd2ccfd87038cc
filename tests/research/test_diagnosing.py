"""The active classifier's benchmark: what was kept stands in the docs, and its rivals are fair."""

from decimal import Decimal

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase
from budgeted.diagnosis import Experience
from budgeted.learners import NaiveBayes
from budgeted.learners.model import Model
from research.quality import diagnosing
from research.quality.rivals import Table, by_fixed_order, by_information, by_tree, fixed_order


def test_curves_are_compared_at_equal_limits_and_at_equal_money():
    """A rival between two of its limits is on the line between them."""
    ours, rival = [(1.0, 0.30), (1.5, 0.20)], [(1.0, 0.30), (2.0, 0.10)]
    found = [{"us": ours, "them": rival}] * 2
    at_limit = diagnosing.at_equal_limit(found, "us", "them")
    assert [each.value for each in at_limit] == pytest.approx([0, 0.10])
    at_money = diagnosing.at_equal_money(found, "us", "them")
    assert [each.value for each in at_money] == pytest.approx([0, 0])


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


def test_the_docs_have_the_table_of_what_was_kept():
    page = diagnosing.PAGE.read_text(encoding="utf-8")
    assert page == diagnosing.written(page)
    numbers = {name: len(runs) for name, runs in diagnosing.kept().items()}
    assert numbers == {name: each.splits for name, each in diagnosing.SETTINGS.items()}
