"""The figures of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from budgeted.experiments.figures import Figure, frame
from research.quality.zoo.plays import LOOKS
from research.quality.zoo.results import Looks

_PERCENT = {"format": ".0%"}


def on_the_way(curves: Mapping[str, Looks], majority: float) -> Figure:
    """Return mean errors against the share of the budget that is spent."""
    rows = [
        {"who": name, "spent": look, "error": float(looks.error[:, at].mean())}
        for name, looks in curves.items()
        for at, look in enumerate(LOOKS)
    ]
    names = list(curves)
    x = {"field": "spent", "type": "quantitative", "title": "spent of the budget", "axis": _PERCENT}
    y = {
        "field": "error",
        "type": "quantitative",
        "title": "mean error over the worlds",
        "scale": {"zero": False},
        "axis": _PERCENT,
    }
    colour = {"field": "who", "type": "nominal", "sort": names, "title": None}
    line = {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": colour}}
    rule = {
        "data": {"values": [{"error": majority}]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"y": {**y}},
    }
    title, said = (
        "Mean error over the confirmation worlds",
        "dashed: always the most frequent label",
    )
    return frame(title, said, rows) | {"width": 520, "height": 300, "layer": [line, rule]}


def predicted_and_true(looks: Looks, bins: int = 12) -> Figure:
    """Return the true errors against the expected ones, in groups of looks of the same size."""
    predicted, true = looks.predicted.ravel(), looks.error.ravel()
    rows: Sequence[Mapping[str, Any]] = [
        {
            "expected": float(predicted[part].mean()),
            "true": float(true[part].mean()),
            "low": float(np.quantile(true[part], 0.05)),
            "high": float(np.quantile(true[part], 0.95)),
            "said low": float(looks.low.ravel()[part].mean()),
            "said high": float(looks.high.ravel()[part].mean()),
        }
        for part in np.array_split(np.argsort(predicted, kind="stable"), bins)
    ]
    x = {"field": "expected", "type": "quantitative", "title": "expected error", "axis": _PERCENT}
    y = {"type": "quantitative", "title": "true error", "axis": _PERCENT}
    band = {
        "mark": {"type": "area", "opacity": 0.2, "color": "#0072B2"},
        "encoding": {"x": x, "y": {**y, "field": "said low"}, "y2": {"field": "said high"}},
    }
    bars = {
        "mark": {"type": "rule"},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 60, "color": "#D55E00", "opacity": 1},
        "encoding": {"x": x, "y": {**y, "field": "true"}},
    }
    ends = [{"expected": 0, "true": 0}, {"expected": 0.8, "true": 0.8}]
    line = {
        "data": {"values": ends},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": "#999999"},
        "encoding": {"x": x, "y": {**y, "field": "true"}},
    }
    title = "Expected and true error of the default"
    said = "dots: mean of a twelfth of all looks; lines: where nine tenths of them are; band: what was said"
    layers = [band, line, bars, dots]
    return frame(title, said, rows) | {"width": 520, "height": 300, "layer": layers}
