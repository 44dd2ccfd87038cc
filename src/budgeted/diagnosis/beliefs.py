"""What is believed in a situation: how probable each label is, and each value of the next test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.diagnosis.asked import AskedModel, Floats
from budgeted.diagnosis.experience import STRENGTH, Experience
from budgeted.diagnosis.programme import Tests
from budgeted.errors import DiagnosisError

Positions = tuple[int, ...]
"""Of the value of each feature; -1 where it is not known."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """By a model, and by cases that were seen, if there are any."""

    model: AskedModel
    experience: Experience | None = None

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """P(value | label) of each feature, labels × values."""
        found = [self.model.shares(each) for each in self.model.features]
        if any(each is None for each in found):
            raise DiagnosisError(
                f"a model of the learner {self.model.learner!r} does not say how values are shared "
                f"among the cases of a label, so that what a test will say cannot be weighed"
            )
        return tuple(each for each in found if each is not None)

    def chances(
        self, row: Positions, candidates: Sequence[int], sets: Sequence[Tests]
    ) -> list[Floats]:
        """Return P(label) in all situations in which these tests are known besides the row.

        Parameters
        ----------
        row
            What is known.
        candidates
            Positions of features; what sets are made of.
        sets
            Each a set of candidates, by their places; a table for each, with an axis per test and
            one for labels.
        """
        shapes = [tuple(self._sizes[candidates[at]] for at in one) for one in sets]
        grids = []
        for one, shape in zip(sets, shapes, strict=True):
            cases = np.tile(np.array(row), (int(np.prod(shape)), 1))
            if one:
                cases[:, [candidates[at] for at in one]] = np.stack(
                    [each.ravel() for each in np.indices(shape)], axis=1
                )
            grids.append(cases)
        found = self.model.probabilities(np.concatenate(grids))
        ends = np.cumsum([len(each) for each in grids])[:-1]
        tables = [
            part.reshape(*shape, -1)
            for part, shape in zip(np.split(found, ends), shapes, strict=True)
        ]
        if self.experience is None:
            return tables
        return [
            _corrected(table, seen)
            for table, seen in zip(tables, self._seen(row, candidates, sets), strict=True)
        ]

    def values(
        self, row: Positions, candidates: Sequence[int], tests: Tests, test: int, chances: Floats
    ) -> Floats:
        """Return P(value) of one more candidate in all situations in which some are known.

        Parameters
        ----------
        row, candidates
            As of `chances`.
        tests, test
            Candidates that are known, and one that is not.
        chances
            P(label) in these situations.
        """
        said: Floats = chances @ self.shares[candidates[test]]
        if self.experience is None:
            return said
        after = tuple(sorted((*tests, test)))
        seen = self._seen(row, candidates, [after])[0].sum(axis=-1)
        return _corrected(said, np.moveaxis(seen, after.index(test), -1))

    def _seen(
        self, row: Positions, candidates: Sequence[int], sets: Sequence[Tests]
    ) -> list[Floats]:
        """Counts of cases; a programme asks for each set as one to reach, and again as reached."""
        assert self.experience is not None
        place = (row, tuple(candidates))
        if self._counted.get("place") != place:
            self._counted.clear()
            self._counted["place"] = place
        new = [one for one in sets if one not in self._counted]
        tests = [[candidates[at] for at in one] for one in new]
        counts = self.experience.seen_in(row, tests, self._sizes, self.model.prior)
        self._counted.update(zip(new, counts, strict=True))
        return [self._counted[one] for one in sets]

    @cached_property
    def _counted(self) -> dict[Any, Any]:
        """Of the last row and its candidates: set → counts."""
        return {}

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(each.values) for each in self.model.features)


def _corrected(said: Floats, seen: Floats) -> Floats:
    """Return probabilities, over the last axis, after cases that were seen."""
    result: Floats = (seen + STRENGTH * said) / (seen.sum(axis=-1, keepdims=True) + STRENGTH)
    return result
