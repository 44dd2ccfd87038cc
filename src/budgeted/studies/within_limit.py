"""What is expected of the classifier with a limit for each case, if a study buys for it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from weakref import WeakKeyDictionary

from budgeted.diagnosis import ActiveClassifier, Strategy
from budgeted.errors import BudgetedError
from budgeted.policies.goals import Goal
from budgeted.problem.prices import costs_of
from budgeted.studies.beginning import policy_of
from budgeted.studies.snapshot import Snapshot

_MOST_CELLS, _MOST_NODES = 2_000, 300
"""Of the programme and of the tree: fewer than usual, since every look at a study asks for it."""


@dataclass(frozen=True)
class WithinLimit:
    """What an active classifier with a limit for each case is expected to do."""

    limit: Decimal  # what the tests of a new case may cost together, at most
    error: float  # how often its answer is expected to be wrong
    tests: dict[str, float]

    @property
    def words(self) -> str:
        """The same as a sentence."""
        ordered = ", ".join(f"{name} {share:.0%}" for name, share in self.tests.items())
        ordered = ordered.replace("%", " %") or "nothing"
        return (
            f"With {self.limit:f} for the tests of each case it is {self.error:.3f}; "
            f"it would order {ordered}"
        )


_KEPT: WeakKeyDictionary[Snapshot, WithinLimit | None] = WeakKeyDictionary()
"""As long as somebody looks at a snapshot."""


def within_limit(study: Snapshot) -> WithinLimit | None:
    """Return what is expected within the limit of a study; None if it buys for all tests."""
    if study not in _KEPT:
        _KEPT[study] = _expected(study)
    return _KEPT[study]


def _expected(study: Snapshot) -> WithinLimit | None:
    goal: Goal | None = getattr(policy_of(study.created), "goal", None)
    if goal is None or goal.amount is None or not study.state.problem.has_prices:
        return None
    problem = study.state.problem
    try:
        active = ActiveClassifier(
            study.model(),
            costs_of(problem.features) | dict(goal.differing),
            problem.prices,
            limit=goal.amount,
            most_cells=_MOST_CELLS,
        )
        strategy = Strategy.of(active, most_nodes=_MOST_NODES)
    except BudgetedError:  # a learner without shares of values, or one that is not installed here
        return None
    return WithinLimit(goal.amount, strategy.error, strategy.frequencies)
