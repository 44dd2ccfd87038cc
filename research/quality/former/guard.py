"""The classifier that is delivered: naive Bayes, or one that is on its guard.

Naive Bayes takes what a few values say at its word, and multiplies what all features say as if they
spoke independently. The guarded classifier asks three questions first.

*How strongly do features tell the labels apart?* Its parameters come from a belief that learns it
(`research.quality.former.strength`).

*Do several say the same?* Then the same evidence is counted again and again, and can outvote a
feature that knows better. The values of different features that were bought *on the same case* show
whether that happens: the guarded classifier looks for the feature that does best alone, its leader,
and asks on the cases where the leader is known whether the others make the predictions better or
worse. Then::

    score(label) = log prior + log P(leader's value | label) + g · Σ_others log P(value | label)

where g is the probability that the others help: 0.98 before anything is seen, moved by the
difference of the log-likelihoods of the two, each at its best temperature and each case judged
without its own value.

*How far can all of that be trusted against the prior of the labels?* Here hindsight flatters: two
values that agree by chance speak for each other. So each value is taken as it would have been
foretold before it came (Dawid, 1984). The likelihood of the labels of the bought cases, among as
many of each label as were bought, says how probable each of several temperatures is, and the mean
is taken. A temperature of 0 means that the features say nothing. That is the likelier at first the
fewer features there are, and is given the more weight the more there is to lose by following them
in vain. If the most frequent label is more frequent than the second by a share d of all cases, its
odds with n features are::

    (10 d)^2.5 · q(n) / q(9),    q(n) = 2 / ((n + 1)(n + 2))

where q(n) is the probability that none of n features matters if the share of those that do is
Beta(2, 1), as in `research.quality.former.relevance`; fewer than six count as six, as few features have few
chances to mislead. Half of the rest is for a temperature of 1. So a rare label is not predicted on
the strength of a few values, and where nothing tells the labels apart, the most frequent one is
predicted.

The result is naive Bayes with a weight per feature: the temperature, times g unless it is the
leader.

Dawid, *Present position and potential developments: the prequential approach*, Journal of the Royal
Statistical Society A 147 (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ModelError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from research.quality.former.odds import logistic
from research.quality.former.strength import StrengthBelief

CLASSIFIERS = ("naive", "guarded")
HELPFUL = 0.98
"""Probability, before anything is seen, that the other features help the leader."""
TEMPERATURES: Floats = np.array([1, 0.7, 0.5, 0.35, 0.25, 0.15])
"""By what scores may be multiplied: at its best before the leader and the others are compared, and
averaged, with 0, for how much is delivered.
"""
CAUTION = 10.0
"""Where the most frequent label is ahead of the second by one in so many cases, it is as likely as
not at first that nine features say nothing.
"""
STEEPNESS = 2.5
"""With the power of which these odds grow with that lead."""
FEWEST = 6
"""They grow also the fewer features there are, down to so many."""
_ROUNDING = 1e-9
_AT_FIRST: Floats = np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
"""How probable each is before anything is seen, given that the temperature is not 0."""


class Delivered(NamedTuple):
    """A classifier: naive Bayes with the means of a belief.

    Attributes
    ----------
    belief
        Whose means are the parameters.
    weights
        How much each feature counts; None where all count fully.
    """

    belief: Belief
    weights: Floats | None = None


def check_classifier(name: str) -> None:
    """Raise an error that lists the classifiers unless this is one."""
    if name not in CLASSIFIERS:
        raise ModelError(f"there is no classifier {name!r}; there are {', '.join(CLASSIFIERS)}")


def deliver(classifier: str, belief: Belief, purchases: Sequence[Purchase]) -> Delivered:
    """Return the classifier that these purchases give.

    Parameters
    ----------
    classifier
        ``naive`` or ``guarded``.
    belief
        After these purchases. The guarded classifier takes its counts; before the first value, both
        classifiers are this belief's.
    purchases
        All that were made. Those of the same case show which features say the same; one without
        a case is a case of its own.

    Examples
    --------
    Three features are copies of each other on every case, and right three times in four:

    >>> from budgeted import Feature, Problem
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b", "c")]
    >>> belief = Belief.prior(Problem(features, ("well", "ill"), (0.5, 0.5), 1000))
    >>> bought = [Purchase(feature, label, label if case % 4 else 1 - label, 1, 2 * case + label)
    ...           for case in range(40) for label in (0, 1) for feature in (0, 1, 2)]
    >>> for each in bought:
    ...     belief = belief.observe_at(each.feature, each.label, each.value)
    >>> deliver("guarded", belief, bought).weights.round(2).tolist()
    [0.38, 0.37, 0.37]
    """
    if classifier == "naive" or not belief.observed.any():
        return Delivered(belief)
    learned = StrengthBelief(belief.problem, belief.observed)
    return Delivered(learned, weights(learned, purchases))


def weights(belief: StrengthBelief, purchases: Sequence[Purchase]) -> Floats:
    """Return how much each feature counts in the guarded classifier with these parameters."""
    cases = _Cases.of(belief.problem, purchases)
    scores, labels, known = cases.scores(_left_out(belief, cases.values)), cases.labels, cases.known
    number = len(belief.problem.features)
    if not len(labels):
        return np.ones(number)
    prior = np.log(belief.problem.prior)
    alone = np.array(
        [_log_likelihood(prior + scores[:, feature], labels) for feature in range(number)]
    )
    leader = int(np.argmax(alone >= alone.max() - _ROUNDING))  # the first of those that tie
    judged = known[:, leader]
    everything, led = scores[judged].sum(axis=1), scores[judged, leader]
    better = _best(prior, everything, labels[judged]) - _best(prior, led, labels[judged])
    trust = float(logistic(np.array(np.log(HELPFUL / (1 - HELPFUL)) + better)))
    result = np.full(number, trust)
    result[leader] = 1.0
    foretold = cases.scores(belief.foretold(cases.values))
    result *= _temperature(prior, np.einsum("rfl,f->rl", foretold, result), labels, number)
    return result


def _temperature(prior: Floats, scores: Floats, labels: Integers, features: int) -> float:
    """Return the mean of all temperatures, and 0, under what the bought cases say of them."""
    with np.errstate(divide="ignore"):  # a label of which nothing was bought is out of the question
        bought = np.log(np.bincount(labels, minlength=len(prior)) / len(labels))
    possible = np.append(TEMPERATURES, 0.0)
    logs = np.array([_log_likelihood(bought + each * scores, labels) for each in possible])
    second, first = np.sort(np.exp(prior))[-2:]
    odds = (CAUTION * (first - second)) ** STEEPNESS * _none_matters(features) / _none_matters(9)
    chances = np.append(_AT_FIRST, odds) * np.exp(logs - logs.max())
    return float(chances @ possible / chances.sum())


def _none_matters(features: int) -> float:
    """Probability that none of so many features matters, if the share that does is Beta(2, 1)."""
    number = max(features, FEWEST)
    return 2 / ((number + 1) * (number + 2))


class _Cases(NamedTuple):
    """The bought cases: one row each, one column per feature.

    Attributes
    ----------
    values
        Feature, label and value of all that came, in this order.
    rows
        The case of each value.
    labels
        Of each case.
    known
        Whether there is a value, cases × features.
    """

    values: list[tuple[int, int, int]]
    rows: Integers
    labels: Integers
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, purchases: Sequence[Purchase]) -> _Cases:
        """Sort purchases by case; those without a value are left aside."""
        places: dict[object, int] = {}
        values, rows = [], []
        for at, each in enumerate(purchases):
            if each.value is not None:
                case = ("alone", at) if each.case is None else each.case
                rows.append(places.setdefault(case, len(places)))
                values.append((each.feature, each.label, each.value))
        row = np.array(rows, dtype=np.int64)
        features, label, _ = np.array(values, dtype=np.int64).reshape(-1, 3).T
        labels = np.zeros(len(places), dtype=np.int64)
        labels[row] = label
        known = np.zeros((len(places), len(problem.features)), dtype=bool)
        known[row, features] = True
        return cls(values, row, labels, known)

    def scores(self, said: Floats) -> Floats:
        """Place what each value says for each label, cases × features × labels; else 0."""
        result: Floats = np.zeros((*self.known.shape, said.shape[1]))
        result[self.rows, [feature for feature, _, _ in self.values]] = said
        return result


def _left_out(belief: StrengthBelief, values: Sequence[tuple[int, int, int]]) -> Floats:
    """What the others say of each value, values × labels."""
    features, labels, places = np.array(values, dtype=np.int64).reshape(-1, 3).T
    result: Floats = belief.left_out()[labels, layout_of(belief.problem).starts[features] + places]
    return result


def _best(prior: Floats, scores: Floats, labels: Integers) -> float:
    return max(_log_likelihood(prior + trust * scores, labels) for trust in TEMPERATURES)


def _log_likelihood(scores: Floats, labels: Integers) -> float:
    own = scores[np.arange(len(labels)), labels]
    return float((own - np.logaddexp.reduce(scores, axis=1)).sum())
