"""What is due for a case, and how it is divided between its requests as these come back or fail.

A visit fee, or the set-up of a panel, is due once, whichever of the values that it covers come
back. The price list says what any set of requests of a case costs; the sum of what is reserved and
charged for them is always that. So before a request is settled or taken back, its own amount
becomes what it makes of the difference:

- one that is settled is charged what it adds to those that were settled before it: the first of
  them the fee, whichever that is;
- one that is taken back frees what the others do not need: not the fee, if one of them is left.

The others share the rest. The sum does not change by that, so there is always money for it, and no
fee is charged twice or missed. The journal holds the amounts (`events.Repriced`); replaying it asks
no price list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from budgeted.problem import CaseSoFar, Order, money
from budgeted.problem.orders import Visit
from budgeted.studies.days import day_of
from budgeted.studies.events import Event, Repriced, numbers_of
from budgeted.studies.fates import BOUGHT, PENDING, REQUESTED, UNUSABLE

if TYPE_CHECKING:
    from budgeted.state import State
    from budgeted.studies.projection import Projection, Requested


def so_far(study: Projection, case: str) -> CaseSoFar:
    """Return what was bought of a case, or is under way, and what was paid for."""
    row = study.names.rows[case]
    held = study.cells[row].tolist()
    visits: dict[int, Visit] = {}
    for each in _counted(study, case):
        order = each.number if each.order is None else each.order
        before = visits.get(order, Visit(frozenset(), day_of(each.at)))
        feature = study.names.columns[each.feature]
        visits[order] = replace(before, features=before.features | {feature})
    return CaseSoFar(
        frozenset(at for at, each in enumerate(held) if each in (REQUESTED, BOUGHT)),
        int(study.case_labels[row]),
        case,
        tuple(visits[order] for order in sorted(visits)),
        study.groups.get(case, ""),
        frozenset(at for at, each in enumerate(held) if each == UNUSABLE),
    )


def visited_after(study: Projection, event: Event) -> State:
    """Return the state in which the cases that an event was about are as they are now."""
    cases = {study.requests[number].case for number in numbers_of(event)}
    about = getattr(event, "case", None)
    state = study.state
    for case in cases | ({about} if about in study.names.rows else set()):
        found = so_far(study, case)
        seen = found if found.visits and case not in study.withdrawn else None
        state = state.seeing(case, seen)
    return state


def before_settling(study: Projection, number: int) -> list[Event]:
    """Return how the amounts of a case are divided so that a request can be told, or charged."""
    return _divided(study, study.request(number), first=True)


def before_release(study: Projection, number: int) -> list[Event]:
    """Return how the amounts of a case are divided so that a request can be taken back."""
    return _divided(study, study.request(number), first=False)


def before_reopening(study: Projection, number: int) -> tuple[list[Event], Decimal]:
    """Return how amounts are divided so that a settled request can be pending again.

    And what is reserved for it then.
    """
    request = study.request(number)
    counted = _counted(study, request.case)
    if not _follows_the_list(study, counted):
        return [], request.list_price if request.counts_as_visit else _as_asked(request)
    if not request.counts_as_visit:
        more = due(study, [*counted, replace(request, fate=PENDING)])
        return [], money.subtract(more, due(study, counted))
    settled = [each for each in counted if each.fate != PENDING and each is not request]
    without = due(study, settled)
    own = money.subtract(due(study, [*settled, request]), without)
    missing = money.subtract(without, money.total([each.list_price for each in settled]))
    amounts = {request.number: own}
    if missing:
        taker = settled[0]
        amounts[taker.number] = money.add(taker.list_price, missing)
    return _event(counted, amounts), own


def charge(study: Projection, case: str, feature: int, at: str) -> tuple[list[Event], Decimal]:
    """Return what a value costs that nobody asked for, and how amounts are divided before it.

    Parameters
    ----------
    study, case, feature
        Of whom, and what.
    at
        When it is written down.
    """
    before, problem = so_far(study, case), study.state.problem
    order = Order((feature,), before.label, case, day_of(at))
    counted = _counted(study, case)
    settled = [each for each in counted if each.fate != PENDING]
    if len(settled) == len(counted) or not _follows_the_list(study, counted):
        return [], problem.quote(order, before)
    new = replace(counted[0], number=study.state.next_number, at=at, asked=None, fate=PENDING,
                  feature=problem.features[feature].name)  # fmt: skip
    own = money.subtract(due(study, [*settled, new]), due(study, settled))
    waiting = [each for each in counted if each.fate == PENDING]
    amounts = _shares(study, [*settled, new], waiting)
    return _event(counted, amounts), own


def due(study: Projection, requests: Iterable[Requested]) -> Decimal:
    """Return what some requests of one case cost by the price list, order by order."""
    problem = study.state.problem
    orders: dict[int, list[Requested]] = {}
    for each in requests:
        orders.setdefault(each.number if each.order is None else each.order, []).append(each)
    total, case = Decimal(0), None
    for number in sorted(orders):
        those = orders[number]
        first = those[0]
        if case is None:
            label, group = study.names.labels[first.label], study.groups.get(first.case, "")
            case = CaseSoFar(label=label, group=group)
        features = tuple(dict.fromkeys(study.names.columns[each.feature] for each in those))
        order = Order(features, case.label, None, day_of(first.at))
        # Of a value that was charged in vain another one may be ordered.
        case = replace(case, features=case.features.difference(features))
        total = money.add(total, problem.quote(order, case))
        case = case.and_visit(features, order.day)
    return total


def _divided(study: Projection, request: Requested, *, first: bool) -> list[Event]:
    """Amounts of the pending requests of a case, one of them the first or the last to be paid."""
    counted = _counted(study, request.case)
    waiting = [each for each in counted if each.fate == PENDING]
    if len(waiting) < 2 or not _follows_the_list(study, counted):
        return []
    settled = [each for each in counted if each.fate != PENDING]
    others = [each for each in waiting if each.number != request.number]
    queue = [request, *others] if first else [*others, request]
    return _event(counted, _shares(study, settled, queue))


def _shares(
    study: Projection, settled: Sequence[Requested], queue: Sequence[Requested]
) -> dict[int, Decimal]:
    """What each of a queue adds to what is due for those settled and those before it."""
    shares, done = {}, list(settled)
    before = due(study, done)
    for each in queue:
        done.append(each)
        after = due(study, done)
        shares[each.number] = money.subtract(after, before)
        before = after
    return shares


def _counted(study: Projection, case: str) -> list[Requested]:
    """The requests and values of a case that must be paid for."""
    return [
        each
        for number in study.of_case.get(case, ())
        if (each := study.requests[number]).counts_as_visit
    ]


def _follows_the_list(study: Projection, counted: Sequence[Requested]) -> bool:
    """Whether the amounts of a case are those of today's price list, and can move within it.

    They are not if the list has changed since, or is not installed; then all stays as was agreed.
    """
    problem = study.state.problem
    if problem.separable or not problem.has_prices:
        return False
    return due(study, counted) == money.total([each.list_price for each in counted])


def _event(counted: Sequence[Requested], amounts: dict[int, Decimal]) -> list[Event]:
    held = {each.number: each.list_price for each in counted}
    changed = tuple(
        (number, amount)
        for number, amount in sorted(amounts.items())
        if number in held and held[number] != amount
    )
    return [Repriced(changed)] if changed else []


def _as_asked(request: Requested) -> Decimal:
    assert request.asked is not None
    return request.asked.cost_of(request.number)
