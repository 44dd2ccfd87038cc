"""What the default learner believes, as a belief: for the exact programme of small problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from budgeted.cache import remembered
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.hierarchical import Hierarchical, Pooled
from budgeted.learners.layout import every_case, layout_of
from budgeted.learners.naive_bayes import NaiveBayes
from budgeted.learners.outcomes import after
from budgeted.learners.posterior import Posterior
from budgeted.loss.tables import Complexes, wave_of
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

    learner: ClassVar[Pooled] = Hierarchical()

    @classmethod
    def by(cls, learner: Pooled, belief: Belief) -> Self:
        """Return what a learner believes after the values that plain counts have seen."""
        made = cls(belief.problem, belief.observed)
        object.__setattr__(made, "learner", learner)
        return made

    @cached_property
    def parameters(self) -> Posterior:
        """What the counts say of the parameters of all features."""
        return self.learner.posterior(self.problem, self.observed.astype(float))

    @cached_property
    def means(self) -> Floats:
        """Expected parameters, labels × values."""
        return self.parameters.expected

    def finer(self, feature: int, numbers: Sequence[int], points: int | None = None) -> Floats:
        """Return joint masses of (value, outcome) if values of a feature are bought."""
        if not any(numbers):
            return self.means[:, self.columns(feature)]
        chances, parameters = after(self.parameters, feature, np.asarray(numbers))
        masses = parameters[:, 1:] * chances[:, None]
        return masses.swapaxes(1, 2).reshape(len(masses), -1)

    def wave(self, feature: int, numbers: Sequence[int]) -> Complexes:
        """Return `budgeted.loss.tables.wave_of` that table."""
        return wave_of(self.finer(feature, numbers))

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
