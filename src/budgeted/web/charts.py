"""The charts of the study page as Vega-Lite dictionaries, like `budgeted.experiments.figures`.

Each takes rows of plain numbers and texts, so that the same chart can be drawn on the page, saved
as a file, or looked at in a test. They adapt to the width of the place where they are shown.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from budgeted.experiments.figures import COLOURS, Figure, at_budget, fan, frame, planned_errors
from budgeted.learners.base import Classifier
from budgeted.learners.predictor import share_intervals_of, shares_of
from budgeted.studies.status import Cell

_PREDICTED, _MEASURED = COLOURS[6], COLOURS[5]
_LABEL_COLOURS = (COLOURS[6], COLOURS[5], COLOURS[2], COLOURS[3], COLOURS[1], COLOURS[4])
_STEP = 22
_LINE = 60
MOST_FEATURES = 15
"""That a chart compares; one can search for the others."""
_TALLEST = 24 * MOST_FEATURES
"""Pixels of bars, so that a page stays short: with many, they are thinner."""
_FEW_POINTS = 40
"""So many can be told apart on a line."""


def error_against_money(
    rows: Sequence[Mapping[str, Any]], budget: float, forecast: Sequence[Mapping[str, Any]] = ()
) -> Figure:
    """Return error against money: expected with its interval, and measured where it is known."""
    last = float(forecast[-1]["money"]) if forecast else 0.0
    names = ["expected", "measured"] if any("measured" in row for row in rows) else ["expected"]
    data = [
        {"spent": row["spent"], "which": name, "error": row[key]}
        | {end: row[end] for end in ("low", "high") if key == "error" and end in row}
        for row in rows
        for name, key in zip(names, ("error", "measured"), strict=False)
    ]
    x = {
        "field": "spent",
        "type": "quantitative",
        "title": "money spent",
        "scale": {"domain": [0, max(budget, last, 1e-9)], "nice": False},
    }
    y = {"type": "quantitative", "title": "error on new cases", "axis": {"format": "%"}}
    colour = {
        "field": "which",
        "type": "nominal",
        "scale": {"domain": names, "range": [_PREDICTED, _MEASURED][: len(names)]},
        "legend": {"title": None, "orient": "top", "symbolType": "stroke"},
    }
    tips = [
        {"field": "spent", "type": "quantitative", "title": "spent"},
        {"field": "which", "type": "nominal", "title": "error"},
        {"field": "error", "type": "quantitative", "title": "wrong", "format": ".1%"},
    ]
    layers: list[Figure] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "area", "opacity": 0.15, "color": _PREDICTED},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2.5, "point": len(rows) < _FEW_POINTS},
            "encoding": {"x": x, "y": {**y, "field": "error"}, "color": colour, "tooltip": tips},
        },
    ]
    said = f"Error against money: {rows[-1]['error']:.1%} expected now." if rows else ""
    if forecast:
        layers += [at_budget(budget, x)] if last > budget else []
        layers += fan(forecast, x, y, _PREDICTED)
        end = next((row for row in forecast if row["money"] >= budget), forecast[-1])
        said += f" {end['error']:.1%} expected at the end of the budget."
    return _chart(data, said) | {"height": 220, "layer": layers}


def worth(cells: Sequence[Cell], search: str = "") -> Figure:
    """Return what one more value of each feature and label is worth, compared with the best."""
    cells, among = _top(cells, search, lambda cell: cell.worth or 0.0)
    rows = [
        {
            "feature": cell.feature,
            "label": cell.label,
            "worth": cell.worth,
            "cost": "" if cell.cost is None else str(cell.cost),
        }
        for cell in cells
    ]
    tips = [
        *_named("feature", "label", "cost"),
        {"field": "worth", "type": "quantitative", "title": "worth", "format": ".0%"},
    ]
    title = "worth for the money, compared with the best"
    said = f"Each feature: {title}." if not among else f"{among}: {title}."
    chart = _bars(rows, cells, "worth", title, tips, said) | _shown(among)
    chart["encoding"]["x"]["axis"] = {"format": ".0%"}
    return chart


def purchases(cells: Sequence[Cell], search: str = "") -> Figure:
    """Return how many values of each feature and label were bought."""
    total = sum(cell.bought for cell in cells)
    cells, among = _top(cells, search, lambda cell: cell.bought + cell.pending / 1e6)
    rows = [
        {"feature": cell.feature, "label": cell.label, "bought": cell.bought,
         "pending": cell.pending, "failed": cell.failed, "left": cell.left}
        for cell in cells
    ]  # fmt: skip
    tips = _named("feature", "label", "bought", "pending", "failed", "left")
    said = f"{total} values were bought." + (f" {among}." if among else "")
    chart = _bars(rows, cells, "bought", "values bought", tips, said) | _shown(among)
    chart["encoding"]["x"]["axis"] = {"tickMinStep": 1, "format": "d"}
    return chart


def belief_of(predictor: Classifier, feature: str) -> Figure:
    """Return the believed share of each value of a feature, per label, with 90 % intervals.

    A learner need not have such shares; then the chart says so.
    """
    problem = predictor.problem
    at = problem.feature_index(feature)
    values = list(problem.features[at].values)
    shares = shares_of(predictor, at)
    if shares is None:
        return in_words(
            f"The learner {predictor.learner!r} does not say how frequent the values of {feature} "
            "are among the cases of each label."
        )
    ends = share_intervals_of(predictor, at) or (shares, shares)
    tables = (shares.tolist(), *(each.tolist() for each in ends))
    rows = [
        {"label": label, "value": value, "share": share, "low": low, "high": high}
        for label, *each in zip(problem.labels, *tables, strict=True)
        for value, share, low, high in zip(values, *each, strict=True)
    ]
    labels = list(problem.labels)
    tips = [
        *_named("label", "value"),
        *({"field": name, "type": "quantitative", "title": title, "format": ".1%"}
          for name, title in (("share", "share"), ("low", "from"), ("high", "to"))),
    ]  # fmt: skip
    x = {
        "type": "quantitative",
        "title": f"share of cases with this {feature}",
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%", "tickCount": 5},
    }
    y = {"field": "value", "type": "nominal", "sort": values, "title": None}
    offset = {"field": "label", "sort": labels}
    colour = {"field": "label", "type": "nominal", "sort": labels, **_colours(labels)}
    shared = {"y": y, "yOffset": offset, "color": colour, "tooltip": tips}
    return _chart(rows, f"Belief about {feature}: share of each value per label.") | {
        "height": len(values) * (len(labels) * _bar(labels) + 10),
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.45},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **shared},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": {**x, "field": "share"}, **shared},
            },
        ],
    }


def planned(plan: Mapping[str, Any]) -> Figure:
    """Return the figure of a plan, as wide as its place; the page has the title."""
    figure = planned_errors(plan)
    del figure["title"]
    return figure | _chart(figure["data"]["values"], plan["words"])


def in_words(words: str) -> Figure:
    """Return a chart that says why there is nothing to be seen."""
    lines = textwrap.wrap(words, _LINE)
    return _chart([{"words": lines}], words) | {
        "height": _STEP * (len(lines) + 1),
        "mark": {"type": "text", "align": "left", "fontSize": 13, "lineHeight": _STEP},
        "encoding": {"text": {"field": "words", "type": "nominal"}, "x": {"value": 0}},
    }


def _top(
    cells: Sequence[Cell], search: str, key: Callable[[Cell], float]
) -> tuple[Sequence[Cell], str]:
    """Return the cells of few enough features, and how they were chosen; in words, if they were.

    They stay in the sequence of the study where all fit; else the best one comes first.
    """
    wanted = search.casefold()
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        if wanted in cell.feature.casefold():
            found.setdefault(cell.feature, []).append(cell)
    if len(found) <= MOST_FEATURES:
        number = len(found)
        among = f"{number} {'feature' if number == 1 else 'features'} with “{search}”"
        return [cell for each in found.values() for cell in each], among if wanted else ""
    best = sorted(found.values(), key=lambda each: -max(map(key, each)))[:MOST_FEATURES]
    among = f"The first {MOST_FEATURES} of {len(found)} features"
    return [cell for each in best for cell in each], among + (f" with “{search}”" if wanted else "")


def _shown(among: str) -> Figure:
    """What a page says below a chart that does not show all: part of it, but not drawn."""
    return {"usermeta": {"among": among}} if among else {}


def _bars(
    rows: Sequence[Mapping[str, Any]],
    cells: Sequence[Cell],
    field: str,
    title: str,
    tips: Sequence[Mapping[str, Any]],
    said: str,
) -> Figure:
    """Return a bar per feature and label, side by side."""
    features = list(dict.fromkeys(cell.feature for cell in cells))
    labels = list(dict.fromkeys(cell.label for cell in cells))
    return _chart(rows, said) | {
        "height": min(len(features) * (len(labels) * _bar(labels) + 10), _TALLEST),
        "mark": {"type": "bar", "cornerRadiusEnd": 2},
        "encoding": {
            "x": {"field": field, "type": "quantitative", "title": title},
            "y": {"field": "feature", "type": "nominal", "sort": features, "title": None},
            "yOffset": {"field": "label", "sort": labels},
            "color": {"field": "label", "type": "nominal", "sort": labels, **_colours(labels)},
            "tooltip": list(tips),
        },
    }


def _bar(labels: Sequence[str]) -> int:
    """How many pixels high a bar is: the more labels, the slimmer."""
    return max(9, _STEP - 3 * len(labels))


def _chart(rows: Sequence[Mapping[str, Any]], said: str) -> Figure:
    """Return the frame of a chart that is as wide as its place; the page has the title."""
    chart = frame("", "", rows)
    del chart["title"]
    return chart | {"width": "container", "description": said, "autosize": {"type": "fit-x",
                    "contains": "padding"}}  # fmt: skip


def _colours(labels: Sequence[str]) -> Figure:
    colours = [_LABEL_COLOURS[at % len(_LABEL_COLOURS)] for at in range(len(labels))]
    return {
        "scale": {"domain": list(labels), "range": colours},
        "legend": {"title": None, "orient": "top", "labelLimit": 220},
    }


def _named(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "title": field} for field in fields]
