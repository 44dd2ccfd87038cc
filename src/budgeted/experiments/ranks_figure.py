"""The critical-difference diagram: mean ranks over tables on a line, equal policies joined.

Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006), drew it
with the Nemenyi test; here a bar joins policies of which no two differ by Wilcoxon's signed-rank
test, corrected by Holm's method, so that whether two are joined does not depend on all the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from budgeted.experiments.figures import Figure, frame
from budgeted.experiments.report import LEVEL, Ranking

_WIDTH, _ROW, _BAR, _ARM = 480, 22, 9, 0.12


def ranks_figure(ranking: Ranking, title: str = "") -> Figure:
    """Return the diagram of a ranking, the best policy on the left.

    Parameters
    ----------
    ranking
        Of at least two policies over at least two tables.
    title
        What it shows; the measure unless given.
    """
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
