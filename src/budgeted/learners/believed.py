"""What the default learner believes, as a belief: for the exact programme of small problems."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from budgeted.cache import remembered
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.layout import every_case, layout_of
from budgeted.learners.naive_bayes import NaiveBayes
from budgeted.problem import Problem


class Believed(Belief):
    """The belief of `budgeted.learners.Hierarchical`: how many features matter is learned as well.

    What comes back next has the expected parameters as its chances, and the classifier is the
    average over all settings, so that all is as one model of probability says. That features may
    repeat each other is left out: the programme knows no cases, of which values would be seen
    together.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> belief = Believed.prior(problem).observe("fever", "ill", "yes")
    >>> belief.means.round(3).tolist()
    [[0.473, 0.527], [0.319, 0.681]]
    """

    @cached_property
    def means(self) -> Floats:
        """Expected parameters, labels × values."""
        return Hierarchical().believed(self).expected

    def observe_at(self, feature: int, label: int, value: int, times: int = 1) -> Self:
        """Return the belief after a value was seen."""
        seen = super().observe_at(feature, label, value, times).observed
        return type(self)(self.problem, seen)

    def means_of_many(self, tallies: Integers) -> Floats:
        """Return the expected parameters after each tally, tallies × labels × values."""
        return np.stack([self._after(tally)[0] for tally in tallies])

    def errors_of_many(self, tallies: Integers) -> Floats:
        """Return the error that the classifier is expected to make after each tally."""
        return np.array([self._after(tally)[1] for tally in tallies])

    def _after(self, tally: Integers) -> tuple[Floats, float]:
        counts = self.observed + tally.reshape(self.observed.shape)
        facts = [(each.kind, each.prior_counts) for each in self.problem.features]
        return _judged(_Facts(self.problem, tuple(facts)), counts.tobytes())


def believing(learner: str, belief: Belief) -> Belief:
    """Return what a learner believes after the values that a plain belief has seen.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> type(believing("hierarchical", Belief.prior(problem))).__name__
    'Believed'
    """
    if learner == NaiveBayes.name:
        return belief
    return Believed(belief.problem, belief.observed)


class _Facts:
    """A problem but for its money, which beliefs do not depend on."""

    def __init__(self, problem: Problem, features: tuple[object, ...]) -> None:
        self.problem, self._key = problem, (features, problem.labels, problem.prior)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Facts) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@remembered
def _judged(facts: _Facts, seen: bytes) -> tuple[Floats, float]:
    """Expected parameters and the error of the classifier, after counts were seen."""
    problem = facts.problem
    counts = np.frombuffer(seen, dtype=np.int64).reshape(layout_of(problem).shape)
    known = Hierarchical().posterior(problem, counts.astype(float))
    columns = every_case(problem) + layout_of(problem).starts
    joint = np.zeros((len(problem.labels), len(columns)))
    for setting, weight in enumerate(known.weights.tolist()):
        joint += weight * known.of_setting(setting)[:, columns].prod(axis=2)
    error = 1 - (np.asarray(problem.prior)[:, None] * joint).max(axis=0).sum()
    return known.expected, float(error)
