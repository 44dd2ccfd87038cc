"""What the default learner believes, as a belief: for the exact programme of small problems."""

from __future__ import annotations

from functools import cached_property
from typing import Self

from budgeted.learners.belief import Belief, Floats
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.naive_bayes import NaiveBayes


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


def believing(learner: str, belief: Belief) -> Belief:
    """Return what a learner believes after the values that a plain belief has seen.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> type(believing("hierarchical", Belief.prior(problem))).__name__
    'Believed'
    """
    if learner == NaiveBayes.name:
        return belief
    return Believed(belief.problem, belief.observed)
