"""Expected losses by brute force: every outcome of every purchase, and every case in each.

Slow and obvious, and without any code of the engines, which are held against it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value.loss import Loss


def expected_loss(belief: Belief, allocation: Integers, loss: Loss) -> float:
    """Return the expected loss after all purchases of an allocation, features × labels.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.value.loss import GINI
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> round(expected_loss(Belief.prior(problem), np.array([[0, 1]]), GINI), 4)
    0.4857
    """
    tables = [belief.counts[:, belief.columns(at)] for at in range(len(allocation))]
    bought = [(at, label) for at, label in np.argwhere(allocation).tolist()]
    ways = [
        list(_outcomes(int(allocation[at, label]), tables[at].shape[1])) for at, label in bought
    ]
    terms = []
    for seen in itertools.product(*ways):
        after, chance = [each.copy() for each in tables], 1.0
        for (at, label), numbers in zip(bought, seen, strict=True):
            chance *= _chance(tables[at][label].tolist(), numbers)
            after[at][label] += numbers
        terms.append(chance * _loss(after, belief.problem.prior, loss))
    return math.fsum(terms)


def _loss(tables: list[Floats], prior: tuple[float, ...], loss: Loss) -> float:
    """Return the loss of the classifier that counts give, labels × values of each feature."""
    columns = []
    for label, share in enumerate(prior):
        masses = np.array([share])
        for table in tables:
            masses = np.multiply.outer(masses, table[label] / table[label].sum()).ravel()
        columns.append(masses)
    return math.fsum(loss(np.stack(columns, axis=1)))


def _outcomes(purchases: int, values: int) -> Iterator[tuple[int, ...]]:
    """Yield how often each value can be seen."""
    if values == 1:
        yield (purchases,)
        return
    for first in range(purchases + 1):
        for rest in _outcomes(purchases - first, values - 1):
            yield (first, *rest)


def _chance(counts: list[float], seen: tuple[int, ...]) -> float:
    """Return the probability to see each value so often, in any order, as from Pólya's urn."""
    chance, total, drawn = 1.0, math.fsum(counts), 0
    for count, number in zip(counts, seen, strict=True):
        for step in range(number):
            chance *= (count + step) / (total + drawn) * (drawn + 1) / (step + 1)
            drawn += 1
    return chance


def gain_alone(
    believed: Callable[[Belief], Any], belief: Belief, feature: int, bought: Integers, loss: Loss
) -> float:
    """Return by how much purchases of one feature lower the loss of what a learner believes.

    What is believed has `expected` parameters, labels × values, which are also the probabilities of
    the next value. Those of the other features are held.

    Parameters
    ----------
    believed, belief
        What the learner believes of counts, and the counts.
    feature, bought
        What is bought, and how many values of each label.
    loss
        Which one.
    """
    columns, prior = belief.columns(feature), belief.problem.prior
    held = believed(belief).expected

    def loss_after(belief: Belief, left: list[int]) -> float:
        now = believed(belief).expected[:, columns]
        if left:
            return math.fsum(
                now[left[0], value] * loss_after(belief.observe_at(feature, left[0], value), rest)
                for rest in [left[1:]]
                for value in range(now.shape[1])
            )
        parameters = held.copy()
        parameters[:, columns] = now
        every = range(len(belief.problem.features))
        return _loss([parameters[:, belief.columns(at)] for at in every], prior, loss)

    every = [label for label, number in enumerate(bought.tolist()) for _ in range(number)]
    return loss_after(belief, []) - loss_after(belief, every)
