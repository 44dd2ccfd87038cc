r"""How far cases that were seen are to be believed where they say something else than the model.

In a situation x, in which the tests S are known, the model counts as much as m cases, and each case
that was seen in x as one; that is the m-estimate of Cestnik (*Estimating probabilities: a crucial
task in machine learning*, ECAI 1990),

    P(label | x)  =  (n(x, label) + m · P₀(label | x)) / (n(x) + m).

What it starts from, P₀, is what the model says; or, with one test less, what was learned there:
P₀(label | x) ∝ model(label | x) · P(label | x without i) / model(label | x without i), so that what
two tests mean together is not forgotten when a third one is known. That is the back-off of models of
language, where long contexts are seen seldom.

Both, m and where to start, are learned for each set of tests: those are taken with which the label
of a case is foretold best by all *other* cases, by the sum of the logarithms (Ney, Essen and
Kneser, *On the estimation of 'small' probabilities by leaving-one-out*, IEEE PAMI 17, 1995). One m
for everything would be wrong both ways. If it is too small, the best of many strategies is one that
chance flatters (Smith and Winkler, *The optimizer's curse*, Management Science 52, 2006); if it is
too large, tests that mean something only together are overlooked.

How probable the values of the next test are is learned in the same way, with an m of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from budgeted.cache import Cache
from budgeted.diagnosis.asked import AskedModel, Cases, Floats
from budgeted.diagnosis.experience import Experience, Seen

_TINY = 1e-12
_MOST_KEPT = 64_000_000
"""Bytes of what was learned, for all sets of tests together."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was learned about a set of tests.

    Attributes
    ----------
    strength
        The model counts as much as so many cases; infinite: cases do not count.
    without
        The test without which it starts; None: it starts from the model.
    seen
        The situations that there are, and their cases.
    own, correction
        What is believed in each situation of a case of each label, if that case itself does not
        count, situations × label of the case × labels; and how much of it the model says.
    """

    strength: float
    without: int | None
    seen: Seen
    own: Floats
    correction: Floats

    @property
    def nbytes(self) -> int:
        """Its size, for the cache."""
        parts = (self.own, self.correction, self.seen.counts, self.seen.rows, self.seen.keys,
                 self.seen.which, self.seen.places)  # fmt: skip
        return sum(each.nbytes for each in parts)

    @property
    def is_the_model(self) -> bool:
        """Whether nothing was learned."""
        return self.without is None and bool(np.isinf(self.strength))


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """How much cases count beside a model, learned from themselves for each set of tests.

    Parameters
    ----------
    model, experience
        Who speaks, and what was seen.

    Examples
    --------
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

    def of_values(self, tests: Sequence[int], test: int, shares: Floats) -> float:
        """Return as how many cases the model counts about the value of one more test.

        Parameters
        ----------
        tests, test
            Those that are known, and one that is not.
        shares
            P(value | label) of that one, labels × values.
        """
        place = (tuple(sorted(tests)), test)
        found = self._of_values.get(place)
        if found is None:
            found = self._value_strength(*place, shares)
            self._of_values.put(place, found)
        return found

    def own(self, tests: Sequence[int]) -> Floats:
        """Return P(label) of each case that was seen, if it does not count itself.

        Of a case of which one of these tests is not known the model alone says it.
        """
        rows = np.full_like(self.experience.values, -1)
        rows[:, list(tests)] = self.experience.values[:, list(tests)]
        different, which = np.unique(rows, axis=0, return_inverse=True)
        result = self.model.probabilities(different)[which.reshape(-1)]
        if tests:
            lesson = self.lesson(tests)
            places = lesson.seen.places
            result[places] = lesson.own[lesson.seen.which, self.experience.labels[places]]
        return result

    def _learned(self, tests: tuple[int, ...]) -> Lesson:
        seen = self.experience.seen(tests, self.model.prior)
        rows = np.full_like(seen.rows, -1)
        rows[:, list(tests)] = seen.rows[:, list(tests)]
        said = np.maximum(self.model.probabilities(rows), _TINY)[:, None, :]  # of each own label
        number = len(self.model.labels)
        starts: list[tuple[int | None, Floats]] = [(None, np.repeat(said, number, axis=1))]
        for test in tests if len(tests) > 1 else ():
            less = self.lesson([each for each in tests if each != test])
            if not less.is_the_model:
                carried = said * less.correction[less.seen.find(seen.rows)]
                starts.append((test, carried / carried.sum(axis=-1, keepdims=True)))
        # Without the case itself; where there is none of a label, nothing hangs on it.
        others = np.maximum(seen.counts[:, None, :] - np.diag(seen.weights), 0.0)
        right = np.arange(number)
        best, chosen = -np.inf, (np.inf, starts[0])
        for start in starts:
            foretold = start[1][:, right, right]
            for strength in self._strengths:
                score = _score(
                    seen.counts, others[:, right, right], others.sum(axis=-1), foretold, strength
                )
                if score > best + _TINY * abs(best if np.isfinite(best) else 0.0):
                    best, chosen = score, (strength, start)
        strength, (without, first) = chosen
        own = shrunk(others, first, strength)
        return Lesson(strength, without, seen, own, own / said)

    def _value_strength(self, tests: tuple[int, ...], test: int, shares: Floats) -> float:
        number, values = shares.shape
        seen = self.experience.seen((*tests, test), self.model.prior)
        less = self.lesson(tests)
        where, value = less.seen.find(seen.rows), seen.rows[:, test]
        counts = np.zeros((len(less.seen.keys), number, values))
        counts[where, :, value] = seen.counts
        everyone = counts.sum(axis=1, keepdims=True)  # of all labels
        weights = seen.weights[:, None]
        others = np.maximum(everyone - weights, 0.0)
        totals = np.maximum(everyone.sum(axis=-1, keepdims=True) - weights, 0.0)
        scores = [
            _score(counts, others, totals, less.own @ shares, strength)
            for strength in self._strengths
        ]
        return self._strengths[int(np.argmax(scores))]

    @cached_property
    def _strengths(self) -> tuple[float, ...]:
        """From infinity down: as many cases as there are, half of them, and so on, to one."""
        number = max(len(self.experience.labels), 1)
        return (np.inf, *(2.0**at for at in range(number.bit_length() - 1, -1, -1)))

    @cached_property
    def _lessons(self) -> Cache[tuple[int, ...], Lesson]:
        return Cache(_MOST_KEPT)

    @cached_property
    def _of_values(self) -> Cache[tuple[tuple[int, ...], int], float]:
        return Cache(_MOST_KEPT)


def shrunk(seen: Floats, said: Floats, strength: float) -> Floats:
    """Return probabilities, over the last axis, after cases that were seen.

    >>> shrunk(np.array([3.0, 0.0]), np.array([0.5, 0.5]), 3.0).tolist()
    [0.75, 0.25]
    """
    if np.isinf(strength):
        return said
    result: Floats = (seen + strength * said) / (seen.sum(axis=-1, keepdims=True) + strength)
    return result


def _score(
    counts: Floats, others: Floats, totals: Floats, said: Floats, strength: float
) -> float:
    """How well cases are foretold: the sum of the logarithms of what others and the model say."""
    if not np.isinf(strength):
        said = (others + strength * said) / (totals + strength)
    return float((counts * np.log(np.maximum(said, _TINY))).sum())
