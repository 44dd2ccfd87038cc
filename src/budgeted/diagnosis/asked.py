"""What an active classifier asks of a model: names, probabilities, and how values are shared.

`budgeted.learners.model.Model` answers all of it. Nothing here knows learners, so that a model can
be asked for the next test itself (`Model.next_test`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted.problem import Feature

Floats = NDArray[np.float64]
Cases = NDArray[np.integer[Any]]
"""Positions of values, cases × features; -1 where one is unknown."""


class AskedModel(Protocol):
    """A classifier of cases that are known in part, by names and by positions."""

    @property
    def learner(self) -> str:
        """Name of the learner that made it."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What is told apart."""
        ...

    @property
    def prior(self) -> tuple[float, ...]:
        """The share of each label where the cases come from."""
        ...

    @property
    def features(self) -> tuple[Feature, ...]:
        """What it can know of a case."""
        ...

    def feature(self, name: object) -> Feature:
        """Return a feature, or raise an error that names the nearest one."""
        ...

    def value(self, feature: Feature, value: object, force: bool = False) -> int:
        """Return the position of a value, or raise an error that names the nearest one."""
        ...

    def positions(self, case: Mapping[str, Any], force: bool = False) -> list[int]:
        """Return the position of each value of a case, -1 where it is unknown."""
        ...

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        ...

    def shares(self, feature: Feature) -> Floats | None:
        """Return P(value | label) of a feature, labels × values; None if there are none."""
        ...
