"""What more values of a feature are worth in 0/1 error, under the belief of the default learner.

The same outcomes of purchases as in `budgeted.value.information`, judged by how often the label
that is most probable then is wrong. With all other features held, a case is told apart by its joint
masses without the feature, m_y = P(y) Π P(x of the others | y), and the error with parameters θ of
the feature is::

    1 − Σ over cases of the others  Σ_k max_y m_y θ_yk

What the other features say is the same for all θ, so it is gathered once: all cases of the others,
where there are not too many. Else, for two labels, it is the distribution of their log-odds, on a
fine grid (`budgeted.value.grid`), and with more labels some cases are drawn. The masses of a grid,
or of some cases, are possible ones themselves: so all errors that are compared err alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import every_case, layout_of, number_of_cases
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.problem import Problem
from budgeted.seeds import HELD, stream
from budgeted.value.base import GAINS, Engine, Known, Sampling
from budgeted.value.grid import Atoms, OnGrid
from budgeted.value.information import Worth
from budgeted.value.loss import ZERO_ONE, Loss

_STEP = 2.0**-7
"""Of the log-odds; errors differ from the exact ones by less than a thousandth."""
MOST_CASES = 4_096
"""Up to so many cases all of them are gone through."""
_DRAWN = 128
"""Cases of each label otherwise."""
_TILE = 2**20


class Mistakes(Engine):
    """The engine of what the hierarchical learner believes: mistakes that purchases save."""

    name: ClassVar[str] = "mistakes"
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form != SPIKE_AND_SLAB:
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        return "" if loss is ZERO_ONE else f"is for zero_one, not {loss.name}"

    def gains(self, known: Posterior, loss: Loss, sampling: Sampling) -> Saved:
        """Return what says how much purchases lower the loss."""
        return Saved(known)


class Saved(Worth):
    """By how much purchases of each feature alone are expected to lower the error.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import Hierarchical
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> known = Hierarchical().posterior(problem, np.array([[2.0, 0, 0, 0], [0, 2, 0, 0]]))
    >>> saved = Saved(known).gains(np.array([[1, 1], [4, 4]])).round(3) + 0  # no minus zero
    >>> saved.tolist()
    [0.0, 0.012]
    """

    def __init__(self, posterior: Posterior) -> None:
        super().__init__(posterior)
        self._held: Held | None = None
        self._features: frozenset[int] = frozenset()

    def gains(self, numbers: Integers) -> Floats:
        """Return by how much the error is expected to fall if values of a feature are bought."""
        wanted = frozenset(np.flatnonzero(numbers.any(axis=1)).tolist())
        if not wanted <= self._features:
            known, self._features = self._posterior, wanted
            self._held = Held(known.problem, known.expected, sorted(wanted))
        return super().gains(numbers)

    def _kind(self, feature: int, numbers: Integers) -> Hashable:
        return feature  # cases of the others may be drawn

    def _losses(self, features: Sequence[int], several: Sequence[Floats]) -> list[Floats]:
        assert self._held is not None
        return [
            self._held.errors(feature, each.swapaxes(0, 1))
            for feature, each in zip(features, several, strict=True)
        ]


class Held:
    """What all features but one say, for each of some features.

    >>> from budgeted import Belief, Feature
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 9)
    >>> held = Held(problem, Belief.prior(problem).means, [0])
    >>> held.errors(0, np.array([[[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.1], [0.2, 0.8]]])).round(3)
    array([0.5 , 0.15])
    """

    def __init__(self, problem: Problem, means: Floats, features: Sequence[int]) -> None:
        self._problem, self._means = problem, means
        many = number_of_cases(problem) > MOST_CASES
        made = self._of_two_labels if many and len(problem.labels) == 2 else self._of_cases
        self._others: dict[int, Floats] = {at: _sorted(each) for at, each in made(features)}

    def errors(self, feature: int, parameters: Floats) -> Floats:
        """Return the error with each of many parameters of a feature, many × labels × values."""
        others = self._others[feature]
        if parameters.shape[1] == 2:
            return _least_of_two(others, parameters)
        result = np.empty(len(parameters))
        tile = max(1, _TILE // (others.size * parameters.shape[2]))
        for begin in range(0, len(parameters), tile):
            part = parameters[begin : begin + tile]
            masses = others[:, :, None] * part[:, None]  # many × cases × labels × values
            result[begin : begin + tile] = 1 - masses.max(axis=2).sum(axis=(1, 2))
        return result

    def parameters(self, feature: int) -> Floats:
        """Return the expected parameters of a feature, labels × values."""
        return self._means[:, layout_of(self._problem).columns(feature)]

    def _of_two_labels(self, features: Sequence[int]) -> list[tuple[int, Floats]]:
        layout = layout_of(self._problem)
        owner = np.repeat(np.arange(len(layout.sizes)), layout.sizes)
        grid = OnGrid(
            self._problem.prior,
            Atoms(self._means[0], self._means[1], owner),
            np.arange(len(layout.sizes)),
            _STEP,
        )
        wanted = set(features)
        return [(at, masses) for at, masses in grid.masses_without_each() if at in wanted]

    def _of_cases(self, features: Sequence[int]) -> list[tuple[int, Floats]]:
        problem, layout = self._problem, layout_of(self._problem)
        drawn = number_of_cases(problem) > MOST_CASES
        values = self._draw() if drawn else every_case(problem)
        logs = np.log(np.maximum(self._means, np.finfo(float).tiny))[:, values + layout.starts]
        joint = logs.sum(axis=2) + np.log(problem.prior)[:, None]  # labels × cases
        found = []
        for at in features:
            rows = slice(None) if drawn else values[:, at] == 0
            masses = (joint - logs[:, :, at])[:, rows].T
            if drawn:  # each stands for as much as any other
                masses = masses - np.logaddexp.reduce(masses, axis=1)[:, None]
                masses -= np.log(len(masses))
            found.append((at, np.exp(masses)))
        return found

    def _draw(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Cases of each label, as many of each as its share says."""
        problem, rng = self._problem, stream(0, HELD)
        numbers = np.maximum(1, np.rint(_DRAWN * len(problem.labels) * np.array(problem.prior)))
        columns = []
        for at in range(len(problem.features)):
            shares = self.parameters(at).cumsum(axis=1)
            columns.append(np.concatenate([
                np.minimum(np.searchsorted(row / row[-1], rng.random(int(number)), side="right"),
                           len(row) - 1)
                for row, number in zip(shares, numbers, strict=True)
            ]))  # fmt: skip
        return np.column_stack(columns).astype(np.int64)


def _sorted(masses: Floats) -> Floats:
    """Masses in ascending order of the log-odds of the first two labels."""
    if masses.shape[1] != 2:
        return masses
    kept = masses[(masses > 0).all(axis=1)]
    return kept[np.argsort(kept[:, 0] / kept[:, 1], kind="stable")]


def _least_of_two(others: Floats, parameters: Floats) -> Floats:
    """The error of two labels, by cumulative sums: below a threshold one of them is less."""
    odds = others[:, 0] / others[:, 1]
    first = np.concatenate([[0.0], np.cumsum(others[:, 0])])
    second = np.concatenate([np.cumsum(others[::-1, 1])[::-1], [0.0]])
    tiny = np.finfo(float).tiny
    split = np.searchsorted(odds, parameters[:, 1] / np.maximum(parameters[:, 0], tiny))
    found = parameters[:, 0] * first[split] + parameters[:, 1] * second[split]
    result: Floats = found.sum(axis=-1)
    return result
