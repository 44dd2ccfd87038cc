"""What a learner is, and what its classifier says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from budgeted.errors import LearnerError
from budgeted.problem import Problem
from budgeted.purchase import Purchase
from budgeted.registry import check_dataclass

if TYPE_CHECKING:
    from budgeted.learners.committee import Committee


@dataclass(frozen=True)
class Outlook:
    """The 0/1 error that a predictor expects to make on new cases, and how sure that is.

    Attributes
    ----------
    error
        Its expectation.
    low, high
        Nine of ten models that are possible after what was bought give an error in between.
    """

    error: float
    low: float
    high: float


class Learner(Protocol):
    """Makes a predictor of purchases: a pure function, with parameters that can be written down."""

    @property
    def name(self) -> str:
        """What it is called in files and tables."""
        ...

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Committee:
        """Return the predictor that these purchases give.

        Parameters
        ----------
        problem
            Features, labels and the shares of the labels; the budget and the prices do not matter.
        purchases
            With positions, as `budgeted.state.State` keeps them. Those without a value teach
            nothing; those of one case show which features say the same.
        """
        ...


def check_kind(kind: type[Learner]) -> None:
    """Raise an error unless a class can be a learner: a dataclass with ``fit``."""
    check_dataclass(kind, "learner", "fit(problem, purchases)", LearnerError)
