"""Figures for pages that are kept in the repository: SVG, and small.

python -m research.pictures FILE.svg makes one small that a command drew.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.experiments.figures import Figure, save

MOST_POINTS = 75
"""Of one curve: close together at its beginning, where it bends, further apart towards its end."""


_STATED_FOR_NOBODY = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"'  # of a picture, nothing is pointed at
    r'| (?:opacity|stroke-width)="1"|<path d="M0,0h0v0h0Z"/>|<g></g>'  # as without it
)


def save_small(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG with no more digits, points and descriptions than a page can show.

    Descriptions of single marks go, because a picture on a page is described as a whole.
    """
    return slim(save(thinned(figure), path))


def slim(written: Path) -> Path:
    """Take out of an SVG what nobody sees on a page: many digits, descriptions of single marks."""
    text = _STATED_FOR_NOBODY.sub("", written.read_text(encoding="utf-8"))
    text = re.sub(r'(?<= d=")[^"]*', _rounded, text)
    written.write_text(text, encoding="utf-8")
    return written


def _rounded(path: re.Match[str]) -> str:
    """Return a path with coordinates to a tenth of a unit."""
    return re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", path[0])


def thinned(figure: Figure) -> Figure:
    """Return a figure of curves with at most `MOST_POINTS` each, the first and the last included.

    >>> rows = [{"policy": "a", "x": x} for x in range(300)]
    >>> kept = thinned({"data": {"values": rows}})["data"]["values"]
    >>> len(kept), kept[0]["x"], kept[-1]["x"]
    (74, 0, 299)
    """
    curves: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in figure["data"]["values"]:
        curves[row["policy"]].append(row)
    along = np.linspace(0, 1, MOST_POINTS) ** 1.5
    kept = [
        rows[at]
        for rows in curves.values()
        for at in np.unique((along * (len(rows) - 1)).round().astype(int)).tolist()
    ]
    return {**figure, "data": {"values": kept}}


if __name__ == "__main__":
    for each in sys.argv[1:]:
        slim(Path(each))
