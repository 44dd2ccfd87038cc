"""Figures as Vega-Lite dictionaries: one definition for PNG, SVG, PDF and HTML.

Curves of error, purchases by feature, fans of what is to come, and the critical-difference diagram:
Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006), drew that
with the Nemenyi test; here a bar joins policies of which no two differ by Wilcoxon's signed-rank
test, corrected by Holm's method, so that whether two are joined does not depend on all the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from budgeted.errors import FigureError
from budgeted.experiments.report import LEVEL, Ranking
from budgeted.experiments.runs import Runs
from budgeted.statistics import NORMAL_95
from budgeted.studies.forecast import Forecast

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
    """Return the figure of the paper: error against purchases, a line and a band per policy."""
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
    """Return the figure of a plan: error against money, a line per design; the first has a band."""
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
    """Return a heat map of how often each policy bought each feature."""
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


_INK = "#333333"


def forecast_figure(forecast: Forecast, title: str) -> Figure:
    """Return a forecast as a figure: error against money, from now to a fifth above the budget."""
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
    """Return the layers of what is to come: a band and a dashed line."""
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


_WIDTH, _ROW, _BAR, _ARM = 480, 22, 9, 0.12


def ranks_figure(ranking: Ranking, title: str = "") -> Figure:
    """Return the diagram of a ranking, the best policy on the left."""
    number = len(ranking.policies)
    low, high = 1.0, float(number)
    edge = _ARM * (high - low)
    left = (number + 1) // 2
    bars = _levels(ranking.groups)
    first = (max(bars, default=-1) + 1) * _BAR + _ROW  # below all bars
    rows: list[dict[str, Any]] = []
    for at, (policy, rank) in enumerate(zip(ranking.policies, ranking.ranks, strict=True)):
        on_left = at < left
        level = at if on_left else number - 1 - at
        rows.append({
            "policy": f"{policy}  {rank:.2f}" if on_left else f"{rank:.2f}  {policy}",
            "rank": rank, "side": "left" if on_left else "right",
            "end": low - edge if on_left else high + edge,
            "y": first + level * _ROW, "axis": 0,
        })  # fmt: skip
    groups = [
        {"from": ranking.ranks[group[0]] - edge / 12, "to": ranking.ranks[group[-1]] + edge / 12,
         "y": (level + 1) * _BAR}
        for group, level in zip(ranking.groups, bars, strict=True)
    ]  # fmt: skip
    height = first + (left - 1) * _ROW + _ROW // 2
    x = {
        "type": "quantitative",
        "scale": {"domain": [low - edge, high + edge], "nice": False},
        "axis": {"orient": "top", "values": list(range(1, number + 1)), "title": "mean rank",
                 "grid": False, "domain": False, "offset": 4, "format": "d"},
    }  # fmt: skip
    y = {"type": "quantitative", "scale": {"domain": [0, height], "reverse": True}, "axis": None}
    stems = {"x": {**x, "field": "rank"}, "y": {**y, "field": "axis"}, "y2": {"field": "y"}}
    arms = {"x": {**x, "field": "rank"}, "x2": {"field": "end"}, "y": {**y, "field": "y"}}
    span = {"x": {**x, "field": "from"}, "x2": {"field": "to"}, "y": {**y, "field": "y"}}
    thin = {"type": "rule", "color": "#333333", "strokeWidth": 1}
    layers: list[Figure] = [
        {
            "data": {"values": [{"from": low, "to": high, "y": 0}]},
            "mark": {"type": "rule", "color": "#000000", "strokeWidth": 1.5},
            "encoding": span,
        },
        {"mark": thin, "encoding": stems},
        {"mark": thin, "encoding": arms},
        *(_names(side, x, y) for side in ("left", "right")),
    ]
    if groups:
        thick = {"type": "rule", "color": "#000000", "strokeWidth": 5, "strokeCap": "round"}
        layers.append({"data": {"values": groups}, "mark": thick, "encoding": span})
    subtitle = (
        f"{len(ranking.tables)} tables; joined: no difference at {LEVEL:g} (Wilcoxon, Holm); "
        f"Friedman p = {ranking.friedman:.2g}"
    )
    named = title or f"Mean ranks by {ranking.measure}"
    return {**frame(named, subtitle, rows), "width": _WIDTH, "height": height, "layer": layers}


def _names(side: str, x: Figure, y: Figure) -> Figure:
    on_left = side == "left"
    return {
        "transform": [{"filter": {"field": "side", "equal": side}}],
        "mark": {"type": "text", "align": "right" if on_left else "left",
                 "dx": -4 if on_left else 4, "fontSize": 11, "baseline": "middle"},
        "encoding": {"x": {**x, "field": "end"}, "y": {**y, "field": "y"},
                     "text": {"field": "policy"}},
    }  # fmt: skip


def _levels(groups: Sequence[Sequence[int]]) -> list[int]:
    """Return on which level the bar of each group is drawn, so that none touches another.

    >>> _levels([(0, 1), (1, 2, 3), (4, 5)])
    [0, 1, 0]
    """
    ends: list[int] = []
    found = []
    for group in groups:
        level = next((at for at, end in enumerate(ends) if end < group[0]), len(ends))
        ends[level : level + 1] = [group[-1]]
        found.append(level)
    return found


_STEPS = 200


def curves_figure(
    title: str, results: Mapping[str, Runs], error: str = "0/1 error on validation cases"
) -> Figure:
    """Return error against purchases, or against money where costs differ."""
    first = next(iter(results.values()))
    costs = {cost for runs in results.values() for each in runs.runs for cost in each.cost}
    lines = {"complete training data": float(first.complete.mean())}
    if not first.runs[0].discriminative:
        lines["best single feature"] = float(first.single.mean())
    if len(costs) > 1:
        ends = {label: float(max(runs.spent_at_end)) for label, runs in results.items()}
        step = max(ends.values()) / _STEPS
        curves = {
            label: runs.curve_by_money(_amounts(step, ends[label]))
            for label, runs in results.items()
        }
        against = "spent"
    else:
        curves, against = {label: runs.curve() for label, runs in results.items()}, "purchases"
    return error_curves(
        curves,
        title=title,
        subtitle=f"{_mean(results)}, 95 % bands",
        lines=lines,
        against=against,
        error=error,
    )


def _amounts(step: float, end: float) -> list[float]:
    """Return the amounts at which a curve is drawn: no further than its policy has spent.

    >>> _amounts(5.0, 12.0)
    [5.0, 10.0, 12.0]
    """
    before = (step * number for number in range(1, _STEPS + 1))
    return [*(each for each in before if each < end), end]


def purchases_figure(title: str, results: Mapping[str, Runs]) -> Figure:
    """Return how often each policy bought each feature."""
    purchases = {
        label: dict(zip(runs.features, runs.purchases.mean(axis=0).tolist(), strict=True))
        for label, runs in results.items()
    }
    return purchases_per_feature(
        purchases, title=title, subtitle=f"purchases per feature, {_mean(results)}"
    )


def _mean(results: Mapping[str, Runs]) -> str:
    fewest, most = min(map(len, results.values())), max(map(len, results.values()))
    return f"mean of {most} runs" if fewest == most else f"mean of {fewest} to {most} runs"
