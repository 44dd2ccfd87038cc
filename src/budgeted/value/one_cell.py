"""The expected loss of a case after purchases of one cell: any loss, any number of labels.

The loss of one case x depends on x only through its joint masses, P(x, label). For purchases of one
cell (i, j) only θ_ij moves, and the terms with x_i = k see only θ_ijk, whose number of sightings is
beta-binomial. So with feature i divided out of the case (ρ), the sum over k and over all outcomes
is done exactly, in r(n + 1) terms instead of the C(n + r − 1, n) joint outcomes of the paper's
eq. 4::

    Σ_k Σ_c BetaBinomial(c; n, α_ijk, N_ij − α_ijk) · loss(ρ_1 θ_i1k, …, ρ_j (α_ijk+c)/(N_ij+n), …)

Where the cases come from is a matter of the engines: `enumeration` has all, `particles` draws some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value.beta_binomial import Bought, Outcomes, side_by_side
from budgeted.value.loss import Loss

TILE = 2**15
"""Entries of the largest temporary matrix: they stay in the processor's cache."""
_TINY = 1e-30
"""What a label weighs at least of a case: its ratio to the others then does not overflow, and what
cancels in the entropy is not so large that it costs digits.
"""


def purchases(belief: Belief, depths: Integers, given: Integers) -> list[Bought]:
    """Return what is bought of each cell of which something is, one after the other."""
    return [
        Bought(
            belief.counts[label, belief.columns(feature)],
            float(belief.totals[label, feature]),
            int(given[feature, label] + depths[feature, label]),
        )
        for feature, label in np.argwhere(depths).tolist()
    ]


def by_feature(
    depths: Integers, outcomes: Sequence[Outcomes]
) -> Iterator[tuple[int, Integers, Outcomes]]:
    """Yield each feature, the labels of which it is bought, and the outcomes side by side."""
    rest = iter(outcomes)
    for feature in np.flatnonzero(depths.any(axis=1)).tolist():
        bought = np.flatnonzero(depths[feature])
        yield feature, bought, side_by_side(list(islice(rest, len(bought))))


def after_purchases(
    outcomes: Outcomes, labels: Integers, others: Floats, means: Floats, loss: Loss
) -> Floats:
    """Return the expected loss over all values of a feature and all outcomes of one of its cells.

    Of the purchases of each of some labels, labels × cases. `others` are what each label weighs
    given all other features, all labels × cases; `means` all labels × values × cases, where one
    case stands for all.
    """
    everyone = np.tile(np.arange(len(others)), (len(labels), 1))
    fixed = everyone[everyone != labels[:, None]].reshape(len(labels), -1)
    result = np.empty((len(labels), others.shape[1]))
    tile = max(1, TILE // outcomes.after.size)
    for start in range(0, others.shape[1], tile):
        rows = slice(start, start + tile)
        here = others[:, None, rows]
        # bought labels × labels that stay × values × cases
        stay = (here * (means if means.shape[-1] == 1 else means[..., rows]))[fixed]
        total, gathered = stay.sum(axis=1), loss.gather.reduce(loss.term(stay), axis=1)
        result[:, rows] = _expected(total, gathered, here[labels], outcomes, loss).sum(axis=1)
    return result


def _expected(
    total: Floats, gathered: Floats, label: Floats, outcomes: Outcomes, loss: Loss
) -> Floats:
    """Expected loss if of a label these shares may move, bought labels × values × cases.

    The other masses sum to `total`, and this is `gathered` of them.
    """
    after, chances, kernel = outcomes.after[:, :, None], outcomes.chances[..., None], loss.kernel
    if kernel is None:
        moving = label[..., None] * after
        together = loss.gather(gathered[..., None], loss.term(moving))
        moving += total[..., None]  # now all masses together
        result: Floats = (loss.finish(moving, together) @ chances)[..., 0]
        return result
    # all outcomes go into one function of one number
    label = np.maximum(label, _TINY)
    moved = kernel.function((total / label)[..., None] + after) @ chances
    if kernel.own is not None:
        moved -= kernel.own(after) @ chances
    result = moved[..., 0] * kernel.factor(total, gathered, label)
    result += kernel.constant(total, gathered, label)
    return result


def masses_of_all_cases(belief: Belief, without: int | None = None) -> Floats:
    """Return P(x, label) of all cases, labels × cases; of all features, or of all but one.

    They are the products of what each feature says: one more feature makes as many of every case as
    it has values. No case is ever written down.
    """
    masses = np.asarray(belief.problem.prior)[:, None]
    for feature in range(len(belief.problem.features)):
        if feature != without:
            means = belief.means[:, belief.columns(feature)]
            masses = (means[:, :, None] * masses[:, None]).reshape(len(masses), -1)
    return masses


def loss_of_all_cases(belief: Belief, loss: Loss) -> float:
    """Return the loss of a belief; nothing is bought, so each case has one outcome.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.value.loss import GINI
    >>> problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y", "z"), (0.5, 0.3, 0.2), 9)
    >>> round(loss_of_all_cases(Belief.prior(problem), GINI), 10)
    0.62
    """
    return float(loss(masses_of_all_cases(belief).T).sum())
