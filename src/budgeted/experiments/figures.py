"""Figures as Vega-Lite dictionaries: one definition for PNG, SVG, PDF and HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from budgeted.errors import FigureError
from budgeted.statistics import NORMAL_95

Figure = dict[str, Any]

VEGA_LITE = "6.4"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FORMATS = (".png", ".svg", ".pdf", ".html", ".json")

# Okabe and Ito's colours, told apart by colour-blind readers too; yellow is left out on white.
COLOURS = ("#999999", "#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#D55E00", "#0072B2", "#000000")


def _colours(number: int) -> list[str]:
    """Black is for reference lines, and for a curve only where the others do not suffice.

    >>> _colours(2), _colours(8)[-1]
    (['#D55E00', '#0072B2'], '#000000')
    """
    rest = COLOURS[:-1]
    return list(rest[len(rest) - number :] if number <= len(rest) else COLOURS)


def error_curves(
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    title: str,
    subtitle: str = "",
    lines: Mapping[str, float] | None = None,
    against: str = "purchases",
    error: str = "0/1 error on validation cases",
) -> Figure:
    """Return the figure of the paper: error against purchases, a line and a 95 % band per policy.

    Parameters
    ----------
    curves
        Policy → points with ``purchases``, ``spent``, ``mean_error`` and ``standard_error``.
    title, subtitle
        What it shows.
    lines
        Name → error, each drawn as a dashed line: complete training data, best single feature.
    against
        ``purchases``, or ``spent`` where costs differ.
    error
        What is written at the axis of the errors.
    """
    rows = [
        {
            "policy": name,
            "x": point[against],
            "error": point["mean_error"],
            # Of a single run no band is known.
            "lower": point["mean_error"] - NORMAL_95 * (point["standard_error"] or 0),
            "upper": point["mean_error"] + NORMAL_95 * (point["standard_error"] or 0),
        }
        for name, points in curves.items()
        for point in points
    ]
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "money spent" if against == "spent" else against,
        "scale": {"nice": False},
        "axis": {"tickMinStep": 1},
    }
    y = {"type": "quantitative", "title": error, "scale": {"zero": False}}
    colour = {
        "field": "policy",
        "type": "nominal",
        "scale": {"domain": list(curves), "range": _colours(len(curves))},
        "legend": {
            "title": None,
            "labelLimit": 300,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "symbolOpacity": 1,
        },
    }
    band = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}, "color": colour}
    layers: list[Figure] = [
        {"mark": {"type": "area", "opacity": 0.13}, "encoding": band},
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "error"}, "color": colour},
        },
        *_named_lines(lines or {}, y),
    ]
    return {**frame(title, subtitle, rows), "width": 560, "height": 340, "layer": layers}


def _named_lines(lines: Mapping[str, float], y: Mapping[str, Any]) -> list[Figure]:
    if not lines:
        return []
    data = {"values": [{"name": name, "error": error} for name, error in lines.items()]}
    place = {"y": {**y, "field": "error"}}
    dashed = {"type": "rule", "strokeDash": [6, 4], "color": "#333333"}
    words = {"type": "text", "align": "left", "x": 4, "dy": -6, "color": "#333333"}
    return [
        {"data": data, "mark": dashed, "encoding": place},
        {"data": data, "mark": words, "encoding": {**place, "text": {"field": "name"}}},
    ]


def planned_errors(plan: Mapping[str, Any]) -> Figure:
    """Return the figure of a plan: error against money, a line per design; the first has a band.

    Parameters
    ----------
    plan
        As `budgeted.studies.planning.Plan.to_plain` gives it.
    """
    names = [curve["name"] for curve in plan["curves"]]
    rows = [
        {"design": name, **point, "money": float(point["money"])}
        for name, curve in zip(names, plan["curves"], strict=True)
        for point in curve["points"]
    ]
    x = {"field": "money", "type": "quantitative", "title": "money", "scale": {"nice": False}}
    y = {"type": "quantitative", "title": "expected error", "axis": {"format": "%"}}
    colour = {
        "field": "design",
        "type": "nominal",
        "scale": {"domain": names, "range": _colours(len(names))},
        "legend": {"title": None, "labelLimit": 300, "orient": "bottom", "columns": 1,
                   "symbolType": "stroke", "symbolStrokeWidth": 3, "symbolOpacity": 1},
    }  # fmt: skip
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}
    target = plan["target"]
    lines = {} if target is None else {f"target {target['error']:.1%}": target["error"]}
    layers: list[Figure] = [
        {
            "transform": [{"filter": {"field": "design", "equal": names[0]}}],
            "mark": {"type": "area", "opacity": 0.13},
            "encoding": band,
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "error"}, "color": colour},
        },
        *_named_lines(lines, y),
        {
            "data": {"values": [{"money": float(plan["budget"]), "name": "budget"}]},
            "mark": {"type": "rule", "strokeDash": [2, 3], "color": "#333333"},
            "encoding": {"x": x},
        },
    ]
    subtitle = (
        f"{plan['runs']} worlds, possible by: {plan['source']}; the band holds nine of ten of "
        f"{names[0]!r}"
    )
    return {
        **frame("What to expect for how much money", subtitle, rows),
        "width": 560,
        "height": 340,
        "layer": layers,
    }


def purchases_per_feature(
    purchases: Mapping[str, Mapping[str, float]], *, title: str, subtitle: str = ""
) -> Figure:
    """Return a heat map of how often each policy bought each feature.

    Parameters
    ----------
    purchases
        Policy → feature → mean number of purchases.
    title, subtitle
        What it shows.
    """
    rows = [
        {"policy": policy, "feature": feature, "purchases": number}
        for policy, bought in purchases.items()
        for feature, number in bought.items()
    ]
    features = list(next(iter(purchases.values())))
    encoding = {
        "x": {"field": "feature", "type": "nominal", "sort": features, "title": None},
        "y": {"field": "policy", "type": "nominal", "sort": list(purchases), "title": None},
    }
    most = max(max(bought.values()) for bought in purchases.values())
    colour = {
        "field": "purchases",
        "type": "quantitative",
        "scale": {"scheme": "blues", "domainMin": 0},
        "title": "purchases",
    }
    dark = {"test": f"datum.purchases > {0.6 * most:g}", "value": "white"}
    ink = {"condition": dark, "value": "black"}
    number = {"field": "purchases", "type": "quantitative", "format": ".0f"}
    return {
        **frame(title, subtitle, rows),
        "width": {"step": 30},
        "height": {"step": 26},
        "encoding": {
            **encoding,
            "x": {**encoding["x"], "axis": {"labelAngle": -45, "labelLimit": 200}},
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {"text": number, "color": ink},
            },
        ],
    }


def frame(title: str, subtitle: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return what all figures share: title, data, and a quiet look."""
    return {
        "$schema": _SCHEMA,
        "title": {"text": title, "subtitle": subtitle, "anchor": "start"},
        "background": "white",
        # An SVG is laid out before it is known which font there will be: a legend may be wider.
        "padding": {"left": 5, "top": 5, "right": 45, "bottom": 5},
        "data": {"values": list(rows)},
        "config": {
            "view": {"stroke": None},
            "axis": {"gridOpacity": 0.4, "labelLimit": 240},
        },
    }


def check_target(path: str | Path) -> Path:
    """Return the path if a figure can be written there, else raise: to ask before long runs."""
    target = Path(path)
    if target.suffix not in FORMATS:
        raise FigureError(
            f"{target.name}: cannot write {target.suffix!r}; use {', '.join(FORMATS)}"
        )
    if not target.parent.is_dir():
        raise FigureError(f"{target}: there is no folder {target.parent}; make it first")
    if target.suffix != ".json" and find_spec("vl_convert") is None:
        raise FigureError(
            f"{target.name}: drawing needs the extra 'figures': pip install 'budgeted[figures]'; "
            "or write the definition to a .json file"
        )
    return target


def save(figure: Figure, path: str | Path, scale: float = 2) -> Path:
    """Write a figure; the ending of the name says how: .png, .svg, .pdf, .html or .json.

    All but .json (the Vega-Lite definition itself) need the extra ``figures``. `scale` is how many
    pixels of a PNG there are to a unit of the definition.
    """
    target = check_target(path)
    if target.suffix == ".json":
        target.write_text(json.dumps(figure, indent=1), encoding="utf-8")
        return target
    import vl_convert

    options: dict[str, Any] = {"vl_version": VEGA_LITE}
    if target.suffix == ".png":
        target.write_bytes(vl_convert.vegalite_to_png(figure, scale=scale, **options))
    elif target.suffix == ".pdf":
        target.write_bytes(vl_convert.vegalite_to_pdf(figure, **options))
    elif target.suffix == ".svg":
        target.write_text(vl_convert.vegalite_to_svg(figure, **options), encoding="utf-8")
    else:
        page = vl_convert.vegalite_to_html(figure, bundle=True, **options)
        target.write_text(page, encoding="utf-8")
    return target
