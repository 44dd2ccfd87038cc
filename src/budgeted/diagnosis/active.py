"""An active classifier: what to order next for a case, or to stop and answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.cache import Cache
from budgeted.diagnosis.beliefs import Beliefs, Positions
from budgeted.diagnosis.costs import WrongCosts, cost_matrix
from budgeted.diagnosis.experience import AskedModel, Experience, Floats
from budgeted.diagnosis.programme import Situations, Solution, Tests, cells, solve
from budgeted.errors import BudgetedError, DiagnosisError
from budgeted.problem import CaseSoFar, Feature, Order, Problem, money
from budgeted.problem.money import MoneyLike
from budgeted.problem.prices import PriceList

MOST_CELLS = 20_000
"""Situations of one programme: it takes about a tenth of a second."""
_TINY = 1e-12
_DEAR = 10**9
_MOST_KEPT = 64_000_000
"""Bytes of decisions that are remembered."""


@dataclass(frozen=True)
class Decision:
    """What to do with a case.

    Attributes
    ----------
    test
        The feature to order next; None: answer.
    price
        Of that test, given what was ordered before; 0 if none is ordered.
    answer
        The label that costs least if one answers now.
    chances
        Label → how probable it is now.
    answer_cost
        What an answer now is expected to cost.
    expected_cost
        What is expected to be paid from here on: prices of tests, as far as they count, and the
        cost of the answer.
    offers
        Feature → (expected cost if it is ordered first, its price), the best one first.
    exact
        Whether all tests were weighed to the end.
    """

    test: str | None
    price: Decimal
    answer: str
    chances: Mapping[str, float]
    answer_cost: float
    expected_cost: float
    offers: Mapping[str, tuple[float, Decimal]]
    exact: bool


@dataclass(frozen=True)
class _Plan:
    """A test to begin with (None: answer), what to expect, and the same for each first test."""

    test: int | None
    cost: float
    offers: Mapping[int, float]
    exact: bool


@dataclass(frozen=True, eq=False)
class ActiveClassifier:
    """A model that orders tests for a new case one by one, and answers when no more is worth it.

    Parameters
    ----------
    model
        The classifier. It must know how values are shared among the cases of a label, as those of
        this package do.
    prices
        What a test of a new case costs: feature → price. Features without one cannot be ordered.
    price_list
        Fees and panels on top, such as `budgeted.problem.prices.Tariff`; none unless given.
    wrong
        What wrong answers cost, in the same money: an amount, or a table by answer and true label.
        Unless given, wrong answers are counted, prices are not weighed against them, and tests are
        ordered within the limit as long as they lower the error.
    limit
        What the tests of one case may cost together, at most.
    most_cells
        How many situations a programme may have; where there are more, it looks ahead less far.
    experience
        Cases whose label is known, from which it sees how values go together; what they say is
        weighed against what the model says.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> from budgeted.learners.model import Model
    >>> features = [Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.7, 0.3), 10)
    >>> bought = [Purchase(at, y, y, 1) for at, n in ((0, 3), (1, 30)) for y in (0, 1)
    ...           for _ in range(n)]
    >>> model = Model.of(NaiveBayes().fit(problem, bought))
    >>> active = ActiveClassifier(model, {"fever": 2, "scan": 25}, wrong=200)
    >>> first = active.next_test({})
    >>> first.test, first.price, round(first.expected_cost, 1), first.exact
    ('fever', Decimal('2'), 25.9, True)
    >>> active.next_test({"scan": "yes"}).answer
    'ill'
    >>> active.next_test({"fever": "yes"}, ordered=["fever"]).test
    'scan'
    """

    model: AskedModel
    prices: Mapping[str, MoneyLike]
    price_list: PriceList | None = None
    wrong: WrongCosts = None
    limit: MoneyLike | None = None
    most_cells: int = MOST_CELLS
    experience: Experience | None = None
    _kept: Cache[tuple[Any, ...], Decision] = field(
        default_factory=lambda: Cache(_MOST_KEPT), repr=False
    )

    def __post_init__(self) -> None:
        mistakes = [*self._price_mistakes()]
        for check in (lambda: self.costs, lambda: self._limit):
            try:
                check()
            except DiagnosisError as error:
                mistakes += error.mistakes
        if not mistakes:
            mistakes += self._list_mistakes()
        if mistakes:
            raise DiagnosisError(mistakes)

    def next_test(
        self, known: Mapping[str, Any], ordered: Iterable[str] = (), without: Iterable[str] = ()
    ) -> Decision:
        """Return what to do with a case.

        Parameters
        ----------
        known
            Feature → value; others are unknown.
        ordered
            Those that were ordered, and count towards fees, panels and the limit; all others were
            known before.
        without
            Features that cannot be ordered of this case.
        """
        row = self.model.positions(known)
        names = [self._position(each) for each in (*ordered, *without)]
        first = len(tuple(ordered))
        return self.decide(row, frozenset(names[:first]), frozenset(names[first:]))

    def decide(
        self, row: Sequence[int], ordered: frozenset[int], without: frozenset[int] = frozenset()
    ) -> Decision:
        """Return what to do with a case given by positions; see `next_test`."""
        place = (tuple(row), ordered, without)
        found = self._kept.get(place)
        if found is None:
            found = self._decision(tuple(row), ordered, without)
            self._kept.put(place, found)
        return found

    @cached_property
    def costs(self) -> Floats:
        """What answers cost, answers × labels."""
        return cost_matrix(self.model.labels, self.wrong)

    @property
    def weighs_prices(self) -> bool:
        """Whether prices are weighed against wrong answers, or only kept within the limit."""
        return self.wrong is not None

    def paid(self, ordered: Iterable[int], known: Iterable[int] = ()) -> Decimal:
        """Return what tests of a case cost together.

        Parameters
        ----------
        ordered
            Positions of what was ordered.
        known
            Positions of what was known before; it costs nothing, and spares no fee.
        """
        features = tuple(sorted(ordered))
        if not features:
            return Decimal(0)
        free = CaseSoFar(frozenset(known) - frozenset(features), visits=())
        return self._problem.quote(Order(features, 0), free)

    def values_of(self, row: Positions, test: int, chances: Mapping[str, float]) -> Floats:
        """Return how probable each value of a test is, given P(label) of a case."""
        return self._beliefs.values(row, (test,), (), 0, np.array(list(chances.values())))

    def _decision(
        self, row: Positions, ordered: frozenset[int], without: frozenset[int]
    ) -> Decision:
        chances = self._now(row)
        expected = chances @ self.costs.T
        open_ones = [
            at
            for at in self._orderable
            if row[at] < 0 and at not in without and self._fits(row, ordered, (at,))
        ]
        plan = self._best_plan(row, ordered, open_ones)
        offers = {
            at: (cost, self._price(row, ordered, (at,), (), 0)) for at, cost in plan.offers.items()
        }
        by_cost = sorted(offers, key=lambda at: (offers[at][0], at))
        return Decision(
            None if plan.test is None else self._features[plan.test].name,
            Decimal(0) if plan.test is None else offers[plan.test][1],
            self.model.labels[int(expected.argmin())],
            dict(zip(self.model.labels, chances.tolist(), strict=True)),
            float(expected.min()),
            plan.cost,
            {self._features[at].name: offers[at] for at in by_cost},
            plan.exact,
        )

    def _best_plan(self, row: Positions, ordered: frozenset[int], open_ones: list[int]) -> _Plan:
        """Return the cheapest of all plans that are looked at.

        Each is a strategy that could be followed to its end, so that the cheapest one is an upper
        bound of what the best strategy costs: wide ones find the test that is best alone, deep
        ones tests that say something only together.
        """
        depth = self._most_tests(row, ordered, open_ones)
        sizes = [len(self._features[at].values) for at in open_ones]
        if cells(sizes, depth) <= self.most_cells:
            return self._plan(row, ordered, open_ones, depth)
        ranked = self._promising(row, ordered, open_ones)
        plans = [
            self._plan(row, ordered, ranked[:width], deep) for width, deep in self._shapes(ranked)
        ]
        best = min(plans, key=lambda each: each.cost)
        offers: dict[int, float] = {}
        for plan in plans:
            for at, cost in plan.offers.items():
                offers[at] = min(cost, offers.get(at, cost))
        test = best.test
        if test is None and not self.weighs_prices:
            # What is within the limit is free, and what comes after the last test that was
            # weighed may still change the answer.
            test = next((at for at in ranked if at in offers), None)
        return _Plan(test, best.cost, offers, False)

    def _plan(
        self, row: Positions, ordered: frozenset[int], candidates: list[int], depth: int
    ) -> _Plan:
        solution = self._solve(row, ordered, candidates, depth)
        choice = int(solution.choices[()])
        return _Plan(
            None if choice < 0 else candidates[choice],
            float(solution.values[()]),
            {candidates[at]: cost for at, (cost, _) in solution.offers.items()},
            not solution.cut,
        )

    def _shapes(self, ranked: list[int]) -> list[tuple[int, int]]:
        """How many tests can be weighed for each depth: as many as fit, and fewer further ahead."""
        sizes = [len(self._features[at].values) for at in ranked]
        found: dict[int, int] = {}
        for depth in range(1, len(ranked) + 1):
            width = len(ranked)
            while width > 1 and cells(sizes[:width], depth) > self.most_cells:
                width -= 1
            if width < depth:
                break
            found[width] = depth  # of the same width only the deepest
        return list(found.items()) or [(1, 1)]

    def _most_tests(self, row: Positions, ordered: frozenset[int], open_ones: list[int]) -> int:
        """How many tests fit into the limit: as many as if each cost what it costs after all."""
        if self._limit is None or not open_ones:
            return len(open_ones)
        every, free = (*ordered, *open_ones), self._free(row, ordered)
        whole = self.paid(every, free)
        last = sorted(
            money.subtract(whole, self.paid([one for one in every if one != at], free))
            for at in open_ones
        )
        rest = money.subtract(self._limit, self.paid(ordered, free))
        fit = sum(money.total(last[: at + 1]) <= rest for at in range(len(last)))
        return max(fit, 1)

    def _promising(
        self, row: Positions, ordered: frozenset[int], open_ones: list[int]
    ) -> list[int]:
        """Return tests by what they alone bring, the most promising one first.

        That is a lower cost of the answer, or information about the label: often no single test
        changes the answer, where two together do. Both are looked at in all and per money, since
        a dear test may be the best of all, and a cheap one the best for its money; the best of
        its four ranks counts.
        """
        sets: list[Tests] = [(), *((at,) for at in range(len(open_ones)))]
        now, *later = self._beliefs.chances(row, open_ones, sets)
        answer = float((now @ self.costs.T).min())
        falls, informations, prices = [], [], []
        for at, after in enumerate(later):
            likely = self._beliefs.values(row, open_ones, (), at, now)
            falls.append(answer - float(likely @ (after @ self.costs.T).min(axis=-1)))
            informations.append(_entropy(now) - float(likely @ _entropy(after)))
            prices.append(float(self._price(row, ordered, open_ones, (), at)))
        money_of = np.maximum(prices, _TINY)
        merits = [np.array(falls), np.array(informations)]
        merits += [each / money_of for each in merits]
        ranks = [(-each).argsort(kind="stable").argsort(kind="stable") for each in merits]
        for each, rank in zip(merits, ranks, strict=True):
            rank[each <= _TINY] = len(open_ones)
        best = np.min(ranks, axis=0)
        return [open_ones[at] for at in np.lexsort((-merits[3], best)).tolist()]

    def _solve(
        self, row: Positions, ordered: frozenset[int], candidates: list[int], depth: int
    ) -> Solution:
        def price(tests: Tests, test: int) -> float | None:
            more = [candidates[at] for at in (*tests, test)]
            if not self._fits(row, ordered, more):
                return None
            return float(self._price(row, ordered, candidates, tests, test))

        about = Situations(
            tuple(len(self._features[at].values) for at in candidates),
            lambda sets: self._beliefs.chances(row, candidates, sets),
            lambda tests, test, chances: self._beliefs.values(
                row, candidates, tests, test, chances
            ),
            price,
            self.costs,
            float(self.weighs_prices),
        )
        return solve(about, depth)

    def _price(
        self,
        row: Positions,
        ordered: frozenset[int],
        candidates: Sequence[int],
        tests: Tests,
        test: int,
    ) -> Decimal:
        """What one more test costs after others."""
        before = (*ordered, *(candidates[at] for at in tests))
        free = self._free(row, ordered)
        return money.subtract(self.paid((*before, candidates[test]), free), self.paid(before, free))

    def _fits(self, row: Positions, ordered: frozenset[int], more: Iterable[int]) -> bool:
        """Whether tests can be ordered besides those that were, within the limit."""
        limit = self._limit
        return limit is None or self.paid((*ordered, *more), self._free(row, ordered)) <= limit

    def _now(self, row: Positions) -> Floats:
        """P(label) of a case."""
        return self._beliefs.chances(row, (), [()])[0]

    @staticmethod
    def _free(row: Positions, ordered: frozenset[int]) -> tuple[int, ...]:
        return tuple(at for at, value in enumerate(row) if value >= 0 and at not in ordered)

    @property
    def _features(self) -> tuple[Feature, ...]:
        return self.model.features

    def _position(self, name: str) -> int:
        return self._features.index(self.model.feature(name))

    @cached_property
    def _orderable(self) -> tuple[int, ...]:
        return tuple(at for at, each in enumerate(self._features) if each.name in self.prices)

    @cached_property
    def _beliefs(self) -> Beliefs:
        return Beliefs(self.model, self.experience)

    @cached_property
    def _limit(self) -> Decimal | None:
        if self.limit is None:
            return None
        try:
            return money.parse(self.limit)
        except ValueError as error:
            raise DiagnosisError(f"limit: {error}") from None

    @cached_property
    def _problem(self) -> Problem:
        """The tests with their prices; what cannot be ordered is never quoted."""
        priced = with_prices(self._features, self.prices)
        return Problem(priced, self.model.labels, self.model.prior, 0, self.price_list)

    def _price_mistakes(self) -> list[str]:
        found = []
        for name, price in self.prices.items():
            try:
                self.model.feature(name)
                money.parse(price, above_zero=True)
            except ValueError as error:
                found.append(f"price of {name!r}: {error}")
        if not self.prices:
            found.append("prices: no test has one, so that none can be ordered")
        return found

    def _list_mistakes(self) -> list[str]:
        """What is wrong with the price list, which may not depend on the label: it is unknown."""
        try:
            everything = tuple(self._orderable)
            for features in (*((at,) for at in everything), everything):
                quotes = {
                    self._problem.quote(Order(features, label), CaseSoFar(label=label))
                    for label in range(len(self.model.labels))
                }
                if len(quotes) > 1:
                    return ["prices: they depend on the label, which is not known of a new case"]
            _ = self._beliefs.shares
        except DiagnosisError as error:
            return list(error.mistakes)
        except BudgetedError as error:
            return [f"prices: {error}"]
        return []


def with_prices(
    features: Sequence[Feature], prices: Mapping[str, MoneyLike]
) -> tuple[Feature, ...]:
    """Return features with the prices of new cases: those that a model has are those of nobody.

    What cannot be ordered is never quoted; it is so dear that no panel shares more than its price.
    """
    return tuple(Feature(each.name, each.kind, prices.get(each.name, _DEAR)) for each in features)


def _entropy(chances: Floats) -> Floats:
    """In bits, over the last axis."""
    result: Floats = -(chances * np.log2(np.maximum(chances, _TINY))).sum(axis=-1)
    return result


def reason(active: ActiveClassifier, decision: Decision) -> str:
    """Return why to order a test or to answer: what is expected with it, and without it.

    >>> from decimal import Decimal
    >>> from types import SimpleNamespace
    >>> one = Decision("scan", Decimal(9), "ill", {"ill": 0.6, "well": 0.4}, 40.0, 21.5,
    ...                {"scan": (21.5, Decimal(9))}, True)
    >>> reason(SimpleNamespace(weighs_prices=True), one)
    'An answer now is expected to cost 40.00; with scan, and what may follow, 21.50 including \
the tests.'
    """
    if active.weighs_prices:
        now, then = f"{decision.answer_cost:.2f}", f"{decision.expected_cost:.2f}"
        if decision.test is not None:
            return (
                f"An answer now is expected to cost {now}; with {decision.test}, and what may "
                f"follow, {then} including the tests."
            )
        if decision.offers:
            return f"No test that is left is worth its price: the answer is expected to cost {now}."
    else:
        now, then = f"{decision.answer_cost:.1%}", f"{decision.expected_cost:.1%}"
        if decision.test is not None and decision.expected_cost >= decision.answer_cost:
            return (
                f"An answer now is wrong with a probability of {now}. No test that was weighed "
                f"changes the answer soon, but {decision.test} says most for its price, and what "
                f"follows may."
            )
        if decision.test is not None:
            return (
                f"An answer now is wrong with a probability of {now}; with {decision.test}, and "
                f"what may follow, of {then}."
            )
        if decision.offers:
            return (
                f"No test that is left makes the answer better: it is wrong with a probability of "
                f"{now}."
            )
    return "No other test can be ordered: all are known, ruled out, or beyond the limit."
