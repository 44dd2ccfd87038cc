"""Many beliefs at once, each as a row of numbers: what was seen since a common start."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import DIRICHLET, Belief, Floats, Integers
from budgeted.learners.layout import cell_at


def means_of_many(start: Belief, tallies: Integers) -> Floats:
    """Return the means of the beliefs after these tallies, tallies × labels × values.

    They are also the chances of what the next purchase of each cell brings. A belief of another
    kind may offer ``means_of_many(tallies)``; otherwise each one is reached by `observe`.

    Parameters
    ----------
    start
        What was known before.
    tallies
        How often each value of each label was seen since, a row each, as in `Belief.tally`.
    """
    shape = (len(tallies), *start.layout.shape)
    if start.form == DIRICHLET:
        counts = start.counts + tallies.reshape(shape)
        totals = np.add.reduceat(counts, start.layout.starts, axis=2)
        result: Floats = counts / np.repeat(totals, start.layout.widths, axis=2)
        return result
    offered = getattr(start, "means_of_many", None)
    if offered is not None:
        return np.asarray(offered(tallies), dtype=float).reshape(shape)
    return np.stack([_seen(start, tally).means for tally in tallies]).reshape(shape)


def chances_of_many(start: Belief, means: Floats, feature: int) -> Floats:
    """Return the part of many means that is about one feature, tallies × labels × its values."""
    return means[:, :, start.columns(feature)]


def _seen(start: Belief, tally: Integers) -> Belief:
    belief = start
    for at in np.flatnonzero(tally).tolist():
        belief = belief.observe_at(*cell_at(start.problem, at), times=int(tally[at]))
    return belief
