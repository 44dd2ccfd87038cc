"""How good will it be when the rest of the money is spent, and what will it be spent on?"""

from __future__ import annotations

from budgeted.studies.forecast.bands import Point
from budgeted.studies.forecast.summary import LEAST, Forecast, forecast

__all__ = ["LEAST", "Forecast", "Point", "forecast"]
