"""What every price list must do, whatever it charges for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from decimal import Decimal, localcontext
from itertools import combinations, permutations

from budgeted.errors import BudgetedError
from budgeted.problem import CaseSoFar, Feature, Order, PriceList, Problem, money
from budgeted.problem.prices import for_sale, lines, parameters_of
from budgeted.registry import frozen
from budgeted.testing.visits import DAYS, GROUPS, VISIT_CHECKS
from budgeted.testing.words import in_words

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
