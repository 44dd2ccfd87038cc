"""Naive Bayes in which each feature counts by a weight: the formula, and its model file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners import dependence
from budgeted.learners.base import Cases
from budgeted.learners.formula import Formula
from budgeted.learners.layout import Floats, checked_cases, layout_of
from budgeted.learners.members_reading import check_each, check_keys, check_table, is_number
from budgeted.problem import Problem

FORMULA = (
    "P(label | case) is proportional to prior[label] * product over the features known of the case "
    "of probabilities[label][value] ** weight"
)
"""Stands in every file of this kind."""


@dataclass(frozen=True, eq=False)
class WeightedShares:
    """P(label | case) ∝ P(label) · Π_i P(value i | label)^w_i, over the known features.

    Attributes
    ----------
    problem
        What it is about.
    weights
        w, one for each feature.
    probabilities_of_values
        P(value | label), labels × values of all features.
    learner
        Name of the learner that made it.
    """

    problem: Problem
    weights: Floats
    probabilities_of_values: Floats
    learner: str

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
