"""What is believed in a situation: how probable each label is, and each value of the next test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.diagnosis.experience import AskedModel, Cases, Experience, Floats
from budgeted.diagnosis.programme import Tests
from budgeted.diagnosis.shrinkage import Shrinkage, learned_of, shrunk
from budgeted.errors import DiagnosisError

Positions = tuple[int, ...]
"""Of the value of each feature; -1 where it is not known."""
_TINY = 1e-12


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
        """Return P(label) in all situations in which these tests are known besides the row."""
        wanted = [(row, tuple(candidates[at] for at in one)) for one in sets]
        if self.learned is None:
            return self._said(wanted)
        if self._kept.get("place") != (place := (row, tuple(candidates))):
            self._kept.clear()
            self._kept["place"] = place
        new = [each for each in wanted if ("said", *each) not in self._kept]
        for each, table in zip(new, self._said(new), strict=True):
            self._kept["said", *each] = table
        return [self._believed(*each) for each in wanted]

    def values(
        self, row: Positions, candidates: Sequence[int], tests: Tests, test: int, chances: Floats
    ) -> Floats:
        """Return P(value) of one more candidate in all situations in which some are known."""
        said: Floats = chances @ self.shares[candidates[test]]
        if self.learned is None:
            return said
        known = [at for at, value in enumerate(row) if value >= 0]
        before = [candidates[at] for at in tests]
        after = (*before, candidates[test])
        lesson = self.learned.lesson((*known, *after))
        if np.isinf(lesson.strength):
            return said
        seen = lesson.seen.cases_like(self._rows(row, after)).sum(axis=-1)
        return shrunk(seen.reshape(said.shape), said, lesson.strength)

    @cached_property
    def learned(self) -> Shrinkage | None:
        """How much the cases that were seen count; None if there are none."""
        return None if self.experience is None else learned_of(self.model, self.experience)

    def _believed(self, row: Positions, tests: Tests) -> Floats:
        """P(label) in all situations in which these features are known besides the row."""
        found: Floats | None = self._kept.get(("believed", row, tests))
        if found is not None:
            return found
        assert self.learned is not None
        found = self._model_says(row, tests)
        known = [at for at, value in enumerate(row) if value >= 0]
        if known or tests:
            lesson = self.learned.lesson((*known, *tests))
            if lesson.without is not None:
                found = found * self._correction(row, tests, lesson.without)
                found = found / found.sum(axis=-1, keepdims=True)
            if not np.isinf(lesson.strength):
                seen = lesson.seen.cases_like(self._rows(row, tests)).reshape(found.shape)
                found = shrunk(seen, found, lesson.strength)
        self._kept["believed", row, tests] = found
        return found

    def _correction(self, row: Positions, tests: Tests, without: int) -> Floats:
        """What was learned without one of the features, beside what the model says without it."""
        if without not in tests:
            row = (*row[:without], -1, *row[without + 1 :])
            return self._believed(row, tests) / self._model_says(row, tests)
        axis = tests.index(without)
        rest = (*tests[:axis], *tests[axis + 1 :])
        return np.expand_dims(self._believed(row, rest) / self._model_says(row, rest), axis)

    def _model_says(self, row: Positions, tests: Tests) -> Floats:
        place = ("said", row, tests)
        if place not in self._kept:
            self._kept[place] = self._said([(row, tests)])[0]
        found: Floats = self._kept[place]
        return np.maximum(found, _TINY)

    def _said(self, wanted: Sequence[tuple[Positions, Tests]]) -> list[Floats]:
        """P(label) by the model alone; all that is wanted at once."""
        if not wanted:
            return []
        grids = [self._rows(*each) for each in wanted]
        found = self.model.probabilities(np.concatenate(grids))
        ends = np.cumsum([len(each) for each in grids])[:-1]
        return [
            part.reshape(*(self._sizes[at] for at in tests), -1)
            for part, (_, tests) in zip(np.split(found, ends), wanted, strict=True)
        ]

    def _rows(self, row: Positions, tests: Tests) -> Cases:
        """All situations in which these features are known besides a row, one after the other."""
        shape = tuple(self._sizes[at] for at in tests)
        rows = np.tile(np.array(row), (int(np.prod(shape)), 1))
        if tests:
            rows[:, list(tests)] = np.stack([each.ravel() for each in np.indices(shape)], axis=1)
        return rows

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        """What was computed for the last row and its candidates, which a programme asks again."""
        return {}

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(each.values) for each in self.model.features)
