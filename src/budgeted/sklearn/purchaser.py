"""A classifier that buys what it learns from: a policy spends a budget on the cells of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from budgeted.errors import ProblemError
from budgeted.learners import Learner, fitted, learner_from
from budgeted.learners.model import Model
from budgeted.learners.predictor import outlook_of
from budgeted.policies import accompanying, policy, unfit
from budgeted.problem import Feature, PriceList, Problem
from budgeted.problem import money as amounts
from budgeted.problem.budgets import Terms, from_table
from budgeted.problem.money import MoneyLike
from budgeted.problem.orders import Purchase
from budgeted.problem.prices import from_table as listed_prices
from budgeted.problem.values import Kind
from budgeted.simulation.simulator import simulate
from budgeted.simulation.worlds import TableWorld
from budgeted.sklearn.columns import LABELS, check_handling, coded, kinds_of, place_of
from budgeted.sklearn.partial_cases import PartialCases
from budgeted.state.cases import check_rule

_LARGEST_SEED = 2**31 - 1
"""A seed that is drawn; any whole number from 0 can be given."""


def terms_of(budget: Any) -> Terms:
    """Return the terms of a budget, which must be given."""
    if budget is None:
        raise ValueError("budget: how much may be spent? Give an amount, such as budget=100")
    try:
        return from_table(int(budget) if isinstance(budget, Integral) else budget)
    except ProblemError as error:
        raise ValueError(str(error)) from error


def costs_of(prices: Any, names: Sequence[str], for_sale: Collection[int]) -> list[Decimal]:
    """Return what a value of each column costs; those that are not for sale need no price.

    >>> costs_of("1.50", ["fever", "age"], {0, 1})
    [Decimal('1.50'), Decimal('1.50')]
    >>> costs_of({"age": 1, "fever": "40"}, ["fever", "age"], {0, 1})
    [Decimal('40'), Decimal('1')]
    >>> costs_of({"age": 1}, ["fever", "age"], {0, 1})
    Traceback (most recent call last):
    ...
    ValueError: prices: no price for 'fever'
    """
    if isinstance(prices, Mapping):
        given = {place_of(name, names, "prices"): each for name, each in prices.items()}
    elif isinstance(prices, Iterable) and not isinstance(prices, str):
        listed = list(prices)
        if len(listed) != len(names):
            raise ValueError(
                f"prices: there must be one per column ({len(names)}), got {len(listed)}"
            )
        given = dict(enumerate(listed))
    else:
        given = dict.fromkeys(range(len(names)), prices)
    without = [name for at, name in enumerate(names) if at in for_sale and at not in given]
    if without:
        raise ValueError(f"prices: no price for {', '.join(map(repr, without))}")
    found = [Decimal(1)] * len(names)
    for at, price in given.items():
        try:
            found[at] = amounts.parse(price, above_zero=True)
        except ValueError as error:
            raise ValueError(f"prices: {names[at]!r} {error}") from None
    return found


def price_list_of(
    given: str | Mapping[str, Any] | PriceList | None,
    features: Sequence[Feature],
    labels: Sequence[str],
) -> PriceList | None:
    """Return the price list that is meant: by its name, as a table, or as it is."""
    if isinstance(given, str):
        given = {"list": given}
    return listed_prices(given, features, labels) if isinstance(given, Mapping) else given


def seed_of(random_state: Any) -> int:
    """Return the seed that a random state stands for; one is drawn where it is no whole number.

    >>> seed_of(7)
    7
    """
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: must be a whole number from 0, got {random_state!r}")
        return int(random_state)
    return int(check_random_state(random_state).randint(_LARGEST_SEED))


class Bought(NamedTuple):
    """One value that was bought, or paid for in vain."""

    number: int  # from 1, in the order in which they were bought
    case: int  # row of X, from 0
    feature: str
    label: Any
    value: str | float | None
    cost: Decimal
    spent: Decimal


class BudgetedPurchaser(PartialCases):
    """Spends a budget on the cells of a table as a policy says, and learns from what it bought.

    X is the oracle: nothing of a cell is used before it is bought, but for what a study states when
    it begins: which values a column has, and where numbers are cut. The purchases are those of a
    study (`budgeted.Study`) of the same problem, policy and seed, one at a time.

    Parameters
    ----------
    budget
        All the money there is: an amount, or terms such as `budgeted.Soft`. There is none unless
        given; money is not spent by default.
    prices
        What a value costs: one amount for all columns; amounts by name or position of the column;
        or one for each column, in their order. Text and `decimal.Decimal` are exact.
    price_list
        What orders cost, given these prices: a `budgeted.PriceList`, its registered name, or a
        table such as ``{"list": "tariff", "visit_fee": "10"}``. The sum of them unless given.
    policy, policy_params
        Name of a registered policy (`budgeted.policies.POLICIES`), and its parameters.
    learner, case_rule
        Who makes the classifier (as of `BudgetedClassifier`), and which case of a class gives a
        value, ``fresh``, ``overlap`` or ``settle``; what goes with the policy unless given.
    class_prior, categorical_features, kinds, handle_unknown, prior_counts
        As of `BudgetedClassifier`.
    cuts
        The same, but not by ``labels``: they would tell what no purchase told.
    curve_points
        At how many moments ``curve_`` looks, evenly over the purchases, from the first to the last.
    random_state
        Seed of the order in which cases are used and of the draws of the policy. A whole number is
        the seed of the study that buys the same.

    Attributes
    ----------
    purchases_
        What was bought, the first one first; a dataframe can be made of it.
    spent_
        The money that is gone, exactly.
    curve_
        By ``purchases`` and ``spent``, the ``expected_error`` of the classifier then, and its
        interval, ``low`` and ``high``: arrays, computed when looked at. `staged_predict` gives its
        predictions.
    mask_
        Which cells have a value that was bought, as an array of truth values of the shape of X.
    problem_, seed_
        What was for sale, and the seed.
    classes_, n_features_in_, feature_names_in_, used_, model_, learner_, outlook_, expected_error_
        As of `BudgetedClassifier`.

    Examples
    --------
    >>> from budgeted.simulation.datasets import load
    >>> import pandas as pd
    >>> votes = load("votes")
    >>> X = pd.DataFrame(dict(zip(votes.features, votes.columns)))
    >>> y = [votes.labels[at] for at in votes.row_labels]
    >>> purchaser = BudgetedPurchaser(budget=20, random_state=1).fit(X, y)
    >>> purchaser.spent_, len(purchaser.purchases_), int(purchaser.mask_.sum())
    (Decimal('20'), 20, 20)
    >>> first = purchaser.purchases_[0]
    >>> X[first.feature][first.case] == first.value
    True
    """

    def __init__(
        self,
        budget: MoneyLike | Terms | Mapping[str, Any] | None = None,
        *,
        prices: Any = 1,
        price_list: str | Mapping[str, Any] | PriceList | None = None,
        policy: str = "auto",
        policy_params: Mapping[str, Any] | None = None,
        learner: str | Mapping[str, Any] | Learner | None = None,
        case_rule: str | None = None,
        class_prior: Any = None,
        cuts: str | int = "quintiles",
        categorical_features: Any = "from_dtype",
        kinds: Mapping[str | int, Kind] | None = None,
        handle_unknown: str = "error",
        prior_counts: float | str = 1.0,
        curve_points: int = 20,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.prices = prices
        self.price_list = price_list
        self.policy = policy
        self.policy_params = policy_params
        self.learner = learner
        self.case_rule = case_rule
        self.class_prior = class_prior
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.kinds = kinds
        self.handle_unknown = handle_unknown
        self.prior_counts = prior_counts
        self.curve_points = curve_points
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Buy values of cases until the money is gone, and learn from them.

        Parameters
        ----------
        X
            All values of the cases, as of `BudgetedClassifier.fit`. One that is missing can be
            bought, and brings nothing.
        y
            The class of each case, which is known from the beginning.
        """
        self._forget()
        check_handling(self.handle_unknown)
        terms = terms_of(self.budget)
        chooser = policy(self.policy, **(self.policy_params or {}))
        goes_with = accompanying(chooser, learner=self.learner, case_rule=self.case_rule)
        check_rule(goes_with["case_rule"])  # of studies: a study buys the same
        learner = learner_from(goes_with["learner"])
        self._check_curve()
        if self.cuts == LABELS:
            raise ValueError(
                "cuts: the classes of values that were not bought must not say where numbers are "
                "cut; give a number of parts, or the cuts with kinds"
            )
        columns, labels = self._cases(X, y)
        kinds = kinds_of(columns, labels.tolist(), self.cuts, self.categorical_features, self.kinds)
        costs = costs_of(self.prices, [each.name for each in columns], set(kinds))
        features = self._for_sale(columns, kinds, costs)
        names, shares = self._label_names, self._shares(labels)
        prices = price_list_of(self.price_list, features, names)
        problem = Problem(features, names, shares, terms, prices)
        mistakes = unfit(chooser, problem)
        if mistakes:
            raise ValueError(f"policy_params: {'; '.join(mistakes)}")
        seed = seed_of(self.random_state)
        values = coded([columns[at] for at in self.used_], features, self.handle_unknown)
        world = TableWorld(problem, values, labels, seed, goes_with["case_rule"])
        steps = list(simulate(problem, chooser, world, seed=seed, loss=None, learner=learner))
        self._bought = [
            Purchase(each.feature, each.label, each.value, each.cost, each.case, each.step)
            for each in steps
        ]
        self.mask_ = np.zeros((len(labels), len(columns)), dtype=bool)
        self.purchases_ = []
        classes = self.classes_.tolist()
        for each in steps:
            case, at = int(each.case or 0), self.used_[each.feature]
            self.mask_[case, at] = each.value is not None
            self.purchases_.append(
                Bought(each.step, case, columns[at].name, classes[each.label],
                       columns[at].cells[case], each.cost, each.spent)
            )  # fmt: skip
        self.spent_ = steps[-1].spent if steps else Decimal(0)
        self.problem_, self.seed_, self.learner_ = problem, seed, learner
        self.model_ = Model.of(fitted(learner, problem, self._bought))
        return self

    @cached_property
    def curve_(self) -> dict[str, NDArray[Any]]:
        """What it expected of itself on the way."""
        check_is_fitted(self)
        looks = self._looks()
        outlooks = [
            outlook_of(fitted(self.learner_, self.problem_, self._bought[:number]))
            for number in looks
        ]
        spent = [self.purchases_[number - 1].spent if number else 0 for number in looks]
        return {
            "purchases": np.array(looks, dtype=np.int64),
            "spent": np.array(spent, dtype=float),
            "expected_error": np.array([each.error for each in outlooks]),
            "low": np.array([each.low for each in outlooks]),
            "high": np.array([each.high for each in outlooks]),
        }

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted class of cases at each moment of ``curve_``.

        Parameters
        ----------
        X
            As of `predict_proba`.
        """
        check_is_fitted(self)
        values = self._coded(X)
        for number in self._looks():
            model = Model.of(fitted(self.learner_, self.problem_, self._bought[:number]))
            yield self.classes_[model.probabilities(values).argmax(axis=1)]

    def _looks(self) -> list[int]:
        """How many purchases there were at each moment of the curve."""
        places = np.linspace(0, len(self.purchases_), self._check_curve())
        return sorted(set(places.round().astype(int).tolist()))

    def _check_curve(self) -> int:
        number = self.curve_points
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 2:
            raise ValueError(f"curve_points: must be a whole number from 2, got {number!r}")
        return int(number)
