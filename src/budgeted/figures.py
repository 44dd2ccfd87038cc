"""Figures as Vega-Lite dictionaries: one definition for PNG, SVG, PDF and HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from budgeted.errors import BudgetedError

Figure = dict[str, Any]

VEGA_LITE = "6.4"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FORMATS = (".png", ".svg", ".pdf", ".html", ".json")

# Okabe and Ito's colours, told apart by colour-blind readers too; yellow is left out on white.
_COLOURS = ("#999999", "#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#D55E00", "#0072B2", "#000000")


def error_curves(
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    title: str,
    subtitle: str = "",
    complete: float | None = None,
) -> Figure:
    """Return the figure of the paper: error against purchases, a line and a 95 % band per policy.

    Parameters
    ----------
    curves
        Policy → points with ``purchases``, ``mean_error`` and ``standard_error``.
    title, subtitle
        What it shows.
    complete
        Error of the classifier trained on all the data, drawn as a dashed line.
    """
    rows = [
        {
            "policy": name,
            "purchases": point["purchases"],
            "error": point["mean_error"],
            "lower": point["mean_error"] - 1.96 * point["standard_error"],
            "upper": point["mean_error"] + 1.96 * point["standard_error"],
        }
        for name, points in curves.items()
        for point in points
    ]
    x = {"field": "purchases", "type": "quantitative", "title": "purchases"}
    y = {"type": "quantitative", "title": "0/1 error on validation cases", "scale": {"zero": False}}
    colour = {
        "field": "policy",
        "type": "nominal",
        "scale": {"domain": list(curves), "range": list(_COLOURS[: len(curves)])},
        "legend": {
            "title": None,
            "labelLimit": 300,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "symbolOpacity": 1,
        },
    }
    layers: list[Figure] = [
        {
            "mark": {"type": "area", "opacity": 0.13},
            "encoding": {
                "x": x,
                "y": {**y, "field": "lower"},
                "y2": {"field": "upper"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "error"}, "color": colour},
        },
    ]
    if complete is not None:
        line = {"values": [{"error": complete, "name": "complete training data"}]}
        place = {"y": {**y, "field": "error"}}
        layers.append(
            {
                "data": line,
                "mark": {"type": "rule", "strokeDash": [6, 4], "color": "#333333"},
                "encoding": place,
            }
        )
        layers.append(
            {
                "data": line,
                "mark": {"type": "text", "align": "left", "x": 4, "dy": -6, "color": "#333333"},
                "encoding": {**place, "text": {"field": "name"}},
            }
        )
    return {
        "$schema": _SCHEMA,
        "title": {"text": title, "subtitle": subtitle, "anchor": "start"},
        "width": 560,
        "height": 340,
        "background": "white",
        "data": {"values": rows},
        "layer": layers,
        "config": {"view": {"stroke": None}, "axis": {"gridOpacity": 0.4}},
    }


def check_format(path: str | Path) -> Path:
    """Return the path if a figure can be written there by its ending, else raise."""
    target = Path(path)
    if target.suffix not in FORMATS:
        raise BudgetedError(
            f"{target.name}: cannot write {target.suffix!r}; use {', '.join(FORMATS)}"
        )
    return target


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure; the ending of the name says how: .png, .svg, .pdf, .html or .json.

    All but .json (the Vega-Lite definition itself) need the extra ``figures``.
    """
    target = check_format(path)
    if target.suffix == ".json":
        target.write_text(json.dumps(figure, indent=1), encoding="utf-8")
        return target
    try:
        import vl_convert
    except ImportError:
        raise BudgetedError(
            f"{target.name}: drawing needs the extra 'figures': pip install 'budgeted[figures]'; "
            "or write the definition to a .json file"
        ) from None
    options: dict[str, Any] = {"vl_version": VEGA_LITE}
    if target.suffix == ".png":
        target.write_bytes(vl_convert.vegalite_to_png(figure, scale=2, **options))
    elif target.suffix == ".pdf":
        target.write_bytes(vl_convert.vegalite_to_pdf(figure, **options))
    elif target.suffix == ".svg":
        target.write_text(vl_convert.vegalite_to_svg(figure, **options), encoding="utf-8")
    else:
        page = vl_convert.vegalite_to_html(figure, bundle=True, **options)
        target.write_text(page, encoding="utf-8")
    return target
