"""P(known values | label) in a forest of features: unknown values are summed out, exactly.

From the leaves to the root each feature tells its parent how probable what is known below it is,
given the value of the parent (message passing, or variable elimination; Pearl, *Probabilistic
reasoning in intelligent systems*, 1988). It takes as long as there are edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.forest import Edge
from budgeted.learners.layout import Floats

Step = tuple[int, int, Floats]
"""A feature, its parent (-1 for a root), and P(value | parent's value, label)."""


def steps(shares: Sequence[Floats], edges: Sequence[Edge]) -> list[Step]:
    """Return in which order features tell their parents, each before its parent.

    Parameters
    ----------
    shares
        P(value | label) of each feature, labels × values.
    edges
        They make a forest.
    """
    return list(_downwards(shares, edges))[::-1]


def _downwards(shares: Sequence[Floats], edges: Sequence[Edge]) -> Iterator[Step]:
    joined: list[list[tuple[int, Floats]]] = [[] for _ in shares]
    for each in edges:
        joined[each.one].append((each.two, each.joint))
        joined[each.two].append((each.one, each.joint.swapaxes(1, 2)))
    seen: set[int] = set()
    for root, own in enumerate(shares):
        if root in seen:
            continue
        waiting: list[Step] = [(root, -1, own[:, None])]
        while waiting:
            step = waiting.pop()
            seen.add(step[0])
            yield step
            waiting += [
                (other, step[0], joint / joint.sum(axis=2, keepdims=True))
                for other, joint in joined[step[0]]
                if other not in seen
            ]


def log_likelihoods(order: Sequence[Step], cases: NDArray[np.integer[Any]]) -> Floats:
    """Return log P(what is known of a case | label), cases × labels.

    Parameters
    ----------
    order
        As `steps` returns it.
    cases
        Positions of values, cases × features; -1 where one is unknown.

    Examples
    --------
    >>> half = np.full((1, 2), 0.5)
    >>> copies = Edge(0, 1, np.array([[[0.5, 0.0], [0.0, 0.5]]]))
    >>> order = steps([half, half], [copies])
    >>> np.exp(log_likelihoods(order, np.array([[1, 1], [-1, 1], [-1, -1]])))[:, 0].tolist()
    [0.5, 0.5, 1.0]
    """
    labels = order[0][2].shape[0]
    result = np.zeros((len(cases), labels))
    below: dict[int, Floats] = {}
    for feature, parent, chances in order:
        values, told = cases[:, feature], below.pop(feature, None)
        known = values >= 0
        # P(value | parent's value) of the value that is known: cases × labels × parent's values
        message = chances.transpose(2, 0, 1)[np.where(known, values, 0)]
        if told is None:
            message[~known] = 1.0
        else:
            message[~known] = np.einsum("cyv,ypv->cyp", told[~known], chances)
            message[known] *= told[known, :, values[known]][:, :, None]
        most = message.max(axis=2)
        message /= most[:, :, None]
        result += np.log(most)
        if parent >= 0:
            below[parent] = below[parent] * message if parent in below else message
        else:
            result += np.log(message[:, :, 0])
    return result
