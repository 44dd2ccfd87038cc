"""Features that go together in pairs: the formula of tree-augmented naive Bayes, and its file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.base import Cases
from budgeted.learners.forest import Edge
from budgeted.learners.forest_sums import Step, log_likelihoods, steps
from budgeted.learners.layout import Floats, by_feature, checked_cases, layout_of
from budgeted.learners.members_reading import check_each, check_keys, check_table, is_number
from budgeted.problem import Problem

FORMULA = (
    "P(label | case) is proportional to prior[label] * sum over all values of the features that "
    "are not known of the case of product over features of probabilities[label][value] * product "
    "over edges of joint[label][value of first][value of second] / (probabilities of both); first "
    "and second are positions in the list of features, from 0"
)
"""Stands in every file of this kind."""
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class JoinedShares:
    """P(value | label) of each feature, and of pairs of them that make a forest.

    Attributes
    ----------
    problem
        What it is about.
    probabilities_of_values
        P(value | label), labels × values of all features.
    edges
        The pairs.
    learner
        Name of the learner that made it.
    """

    problem: Problem
    probabilities_of_values: Floats
    edges: tuple[Edge, ...]
    learner: str

    @cached_property
    def _steps(self) -> list[Step]:
        return steps(by_feature(self.problem, self.probabilities_of_values), self.edges)

    def log_scores(self, values: Cases) -> Floats:
        """Return log P(label, values), cases × labels."""
        values = checked_cases(self.problem, values)
        result: Floats = np.log(self.problem.prior) + log_likelihoods(self._steps, values)
        return result

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        scores = self.log_scores(values)
        result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return result

    def shares(self, feature: int) -> Floats:
        """Return P(value | label) of a feature, labels × values."""
        return self.probabilities_of_values[:, layout_of(self.problem).columns(feature)]

    def to_plain(self) -> dict[str, Any]:
        """Return what stands in a model file, with a formula that explains it."""
        return {
            "formula": FORMULA,
            "features": [
                {"probabilities": self.shares(at).tolist()}
                for at in range(len(self.problem.features))
            ],
            "edges": [
                {"first": each.one, "second": each.two, "joint": each.joint.tolist()}
                for each in self.edges
            ],
        }


def read_joined(problem: Problem, plain: Mapping[str, Any], learner: str) -> JoinedShares:
    """Return the classifier that `JoinedShares.to_plain` wrote, if it makes sense."""
    check_keys(plain, {"formula", "features", "edges"}, "predictor")
    check_each(problem, plain["features"])
    for feature, each in zip(problem.features, plain["features"], strict=True):
        what = f"feature {feature.name!r}"
        check_keys(each, {"probabilities"}, what)
        check_table(each["probabilities"], (len(problem.labels), len(feature.values)), what)
    tables = [np.array(each["probabilities"], dtype=float) for each in plain["features"]]
    edges = tuple(_edge(each, tables) for each in plain["edges"])
    _check_forest(problem, edges)
    return JoinedShares(problem, np.concatenate(tables, axis=1), edges, learner)


def _edge(plain: Any, tables: list[Floats]) -> Edge:
    check_keys(plain, {"first", "second", "joint"}, "an edge")
    one, two = plain["first"], plain["second"]
    if not (type(one) is int and type(two) is int and 0 <= one < two < len(tables)):
        raise ModelError(
            f"an edge: first and second: must be positions of two features, from 0 to "
            f"{len(tables) - 1}, the lower one first; got {one!r} and {two!r}"
        )
    what = f"the edge of features {one} and {two}: joint"
    flat = [number for label in plain["joint"] for row in label for number in row]
    if not all(is_number(each) and 0 < each < math.inf for each in flat):
        raise ModelError(f"{what}: must be numbers above 0")
    wanted = (len(tables[one]), tables[one].shape[1], tables[two].shape[1])
    joint = np.array(plain["joint"], dtype=float)
    if joint.shape != wanted:
        raise ModelError(f"{what}: must be labels × values × values, {wanted}, got {joint.shape}")
    for axis, own in ((2, tables[one]), (1, tables[two])):
        if not np.allclose(joint.sum(axis=axis), own, atol=_ROUNDING):
            raise ModelError(f"{what}: must sum to the probabilities of each of both features")
    return Edge(one, two, joint)


def _check_forest(problem: Problem, edges: tuple[Edge, ...]) -> None:
    """Raise an error if edges go round in a circle."""
    tree_of = list(range(len(problem.features)))
    for each in edges:
        old, new = tree_of[each.two], tree_of[each.one]
        if old == new:
            raise ModelError(
                f"edges: must make a forest, but features {each.one} and {each.two} are joined "
                "already"
            )
        tree_of = [new if tree == old else tree for tree in tree_of]
