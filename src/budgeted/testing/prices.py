"""What every price list must do, whatever it charges for: for one order, and for several."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass, replace
from datetime import date, timedelta
from decimal import Decimal, localcontext
from itertools import combinations, pairwise, permutations, product

from budgeted.errors import BudgetedError
from budgeted.problem import CaseSoFar, Feature, Order, PriceList, Problem, money
from budgeted.problem.orders import Visit
from budgeted.problem.prices import for_sale, lines, parameters_of
from budgeted.registry import frozen
from budgeted.testing.words import in_words

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


_COSTS = ("1.50", "40", "0.05", "3")


def check_price_list(prices: PriceList, problem: Problem | None = None) -> None:
    """Raise an error in words unless a price list keeps the contract of all price lists.

    Quotes are exact decimals from 0, whatever the decimal context of the caller; the same for the
    same question, in whatever sequence the features are listed. One more feature never makes an
    order cheaper. The first value of a case costs more than 0, and a value no more on a case
    of which others were bought: policies reckon with its price on a fresh case. Two orders of one
    day cost what one order of all would, and without an order, or a part of it, the others cost
    no more in all. What was paid for counts, whether or not it brought a value; what was known for
    free does not. All this on any day, with or without a calendar, and for any group of cases. A
    list that says that it is separable is. A feature that is not there is refused in words, and
    JSON can hold the parameters.

    Parameters
    ----------
    prices
        With the parameters that it is to be tried with.
    problem
        What is for sale; four features of different costs unless given. For lists whose parameters
        name features.

    Examples
    --------
    >>> from budgeted.problem import PerFeature
    >>> check_price_list(PerFeature())
    """
    assert not isinstance(prices, type), f"give an object, such as {prices!r}(), not its class"
    for what in ("name", "summary"):
        assert isinstance(getattr(prices, what, None), str), f"it must have a {what}"
    assert is_dataclass(prices), "it must be a dataclass; its fields are the parameters"
    with in_words("quote"):
        _check_parameters(prices)
        for tried in (_problem(2), _problem(3)) if problem is None else (problem,):
            listed = for_sale(prices, tried.features, tried.labels)
            for check in (*CHECKS, *VISIT_CHECKS):
                check(listed, tried)
            Problem(tried.features, tried.labels, tried.prior, tried.budget, prices)


def _problem(labels: int) -> Problem:
    features = [Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate(_COSTS)]
    names = [f"label {at}" for at in range(labels)]
    return Problem(features, names, [1 / labels] * labels, 1000)


def _parts(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Orders of one, two and three features; of many, those of the first few."""
    first = range(min(len(problem.features), 5))
    for number in (1, 2, 3):
        yield from combinations(first, number)


def _cases(problem: Problem, order: tuple[int, ...]) -> Iterator[CaseSoFar]:
    """Cases of each label of which nothing was bought, or some of what is not ordered."""
    others = [at for at in range(min(len(problem.features), 5)) if at not in order]
    for label in range(len(problem.labels)):
        for number in range(len(others) + 1):
            had = frozenset(others[:number])
            yield CaseSoFar(had, label, f"case {number}", group=GROUPS[number % len(GROUPS)])


def _questions(problem: Problem) -> Iterator[tuple[Order, CaseSoFar]]:
    for part in _parts(problem):
        for at, case in enumerate(_cases(problem, part)):
            yield Order(part, case.label, case.name), case
            yield Order(part, case.label, case.name, DAYS[at % len(DAYS)]), case


def _check_parameters(prices: PriceList) -> None:
    """Studies write the parameters down as JSON, and make the list of them again."""
    parameters = parameters_of(prices)
    try:
        text = json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"JSON cannot hold the parameters {parameters!r}: {error}") from error
    again = type(prices)(**{key: frozen(value) for key, value in json.loads(text).items()})
    assert again == prices, f"made again of its parameters it is another: {again!r}, not {prices!r}"


def _check_amounts(prices: PriceList, problem: Problem) -> None:
    for order, case in _questions(problem):
        found = prices.quote(order, case)
        assert isinstance(found, Decimal), (
            f"a quote must be an exact Decimal, got {found!r} for {order}"
        )
        try:
            money.parse(found)
        except ValueError as error:
            raise AssertionError(f"a quote {error}, for {order}") from error


def _check_same_answer(prices: PriceList, problem: Problem) -> None:
    """The same for the same question, now and later, and in any decimal context."""
    asked = list(_questions(problem))
    first = [prices.quote(*each) for each in asked]
    again = [prices.quote(*each) for each in reversed(asked)][::-1]
    for (order, _), one, other in zip(asked, first, again, strict=True):
        assert one == other, f"the same question, and another price: {one} and {other} for {order}"
    with localcontext() as context:
        context.prec = 2
        rounded = [prices.quote(*each) for each in asked]
    for (order, _), one, other in zip(asked, first, rounded, strict=True):
        assert one == other, (
            f"it rounds in the caller's decimal context: {other} instead of {one} for {order}; "
            f"add amounts with budgeted.problem.money"
        )


def _check_sequence(prices: PriceList, problem: Problem) -> None:
    for order, case in _questions(problem):
        for other in permutations(order.features):
            found = prices.quote(replace(order, features=other), case)
            assert found == prices.quote(order, case), (
                f"the sequence of the features matters: {other} costs {found}, "
                f"{order.features} {prices.quote(order, case)}"
            )


def _check_fresh(prices: PriceList, problem: Problem) -> None:
    """Where a list says all prices on fresh cases at once, they are those that it quotes."""
    listed = getattr(prices, "fresh", None)
    if listed is None:
        return
    for feature, row in enumerate(listed(len(problem.labels))):
        for label, price in enumerate(row):
            found = prices.quote(Order((feature,), label), CaseSoFar(label=label))
            assert price == found, f"fresh says {price} for feature {feature}, quote {found}"


def _check_monotone(prices: PriceList, problem: Problem) -> None:
    for order, case in _questions(problem):
        whole = prices.quote(order, case)
        for part in combinations(order.features, len(order.features) - 1):
            if part:
                less = prices.quote(replace(order, features=part), case)
                assert less <= whole, (
                    f"one more feature makes it cheaper: {part} cost {less}, "
                    f"{order.features} {whole}"
                )
        quoted = lines(prices, order, case)
        assert money.total(quoted) == whole, "the lines of an order do not add up to its quote"


def _check_unknown_features(prices: PriceList, problem: Problem) -> None:
    for at in (len(problem.features), -1):
        try:
            found = prices.quote(Order((at,), 0), CaseSoFar())
        except BudgetedError:
            continue
        except Exception as error:
            raise AssertionError(
                f"feature number {at}, which is not there, gives {type(error).__name__}: {error}; "
                f"order.of(self.features) says it in words"
            ) from error
        raise AssertionError(f"feature number {at}, which is not there, costs {found}")


CHECKS = (
    _check_amounts, _check_same_answer, _check_sequence, _check_fresh, _check_monotone,
    _check_unknown_features,
)  # fmt: skip
"""Each takes a price list that knows what is for sale, and the problem."""
