"""A fan: what is to come, as a dashed line in the band that holds nine of ten possibilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from budgeted.experiments.figures import COLOURS, Figure, frame
from budgeted.studies.forecast import Forecast

_INK = "#333333"


def forecast_figure(forecast: Forecast, title: str) -> Figure:
    """Return a forecast as a figure: error against money, from now to a fifth above the budget.

    Parameters
    ----------
    forecast
        What is shown.
    title
        Such as the name of the study.
    """
    rows = fan_rows(forecast.to_plain()["points"])
    budget = float(forecast.end.money)
    x = {
        "field": "money",
        "type": "quantitative",
        "title": "money spent",
        "scale": {"nice": False, "zero": False},
    }
    y = {"type": "quantitative", "title": "error on new cases", "axis": {"format": "%"}}
    about = f"after event {forecast.events}, {forecast.runs} ways to go on; nine of ten in the band"
    layers = [at_budget(budget, x), *fan(rows, x, y, COLOURS[6])]
    return {**frame(title, about, rows), "width": 560, "height": 340, "layer": layers,
            "description": forecast.words()}  # fmt: skip


def fan_rows(points: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return the points of a forecast as a chart takes them.

    >>> fan_rows([{"money": "12.50", "error": 0.2, "low": 0.1, "high": 0.3}])
    [{'money': 12.5, 'error': 0.2, 'low': 0.1, 'high': 0.3}]
    """
    return [{**each, "money": float(each["money"])} for each in points]


def fan(
    rows: Sequence[Mapping[str, Any]], x: Mapping[str, Any], y: Mapping[str, Any], colour: str
) -> list[Figure]:
    """Return the layers of what is to come: a band and a dashed line.

    Parameters
    ----------
    rows
        With ``money``, ``error``, ``low`` and ``high``.
    x, y
        The axes of money and error.
    colour
        Of both.
    """
    data = {"values": [dict(row) for row in rows]}
    along = {**x, "field": "money"}
    tips = [
        {"field": "money", "type": "quantitative", "title": "spent"},
        *({"field": name, "type": "quantitative", "title": title, "format": ".1%"}
          for name, title in (("error", "expected then"), ("low", "from"), ("high", "to"))),
    ]  # fmt: skip
    return [
        {
            "data": data,
            "mark": {"type": "area", "opacity": 0.12, "color": colour},
            "encoding": {"x": along, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": data,
            "mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 2.5, "color": colour},
            "encoding": {"x": along, "y": {**y, "field": "error"}, "tooltip": tips},
        },
    ]


def at_budget(budget: float, x: Mapping[str, Any]) -> Figure:
    """Return a line where the budget ends, for what is beyond it."""
    return {
        "data": {"values": [{"money": budget, "words": "the budget"}]},
        "mark": {"type": "rule", "strokeDash": [2, 3], "color": _INK},
        "encoding": {
            "x": {**x, "field": "money"},
            "tooltip": [{"field": "words", "title": "here ends"}],
        },
    }
