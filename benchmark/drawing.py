"""The figures of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmark.comparison import Comparison
from benchmark.promises import TOO_FEW
from benchmark.statistics import Verdict
from budgeted.comparison import curves_figure
from budgeted.figures import Figure, frame, save

CURVES = ("figure-3b", "figure-3a", "mushroom")
"""Problems whose curves are drawn, at the largest budget there are runs of."""
RIVALS = ("sfl", "round-robin")
SCALE = 1.1
"""Small files: they are kept with the code."""
_COLOURS = {"better": "#009E73", "level": "#999999", "worse": "#D55E00", TOO_FEW: "#DDDDDD"}


def shown(found: Mapping[str, Comparison]) -> list[tuple[str, str]]:
    """Return a title and a file name for each figure of curves."""
    return [(each.line.title, f"{problem}.png") for problem, each in _largest(found).items()]


def draw(found: Mapping[str, Comparison], folder: Path) -> None:
    """Draw what there are two runs or more of."""
    folder.mkdir(parents=True, exist_ok=True)
    for problem, each in _largest(found).items():
        truth = problem in ("figure-3a", "figure-3b")
        error = "true 0/1 error" if truth else "0/1 error on validation cases"
        figure = curves_figure(each.line.title, each.runs, error)
        save(figure, folder / f"{problem}.png", SCALE)
    if found:
        save(differences(list(found.values())), folder / "differences.png", SCALE)


def _largest(found: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Return for each problem whose curves are drawn its comparison at the largest budget."""
    there = {
        problem: [each for each in found.values() if each.line.topic == problem]
        for problem in CURVES
    }
    return {
        problem: max(each, key=lambda one: one.line.budget)
        for problem, each in there.items()
        if each
    }


def differences(compared: Sequence[Comparison]) -> Figure:
    """Return a dot for each problem and rival: the default's error minus the rival's."""
    rows = [_row(each, rival) for each in compared for rival in RIVALS]
    y = {"field": "line", "type": "nominal", "sort": None, "title": None}
    colour = {
        "field": "auto is",
        "type": "nominal",
        "scale": {"domain": list(_COLOURS), "range": list(_COLOURS.values())},
    }
    x = {"type": "quantitative", "title": "difference of the errors"}
    spec = {
        "width": 260,
        "height": {"step": 17},
        "layer": [
            {"mark": {"type": "rule", "color": "#333333"}, "encoding": {"x": {"datum": 0}}},
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {**x, "field": "low"},
                    "x2": {"field": "high"},
                    "y": y,
                    "color": colour,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {"x": {**x, "field": "mean"}, "y": y, "color": colour},
            },
        ],
    }
    facet = {"field": "rival", "type": "nominal", "title": None, "sort": None}
    return {
        **frame(
            "The default against two of the paper's policies",
            "error at the end, paired by world, 95 % intervals; left of zero the default is better",
            rows,
        ),
        "facet": {"column": facet},
        "spec": spec,
    }


def _row(compared: Comparison, rival: str) -> dict[str, str | float]:
    gap = compared.against(rival)
    return {
        "line": compared.line.name,
        "rival": f"auto minus {rival}",
        "mean": gap.value,
        "low": gap.value - 1.96 * gap.standard_error,
        "high": gap.value + 1.96 * gap.standard_error,
        "auto is": str(Verdict(gap)) if compared.enough else TOO_FEW,
    }
