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
    lower, upper
        Certified bounds of the true value for the deterministic engines; for particles the value
        plus and minus two standard errors, which is likely but not certain.
    standard_error
        Of the sampling; 0 for the deterministic engines.
    resolution
        Differences up to this size between two results of this engine mean nothing.
    """

    engine: str
    lower: float
    upper: float
    standard_error: float
    resolution: float

    def __new__(  # noqa: D102 - the class docstring documents it
        cls,
        value: float,
        engine: str,
        *,
        lower: float | None = None,
        upper: float | None = None,
        standard_error: float = 0.0,
        resolution: float = 0.0,
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.engine = engine
        self.resolution = resolution
        self.standard_error = float(standard_error)
        self.lower = max(0.0, value - 2 * self.standard_error) if lower is None else float(lower)
        self.upper = value + 2 * self.standard_error if upper is None else float(upper)
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[float, str], dict[str, float]]:
        uncertainty = {
            "lower": self.lower,
            "upper": self.upper,
            "standard_error": self.standard_error,
            "resolution": self.resolution,
        }
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
        Differences up to this size are not told apart: rounding, or the width of the bounds.
    standard_errors
        Of the sampling; 0 for the deterministic engines.
    lower, upper
        Certified bounds of each cell, where the engine has them.
    left_out
        By how much values may be off because some outcomes stand for all, at most; all are off
        alike, so that their order hardly suffers.
    """

    values: Floats
    engine: str
    resolution: float
    standard_errors: Floats | float = 0.0
    lower: Floats | None = None
    upper: Floats | None = None
    left_out: float = 0.0

    def best(self) -> NDArray[np.bool_]:
        """Return which cells cannot be told apart from the one with the least loss."""
        if self.lower is not None and self.upper is not None:
            return self.lower <= np.nanmin(self.upper)
        return self.values <= np.nanmin(self.values) + self.resolution
