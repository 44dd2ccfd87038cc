r"""A model that is still possible, and cases of it: features of one case may go together.

What is known of a model leaves many possible (`budgeted.learners.prospect` draws them): parameters
of each feature, and a correlation ρ of what the features of a case say. Here cases are drawn from
one of them. Each case has a normal variable z, how typical it is of its label, and so has each of
its values, correlated with it (a Gaussian copula with one common factor)::

    g_i = √ρ z + √(1 − ρ) e_i,        z, e_i ~ N(0, 1)

The values of a feature stand in the order of how much they speak for the label of the case, and
the one is taken whose share Φ(g_i) falls into. So values have the shares of the model, and what two
features say is correlated by about ρ. Of a case with known values z is drawn given those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from budgeted.learners.layout import Floats, Integers, layout_of
from budgeted.problem import Problem

_NORMAL = NormalDist()
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class ImaginedModel:
    """A possible model of a problem.

    >>> from budgeted import Feature
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("fever", "cough")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 10)
    >>> model = ImaginedModel(problem, np.array([[0.9, 0.1] * 2, [0.2, 0.8] * 2]), 0.5)
    >>> cases = model.cases(1, 4_000, np.random.default_rng(1))
    >>> cases.mean(axis=0).round(1).tolist(), bool(np.corrcoef(cases.T)[0, 1] > 0.2)
    ([0.8, 0.8], True)
    """

    problem: Problem  # what it is about
    parameters: Floats  # P(value | label), labels × values of all features side by side
    correlation: float  # ρ, from 0 below 1

    @cached_property
    def _ladders(self) -> tuple[tuple[tuple[Integers, Floats], ...], ...]:
        """For each label and feature: values by how much they speak for it, and cumulated shares.

        What speaks least for the label comes first.
        """
        prior = np.asarray(self.problem.prior)[:, None]
        layout = layout_of(self.problem)
        every = []
        for label in range(len(self.problem.labels)):
            own = np.maximum(self.parameters[label], _TINY)
            rest = (np.delete(self.parameters * prior, label, axis=0)).sum(axis=0)
            said = np.log(own) - np.log(np.maximum(rest, _TINY))
            ladders = []
            for feature in range(len(self.problem.features)):
                columns = layout.columns(feature)
                order = np.argsort(said[columns], kind="stable")
                ladders.append((order, np.cumsum(own[columns][order])[:-1]))
            every.append(tuple(ladders))
        return tuple(every)

    def cases(self, label: int, number: int, rng: np.random.Generator) -> Integers:
        """Draw so many cases of a label, cases × features."""
        typical = rng.standard_normal((number, 1))
        own = rng.standard_normal((number, len(self.problem.features)))
        scores = self._mixed(typical, own)
        shares = _normal_shares(scores)
        found = np.empty(scores.shape, dtype=np.int64)
        for feature, (order, ends) in enumerate(self._ladders[label]):
            found[:, feature] = order[np.searchsorted(ends, shares[:, feature], side="right")]
        return found

    def value(self, label: int, feature: int, typical: float, own: float) -> int:
        """Return the value of a case that is so typical of its label."""
        score = self._mixed(typical, own)
        order, ends = self._ladders[label][feature]
        return int(order[np.searchsorted(ends, _NORMAL.cdf(float(score)), side="right")])

    def typical(self, label: int, known: Mapping[int, int], drawn: float) -> float:
        """Return how typical a case is of its label, given its known values by feature.

        As if each known value were in the middle of its share. What these leave open is drawn, from
        a standard normal distribution.
        """
        rho, scores = self.correlation, 0.0
        for feature, value in known.items():
            order, ends = self._ladders[label][feature]
            at = int(np.flatnonzero(order == value)[0])
            edges = (0.0, *ends.tolist(), 1.0)
            middle = (edges[at] + edges[at + 1]) / 2
            scores += _NORMAL.inv_cdf(min(max(middle, 1e-9), 1 - 1e-9))
        precision = 1 - rho + rho * len(known)
        spread = ((1 - rho) / precision) ** 0.5 if known else 1.0
        return float(rho**0.5 * scores / precision + spread * drawn)

    def _mixed(self, typical: Floats | float, own: Floats | float) -> Floats:
        rho = self.correlation
        return np.asarray(rho**0.5 * typical + (1 - rho) ** 0.5 * own)


def _normal_shares(scores: Floats) -> Floats:
    """Φ of each; a table that is fine enough, because NumPy has no error function."""
    return np.interp(scores, _GRID, _SHARES)


def _table(steps: Sequence[float]) -> Floats:
    return np.array([_NORMAL.cdf(each) for each in steps])


_GRID: Floats = np.linspace(-8, 8, 4_001)
_SHARES: Floats = _table(_GRID.tolist())
