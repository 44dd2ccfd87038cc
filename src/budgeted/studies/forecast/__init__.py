"""How good will it be when the rest of the money is spent, and what will it be spent on?"""

from __future__ import annotations

from budgeted.studies.forecast.kept import Head, code, kept_forecast, read_head
from budgeted.studies.forecast.runs import Point
from budgeted.studies.forecast.summary import LEAST, MOST, SECONDS, Forecast, forecast

__all__ = [
    "LEAST",
    "MOST",
    "SECONDS",
    "Forecast",
    "Head",
    "Point",
    "code",
    "forecast",
    "kept_forecast",
    "read_head",
]
