r"""What a designer expects of the tests, in words that can be answered, as a probability of models.

"About 3 of 13 tests matter, and the best one alone gets 80 % right" says two numbers of a model:

- k, how many tests matter. One does if it has at least a medium effect by itself: what it says of
  the two labels lies half a standard deviation apart (d′ ≥ 0.5, Cohen, 1988; with more labels
  averaged over pairs of them, `budgeted.learners.dependence`);
- a, the share of right answers that the best single test gives.

"About" is meant as a normal distribution, of k with a standard deviation of a third of it and at
least one, of a with 0.03. The learner has an opinion of its own about models, p(θ), and so about k
and a. What is said replaces that opinion about k and a, and keeps it about all else (minimum
relative entropy; Jeffrey's rule)::

    p(θ | said, pilot)  ∝  p(θ | pilot) · said(k, a) / p(k, a)

where p(θ | pilot) is the learner's posterior after a pilot table, or its prior without one, and
p(k, a) is what the learner expects before any data. So a pilot and the assumptions are weighed
against each other as data and prior are. Models are drawn from p(θ | pilot) and drawn again with
these weights.

Cohen, *Statistical power analysis for the behavioral sciences* (1988). Jeffrey, *The logic of
decision* (1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from budgeted.errors import PlanError
from budgeted.learners.dependence import sensitivities
from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.layout import Floats, by_feature
from budgeted.problem import Problem

MEDIUM = 0.5
"""d′ of a test that matters, at least."""
_ABOUT_BEST = 0.03
_FARTHEST = 4.0
_STEP = 0.05
"""Width of the bins of a in which the learner's own opinion is counted."""


@dataclass(frozen=True)
class Assumptions:
    """What a designer expects; what is not given is left to the learner.

    Attributes
    ----------
    matter
        About how many tests matter.
    best_alone
        About which share of the cases the best test alone gets right, from 0 to 1.

    Examples
    --------
    >>> Assumptions(matter=3, best_alone=0.8).words()
    'about 3 tests matter, and the best one alone gets 80 % right'
    >>> Assumptions(best_alone=80)
    Traceback (most recent call last):
    ...
    budgeted.errors.PlanError: best_alone: must be a share of right answers above 0 and below 1, \
such as 0.8, got 80
    """

    matter: float | None = None
    best_alone: float | None = None

    def __post_init__(self) -> None:
        mistakes = []
        if self.matter is not None and not (_is_number(self.matter) and self.matter >= 0):
            mistakes.append(f"matter: must be a number of tests from 0, got {self.matter!r}")
        best = self.best_alone
        if best is not None and not (_is_number(best) and 0 < best < 1):
            mistakes.append(
                f"best_alone: must be a share of right answers above 0 and below 1, such as 0.8, "
                f"got {best!r}"
            )
        if mistakes:
            raise PlanError(mistakes)

    @property
    def any(self) -> bool:
        """Whether anything is assumed at all."""
        return self.matter is not None or self.best_alone is not None

    def check(self, problem: Problem) -> None:
        """Raise an error if the tests of a problem cannot be as assumed."""
        mistakes, tests = [], len(problem.features)
        if self.matter is not None and self.matter > tests:
            mistakes.append(f"matter: there are {tests} tests, so {self.matter:g} cannot matter")
        most = max(problem.prior)
        if self.best_alone is not None and self.best_alone < most:
            label = problem.labels[problem.prior.index(most)]
            mistakes.append(
                f"best_alone: who always says {label!r} gets {most:.0%} right, so the best test "
                f"cannot get {self.best_alone:.0%}; give at least {most:.2f}"
            )
        if mistakes:
            raise PlanError(mistakes)

    def words(self) -> str:
        """Return what is assumed, in words."""
        parts = []
        if self.matter is not None:
            number = f"{self.matter:g}"
            parts.append(f"about {number} {'test matters' if number == '1' else 'tests matter'}")
        if self.best_alone is not None:
            one = "the best one" if self.matter is not None else "the best test"
            parts.append(f"{one} alone gets {self.best_alone:.0%} right".replace("%", " %"))
        return ", and ".join(parts)

    def log_weights(
        self, models: Sequence[ImaginedModel], unseen: Sequence[ImaginedModel]
    ) -> Floats:
        """Return how much more probable each model is for what is assumed, as logarithms.

        Parameters
        ----------
        models
            Drawn from what is known.
        unseen
            Drawn from what the learner expects before any data.
        """
        if not self.any:
            return np.zeros(len(models))
        said, own = facts_of(models), facts_of(unseen)
        used = [self.matter is not None, self.best_alone is not None]
        places = np.stack([own[:, 0], np.floor(own[:, 1] / _STEP)], axis=1)[:, used]
        mine = np.stack([said[:, 0], np.floor(said[:, 1] / _STEP)], axis=1)[:, used]
        alike = (mine[:, None] == places[None]).all(axis=-1).sum(axis=1)
        result: Floats = self._log_said(said) - np.log(alike + 1.0)
        return result

    def fits(self, models: Sequence[ImaginedModel]) -> bool:
        """Whether any of some models is about as assumed: within four standard deviations."""
        return not self.any or bool(self._log_said(facts_of(models)).max() > -(_FARTHEST**2) / 2)

    def _log_said(self, facts: Floats) -> Floats:
        """Log-density of what is assumed at the facts of models, up to a constant."""
        result = np.zeros(len(facts))
        if self.matter is not None:
            width = max(1.0, self.matter / 3)
            result -= ((facts[:, 0] - self.matter) / width) ** 2 / 2
        if self.best_alone is not None:
            result -= ((facts[:, 1] - self.best_alone) / _ABOUT_BEST) ** 2 / 2
        return result


def facts_of(models: Sequence[ImaginedModel]) -> Floats:
    """Return of each model how many tests matter, and what the best alone gets right.

    >>> from budgeted import Feature
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("scan", "coin")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 10)
    >>> model = ImaginedModel(problem, np.array([[0.9, 0.1, 0.5, 0.5], [0.3, 0.7, 0.5, 0.5]]), 0.0)
    >>> facts_of([model]).tolist()
    [[1.0, 0.8]]
    """
    found = np.empty((len(models), 2))
    for row, model in zip(found, models, strict=True):
        problem = model.problem
        means = np.maximum(model.parameters, 1e-12)
        joint = np.asarray(problem.prior)[:, None] * model.parameters
        alone = max(part.max(axis=0).sum() for part in by_feature(problem, joint))
        row[:] = (sensitivities(problem, means) >= MEDIUM).sum(), alone
    return found.round(12)


def drawn_again(
    log_weights: Floats, number: int, rng: np.random.Generator
) -> tuple[list[int], float]:
    """Draw models again with their weights; return which, and how many the weights are worth.

    The second number is Kish's effective sample size: (Σ w)² / Σ w².

    >>> chosen, worth = drawn_again(np.log([0.5, 0.5, 1e-9]), 4, np.random.default_rng(1))
    >>> sorted(chosen), round(worth, 3)
    ([0, 0, 1, 1], 2.0)
    """
    weights = np.exp(log_weights - log_weights.max())
    worth = float(weights.sum() ** 2 / (weights**2).sum())
    steps = (np.arange(number) + rng.random()) / number
    chosen = np.searchsorted(np.cumsum(weights / weights.sum()), steps, side="right")
    return np.minimum(chosen, len(weights) - 1).tolist(), worth


def _is_number(thing: object) -> bool:
    return isinstance(thing, int | float) and not isinstance(thing, bool) and np.isfinite(thing)
