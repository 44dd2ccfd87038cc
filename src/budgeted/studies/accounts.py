"""What is due for a case, and how it is divided between its requests as these come back or fail.

A visit fee, or the set-up of a panel, is due once, whichever of the values that it covers come
back. The price list says what any set of requests of a case costs; the sum of what is reserved and
charged for them is always that. So before a request is settled or taken back, its own amount
becomes what it makes of the difference:

- one that is settled is charged what it adds to those that were settled before it: the first of
  them the fee, whichever that is;
- one that is taken back frees what the others do not need: not the fee, if one of them is left.

What somebody charges by hand stands in for the price of that one value: it is divided as if it
were taken back, and the difference between what was said and what is listed stays with it.

The others share the rest. The sum does not change by that, so there is always money for it, and no
fee is charged twice or missed. The journal holds the amounts (`events.Repriced`); replaying it asks
no price list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from budgeted.listing import listed
from budgeted.problem import CaseSoFar, Order, Problem, money
from budgeted.problem.orders import Visit
from budgeted.problem.prices import lines
from budgeted.studies.events import (
    BOUGHT,
    PENDING,
    RECORDED,
    REQUESTED,
    UNUSABLE,
    Event,
    Repriced,
    day_of,
    numbers_of,
)

if TYPE_CHECKING:
    from budgeted.state import State
    from budgeted.studies.drafts import Draft
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


def visited_after(study: Projection, event: Event, before: Mapping[str | int, CaseSoFar]) -> State:
    """Return the state in which the cases that an event was about are as they are now."""
    cases = {study.requests[number].case for number in numbers_of(event)}
    about = getattr(event, "case", None)
    state = study.state
    for case in cases | ({about} if about in study.names.rows else set()):
        found = so_far(study, case)
        seen = found if found.visits and case not in study.withdrawn else None
        if study.groups and case not in study.withdrawn:
            state = _group_visited(state, found, (seen is not None) - (case in before))
        state = state.seeing(case, seen)
    return state


def _group_visited(state: State, case: CaseSoFar, more: int) -> State:
    """The state in which a case of a group is visited, or is so no more."""
    if not more:
        return state
    counts = {label: dict(of_label) for label, of_label in state.fresh_groups.items()}
    mine = counts[case.label]
    mine[case.group] = mine.get(case.group, 0) - more  # none of its group may have been fresh
    return state.changed(fresh_groups=counts)


def fresh_groups(study: Projection) -> Mapping[int, Mapping[str, int]]:
    """Return of each label how many cases of each group were not visited."""
    counts: dict[int, Counter[str]] = {at: Counter() for at in study.names.labels.values()}
    for case, row in study.names.rows.items():
        if case not in study.state.visited and case not in study.withdrawn:
            counts[int(study.case_labels[row])][study.groups.get(case, "")] += 1
    return counts


def before_settling(study: Projection, number: int) -> list[Event]:
    """Return how the amounts of a case are divided so that a request can be told, or charged."""
    return _divided(study, study.request(number), first=True)


def before_release(study: Projection, number: int) -> list[Event]:
    """Return how the amounts of a case are divided so that a request can be taken back."""
    return _divided(study, study.request(number), first=False)


def price_reopened(study: Projection, number: int) -> Decimal:
    """Return what is reserved for a request that is pending again: what it stood for, or adds."""
    request = study.request(number)
    counted = _counted(study, request.case)
    if request.counts_as_visit:
        return request.list_price
    if not _follows_the_list(study, counted):
        return _as_asked(request)
    more = due(study, [*counted, replace(request, fate=PENDING)])
    return money.subtract(more, due(study, counted))


def charge(study: Projection, case: str, feature: int, at: str) -> tuple[list[Event], Decimal]:
    """Return what a value costs that nobody asked for, and how amounts are divided before it."""
    before, problem = so_far(study, case), study.state.problem
    order = Order((feature,), before.label, case, day_of(at))
    counted = _counted(study, case)
    settled = [each for each in counted if each.fate != PENDING]
    if len(settled) == len(counted) or not _follows_the_list(study, counted):
        return [], problem.quote(order, before)
    new = replace(counted[0], number=study.state.next_number, at=at, asked=None, fate=PENDING,
                  feature=problem.features[feature].name)  # fmt: skip
    paid = _listed(settled)
    reached = max(paid, due(study, [*settled, new]))
    waiting = [each for each in counted if each.fate == PENDING]
    amounts = _shares(study, [*settled, new], waiting, reached)
    return _event(counted, amounts), money.subtract(reached, paid)


def own_price(study: Projection, case: str, feature: int, at: str) -> Decimal | None:
    """Return what a value adds by the list to all that is there of a case; None without a list.

    It is what an amount that was charged by hand stands in for: fees stay with the others.
    """
    problem = study.state.problem
    if problem.separable or not problem.has_prices:
        return None
    before = so_far(study, case)
    return problem.quote(Order((feature,), before.label, case, day_of(at)), before)


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
    if not _follows_the_list(study, counted):
        return []
    settled = [each for each in counted if each.fate != PENDING]
    others = [each for each in counted if each.fate == PENDING and each.number != request.number]
    queue = [request, *others] if first else [*others, request]
    amounts = _shares(study, settled, queue, _listed(settled))
    if not first and not others and settled:  # what is due without it falls to one that was paid
        amounts = _without_one(settled, due(study, settled))
        amounts[request.number] = money.subtract(due(study, counted), due(study, settled))
    return _event(counted, amounts)


def _without_one(settled: Sequence[Requested], owed: Decimal) -> dict[int, Decimal]:
    """What those settled stand for where they must come to so much: one pays more, or some less."""
    amounts = {each.number: each.list_price for each in settled}
    missing = money.subtract(owed, _listed(settled))
    if missing > 0:
        amounts[settled[0].number] = money.add(settled[0].list_price, missing)
    for number in sorted(amounts, key=lambda each: -amounts[each]):
        if missing < 0:
            back = min(amounts[number], -missing)
            amounts[number] = money.subtract(amounts[number], back)
            missing = money.add(missing, back)
    return amounts


def _shares(
    study: Projection, settled: Sequence[Requested], queue: Sequence[Requested], before: Decimal
) -> dict[int, Decimal]:
    """What each of a queue adds to what is due for those settled and those before it.

    Who comes first also takes up what those settled have not paid: `before` is what they have.
    """
    shares, done = {}, list(settled)
    for each in queue:
        done.append(each)
        after = max(before, due(study, done))
        shares[each.number] = money.subtract(after, before)
        before = after
    return shares


def _listed(requests: Sequence[Requested]) -> Decimal:
    return money.total([each.list_price for each in requests])


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
    return due(study, counted) == _listed(counted)


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


def listed_price(
    problem: Problem, known: Iterable[Requested], free: Sequence[Requested]
) -> list[Decimal]:
    """Return what values that nobody paid for would have cost, beside all that is known."""
    mine = {each.number for each in free}
    cases: dict[str, CaseSoFar] = {}
    for each in free:
        cases[each.case] = CaseSoFar(label=problem.label_index(each.label), name=each.case)
    for each in known:
        if each.case in cases and each.number not in mine and _is_there(each):
            feature = problem.feature_index(each.feature)
            cases[each.case] = cases[each.case].and_visit([feature], day_of(each.at))
    prices: list[Decimal] = []
    for each in free:
        feature, before, day = (
            problem.feature_index(each.feature),
            cases[each.case],
            day_of(each.at),
        )
        prices += lines(problem.prices, Order((feature,), before.label, each.case, day), before)
        cases[each.case] = before.and_visit([feature], day)
    return prices


def _is_there(request: Requested) -> bool:
    """Whether its case was there for it, paid or not: a fee is counted once for all of them."""
    return request.counts_as_visit or request.fate == RECORDED


def why_together(draft: Draft, order: Order, wanted: set[int]) -> list[str]:
    """Return what speaks for an order as it is, where prices depend on the case."""
    problem, case = draft.state.problem, str(order.case)
    before = so_far(draft, case)
    names = [problem.features[at].name for at in order.features]
    terms = replace(before, name=None)
    price = problem.quote(replace(order, case=None), terms)
    fresh = CaseSoFar(label=before.label, group=before.group)
    elsewhere = problem.quote(replace(order, case=None), fresh)
    words = []
    if price < elsewhere:
        verb = "costs" if len(names) == 1 else "cost"
        words.append(
            f"{case} is here anyway: {listed(names)} {verb} {money.show(price)} instead of "
            f"{money.show(elsewhere)}"
        )
    apart = money.total([
        problem.quote(Order((at,), order.label, None, order.day), terms) for at in order.features
    ])  # fmt: skip
    if len(names) > 1 and price < apart:
        words.append(f"{money.show(price)} together instead of {money.show(apart)} one by one")
    gifts = [problem.features[at].name for at in order.features if at not in wanted]
    if gifts:
        come = "comes" if len(gifts) == 1 else "come"
        words.append(f"{listed(gifts)} {come} along at no cost")
    return words
