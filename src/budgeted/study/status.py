"""How a study is doing: money, purchases, how good the classifier is, what more is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from budgeted.events import Entry
from budgeted.expectation import expected_loss, lookahead, loss
from budgeted.learners import Outlook
from budgeted.learners.prospect import FINEST
from budgeted.problem import Problem
from budgeted.state import NO_LIMIT
from budgeted.study.snapshot import Snapshot
from budgeted.study.standing import CANCELLED, FAILED, PENDING, Requested


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
    """Everything that people want to know of a study at a glance.

    Attributes
    ----------
    outlook
        The error that today's classifier is expected to make on new cases; see
        `budgeted.learners.prospect`.
    majority, majority_error
        The most frequent label (the first one of several), and the error of always saying it.
    """

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
    majority: str
    majority_error: float
    loss: str
    loss_now: float
    engine: str
    cells: tuple[Cell, ...]
    pending: tuple[Requested, ...]
    recent: tuple[Entry, ...]

    @property
    def separates(self) -> bool:
        """Whether the classifier is expected to do better than the most frequent label alone."""
        return self.outlook.error < self.majority_error - FINEST

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
        outlook=study.outlook,
        majority=_most_frequent(state.problem),
        majority_error=1 - max(state.problem.prior),
        loss=created.loss,
        loss_now=float(loss(state.belief, created.loss)),
        engine=engine,
        cells=cells,
        pending=study.requests(PENDING),
        recent=study.entries[max(0, study.events - recent) :],
    )


def _most_frequent(problem: Problem) -> str:
    return problem.labels[problem.prior.index(max(problem.prior))]


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
