"""Draws of Dirichlet variables, however small their counts."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import Floats


def log_gamma_draws(shape: Floats, rng: np.random.Generator) -> Floats:
    """Draw logarithms of gamma variables; those of tiny shapes would be 0 themselves.

    A gamma variable of shape a is one of shape a + 1 times u^(1/a), with u uniform.
    """
    result: Floats = np.log(rng.standard_gamma(shape + 1))
    result += np.log1p(-rng.random(shape.shape)) / shape
    return result


def dirichlet_draws(counts: Floats, rng: np.random.Generator) -> Floats:
    """Draw shares with these Dirichlet counts, over the last axis.

    >>> dirichlet_draws(np.full((2, 3), 1e-9), np.random.default_rng(0)).sum(axis=1).tolist()
    [1.0, 1.0]
    """
    logs = log_gamma_draws(counts, rng)
    masses = np.exp(logs - logs.max(axis=-1, keepdims=True))
    result: Floats = masses / masses.sum(axis=-1, keepdims=True)
    return result
