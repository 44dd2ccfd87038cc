"""Naive Bayes models with weights, or one alone: the formula, its model file, and its scores again.

A purchase moves the parameters of one feature under one label. So of the scores of all cases only
those of that label change, each by the difference of two logarithms. With floats, such differences
would add up to a little more or less than the logarithms themselves do. Here logarithms are whole
multiples of a tiny unit, and whole numbers add up to the same in any order: whatever was bought,
corrected or withdrawn before, the scores are those of the classifier by itself, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ModelError
from budgeted.learners import dependence
from budgeted.learners.base import Cases
from budgeted.learners.dependence import CORRELATIONS, WAYS, possible
from budgeted.learners.formula import Formula
from budgeted.learners.layout import Floats, Integers, checked_cases, layout_of
from budgeted.problem import Problem

_LOWEST = 745
"""No float above 0 has a logarithm below minus this."""


class Scores:
    """Log-probabilities of some cases and each label, as of the last classifier.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> scores = Scores(problem, np.array([[0], [1], [-1]]))
    >>> for chances in ([[0.5, 0.5], [0.5, 0.5]], [[0.8, 0.2], [0.5, 0.5]]):
    ...     print(np.exp(scores.of(np.log(chances))).round(6).tolist())
    [[0.25, 0.25], [0.25, 0.25], [0.5, 0.5]]
    [[0.4, 0.25], [0.1, 0.25], [0.5, 0.5]]
    """

    def __init__(self, problem: Problem, cases: NDArray[np.integer[Any]]) -> None:
        layout = layout_of(problem)
        features, (labels, values) = len(layout.sizes), layout.shape
        self._units = 2.0 ** (62 - ceil(log2(_LOWEST * (1 + features))))  # so that all sums fit
        self._owners = np.repeat(np.arange(features), layout.widths)
        # Each feature's column for each case; where it is unknown the last one, which stays 0.
        self._columns = np.where(cases >= 0, cases + layout.starts, values).T.copy()
        self._before = np.zeros((labels, values + 1), dtype=np.int64)
        prior = (np.log(problem.prior) * self._units).astype(np.int64)
        self._sums = np.repeat(prior[:, None], len(cases), axis=1)
        self._scores = self._sums / self._units

    def of(self, logs: Floats) -> Floats:
        """Return log P(case, label), cases × labels, of a table of log P(value | label)."""
        now = np.zeros_like(self._before)
        np.multiply(logs, self._units, out=now[:, :-1], casting="unsafe")
        change, self._before = now - self._before, now
        label, column = np.nonzero(change)
        for at, feature in set(zip(label.tolist(), self._owners[column].tolist(), strict=True)):
            sums = self._sums[at]
            sums += change[at].take(self._columns[feature])
            np.divide(sums, self._units, out=self._scores[at])
        return self._scores.T


_MOST_NUMBERS = 2**22
"""Of the largest temporary matrix."""


@dataclass(frozen=True, eq=False)
class Members:
    """Naive Bayes models with weights, and how much each feature counts in them.

    ::

        P(label | case) ∝ P(label) · Σ_n w_n Π_i P_n(value i | label)^v_i

    The product is over the known features of the case, and v_i is the weight of feature i if they
    may repeat each other (`budgeted.learners.dependence`).
    """

    problem: Problem  # what it is about
    weights: Floats
    members: Floats
    correlations: Floats
    bought: Integers  # how many of each value were bought, labels × values
    learner: str  # name of the learner that made it

    @property
    def is_naive_bayes(self) -> bool:
        """Whether it is a single model in which every feature counts in full."""
        alone = len(self.members) == 1
        return alone and bool(
            self.correlations is dependence.INDEPENDENT or self.correlations[:, 0].sum() == 1
        )

    @cached_property
    def means(self) -> Floats:
        """P(value | label) on average over the members, labels × values."""
        result: Floats = np.einsum("n,nyk->yk", self.weights, self.members)
        return result

    @cached_property
    def log_members(self) -> Floats:
        """Logarithm of `members`."""
        result: Floats = np.log(self.members)
        return result

    @cached_property
    def sensitivities(self) -> Floats:
        """How well each feature tells the labels apart."""
        return dependence.sensitivities(self.problem, self.means)

    def feature_weights(self, known: NDArray[np.bool_]) -> Floats:
        """Return the weight of each feature for cases known in part, cases × features."""
        _, first, which = np.unique(
            np.packbits(known, axis=1), axis=0, return_index=True, return_inverse=True
        )
        found = dependence.expected_weights(known[first], self.sensitivities, self.correlations)
        return found[which.reshape(-1)]

    def log_scores(self, values: Cases) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels."""
        values = checked_cases(self.problem, values)
        tile = max(1, _MOST_NUMBERS // self.members.shape[2])
        parts = [self._said(values[at : at + tile]) for at in range(0, max(len(values), 1), tile)]
        return self.concluded(np.concatenate(parts, axis=1))

    def _said(self, values: Cases) -> Floats:
        """Log-likelihoods of cases by each member, members × cases × labels.

        A product of matrices: how much each value of a case counts, and what it says.
        """
        number, labels, columns = self.members.shape
        case, feature = np.nonzero(values >= 0)
        weights = self.feature_weights(values >= 0)[case, feature]
        there = np.zeros((len(values), columns))
        there[case, values[case, feature] + layout_of(self.problem).starts[feature]] = weights
        said = there @ self.log_members.reshape(number * labels, columns).T
        result: Floats = said.reshape(len(values), number, labels).swapaxes(0, 1)
        return result

    def concluded(self, said: Floats) -> Floats:
        """Return the scores of cases, given what each member says, members × cases × labels."""
        together = np.logaddexp.reduce(said + np.log(self.weights)[:, None, None], axis=0)
        result: Floats = np.log(self.problem.prior) + together
        return result

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        scores = self.log_scores(values)
        result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return result

    def log_scores_again(self, values: Cases, kept: MutableMapping[str, Any]) -> Floats:
        """Return `log_scores` of cases that other classifiers of the same run were asked about."""
        if not self.is_naive_bayes:
            return self.log_scores(values)
        if "scores" not in kept:
            kept["scores"] = Scores(self.problem, values)
        scores: Scores = kept["scores"]
        return scores.of(self.log_members[0])

    def shares(self, feature: int) -> Floats:
        """Return P(value | label) of a feature on average over the members, labels × values."""
        return self.means[:, layout_of(self.problem).columns(feature)]

    def formula(self) -> Formula:
        """Return how it computes, for formats that compute with it elsewhere."""
        features = range(len(self.problem.features))
        columns = [layout_of(self.problem).columns(at) for at in features]
        return Formula(
            self.problem.features,
            self.problem.labels,
            self.problem.prior,
            self.weights,
            tuple(self.log_members[:, :, at] for at in columns),
            self.sensitivities,
            dependence.possible(self.correlations),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return what stands in a model file, with a formula that explains it."""
        return plain(self)


FORMULA = (
    "P(label | case) is proportional to prior[label] * sum over members m of weights[m] * "
    "product over the features known of the case of probabilities[m][label][value] ** v. For a "
    "feature of sensitivity s the power is v = a + b. a = sum over [rho, chance] in "
    "correlations['one cause'] of chance * max(0, 1 - t / s) / (1 - rho), where t, for each "
    "rho, is the largest over k of rho * (sum of the k largest sensitivities of the known "
    "features) / (1 + rho * (k - 1)); if s is 0, only rho = 0 counts, with its chance. b = sum "
    "over [rho, chance] in correlations['copies'] of chance / (1 + rho * (n - 1)), where n = "
    "(sum of sensitivities)^2 / sum of squared sensitivities of the known features (1 if all "
    "are 0)"
)
"""Stands in every file of this kind."""


def plain(made: Members) -> dict[str, Any]:
    """Return what the members know, as JSON can hold it."""
    columns = [layout_of(made.problem).columns(at) for at in range(len(made.problem.features))]
    return {
        "formula": FORMULA,
        "weights": made.weights.tolist(),
        "correlations": {
            way: list(map(list, pairs)) for way, pairs in possible(made.correlations).items()
        },
        "features": [
            {
                "probabilities": made.members[:, :, at].tolist(),
                "bought": made.bought[:, at].tolist(),
                "sensitivity": float(sensitivity),
            }
            for at, sensitivity in zip(columns, made.sensitivities, strict=True)
        ],
    }


_ROUNDING = 1e-6
_KEYS = {"formula", "weights", "correlations", "features"}
_FEATURE_KEYS = {"probabilities", "bought", "sensitivity"}


def read_members(problem: Problem, plain: Mapping[str, Any], learner: str) -> Members:
    """Return the classifier that `budgeted.learners.members.plain` wrote down."""
    check_keys(plain, _KEYS, "predictor")
    _check_shares(plain["weights"], "weights")
    check_each(problem, plain["features"])
    for feature, each in zip(problem.features, plain["features"], strict=True):
        what = f"feature {feature.name!r}"
        check_keys(each, _FEATURE_KEYS, what)
        shape = len(problem.labels), len(feature.values)
        _check_tables(each["probabilities"], len(plain["weights"]), shape, what)
        _check_bought(each["bought"], shape, what)
        if not (is_number(each["sensitivity"]) and 0 <= each["sensitivity"] < math.inf):
            raise ModelError(
                f"{what}: sensitivity: must be a number from 0, got {each['sensitivity']!r}"
            )
    tables = [np.array(each["probabilities"], dtype=float) for each in plain["features"]]
    bought = [np.array(each["bought"], dtype=np.int64) for each in plain["features"]]
    made = Members(
        problem,
        np.array(plain["weights"], dtype=float),
        np.concatenate(tables, axis=2),
        _correlations(plain["correlations"]),
        np.concatenate(bought, axis=1),
        learner,
    )
    for feature, each, follows in zip(
        problem.features, plain["features"], made.sensitivities.tolist(), strict=True
    ):
        if not math.isclose(each["sensitivity"], follows, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
            raise ModelError(
                f"feature {feature.name!r}: sensitivity: {each['sensitivity']:g} does not follow "
                f"from its probabilities, which give {follows:g}"
            )
    assert made.members.shape[1:] == layout_of(problem).shape
    return made


def check_keys(plain: Any, wanted: set[str], what: str) -> None:
    """Raise an error unless an object of a file has these keys and no others."""
    if not isinstance(plain, Mapping) or set(plain) != wanted:
        got = ", ".join(sorted(plain)) if isinstance(plain, Mapping) else repr(plain)
        raise ModelError(f"{what} must have the keys {', '.join(sorted(wanted))}, got {got}")


def _check_shares(row: Any, what: str) -> None:
    """Raise an error unless these are numbers above 0 that sum to 1."""
    fits = len(row) > 0 and all(is_number(share) and 0 < share <= 1 for share in row)
    if not fits or not math.isclose(math.fsum(row), 1, abs_tol=_ROUNDING):
        raise ModelError(f"{what}: must be numbers above 0 that sum to 1, got {row}")


def check_each(problem: Problem, features: Any) -> None:
    """Raise an error unless there is something for each feature of a problem."""
    if len(features) != len(problem.features):
        raise ModelError(
            f"predictor: features: must be one for each of {len(problem.features)} features, got "
            f"{len(features)}"
        )


def check_table(table: Any, shape: tuple[int, int], what: str) -> None:
    """Raise an error unless this is P(value | label), a row per label and a column per value."""
    for row in table:
        _check_shares(row, f"{what}: probabilities: each row")
    if [len(row) for row in table] != [shape[1]] * shape[0]:
        raise ModelError(
            f"{what}: probabilities: must be {shape[0]} rows (labels) of {shape[1]} (values)"
        )


def _check_tables(tables: Any, members: int, shape: tuple[int, int], what: str) -> None:
    if len(tables) != members:
        raise ModelError(
            f"{what}: probabilities: must be one table for each of {members} weights, got "
            f"{len(tables)}"
        )
    for table in tables:
        check_table(table, shape, what)


def _check_bought(rows: Any, shape: tuple[int, int], what: str) -> None:
    """Raise an error unless these are whole numbers, a row per label and one per value."""
    whole = all(type(number) is int and number >= 0 for row in rows for number in row)
    if not whole or [len(row) for row in rows] != [shape[1]] * shape[0]:
        raise ModelError(
            f"{what}: bought: must be whole numbers from 0, a row per label and one per value"
        )


def _correlations(ways: Any) -> Floats:
    """Probability of each way and correlation, after a look whether these are pairs of them."""
    check_keys(ways, set(WAYS), "correlations")
    if not all(isinstance(ways[way], list) for way in WAYS):
        raise ModelError("correlations: must have a list for each of " + " and ".join(WAYS))
    rows = [row for way in WAYS for row in ways[way]]
    for row in rows:
        if len(row) != 2 or not (is_number(row[0]) and row[0] in CORRELATIONS):
            known = ", ".join(f"{rho:g}" for rho in CORRELATIONS)
            raise ModelError(
                f"correlations: must be pairs of a correlation, one of {known}, and how probable "
                f"it is, got {row}"
            )
    _check_shares([chance for _, chance in rows], "correlations: the probabilities")
    result = np.zeros((len(WAYS), len(CORRELATIONS)))
    for at, way in enumerate(WAYS):
        for rho, chance in ways[way]:
            result[at, CORRELATIONS.tolist().index(float(rho))] += chance
    return result


def is_number(number: object) -> bool:
    """Whether something from a file is a number."""
    return isinstance(number, int | float) and not isinstance(number, bool)
