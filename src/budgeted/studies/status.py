"""How a study is doing: money, purchases, how good the classifier is, what more is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from budgeted.errors import BudgetedError, LearnerError
from budgeted.learners import Outlook
from budgeted.learners.belief import Floats, Integers
from budgeted.learners.prospect import FINEST
from budgeted.problem import Firm, Problem
from budgeted.state import NO_LIMIT, State
from budgeted.state.surcharges import surcharge_of
from budgeted.studies.beginning import policy_of
from budgeted.studies.events import CANCELLED, FAILED, PENDING, Entry
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.weighing import StopStatus, stop_status
from budgeted.studies.within_limit import WithinLimit, within_limit
from budgeted.value import expected_loss, lookahead


@dataclass(frozen=True)
class Cell:
    """What was bought of a feature and label, and what one more value of it is worth."""

    feature: str
    label: str
    cost: Decimal | None
    bought: int
    pending: int
    failed: int
    left: int
    # What more values are expected to bring for their money, as a share of the best: 1 for what
    # is best now, None if none can be bought. It is what the policy itself compares, if it says
    # so (the default does); else how much less plain naive Bayes expects to lose by one value.
    worth: float | None


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
    # The error that today's classifier is expected to make on new cases; see
    # `budgeted.learners.prospect`. None if there is no classifier here; `unknown` says why.
    outlook: Outlook | None
    unknown: str
    majority: str
    majority_error: float
    cells: tuple[Cell, ...]
    pending: tuple[Requested, ...]
    recent: tuple[Entry, ...]
    scales: dict[str, str]
    terms: str = ""
    surcharge: Decimal | None = None
    surcharge_reserved: Decimal | None = None
    stop: StopStatus | None = None
    within_limit: WithinLimit | None = None

    @property
    def separates(self) -> bool:
        """Whether the classifier is expected to do better than the most frequent label alone."""
        return self.outlook is not None and is_better(self.outlook, self.majority_error)

    def to_plain(self) -> dict[str, Any]:
        """Return it as numbers, texts, lists and dictionaries, money as text."""
        plain: dict[str, Any] = _plain(asdict(self))
        for key in ("terms", "surcharge", "surcharge_reserved", "stop", "within_limit"):
            if not plain[key]:  # of a firm budget there is nothing to say
                del plain[key]
        return plain


def status_of(study: Snapshot, recent: int = 5) -> Status:
    """Return how a study is doing."""
    state = study.state
    outlook, unknown = expected_error(study)
    majority, majority_error = most_frequent(state.problem)
    surcharge = surcharge_of(state)
    return Status(
        study=study.name,
        closed=study.closed,
        events=study.events,
        digest=study.digest,
        budget=state.problem.budget,
        spent=state.spent,
        reserved=state.reserved,
        free=state.free,
        cases=len(study.cases),
        withdrawn=len(study.withdrawn),
        outlook=outlook,
        unknown=unknown,
        majority=majority,
        majority_error=majority_error,
        cells=cells_of(study),
        pending=study.requests(PENDING),
        recent=study.entries[max(0, study.events - recent) :],
        scales={each.name: each.scale for each in state.problem.features if each.scale},
        terms="" if isinstance(state.problem.terms, Firm) else state.problem.terms.words(),
        surcharge=None if surcharge is None else surcharge.so_far,
        surcharge_reserved=None if surcharge is None else surcharge.to_come,
        stop=stop_status(study),
        within_limit=within_limit(study),
    )


def expected_error(study: Snapshot) -> tuple[Outlook | None, str]:
    """Return the expected error, or why it is not known: money and values are there without it."""
    try:
        return study.outlook, ""
    except LearnerError as error:
        return None, str(error)


def most_frequent(problem: Problem) -> tuple[str, float]:
    """Return the most frequent label, the first of several, and the error of always saying it."""
    most = max(problem.prior)
    return problem.labels[problem.prior.index(most)], 1 - most


def is_better(expected: Outlook, majority_error: float) -> bool:
    """Tell whether a classifier is expected to do better than the most frequent label alone."""
    return expected.error < majority_error - FINEST


def cells_of(study: Snapshot, *, weighed: bool = True) -> tuple[Cell, ...]:
    """Return what was bought of each feature and label."""
    state, problem = study.state, study.state.problem
    fates = Counter((each.feature, each.label, _column(each)) for each in study.requests())
    worth = _worth(study) if weighed else np.full(state.cases_left.shape, np.nan)
    cells = []
    for action in problem.actions:
        feature, label = problem.features[action.feature], problem.labels[action.label]
        left = int(state.cases_left[action])
        cells.append(
            Cell(
                feature.name,
                label,
                state.price(action) if problem.has_prices else None,
                fates[feature.name, label, "bought"],
                fates[feature.name, label, PENDING],
                fates[feature.name, label, FAILED],
                -1 if left == NO_LIMIT else left,
                None if np.isnan(worth[action]) else float(worth[action]),
            )
        )
    return tuple(cells)


_WORTH: WeakKeyDictionary[Snapshot, Floats] = WeakKeyDictionary()
"""As long as somebody looks at a snapshot; several charts want it."""


def _worth(study: Snapshot) -> Floats:
    """What one more value of each cell is worth, as a share of the best; NaN if none is sold."""
    found = _WORTH.get(study)
    if found is None:
        found = _WORTH[study] = _weigh(study)
    return found


def _weigh(study: Snapshot) -> Floats:
    state, created = study.state, study.created
    if not state.problem.has_prices:
        return np.full(state.cases_left.shape, np.nan)
    depths = state.depths(at_most=1)
    if not depths.any():
        return np.full(depths.shape, np.nan)
    weigh: Callable[[State], Floats] | None = getattr(policy_of(created), "worth", None)
    try:
        found = _saved_by_one(state, depths, created.loss) if weigh is None else weigh(state)
    except BudgetedError:  # a loss or a learner that is not installed here; asking says which
        return np.full(depths.shape, np.nan)
    found = np.maximum(found, 0)  # an estimate of what is worth nothing may fall below
    best = np.nanmax(found)
    result: Floats = found / best if best > 0 else found
    return result


def _saved_by_one(state: State, depths: Integers, kind: str) -> Floats:
    """By how much less plain naive Bayes expects to lose, for the money of one more value."""
    under_way = state.under_way()
    now = float(expected_loss(state.belief, under_way, kind))
    then = lookahead(state.belief, depths, kind, given=under_way).values
    result: Floats = (now - then) / state.costs()
    return result


def _column(request: Requested) -> str:
    if request.fate in (PENDING, CANCELLED, FAILED):
        return request.fate
    return "bought" if request.value is not None else FAILED


def _plain(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {key: _plain(value) for key, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    return f"{entry:f}" if isinstance(entry, Decimal) else entry
