"""The figures of the page: the paper's, with its axes.

The paper's pictures are not shown here; ours are drawn with what its text says of them: purchases
to the right, from 0 to the budget; 0/1 error upwards; the line of complete training data; a square
and a circle for depth 30 with a budget of 300 and of 50. The bands and the line of the best single
feature are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from budgeted.experiments.figures import Figure, error_curves
from budgeted.experiments.runs import Point
from research.paper.rules import (
    BR,
    DEPTH_10,
    DEPTH_30,
    DEPTH_30_BUDGET_50,
    DEPTH_80,
    DEPTH_100,
    GREEDY,
    RR,
    Results,
)
from research.pictures import save_small

_MARKED_EVERY = 25
_SAME, _CLOSE = 0.002, 0.03
"""Lines that are closer than this are drawn as one, or named in one place."""
_SHAPES = {"budget of 300": "square", "budget of 50": "circle"}


@dataclass(frozen=True)
class Drawing:
    """One figure."""

    name: str  # of the file
    title: str
    stem: str  # the experiment that it shows
    policies: tuple[str, ...] = ()  # its curves; all of the experiment unless given
    budget: int = 300  # purchases to the right
    marks: Mapping[str, str] = field(default_factory=dict)  # policy → the word for its mark


_SQUARE_AND_CIRCLE = {DEPTH_30: "budget of 300", DEPTH_30_BUDGET_50: "budget of 50"}
_FIGURE_4B = (RR, BR, DEPTH_30, DEPTH_80, DEPTH_30_BUDGET_50)

DRAWINGS = (
    Drawing("figure-3a", "Figure 3(a): uniform distributions", "figure-3a",
            (RR, BR, GREEDY, DEPTH_10)),
    Drawing("figure-3b", "Figure 3(b): nonuniform distributions", "figure-3b",
            (RR, BR, GREEDY, DEPTH_10)),
    Drawing("figure-4a", "Figure 4(a): mushroom, max depth equal to budget", "mushroom",
            (RR, BR, GREEDY, DEPTH_100), budget=100),
    Drawing("figure-4b", "Figure 4(b): mushroom, various max depths", "mushroom", _FIGURE_4B,
            marks=_SQUARE_AND_CIRCLE),
    Drawing("figure-4c", "Figure 4(c): nursery", "nursery"),
    Drawing("figure-4d", "Figure 4(d): votes", "votes",
            (RR, BR, GREEDY, "lookahead", "lookahead, budget 50")),
)  # fmt: skip


def figure(drawing: Drawing, results: Results) -> Figure:
    """Return a figure: the axes begin at 0, and go to the budget and to the highest error."""
    runs = results[drawing.stem]
    shown = {name: runs[name] for name in drawing.policies or runs}
    curves = {name: each.curve()[: drawing.budget] for name, each in shown.items()}
    first = next(iter(shown.values()))
    complete, single = float(first.complete.mean()), float(first.single.mean())
    made = error_curves(
        curves,
        title=drawing.title,
        subtitle=f"mean of {len(first)} runs, 95 % bands",
        lines={"complete training data": complete},
        against="purchases",
        error="0/1 error",
    )
    highest = max(point["mean_error"] for points in curves.values() for point in points)
    if abs(single - complete) > _SAME:
        made["layer"] += _single(single, complete)
    top = ceil(max(highest, single) * 20 + 0.5) / 20
    for layer in made["layer"]:
        layer["mark"] = {**layer["mark"], "clip": layer["mark"]["type"] != "text"}
        for axis, end in (("x", drawing.budget), ("y", top)):
            if axis in layer["encoding"] and "field" in layer["encoding"][axis]:
                layer["encoding"][axis] = {
                    **layer["encoding"][axis],
                    "scale": {"domain": [0, end], "nice": False},
                }
    if drawing.marks:
        made["layer"].append(_marks(drawing, curves))
    return made


def _single(error: float, complete: float) -> list[Figure]:
    """A dotted line for the best single feature, named at its right end, above a close other one."""
    place = {"y": {"datum": error, "type": "quantitative"}}
    named = max(error, complete) if abs(error - complete) < _CLOSE else error
    words = {"type": "text", "align": "right", "x": "width", "dx": -4, "dy": -6, "color": "#333333"}
    return [
        {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [2, 3], "color": "#333333"},
         "encoding": place},
        {"data": {"values": [{}]}, "mark": words,
         "encoding": {"y": {"datum": named, "type": "quantitative"},
                      "text": {"value": "best single feature (dotted)"}}},
    ]  # fmt: skip


def _marks(drawing: Drawing, curves: Mapping[str, list[Point]]) -> Figure:
    points = [
        {"x": point["purchases"], "error": point["mean_error"], "mark": words}
        for name, words in drawing.marks.items()
        for point in curves[name]
        if point["purchases"] % _MARKED_EVERY == 0
    ]
    words = list(drawing.marks.values())
    shape = {"field": "mark", "type": "nominal", "legend": {"title": None},
             "scale": {"domain": words, "range": [_SHAPES[each] for each in words]}}  # fmt: skip
    place = {"x": {"field": "x", "type": "quantitative"},
             "y": {"field": "error", "type": "quantitative"}}  # fmt: skip
    mark = {"type": "point", "filled": False, "color": "#222222", "size": 55}
    return {"data": {"values": points}, "mark": mark, "encoding": {**place, "shape": shape}}


def draw(made: Figure, folder: Path, name: str) -> None:
    """Write a figure into a folder; a function of its own, so that a worker can be sent it."""
    save_small(made, folder / f"{name}.svg")
