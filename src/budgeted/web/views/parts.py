"""Pieces that several pages show: money, requests, events."""

from __future__ import annotations

from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from budgeted.problem import Firm, Problem
from budgeted.state import State
from budgeted.studies.budget_terms import surcharge_facts
from budgeted.studies.events import CANCELLED, FAILED, RECORDED, TOLD, Entry, numbers_of
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Requested

_MOST_COMPARED = 12


class View(BaseModel):
    """What pages are made of: it does not change once it is made."""

    model_config = ConfigDict(frozen=True)


class Money(View):
    """Amounts as text, because they are exact; shares of the budget for the bar."""

    budget: str = Field(examples=["400.00"])
    spent: str
    reserved: str
    free: str
    spent_percent: float
    reserved_percent: float
    free_percent: float
    amount: str = Field(default="", description="of a soft budget; else the budget")
    terms: str = Field(default="", description="of a budget that is not firm, in words")
    surcharge: str = Field(default="", description="so far, where the budget is soft")
    surcharge_reserved: str = Field(
        default="", description="what it grows by with what is reserved"
    )


class Compared(View):
    """One of the cells that the policy compared; a lower score is better."""

    feature: str
    label: str
    score: float
    chosen: bool


class RequestView(View):
    """A request or recorded value, and what became of it."""

    number: int
    order: int | None = Field(description="what was ordered together; null: nobody asked for it")
    together: list[int] = Field(description="the other requests of that order")
    case: str
    feature: str
    label: str = Field(description="empty: not shown to who enters values")
    cost: str
    fate: str = Field(examples=["pending", "told", "recorded", "failed", "cancelled"])
    value: str | None
    values: list[str] = Field(description="what the value can be; empty: people write it")
    expects: str = Field(description="the same in words", examples=["one of 'no', 'yes'"])
    ranged: bool = Field(description="whether what is outside its range needs force")
    why: str
    at: str
    by: str
    policy: str
    engine: str
    compared: list[Compared] = Field(description="the best that were compared, and the chosen one")
    compared_more: int = Field(description="how many more were compared")
    correctable: bool


class EventView(View):
    """One line of the log."""

    seq: int
    at: str = Field(description="UTC, ISO 8601")
    when: str = Field(description="the same for people")
    by: str
    kind: str
    words: str
    number: int | None = Field(description="of the request or recorded value it is about")
    case: str | None


def money_of(state: State) -> Money:
    """Return the amounts of a study."""
    found = amounts(state.problem.budget, state.spent, state.reserved, state.free)
    terms = state.problem.terms
    if isinstance(terms, Firm):
        return found
    told = {"amount": str(terms.amount), "terms": terms.words(), **surcharge_facts(state)}
    return found.model_copy(update=told)


def amounts(budget: Decimal, paid: Decimal, held: Decimal, free: Decimal) -> Money:
    """Return the amounts that always add up, with as many decimals each.

    >>> found = amounts(Decimal("400.00"), Decimal("1.5"), Decimal(0), Decimal("398.50"))
    >>> found.spent, found.reserved, found.free
    ('1.50', '0.00', '398.50')
    """
    spent, reserved = _percent(paid, budget), _percent(held, budget)
    places = max(len(f"{each:f}".partition(".")[2]) for each in (budget, paid, held, free))
    return Money.model_construct(  # all is of the right type; this is a part of every answer
        budget=f"{budget:.{places}f}",
        spent=f"{paid:.{places}f}",
        reserved=f"{held:.{places}f}",
        free=f"{free:.{places}f}",
        spent_percent=spent,
        reserved_percent=reserved,
        free_percent=max(0.0, round(100 - spent - reserved, 3)) if budget else 0.0,
        amount=f"{budget:.{places}f}",
    )


def request_of(request: Requested, problem: Problem, compared: int = _MOST_COMPARED) -> RequestView:
    """Return a request with the first so many of the cells that were compared for it."""
    asked = request.asked
    feature = problem.by_name[request.feature]
    ranked = asked.scores[:compared] if asked else ()
    every = asked.compared.number if asked and asked.compared and compared else 0
    return RequestView.model_construct(
        number=request.number,
        order=request.order,
        together=[each for each in numbers_of(asked) if each != request.number] if asked else [],
        case=request.case,
        feature=request.feature,
        label=request.label,
        cost=str(request.cost),
        fate=request.fate,
        value=request.value,
        values=list(feature.choices),
        expects=feature.expects,
        ranged=feature.ranged,
        why=request.why,
        at=request.at,
        by=request.by,
        policy=asked.policy if asked else "",
        engine=asked.engine if asked else "",
        compared=[
            Compared(
                feature=feature,
                label=label,
                score=score,
                chosen=(feature, label) == (request.feature, request.label),
            )
            for feature, label, score in ranked
        ],
        compared_more=every - len(ranked),
        correctable=request.fate in (TOLD, RECORDED),
    )


def is_undoable(study: Snapshot, request: Requested) -> bool:
    """Tell whether what became of a request may be taken back, as far as can be seen."""
    over = request.fate in (TOLD, FAILED, CANCELLED)
    asked = request.asked is not None and request.case not in study.withdrawn
    # One that brought nothing may have been asked for, or recorded, again.
    last = request.fate == TOLD or study.is_last(request)
    return over and asked and last and not study.closed


def event_of(entry: Entry) -> EventView:
    """Return a line of the log."""
    event = entry.event
    return EventView(
        seq=entry.seq,
        at=entry.at,
        when=people_time(entry.at),
        by=entry.by,
        kind=event.kind,
        words=event.words(),
        number=getattr(event, "number", None),
        case=getattr(event, "case", None),
    )


def people_time(at: str) -> str:
    """Return a time as people read it.

    >>> people_time("2026-01-02T03:04:05Z")
    '2026-01-02 03:04:05 UTC'
    """
    return f"{at.replace('T', ' ').removesuffix('Z')} UTC"


def _percent(amount: Decimal, budget: Decimal) -> float:
    return round(100 * float(amount) / float(budget), 3) if budget else 0.0
