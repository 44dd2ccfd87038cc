"""What is bought for: a classifier with all tests of a case, or one with a limit for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.diagnosis.terms import costs_told
from budgeted.errors import DiagnosisError, PolicyError
from budgeted.learners.belief import Floats, Integers
from budgeted.problem import Problem, money
from budgeted.value import gains
from budgeted.value.affordable import Affordable, affordable
from budgeted.value.base import Gains, Known
from budgeted.value.loss import ZERO_ONE

HANDFULS = (1, 4)
"""Numbers of values of each label that are weighed together."""
BOUNDED_HANDFULS = (8,)
"""The same for a bounded classifier: it takes more values to replace one of its few tests."""

_EQUALS = 1e-4
"""How much it counts what values bring a classifier with all tests: enough to tell equals apart."""


@dataclass(frozen=True)
class Goal:
    """What the classifier may spend on each new case, and which loss follows from that.

    >>> Goal("2").words
    'for a classifier that may spend 2 on each case'
    >>> Goal("2", "scan=1.50, crp=4").differing
    {'scan': Decimal('1.50'), 'crp': Decimal('4')}
    >>> Goal(None, "scan=1.50")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: case_costs: are for what a case_limit pays for; give that, too
    """

    limit: Any = None  # what the tests of a new case may cost together; None for all tests
    costs: str = ""

    def __post_init__(self) -> None:
        if self.limit is None:
            if self.costs:
                raise PolicyError("case_costs: are for what a case_limit pays for; give that, too")
            return
        try:
            money.parse(self.limit, above_zero=True)
        except ValueError as error:
            raise PolicyError(f"case_limit: {error}") from None
        _ = self.differing

    @cached_property
    def amount(self) -> Decimal | None:
        """The limit, as an exact amount."""
        return None if self.limit is None else money.parse(self.limit)

    @cached_property
    def differing(self) -> Mapping[str, Decimal]:
        """Prices on new cases that differ from those of the study, by the name of the test."""
        try:
            told = costs_told(self.costs)
        except DiagnosisError as error:
            raise PolicyError(str(error)) from None
        found: dict[str, Decimal] = {}
        for name, amount in told.items():
            try:
                found[name] = money.parse(amount)
            except ValueError as error:
                raise PolicyError(f"case_costs: {name!r}: {error}") from None
        return found

    def handfuls(self, problem: Problem) -> tuple[int, ...]:
        """Return numbers of values of each label that are weighed together."""
        return BOUNDED_HANDFULS if self._binds(problem) else HANDFULS

    @property
    def words(self) -> str:
        """For whom, in words behind a reason; nothing if all tests may be ordered."""
        if self.amount is None:
            return ""
        return f"for a classifier that may spend {money.show(self.amount)} on each case"

    def gains(self, known: Known) -> Gains:
        """Return what says how much purchases bring, or say what is wrong with the limit."""
        mistakes = self.unfit(known.problem)
        if mistakes:
            raise PolicyError("; ".join(f"case_limit: {each}" for each in mistakes))
        if self.amount is None or not self._binds(known.problem):
            return gains(known)
        bounded = ZERO_ONE.within(self.amount, tuple(self.differing.items()))
        usable = self.within(known.problem).more([()])[0]
        return _Both(gains(known, bounded), gains(known), usable)

    def unfit(self, problem: Problem) -> list[str]:
        """Return why the limit makes no sense for a problem; nothing if it does."""
        if self.amount is None or not problem.has_prices:
            return []
        return self.within(problem).mistakes

    def _binds(self, problem: Problem) -> bool:
        """Whether there is a limit, and it does not pay for all tests."""
        return self.amount is not None and not self.within(problem).everything

    def within(self, problem: Problem) -> Affordable:
        """Return the sets of tests that the limit pays for."""
        assert self.amount is not None
        return affordable(problem, self.amount, tuple(self.differing.items()))


@dataclass(frozen=True)
class _Both:
    """What purchases bring a bounded classifier; of equals, what they bring one with all tests.

    Often no handful of any feature would change an answer. Then that is bought which says most,
    among the tests that the limit pays for.
    """

    bounded: Gains
    all_tests: Gains
    usable: NDArray[np.bool_]

    def gains(self, numbers: Integers) -> Floats:
        own = np.maximum(self.bounded.gains(numbers), 0)  # below 0 by rounding alone
        result: Floats = own + _EQUALS * np.where(self.usable, self.all_tests.gains(numbers), 0)
        return result
