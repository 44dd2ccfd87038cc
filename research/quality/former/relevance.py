"""A belief in which features may tell nothing: it learns which ones matter, and how many do."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.special import log_gamma
from budgeted.problem import Feature, Problem
from research.quality.former.odds import logistic

ALL_RELEVANT = 1 / 3
"""Probability, before anything is bought, that every feature matters."""
SHAPE = 2.0
"""Otherwise the share of features that matter is Beta(SHAPE, 1) a priori."""
CELL_TOTAL = 2.0
"""Prior counts of a cell add up to so much, whatever the number of values, unless informative."""

_SHARES: Floats = np.append((np.arange(24) + 0.5) / 24, 1.0)
_PRIOR: Floats = np.append(
    (1 - ALL_RELEVANT) * _SHARES[:-1] ** (SHAPE - 1) / (_SHARES[:-1] ** (SHAPE - 1)).sum(),
    ALL_RELEVANT,
)
with np.errstate(divide="ignore"):
    _LOG_SHARES, _LOG_REST = np.log(_SHARES), np.log1p(-_SHARES)
_LARGEST_ODDS = 500.0
"""In logarithms; beyond, probabilities are 0 or 1 in double precision."""


class RelevanceBelief(Belief):
    r"""What is known if a feature matters only with some probability.

    A feature that matters has parameters of its own under each label, as in the plain `Belief`;
    one that does not has one set of parameters, shared by all labels. Both are Dirichlet, so the
    evidence for either is in closed form, and the delivered parameters are the average::

        θ_ijk = p_i (c_ijk + α)/(N_ij + A) + (1 − p_i) (Σ_j c_ijk + α)/(Σ_j N_ij + A)

    The share ρ of features that matter is not fixed but learned from all features together: with
    probability 1/3 all of them do, otherwise ρ is Beta(2, 1). p_i is exact, up to the 24 nodes on which ρ is integrated.

    Where the prior counts of a feature are all the same number c, they are taken to say nothing,
    and become 2c/r for each of its r values: with c for each, a feature of many values looks
    promising before anything is known. Informative prior counts are used as they are.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> features = [Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)]
    >>> belief = RelevanceBelief.prior(Problem(features, ("well", "ill"), (0.5, 0.5), 100))
    >>> belief.relevance.round(2).tolist()
    [0.78, 0.78]
    >>> seen = belief.observe("fever", "well", "no", times=9).observe("fever", "ill", "yes", 9)
    >>> seen = seen.observe("cough", "well", "no", times=9).observe("cough", "ill", "no", 9)
    >>> seen.relevance.round(2).tolist()
    [1.0, 0.53]
    >>> seen.mean("fever")[1].round(2).tolist(), seen.mean("cough")[1].round(2).tolist()
    ([0.09, 0.91], [0.93, 0.07])
    """

    @cached_property
    def alpha(self) -> Floats:
        """Prior counts, labels × values: those of the problem, flat ones rescaled."""
        given = layout_of(self.problem).prior_counts
        sizes, offsets = layout_of(self.problem).sizes, layout_of(self.problem).offsets
        low = np.minimum.reduceat(given.min(axis=0), offsets)
        high = np.maximum.reduceat(given.max(axis=0), offsets)
        scale = np.where(low == high, CELL_TOTAL / np.asarray(sizes), 1.0)
        result: Floats = given * np.repeat(scale, sizes)
        return result

    @cached_property
    def pooled(self) -> Floats:
        """Dirichlet counts, one per value, of features that do not matter."""
        result: Floats = self.alpha.mean(axis=0) + self.observed.sum(axis=0)
        return result

    @cached_property
    def log_evidence(self) -> Floats:
        """For each feature the log Bayes factor that it matters."""
        return _log_marginal(self.alpha, self.counts, self.problem) - _log_marginal(
            self.alpha.mean(axis=0)[None], self.pooled[None], self.problem
        )

    @cached_property
    def _by_share(self) -> tuple[Floats, Floats]:
        """Log evidence of each feature for each share ρ (nodes × features), and of the nodes."""
        each = np.logaddexp(_LOG_REST[:, None], _LOG_SHARES[:, None] + self.log_evidence)
        nodes = np.log(_PRIOR) + each.sum(axis=1)
        return each, nodes - nodes.max()

    @cached_property
    def log_odds(self) -> Floats:
        """For each feature the log-odds that it matters, judged by the *other* features alone."""
        each, nodes = self._by_share
        others = nodes[:, None] - each
        matters = np.logaddexp.reduce(others + _LOG_SHARES[:, None], axis=0)
        not_so = np.logaddexp.reduce(others + _LOG_REST[:, None], axis=0)
        result: Floats = np.clip(matters - not_so, -_LARGEST_ODDS, _LARGEST_ODDS)
        return result

    @cached_property
    def relevance(self) -> Floats:
        """For each feature the probability that it matters."""
        return logistic(self.log_odds + self.log_evidence)

    @cached_property
    def means(self) -> Floats:
        """Posterior mean of every parameter, labels × values."""
        sizes = layout_of(self.problem).sizes
        apart = self.counts / np.repeat(self.totals, sizes, axis=1)
        sums = np.add.reduceat(self.pooled, layout_of(self.problem).offsets)
        together = self.pooled / np.repeat(sums, sizes)
        share = np.repeat(self.relevance, sizes)
        result: Floats = share * apart + (1 - share) * together
        result.setflags(write=False)
        return result

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw parameters: a share of features that matter, which ones, and their parameters."""
        each, nodes = self._by_share
        weights = np.exp(nodes)
        node = int(rng.choice(len(weights), p=weights / weights.sum()))
        chances = np.exp(_LOG_SHARES[node] + self.log_evidence - each[node])
        drawn = super().sample(rng)
        for feature in np.flatnonzero(rng.random(len(chances)) >= chances).tolist():
            columns = self.columns(feature)
            drawn[:, columns] = rng.dirichlet(self.pooled[columns])
        return drawn

    def as_plain(self) -> Belief:
        """Return a plain belief with the same classifier, for questions about it as it is now."""
        features = [
            Feature(each.name, each.values, each.cost, self.means[:, self.columns(at)].tolist())
            for at, each in enumerate(self.problem.features)
        ]
        problem = self.problem
        return Belief.prior(Problem(features, problem.labels, problem.prior, problem.budget))

    def _shifted(
        self, feature: int, label: int, value: int, times: int, sign: int = 1
    ) -> RelevanceBelief:
        new = super()._shifted(feature, label, value, times, sign)
        assert isinstance(new, RelevanceBelief)
        new.__dict__["alpha"] = self.alpha  # it depends on the problem alone
        return new


def _log_marginal(prior: Floats, counts: Floats, problem: Problem) -> Floats:
    """Log-probability of what was seen, in its order, of each feature; rows are independent."""
    offsets: Integers = layout_of(problem).starts
    values = np.add.reduceat(log_gamma(counts) - log_gamma(prior), offsets, axis=1)
    before, after = (np.add.reduceat(each, offsets, axis=1) for each in (prior, counts))
    result: Floats = (values + log_gamma(before) - log_gamma(after)).sum(axis=0)
    return result
