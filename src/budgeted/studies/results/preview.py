"""What writing down some results would do, one by one, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from budgeted.errors import BudgetedError, StudyError
from budgeted.hints import CorrectIt, ForceIt
from budgeted.problem import money
from budgeted.studies.commands.enter import Tried, try_results
from budgeted.studies.drafts import Draft
from budgeted.studies.events import Recorded, Told

TELL, RECORD, SAME, DOUBTFUL, REFUSED = "told", "recorded", "known", "doubtful", "refused"
"""What becomes of a result; a doubtful one is refused unless somebody insists on it."""


@dataclass(frozen=True)
class Outcome:
    """What becomes of one result."""

    result: Any  # as it was given
    fate: str  # `TELL`, `RECORD`, `SAME`, `DOUBTFUL` or `REFUSED`
    number: int | None = None
    cost: Decimal = Decimal(0)  # what is charged for it
    error: BudgetedError | None = None  # why it is refused; `budgeted.hints` of it says what to do

    @property
    def correction(self) -> int | None:
        """The number of another value that is known already, and would have to be corrected."""
        hint = None if self.error is None else self.error.hint
        return hint.number if isinstance(hint, CorrectIt) else None


@dataclass(frozen=True)
class Preview:
    """What becomes of some results, and of the money."""

    outcomes: tuple[Outcome, ...]
    before: tuple[Decimal, Decimal, Decimal]
    after: tuple[Decimal, Decimal, Decimal]

    @property
    def fitting(self) -> tuple[Any, ...]:
        """The results that would be written down, and those that are known with a note."""
        return tuple(each.result for each in self.outcomes if each.fate not in (DOUBTFUL, REFUSED))

    def count(self, *fates: str) -> int:
        """Return how many results have one of these fates."""
        return sum(each.fate in fates for each in self.outcomes)

    @property
    def charged(self) -> Decimal:
        """What all of them cost together."""
        return money.total([each.cost for each in self.outcomes])


def previewed(draft: Draft, results: Sequence[Any], charge: bool = False) -> Preview:
    """Return what becomes of results that are tried on a draft, those that do not fit left out."""
    if draft.closed:
        raise StudyError("the study is closed; only corrections are possible")
    before = _money(draft)
    trial = Draft.of(draft)
    trial.signature = draft.signature
    tried, clean = try_results(trial, results, charge)
    if not clean:
        # One failed half-way: the amounts of its case may have moved. Only what fits is written.
        fits = [at for at, each in enumerate(tried) if each.error is None]
        trial = Draft.of(draft)
        trial.signature = draft.signature
        again, _ = try_results(trial, [results[at] for at in fits], charge)
        for at, each in zip(fits, again, strict=True):
            tried[at] = each
    return Preview(tuple(map(_outcome, tried)), before, _money(trial))


def _outcome(tried: Tried) -> Outcome:
    if tried.error is not None:
        doubtful = isinstance(tried.error.hint, ForceIt)
        return Outcome(tried.result, DOUBTFUL if doubtful else REFUSED, error=tried.error)
    for event in tried.events:
        if isinstance(event, Told | Recorded):
            fate = TELL if isinstance(event, Told) else RECORD
            return Outcome(tried.result, fate, event.number, event.cost)
    return Outcome(tried.result, SAME, tried.number)


def _money(draft: Draft) -> tuple[Decimal, Decimal, Decimal]:
    state = draft.state
    return state.spent, state.reserved, state.free
