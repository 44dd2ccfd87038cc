"""What every price list must do over several orders of one case, on one day or on many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, pairwise, product

from budgeted.problem import CaseSoFar, Order, PriceList, Problem, money
from budgeted.problem.orders import Visit

GROUPS = ("", "a group")
_FIRST = date(2026, 1, 5)
DAYS = tuple(_FIRST + timedelta(days=after) for after in (0, 1, 20, 40, 400))
"""Close to each other and far apart."""

_SEQUENCES: tuple[tuple[date | None, ...], ...] = (
    (None, None, None),
    *combinations(DAYS, 2),
    *combinations(DAYS, 3),
    *((first, first, second) for first, second in pairwise(DAYS)),
)
_FEATURES = 3
"""So many of the first features are tried in every combination; more would take minutes."""


def _some(problem: Problem) -> list[frozenset[int]]:
    first = range(min(len(problem.features), _FEATURES))
    return [frozenset(each) for size in (1, 2) for each in combinations(first, size)]


def _kinds(problem: Problem) -> Iterator[tuple[int, str]]:
    yield from product(range(len(problem.labels)), GROUPS)


def _pasts(problem: Problem) -> Iterator[tuple[Visit, ...]]:
    """What was ordered before: nothing, or once or twice; a feature again, too."""
    parts = _some(problem)
    yield ()
    for day in (None, *DAYS):
        yield from ((Visit(part, day),) for part in parts)
    for first, second in zip(parts, reversed(parts), strict=True):
        for days in pairwise(DAYS):
            yield tuple(Visit(part, day) for part, day in zip((first, second), days, strict=True))


def _histories(problem: Problem) -> Iterator[tuple[Visit, ...]]:
    """Two or three orders of a case, one after the other."""
    parts = _some(problem)
    for days in _SEQUENCES:
        for at in range(len(parts)):
            for step in (0, 1, 2):
                chosen = [parts[(at + turn * step) % len(parts)] for turn in range(len(days))]
                yield tuple(Visit(part, day) for part, day in zip(chosen, days, strict=True))


def _quote(
    prices: PriceList,
    wanted: frozenset[int],
    day: date | None,
    past: Sequence[Visit],
    kind: tuple[int, str],
    had: frozenset[int] | None = None,
) -> Decimal:
    """Return the price of an order of a case after others; what it has is what they brought."""
    came = frozenset().union(*(each.features for each in past)) if had is None else had
    case = CaseSoFar(came - wanted, kind[0], "case", tuple(past), kind[1])
    return prices.quote(Order(tuple(sorted(wanted)), kind[0], "case", day), case)


def _total(prices: PriceList, visits: Sequence[Visit], kind: tuple[int, str]) -> Decimal:
    """Return what orders cost together, each quoted after those before it."""
    return money.total(
        _quote(prices, each.features, each.day, visits[:at], kind)
        for at, each in enumerate(visits)
        if each.features
    )


def _check_fresh_cases(prices: PriceList, problem: Problem) -> None:
    """Policies see the price on a fresh case: it must be one, and nothing may cost more later."""
    for kind, past in product(_kinds(problem), _pasts(problem)):
        day = past[-1].day if past else None
        for at in range(min(len(problem.features), _FEATURES)):
            wanted = frozenset({at})
            fresh = _quote(prices, wanted, day, (), kind)
            assert fresh > 0, f"the first value of a case costs nothing: feature {at}{_of(kind)}"
            later = _quote(prices, wanted, day, past, kind)
            assert later <= fresh, (
                f"a value costs more on a case of which others were bought: {later} instead of "
                f"{fresh} for feature {at}{_of(kind)}, after {_told(past)}"
            )


def _check_what_was_paid(prices: PriceList, problem: Problem) -> None:
    """What was paid for counts, whatever it brought; what was known for free does not."""
    every = frozenset(range(len(problem.features)))
    for kind, past in product(_kinds(problem), _pasts(problem)):
        day = past[-1].day if past else None
        for wanted in _some(problem):
            usual = _quote(prices, wanted, day, past, kind)
            for had, what in ((frozenset[int](), "brought no value"), (every, "known for free")):
                found = _quote(prices, wanted, day, past, kind, had)
                assert found == usual, (
                    f"what {'was ' * (had == every)}{what} changes the price of {sorted(wanted)} "
                    f"from {usual} to {found}, after {_told(past)}; look at case.paid_for instead "
                    f"of case.features"
                )


def _check_same_day(prices: PriceList, problem: Problem) -> None:
    """Whether people write one order or two of the same day must make no difference."""
    parts = _some(problem)
    pairs = [(one, two) for one, two in product(parts, parts) if not one & two]
    for kind, past in product(_kinds(problem), _pasts(problem)):
        for day in {past[-1].day if past else None, DAYS[-1]}:
            for one, two in pairs:
                whole = _quote(prices, one | two, day, past, kind)
                first = _quote(prices, one, day, past, kind)
                then = _quote(prices, two, day, (*past, Visit(one, day)), kind)
                assert money.add(first, then) == whole, (
                    f"two orders of one day cost {first} and {then}, and one order of all "
                    f"{whole}: {sorted(one)}, then {sorted(two)}{_of(kind)}, after {_told(past)}"
                )


def _check_less(prices: PriceList, problem: Problem) -> None:
    """What is left of a case, if an order or a part of it is taken back, costs no more in all."""
    for kind, visits in product(_kinds(problem), _histories(problem)):
        total = _total(prices, visits, kind)
        for at, visit in enumerate(visits):
            for kept in (visit.features - {each} for each in visit.features):
                rest = (*visits[:at], Visit(kept, visit.day), *visits[at + 1 :])
                left = tuple(each for each in rest if each.features)
                less = _total(prices, left, kind)
                assert less <= total, (
                    f"what is left costs more in all: {_told(visits)} cost {total}, and "
                    f"{_told(left)} {less}{_of(kind)}; an order that is cancelled would cost money"
                )


def _check_separable(prices: PriceList, problem: Problem) -> None:
    """What says that nothing else matters is believed by policies."""
    separable = getattr(prices, "separable", False)
    assert isinstance(separable, bool), f"separable must be True or False, got {separable!r}"
    if not separable:
        return
    for (label, group), past in product(_kinds(problem), _pasts(problem)):
        alone = {at: prices.quote(Order((at,), label), CaseSoFar(label=label))
                 for at in range(min(len(problem.features), _FEATURES))}  # fmt: skip
        for wanted, day in product(_some(problem), (None, *DAYS)):
            found = _quote(prices, wanted, day, past, (label, group))
            expected = money.total(alone[at] for at in wanted)
            assert found == expected, (
                f"it says that it is separable, and {sorted(wanted)} cost {found} instead of "
                f"{expected}{_of((label, group))} on {day}, after {_told(past)}"
            )


def _of(kind: tuple[int, str]) -> str:
    label, group = kind
    return f" (label {label}{f', group {group!r}' if group else ''})"


def _told(visits: Sequence[Visit]) -> str:
    told = [f"{sorted(each.features)}{f' on {each.day}' if each.day else ''}" for each in visits]
    return ", ".join(told) or "nothing"


VISIT_CHECKS = (
    _check_fresh_cases, _check_what_was_paid, _check_same_day, _check_less, _check_separable,
)  # fmt: skip
"""Each takes a price list that knows what is for sale, and the problem."""
