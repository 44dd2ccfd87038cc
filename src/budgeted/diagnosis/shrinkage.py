r"""How far cases that were seen are to be believed where they say something else than the model.

In a situation x, in which the tests S are known, the model counts as much as m cases, and each case
that was seen in x as one; that is the m-estimate of Cestnik (*Estimating probabilities: a crucial
task in machine learning*, ECAI 1990),

    P(label | x)  =  (n(x, label) + m · P₀(label | x)) / (n(x) + m).

What it starts from, P₀, is what the model says; or, with one test less, what was learned there:
P₀(label | x) ∝ model(label | x) · P(label | x without i) / model(label | x without i), so that
what two tests mean together is not forgotten when a third one is known. That is the back-off of
models of language, where long contexts are seen seldom.

Both, m and where to start, are learned for each set of tests: those are taken with which the label
of a case is foretold best by all *other* cases, by the sum of the logarithms (Ney, Essen and
Kneser, *On the estimation of 'small' probabilities by leaving-one-out*, IEEE PAMI 17, 1995). One m
for everything would be wrong both ways. If it is too small, the best of many strategies is one that
chance flatters (Smith and Winkler, *The optimizer's curse*, Management Science 52, 2006); if it is
too large, tests that mean something only together are overlooked. Chance flatters some of many sets
as well: cases count only where they foretell better by more than the logarithm of the number
of sets as large, as if one of them, and nobody knows which, were the one that the model does not
understand (Scott and Berger, *Bayes and empirical-Bayes multiplicity adjustment in the
variable-selection problem*, Annals of Statistics 38, 2010).

How probable each value of the next test is follows with the same m. If the model said what a label
is, and cases how often values come together, then tests that repeat each other would look like
two that agree: the model is sure of itself where they agree, and cases say that they often do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, log

import numpy as np

from budgeted.cache import Cache
from budgeted.diagnosis.experience import AskedModel, Cases, Experience, Floats, Seen

_TINY = 1e-12
_MOST_KEPT = 64_000_000
"""Bytes of what was learned, for all sets of tests together."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was learned about a set of tests."""

    strength: float  # the model counts as much as so many cases; infinite: cases do not count
    without: int | None  # the test without which it starts; None: it starts from the model
    seen: Seen  # the situations that there are, and their cases
    own: Floats
    correction: Floats

    @property
    def nbytes(self) -> int:
        """Its size, for the cache."""
        parts = (self.own, self.correction, self.seen.cases, self.seen.rows, self.seen.keys,
                 self.seen.which, self.seen.places)  # fmt: skip
        return sum(each.nbytes for each in parts)

    @property
    def is_the_model(self) -> bool:
        """Whether nothing was learned."""
        return self.without is None and bool(np.isinf(self.strength))


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """How much cases count beside a model, learned from themselves for each set of tests.

    Two tests that mean nothing alone: labels differ where just one of both is 1. The model of
    single tests knows nothing of it, and cases are believed where both are known.

    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> from budgeted.learners.model import Model
    >>> values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    >>> labels = values[:, 0] ^ values[:, 1]
    >>> features = [Feature(name, ("0", "1"), 1) for name in ("a", "b")]
    >>> problem = Problem(features, ("same", "different"), (0.5, 0.5), 9)
    >>> bought = [Purchase(at, y, row[at], 1) for row, y in zip(values.tolist(), labels.tolist())
    ...           for at in (0, 1)]
    >>> model = Model.of(NaiveBayes().fit(problem, bought))
    >>> learned = Shrinkage(model, Experience(values, labels))
    >>> learned.lesson((0,)).strength, learned.lesson((0, 1)).strength
    (inf, 1.0)
    """

    model: AskedModel
    experience: Experience

    def lesson(self, tests: Sequence[int]) -> Lesson:
        """Return what is to be believed where these tests are known."""
        wanted = tuple(sorted(tests))
        found = self._lessons.get(wanted)
        if found is None:
            found = self._learned(wanted)
            self._lessons.put(wanted, found)
        return found

    def own(self, tests: Sequence[int]) -> Floats:
        """Return P(label) of each case that was seen, if it does not count itself.

        Of a case of which one of these tests is not known the model alone says it.
        """
        lesson = self.lesson(tests)
        places = lesson.seen.places
        if len(places) == len(self.experience.labels):
            every: Floats = lesson.own[lesson.seen.which, self.experience.labels]
            return every
        result = self.model.probabilities(_masked(self.experience.values, tests))
        result[places] = lesson.own[lesson.seen.which, self.experience.labels[places]]
        return result

    def _learned(self, tests: tuple[int, ...]) -> Lesson:
        seen = self.experience.seen(tests, self.model.prior)
        says = self.model.probabilities(_masked(seen.rows, tests))
        said = np.maximum(says, _TINY)[:, None, :]  # the same of each own label
        number = len(self.model.labels)
        starts: list[tuple[int | None, Floats]] = [(None, np.repeat(said, number, axis=1))]
        for test in tests if len(tests) > 1 else ():
            less = self.lesson([each for each in tests if each != test])
            if not less.is_the_model:
                carried = said * less.correction[less.seen.find(seen.rows)]
                starts.append((test, carried / carried.sum(axis=-1, keepdims=True)))
        # Without the case itself; where there is none of a label, nothing hangs on it.
        others = np.maximum(seen.cases[:, None, :] - np.diag(seen.weights), 0.0)
        right = np.arange(number)
        best, chosen = -np.inf, (np.inf, starts[0])
        for start in starts:
            foretold = start[1][:, right, right]
            for strength in self._strengths:
                score = _score(
                    seen.cases, others[:, right, right], others.sum(axis=-1), foretold, strength
                )
                if np.isfinite(strength):
                    score -= self._multiplicity(tests)
                if score > best:
                    best, chosen = score, (strength, start)
        strength, (without, first) = chosen
        own = shrunk(others, first, strength)
        return Lesson(strength, without, seen, own, own / said)

    def _multiplicity(self, tests: Sequence[int]) -> float:
        """By how much labels must be foretold better before cases count; see above."""
        return log(comb(len(self.model.features), len(tests)))

    @cached_property
    def _strengths(self) -> tuple[float, ...]:
        """From infinity down: as many cases as there are, half of them, and so on, to one."""
        number = max(len(self.experience.labels), 1)
        return (np.inf, *(2.0**at for at in range(number.bit_length() - 1, -1, -1)))

    @cached_property
    def _lessons(self) -> Cache[tuple[int, ...], Lesson]:
        return Cache(_MOST_KEPT)


def learned_of(model: AskedModel, experience: Experience) -> Shrinkage:
    """Return what is learned from cases beside a model; what was learned before is kept with them.

    Active classifiers with other prices or limits have the same to learn.
    """
    found = experience.kept.get("learned")
    if found is None or found.model is not model:
        found = experience.kept["learned"] = Shrinkage(model, experience)
    return found


def _masked(rows: Cases, tests: Sequence[int]) -> Cases:
    """The rows as if nothing but these tests were known."""
    result = np.full_like(rows, -1)
    result[:, list(tests)] = rows[:, list(tests)]
    return result


def shrunk(seen: Floats, said: Floats, strength: float) -> Floats:
    """Return probabilities, over the last axis, after cases that were seen.

    >>> shrunk(np.array([3.0, 0.0]), np.array([0.5, 0.5]), 3.0).tolist()
    [0.75, 0.25]
    """
    if np.isinf(strength):
        return said
    result: Floats = (seen + strength * said) / (seen.sum(axis=-1, keepdims=True) + strength)
    return result


def _score(counts: Floats, others: Floats, totals: Floats, said: Floats, strength: float) -> float:
    """How well cases are foretold: the sum of the logarithms of what others and the model say."""
    if not np.isinf(strength):
        said = (others + strength * said) / (totals + strength)
    return float((counts * np.log(np.maximum(said, _TINY))).sum())
