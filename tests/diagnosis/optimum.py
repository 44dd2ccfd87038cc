"""The cost of the best strategy, by a dynamic programme that shares nothing with the package.

It works on masses, P(known values and label), which are never normalised, over all sets of tests as
bits. Prices are added up here: each test, a fee for any, and a set-up for any of a panel.
"""

from dataclasses import dataclass
from math import inf

import numpy as np


@dataclass(frozen=True)
class Charges:
    """What tests cost: each its price, a fee for any at all, and a set-up for any of the panel."""

    prices: tuple[float, ...]
    fee: float = 0.0
    setup: float = 0.0
    panel: frozenset[int] = frozenset()

    def of(self, tests):
        """Return what some tests cost together."""
        together = sum(self.prices[test] for test in tests)
        return (
            together
            + (self.fee if tests else 0.0)
            + (self.setup if self.panel & set(tests) else 0.0)
        )


def least_cost(prior, shares, charges, wrong, limit=inf):
    """Return what the best strategy is expected to cost.

    Parameters
    ----------
    prior, shares
        P(label), and of each test P(value | label), labels × values.
    charges
        What tests cost.
    wrong
        What answers cost, answers × labels.
    limit
        For the tests of one case.
    """
    number = len(shares)
    best = {}
    for bits in range(2**number - 1, -1, -1):  # a larger set has a larger number
        tests = [at for at in range(number) if bits >> at & 1]
        masses = np.array(prior)
        for at in range(number):
            each = shares[at] if at in tests else np.ones((len(prior), 1))
            masses = masses[..., None] * each.reshape(len(prior), *[1] * at, -1)
        costs = np.tensordot(wrong, masses, axes=1).min(axis=0)
        for at in set(range(number)) - set(tests):
            if charges.of([*tests, at]) <= limit + 1e-9:
                more = charges.of([*tests, at]) - charges.of(tests)
                then = best[bits | 1 << at].sum(axis=at, keepdims=True)
                costs = np.minimum(costs, more * masses.sum(axis=0) + then)
        best[bits] = costs
    return float(best[0].squeeze())
