"""Numbers that say where they come from and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Estimate(float):
    """A loss as a plain float, with the engine that gave it and its uncertainty.

    Attributes
    ----------
    engine
        ``spectral``, ``grid``, ``enumeration`` or ``particles``.
    standard_error
        Of the sampling; 0 for the deterministic engines.
    resolution
        Differences up to this size between two results of this engine mean nothing.
    """

    engine: str
    standard_error: float
    resolution: float

    def __new__(  # noqa: D102 - the class docstring documents it
        cls, value: float, engine: str, *, standard_error: float = 0.0, resolution: float = 0.0
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.engine = engine
        self.resolution = resolution
        self.standard_error = float(standard_error)
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[float, str], dict[str, float]]:
        uncertainty = {"standard_error": self.standard_error, "resolution": self.resolution}
        return (float(self), self.engine), uncertainty


@dataclass(frozen=True)
class CellEstimates:
    """Expected losses of many cells at once, features × labels; NaN where none was asked for.

    Of whole features, whose labels are bought together, there is one value per feature.

    Attributes
    ----------
    values
        The expected losses.
    engine
        Where they come from.
    resolution
        Differences up to this size are not told apart.
    standard_errors
        Of the sampling; 0 for the deterministic engines.
    """

    values: Floats
    engine: str
    resolution: float
    standard_errors: Floats | float = 0.0

    def best(self) -> NDArray[np.bool_]:
        """Return which cells cannot be told apart from the one with the least loss."""
        return self.values <= np.nanmin(self.values) + self.resolution
