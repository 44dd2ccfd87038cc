"""How a study is doing: money, purchases, how good the classifier is, what more is worth."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from budgeted.belief import Belief, Floats
from budgeted.events import Entry
from budgeted.expectation import expected_loss, lookahead, loss
from budgeted.expectation.scenarios import enumerate_cases
from budgeted.guard import Delivered
from budgeted.state import NO_LIMIT
from budgeted.streams import OUTLOOK, stream
from budgeted.study.snapshot import Snapshot
from budgeted.study.standing import CANCELLED, FAILED, PENDING, Requested

CONFIDENCE = 0.9
_DRAWS = 200
_FEW_CASES = 4096
"""Up to so many different cases are all gone through; of more, some are drawn."""
_CASES_PER_DRAW = 2_000
_MOST_NUMBERS = 2 * 10**7


@dataclass(frozen=True)
class Outlook:
    """The 0/1 error that today's classifier is expected to make, and how sure that is.

    Attributes
    ----------
    error
        Its expectation under the belief.
    low, high
        Nine of ten models drawn from the belief give today's classifier an error in between.
    """

    error: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """What was bought of a feature and label, and what one more value of it is worth.

    Attributes
    ----------
    bought, pending, failed, left
        Values that are there, requests under way, requests without a value, cases to buy from.
    saves
        By how much one more value is expected to lower the loss; None if none can be bought.
    saves_per_money
        The same divided by the cost.
    """

    feature: str
    label: str
    cost: Decimal
    bought: int
    pending: int
    failed: int
    left: int
    saves: float | None
    saves_per_money: float | None


@dataclass(frozen=True)
class Status:
    """Everything that people want to know of a study at a glance."""

    study: str
    closed: bool
    events: int
    digest: str
    budget: Decimal
    spent: Decimal
    reserved: Decimal
    free: Decimal
    cases: int
    withdrawn: int
    outlook: Outlook
    loss: str
    loss_now: float
    engine: str
    cells: tuple[Cell, ...]
    pending: tuple[Requested, ...]
    recent: tuple[Entry, ...]

    def to_plain(self) -> dict[str, Any]:
        """Return it as numbers, texts, lists and dictionaries, money as text."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def status_of(study: Snapshot, recent: int = 5) -> Status:
    """Return how a study is doing.

    Parameters
    ----------
    study
        At the moment in question.
    recent
        How many of the last events to include.
    """
    state, created = study.state, study.created
    cells, engine = _cells(study)
    return Status(
        study=study.name,
        closed=study.closed,
        events=study.events,
        digest=study.digest,
        budget=state.problem.budget,
        spent=state.spent,
        reserved=state.reserved,
        free=state.free,
        cases=len(created.cases),
        withdrawn=len(study.withdrawn),
        outlook=outlook(state.belief, study.delivered()),
        loss=created.loss,
        loss_now=float(loss(state.belief, created.loss)),
        engine=engine,
        cells=cells,
        pending=study.requests(PENDING),
        recent=study.entries[max(0, study.events - recent) :],
    )


def outlook(belief: Belief, delivered: Delivered | None = None) -> Outlook:
    """Return the error that a classifier is expected to make on new cases.

    For the interval, models are drawn from the belief, and each says how often the classifier of
    today is wrong among its cases: all cases, where there are at most 4 096 different ones; else
    some thousand drawn from the model, which widens the interval a little. Unless given, the
    classifier is naive Bayes with the means of the belief.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 10)
    >>> belief = Belief.prior(problem).observe(0, 0, 0, times=9).observe(0, 1, 1, times=9)
    >>> now = outlook(belief)
    >>> f"{now.error:.3f}, between {now.low:.2f} and {now.high:.2f}"
    '0.091, between 0.02 and 0.19'
    """
    delivered = delivered or Delivered(belief)
    rng = stream(0, OUTLOOK)
    wrong = _Errors(delivered, _DRAWS)
    errors = [wrong.under(belief.sample(rng), rng) for _ in range(_DRAWS)]
    low, high = np.quantile(errors, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    expected = expected_error(belief, delivered)
    return Outlook(expected, min(low, expected), max(high, expected))


def expected_error(belief: Belief, delivered: Delivered) -> float:
    """Return how often a classifier is wrong if the belief is right.

    For naive Bayes with the belief's own means that is its 0/1 loss. Otherwise the cases of the
    means are gone through: all of them, or some thousand drawn ones, always with the same numbers.
    """
    if delivered.weights is None and delivered.belief == belief:
        return float(loss(belief, "zero_one"))
    return _Errors(delivered, 1).under(belief.means, stream(0, OUTLOOK))


class _Errors:
    """How often a classifier is wrong under one model or another, so many of them."""

    def __init__(self, delivered: Delivered, models: int) -> None:
        self._delivered, self._problem = delivered, delivered.belief.problem
        problem = self._problem
        self._columns: Any = None
        if math.prod(problem.sizes) <= _FEW_CASES:
            values = enumerate_cases(delivered.belief).values
            self._columns = values + np.asarray(problem.offsets)
            self._wrong = (1 - _decisions(delivered, values)) * np.asarray(problem.prior)
        room = _MOST_NUMBERS // (models * len(problem.labels) * len(problem.features))
        self._drawn = min(_CASES_PER_DRAW, max(50, room))

    def under(self, parameters: Floats, rng: np.random.Generator) -> float:
        """Return the share of cases that the classifier gets wrong."""
        if self._columns is not None:
            return float((parameters[:, self._columns].prod(axis=2).T * self._wrong).sum())
        problem, error = self._problem, 0.0
        for label, share in enumerate(problem.prior):
            values = np.empty((self._drawn, len(problem.features)), dtype=np.int64)
            for feature in range(len(problem.features)):
                columns = self._delivered.belief.columns(feature)
                steps = parameters[label, columns].cumsum()[:-1]
                values[:, feature] = np.searchsorted(steps, rng.random(self._drawn), side="right")
            error += share * float(1 - _decisions(self._delivered, values)[:, label].mean())
        return error


def _decisions(delivered: Delivered, values: Any) -> Any:
    """For each case how the classifier divides its vote among labels; where they tie it guesses."""
    belief, weights = delivered
    scores = belief.log_likelihoods(values, weights) + np.log(belief.problem.prior)
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
    return tied / tied.sum(axis=1, keepdims=True)


def _cells(study: Snapshot) -> tuple[tuple[Cell, ...], str]:
    state, problem = study.state, study.state.problem
    fates = Counter((each.feature, each.label, _column(each)) for each in study.requests())
    depths = state.depths(at_most=1)
    under_way = state.under_way()
    given = study.created.loss
    now = expected_loss(state.belief, under_way, given)
    found = lookahead(state.belief, depths, given, given=under_way) if depths.any() else None
    cells = []
    for action in problem.actions:
        feature, label = problem.features[action.feature], problem.labels[action.label]
        saves = None
        if found is not None and depths[action]:
            saves = float(now) - float(found.values[action])
        left = int(state.cases_left[action])
        cells.append(
            Cell(
                feature.name,
                label,
                feature.cost,
                fates[feature.name, label, "bought"],
                fates[feature.name, label, PENDING],
                fates[feature.name, label, FAILED],
                -1 if left == NO_LIMIT else left,
                saves,
                None if saves is None else saves / float(feature.cost),
            )
        )
    return tuple(cells), now.engine if found is None else found.engine


def _column(request: Requested) -> str:
    if request.fate in (PENDING, CANCELLED, FAILED):
        return request.fate
    return "bought" if request.value is not None else FAILED


def _plain(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {key: _plain(value) for key, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    return str(entry) if isinstance(entry, Decimal) else entry
