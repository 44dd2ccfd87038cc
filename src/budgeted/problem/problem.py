"""What can be bought, of which values, at what price: the fixed part of a budgeted study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product, starmap
from typing import TYPE_CHECKING, Any

from budgeted.errors import PriceListError, ProblemError
from budgeted.problem.budgets import Soft, Terms, from_table
from budgeted.problem.checks import duplicate_mistakes, names_mistakes, prior_mistakes
from budgeted.problem.features import Feature
from budgeted.problem.money import MoneyLike
from budgeted.problem.names import are_numerals, index_of, position_of
from budgeted.problem.orders import Action, CaseSoFar, Order, lines, quoted
from budgeted.problem.prices import (
    NotInstalled,
    PerFeature,
    PriceList,
    for_sale,
    price_mistakes,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_QUOTES = 100_000


@dataclass(frozen=True, init=False)
class Problem:
    """Features for sale, the labels of the cases with their known prior, and a budget.

    Parameters
    ----------
    features, labels
        What is for sale, and the names of the labels.
    prior
        The share of each label.
    budget
        The money: an amount, which is firm; or `Soft`, also as the table of a study
        file; see `budgeted.problem.budgets`.
    prices
        What orders cost; each feature its `Feature.cost`, unless given.
    terms
        Those of the budget, where that is an amount and these have it as their limit.

    Attributes
    ----------
    budget
        The most that all orders together may cost, whatever the terms are.
    terms
        Of the budget: `Firm` or `Soft`.

    Examples
    --------
    >>> problem = Problem(
    ...     features=(Feature("fever", values=("no", "yes"), cost="1.50"),
    ...               Feature("culture", values=("neg", "pos", "unclear"), cost="40")),
    ...     labels=("well", "ill"), prior=(0.7, 0.3), budget="500")
    >>> len(problem.actions), problem.actions[1]
    (4, Action(feature=0, label=1))
    >>> Problem(features=(), labels=("well", "well"), prior=(0.7, 0.2), budget=-1)
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: features: at least one is needed; labels: 'well' appears twice; \
give each its own name; prior: must sum to 1, sums to 0.9; budget: must be 0 or more, got -1
    """

    features: tuple[Feature, ...]
    labels: tuple[str, ...]
    prior: tuple[float, ...]
    budget: Decimal
    prices: PriceList
    terms: Terms

    def __init__(
        self,
        features: Sequence[Feature],
        labels: Sequence[str],
        prior: Sequence[float],
        budget: MoneyLike | Terms | Mapping[str, Any],
        prices: PriceList | None = None,
        terms: Terms | None = None,
    ) -> None:
        # `dataclasses.replace` gives the limit and the terms that it came from.
        if terms is not None and budget == terms.limit:
            budget = terms
        mistakes = list(_features_mistakes(features, labels))
        mistakes += names_mistakes(
            "labels", labels, "there is nothing to tell apart with only one label"
        )
        mistakes += prior_mistakes(prior, labels)
        try:
            found = from_table(budget)
        except ProblemError as error:
            mistakes += error.mistakes
        if not mistakes:
            try:
                listed = for_sale(PerFeature() if prices is None else prices, features, labels)
                mistakes += price_mistakes(listed, features, len(labels))
            except PriceListError as error:
                mistakes += (f"prices: {each}" for each in error.mistakes)
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "prices", listed)
        object.__setattr__(self, "features", tuple(features))
        object.__setattr__(self, "labels", tuple(labels))
        # Dividing by a sum within 1e-9 of 1 leaves exact sums alone and mends (1/3, 1/3, 1/3)-like.
        whole = math.fsum(prior)
        object.__setattr__(self, "prior", tuple(float(share) / whole for share in prior))
        object.__setattr__(self, "budget", found.limit)
        object.__setattr__(self, "terms", found)

    def but(self, **changes: Any) -> Problem:
        """Return the problem with some of its parts changed, its terms and prices otherwise kept.

        >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
        >>> problem.but(budget=12).budget
        Decimal('12')
        """
        names = ("features", "labels", "prior", "prices")
        kept = {name: getattr(self, name) for name in names} | {"budget": self.terms}
        return Problem(**(kept | changes))

    @property
    def soft(self) -> Soft | None:
        """The terms of a soft budget; None if it is not soft."""
        return self.terms if isinstance(self.terms, Soft) else None

    @cached_property
    def by_name(self) -> dict[str, Feature]:
        """The features, to find one."""
        return {each.name: each for each in self.features}

    @cached_property
    def every_action(self) -> frozenset[Action]:
        """The same as `actions`, to find one."""
        return frozenset(self.actions)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All cells, feature by feature and within a feature label by label."""
        cells = product(range(len(self.features)), range(len(self.labels)))
        return tuple(starmap(Action, cells))

    @cached_property
    def fresh_prices(self) -> tuple[tuple[Decimal, ...], ...]:
        """What one value of each cell costs on a fresh case, features × labels."""
        listed = getattr(self.prices, "fresh", None)
        if listed is not None:
            found: tuple[tuple[Decimal, ...], ...] = listed(len(self.labels))
            return found
        return tuple(
            tuple(
                lines(self.prices, Order((feature,), label), CaseSoFar(label=label))[0]
                for label in range(len(self.labels))
            )
            for feature in range(len(self.features))
        )

    @cached_property
    def feature_prices(self) -> tuple[Decimal, ...]:
        """What one value of each feature costs on a fresh case; the most, where labels differ."""
        return tuple(map(max, self.fresh_prices))

    @cached_property
    def lowest_prices(self) -> tuple[Decimal, ...]:
        """The same of the label that costs least: no money buys more values than at this price."""
        return tuple(map(min, self.fresh_prices))

    @cached_property
    def distinct_prices(self) -> tuple[tuple[Decimal, ...], NDArray[np.intp]]:
        """All different prices on fresh cases, and which of them each cell has, as a table."""
        import numpy as np  # noqa: PLC0415 - `budgeted --help` needs no numerics

        rows = {row: at for at, row in enumerate(dict.fromkeys(self.fresh_prices))}  # few differ
        every = sorted({price for row in rows for price in row})
        place = {price: at for at, price in enumerate(every)}
        table = np.array([[place[price] for price in row] for row in rows])
        return tuple(every), table[[rows[row] for row in self.fresh_prices]]

    @property
    def separable(self) -> bool:
        """Whether what a feature costs depends on nothing else that is bought of the case."""
        return bool(getattr(self.prices, "separable", False))

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Return what an order costs, remembered: policies ask thousands of times."""
        key = (frozenset(order.features), order.day, order.case, case)
        found = self._quotes.get(key)
        if found is None:
            if len(self._quotes) >= _MOST_QUOTES:
                self._quotes.clear()
            found = self._quotes[key] = quoted(self.prices, order, case)
        return found

    @cached_property
    def _quotes(self) -> dict[tuple[object, ...], Decimal]:
        return {}

    def lines(self, order: Order, case: CaseSoFar) -> tuple[Decimal, ...]:
        """Return the price of each feature of an order: what it adds to those before it."""
        if self.separable:
            return tuple([prices[order.label] for prices in order.of(self.fresh_prices)])
        return lines(self.prices, order, case)

    @property
    def has_prices(self) -> bool:
        """Whether the price list is installed here; without it nothing can be ordered."""
        return not isinstance(self.prices, NotInstalled)

    def feature_index(self, feature: int | str) -> int:
        """Return the position of a feature given by its name, or by its position.

        As with `Feature.value_index`, a number that could be meant as a name is refused.
        """
        return index_of(
            feature, self._names, "there is no feature", "there are features", self._numerals[0]
        )

    def label_index(self, label: int | str) -> int:
        """Return the position of a label given by its name, or by its position.

        As with `Feature.value_index`, a number that could be meant as a name is refused.
        """
        return index_of(
            label, self.labels, "there is no label", "there are labels", self._numerals[1]
        )

    def action(self, feature: int | str, label: int | str) -> Action:
        """Return the cell of a feature and a label given by names or positions."""
        return Action(self.feature_index(feature), self.label_index(label))

    def action_at(self, feature: int, label: int) -> Action:
        """Return the cell at these positions, after checking that there is one."""
        if type(feature) is type(label) is int and (
            0 <= feature < len(self.features) and 0 <= label < len(self.labels)
        ):  # as nearly always
            return Action(feature, label)
        return Action(
            position_of(feature, self._names, "there is no feature"),
            position_of(label, self.labels, "there is no label"),
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.features)

    @cached_property
    def _numerals(self) -> tuple[bool, bool]:
        """Whether features and labels have names that are numbers."""
        return are_numerals(self._names), are_numerals(self.labels)


def _features_mistakes(features: Sequence[Feature], labels: Sequence[str]) -> Iterator[str]:
    if isinstance(features, str) or not isinstance(features, Sequence):
        yield f"features: must be a list of Feature, got {features!r}"
        return
    if not features:
        yield "features: at least one is needed"
    for position, feature in enumerate(features):
        if not isinstance(feature, Feature):
            yield f"features[{position}]: must be a Feature, got {feature!r}"
            continue
        counts = feature.prior_counts
        if not isinstance(counts, float) and isinstance(counts[0], tuple):
            rows, wanted = len(counts), len(labels) if isinstance(labels, Sequence) else 0
            if rows != wanted:
                yield (
                    f"features[{position}] ({feature.name!r}): prior_counts has {rows} rows, "
                    f"but there are {wanted} labels; give one row per label"
                )
    names = [feature.name for feature in features if isinstance(feature, Feature)]
    yield from duplicate_mistakes("features", names)
