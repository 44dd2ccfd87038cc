"""Cases of a table, diagnosed one by one: what is ordered, what it costs, and what is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.diagnosis.active import ActiveClassifier
from budgeted.diagnosis.asked import Cases
from budgeted.problem import money


@dataclass(frozen=True)
class Diagnosis:
    """What was done with a case.

    Attributes
    ----------
    tests
        Names of what was ordered, in this order.
    paid
        What that cost.
    answer, probability
        What was answered, and how probable that is.
    answer_cost
        What the answer is expected to cost.
    """

    tests: tuple[str, ...]
    paid: Decimal
    answer: str
    probability: float
    answer_cost: float


@dataclass(frozen=True)
class Summary:
    """Of many cases: what they cost, how often each test was ordered, and how many were wrong.

    Attributes
    ----------
    cases, paid
        How many there are, and what all their tests cost.
    frequencies
        How often each test was ordered; never: not there.
    expected_error, expected_answer_cost
        What the model expects of the answers, on average.
    wrong, answer_cost
        What they are, on average; None where labels are not known.
    """

    cases: int
    paid: Decimal
    frequencies: dict[str, float]
    expected_error: float
    expected_answer_cost: float
    wrong: float | None
    answer_cost: float | None


def diagnose(active: ActiveClassifier, row: Sequence[int]) -> Diagnosis:
    """Return what becomes of a case whose values are there to be found out, by position.

    A test of which the table has no value (-1) cannot be ordered.
    """
    features = active.model.features
    known = [-1] * len(row)
    absent = frozenset(at for at, value in enumerate(row) if value < 0)
    ordered: list[int] = []
    while True:
        decision = active.decide(known, frozenset(ordered), absent)
        if decision.test is None:
            break
        at = next(place for place, each in enumerate(features) if each.name == decision.test)
        known[at] = row[at]
        ordered.append(at)
    return Diagnosis(
        tuple(features[at].name for at in ordered),
        active.paid(ordered),
        decision.answer,
        decision.chances[decision.answer],
        decision.answer_cost,
    )


def diagnose_all(active: ActiveClassifier, rows: Cases) -> list[Diagnosis]:
    """Return what becomes of each of some cases; those that are alike are done once."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    found = [diagnose(active, row) for row in different.tolist()]
    return [found[at] for at in which.reshape(-1).tolist()]


def summary(
    active: ActiveClassifier, found: Sequence[Diagnosis], labels: Sequence[str] | None = None
) -> Summary:
    """Return what many cases come to; with their true labels also how many answers are wrong."""
    number = len(found)
    counts = Counter(test for each in found for test in each.tests)
    wrong = answer_cost = None
    if labels is not None and number:
        place = {label: at for at, label in enumerate(active.model.labels)}
        wrong = (
            sum(each.answer != label for each, label in zip(found, labels, strict=True)) / number
        )
        answer_cost = (
            sum(
                float(active.costs[place[each.answer], place[label]])
                for each, label in zip(found, labels, strict=True)
            )
            / number
        )
    paid = money.total(each.paid for each in found)
    return Summary(
        number,
        paid,
        {test: times / number for test, times in counts.most_common()},
        sum(1 - each.probability for each in found) / max(number, 1),
        sum(each.answer_cost for each in found) / max(number, 1),
        wrong,
        answer_cost,
    )
