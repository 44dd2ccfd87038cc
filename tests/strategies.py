"""Problems, beliefs and allocations for hypothesis to play with."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase
from budgeted.learners.layout import layout_of

counts = st.floats(math.log(0.1), math.log(1e5)).map(math.exp)
tiny_counts = st.floats(math.log(1e-6), math.log(10)).map(math.exp)
ordinary_counts = st.sampled_from([0.2, 0.5, 1.0, 2.0])


@st.composite
def problems(draw, *, labels=2, features=(1, 8), values=(2, 5), prior_counts=counts, costs=None):
    """Problems with prior counts of their own for every label and value."""
    sizes = draw(st.lists(st.integers(*values), min_size=features[0], max_size=features[1]))
    return Problem(
        features=[
            Feature(
                f"feature {number}",
                [f"value {value}" for value in range(size)],
                cost="1" if costs is None else draw(costs),
                prior_counts=[
                    draw(st.lists(prior_counts, min_size=size, max_size=size))
                    for _ in range(labels)
                ],
            )
            for number, size in enumerate(sizes)
        ],
        labels=[f"label {label}" for label in range(labels)],
        prior=draw(priors(labels)),
        budget="10",
    )


@st.composite
def priors(draw, labels):
    if labels == 2:
        first = draw(st.floats(0.001, 0.999))
        return (first, 1 - first)
    weights = draw(st.lists(st.floats(0.05, 1), min_size=labels, max_size=labels))
    return tuple(weight / math.fsum(weights) for weight in weights)


@st.composite
def beliefs(draw, most_seen=5, **options):
    """Beliefs after some observations."""
    problem = draw(problems(**options))
    shape = layout_of(problem).shape
    seen = draw(
        st.lists(st.integers(0, most_seen), min_size=math.prod(shape), max_size=math.prod(shape))
    )
    return Belief(problem, np.reshape(np.asarray(seen, dtype=np.int64), shape))


@st.composite
def allocations(draw, belief, largest=3, cells=3):
    """Some purchases of some cells."""
    chosen = draw(st.lists(st.sampled_from(belief.problem.actions), max_size=cells, unique=True))
    return {cell: draw(st.integers(0, largest)) for cell in chosen}


@st.composite
def purchases(draw, problem, most=25):
    """Purchases of a few cases, some without a case, some without a value."""
    labels = draw(st.lists(st.integers(0, len(problem.labels) - 1), min_size=1, max_size=6))
    seen, made = set(), []
    for _ in range(draw(st.integers(0, most))):
        feature = draw(st.integers(0, len(problem.features) - 1))
        case = draw(st.integers(-1, len(labels) - 1))
        value = draw(st.integers(0, layout_of(problem).sizes[feature] - 1) | st.none())
        if case < 0:
            label = draw(st.integers(0, len(problem.labels) - 1))
            made.append(Purchase(feature, label, value, 1))
        elif (case, feature) not in seen:
            seen.add((case, feature))
            made.append(Purchase(feature, labels[case], value, 1, f"case {case}"))
    return made
