"""Logistic regression on cases known in part: how much does the evidence of each feature count?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners import dependence
from budgeted.learners.base import Cases, Classifier
from budgeted.learners.dependence import case_of_each, left_out
from budgeted.learners.formula import Formula
from budgeted.learners.hierarchical import Pooled, check_positive, correlations
from budgeted.learners.layout import Floats, checked_cases, layout_of
from budgeted.learners.logistic_weights import Evidence, fit_weights
from budgeted.learners.members import check_each, check_keys, check_table, is_number
from budgeted.learners.naive_bayes import counted
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospect import spreads
from budgeted.learners.prospective import Prospective
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

FORMULA = (
    "P(label | case) is proportional to prior[label] * product over the features known of the case "
    "of probabilities[label][value] ** weight"
)
"""Stands in every file of this kind."""


@dataclass(frozen=True, eq=False)
class WeightedShares:
    """P(label | case) ∝ P(label) · Π_i P(value i | label)^w_i, over the known features."""

    problem: Problem  # what it is about
    weights: Floats  # w, one for each feature
    probabilities_of_values: Floats  # P(value | label), labels × values of all features
    learner: str  # name of the learner that made it

    def log_scores(self, values: Cases) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels."""
        values = checked_cases(self.problem, values)
        layout = layout_of(self.problem)
        each = np.log(self.probabilities_of_values) * np.repeat(self.weights, layout.sizes)
        there = np.zeros((len(values), layout.shape[1]))
        case, feature = np.nonzero(values >= 0)
        there[case, values[case, feature] + layout.starts[feature]] = 1
        result: Floats = np.log(self.problem.prior) + there @ each.T
        return result

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        scores = self.log_scores(values)
        result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return result

    def shares(self, feature: int) -> Floats:
        """Return P(value | label) of a feature, labels × values."""
        return self.probabilities_of_values[:, layout_of(self.problem).columns(feature)]

    def formula(self) -> Formula:
        """Return how it computes, for formats that compute with it elsewhere."""
        columns = [layout_of(self.problem).columns(at) for at in range(len(self.weights))]
        logs = np.log(self.probabilities_of_values)
        return Formula(
            self.problem.features,
            self.problem.labels,
            self.problem.prior,
            np.ones(1),
            tuple(
                weight * logs[None, :, at]
                for weight, at in zip(self.weights.tolist(), columns, strict=True)
            ),
            dependence.sensitivities(self.problem, self.probabilities_of_values),
            dependence.possible(dependence.INDEPENDENT),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return what stands in a model file, with a formula that explains it."""
        return {
            "formula": FORMULA,
            "features": [
                {"weight": weight, "probabilities": self.shares(at).tolist()}
                for at, weight in enumerate(self.weights.tolist())
            ],
        }


def read_weighted(problem: Problem, plain: Mapping[str, Any], learner: str) -> WeightedShares:
    """Return the classifier that `WeightedShares.to_plain` wrote, if it makes sense."""
    check_keys(plain, {"formula", "features"}, "predictor")
    check_each(problem, plain["features"])
    for feature, each in zip(problem.features, plain["features"], strict=True):
        what = f"feature {feature.name!r}"
        check_keys(each, {"weight", "probabilities"}, what)
        check_table(each["probabilities"], (len(problem.labels), len(feature.values)), what)
        if not (is_number(each["weight"]) and 0 <= each["weight"] < math.inf):
            raise ModelError(f"{what}: weight: must be a number from 0, got {each['weight']!r}")
    tables = [np.array(each["probabilities"], dtype=float) for each in plain["features"]]
    weights = np.array([each["weight"] for each in plain["features"]], dtype=float)
    return WeightedShares(problem, weights, np.concatenate(tables, axis=1), learner)


@dataclass(frozen=True)
class LogisticRegression(Pooled):
    """Weighs what naive Bayes says of each feature, so that the labels of bought cases fit best.

    ::

        log P(label | case) = log P(label) + Σ_i w_i log P(value i | label) + constant,   w_i ≥ 0

    The sum is over the known features. With w = 1 it is naive Bayes; features that repeat each
    other get less, those that mislead nothing. That is logistic regression on the evidence of naive
    Bayes (WANBIA-C of Zaidi et al., 2013; a generative and a discriminative part together, as
    Raina, Shen, Ng and McCallum, 2003, have them). One with a number of its own for each value
    would need complete cases, and more of them than money buys.

    - A feature that is not known is not in the sum. That is what it is expected to say: in naive
      Bayes, what was not looked at drops out. So every case counts that has a value at all.
    - P(value | label) are the shares that the hierarchical learner believes. Each value is left out
      of those that it is judged by; else what a few values say by chance would seem to be right.
    - Weights are most probable a posteriori: they have a normal prior around 1, with a part of
      their own and one that all have in common, so that a few cases move them little.
    - Cases are sampled by label, and the shares P(label) are known. So there is no constant to be
      learned: while weights are fitted all labels count alike, and the shares come in afterwards
      (case-control sampling; Scott and Wild, 1986).

    What features say only together no such sum can say.

    Parameters
    ----------
    levels, evenness, as_stated, independence
        As of `budgeted.learners.Hierarchical`.
    apart, together
        Standard deviations of the prior of the weights: of each by itself, and of all alike.

    References
    ----------
    Zaidi, Cerquides, Carman and Webb, *Alleviating naive Bayes attribute independence assumption by
    attribute weighting*, JMLR 14 (2013). Raina, Shen, Ng and McCallum, *Classification with hybrid
    generative/discriminative models*, NIPS 16 (2003). Scott and Wild, *Fitting logistic models
    under case-control or choice based sampling*, JRSS B 48 (1986).

    Examples
    --------
    Two tests that always say the same count less than each of them would alone:

    >>> from budgeted import Feature, Problem, Purchase
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> bought = [Purchase(at, case % 2, (case + (case % 5 == 0)) % 2, 1, case=case)
    ...           for case in range(40) for at in range(2)]
    >>> predictor = LogisticRegression().fit(problem, bought)
    >>> predictor.weights.round(2).tolist()
    [0.53, 0.53]
    """

    name: ClassVar[str] = "logistic-regression"

    apart: float = 0.5
    together: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("apart", self.apart)
        check_positive("together", self.together)

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Regressed:
        """Return the classifier that these purchases give."""
        bought = tuple(each for each in purchases if each.value is not None)
        known = self.posterior(problem, counted(problem, bought))
        weights = np.ones(len(problem.features))
        if bought:
            weights = fit_weights(_evidence(known, bought), weights, self.apart, self.together)
        return Regressed(problem, weights, known.expected, self.name, self, known, bought)

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier of a model file."""
        return read_weighted(problem, plain, cls.name)


@dataclass(frozen=True, eq=False)
class Regressed(WeightedShares, Prospective):
    """The classifier, and what it was made of."""

    made_by: LogisticRegression
    posterior: Posterior
    bought: tuple[Purchase, ...]

    @cached_property
    def chances(self) -> Floats:
        """How probable each correlation of the features is."""
        return correlations(self.made_by, self.posterior, self.bought)

    @property
    def scatter(self) -> Floats:
        """By how much what it makes of each feature scatters within a label."""
        result: Floats = spreads(self.problem, self.posterior.expected) * self.weights
        return result


def _evidence(known: Posterior, bought: Sequence[Purchase]) -> Evidence:
    """What each value says, as if it had not been bought."""
    rows = case_of_each(bought)
    order = np.argsort(rows, kind="stable")
    rows, bought = rows[order], [bought[at] for at in order]
    feature = np.array([each.feature for each in bought])
    label = np.array([each.label for each in bought])
    column = layout_of(known.problem).starts[feature] + [each.value for each in bought]
    said: Floats = np.log(left_out(known, known.expected)[label, column])
    own = label[np.flatnonzero(np.diff(rows, prepend=-1))]
    number = np.bincount(own)
    alike = len(own) / ((number > 0).sum() * number[own])
    return Evidence(rows, feature, said, own, alike)
