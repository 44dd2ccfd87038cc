"""Charts of a study as files: SVG for documents, PNG for slides, drawn on the server."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from budgeted.errors import FigureError
from budgeted.experiments.figures import VEGA_LITE

FORMATS = {"svg": "image/svg+xml", "png": "image/png"}
"""What each is called, and what a server says that it is."""
_WIDTH = 640
_SCALE = 2


def can_draw() -> bool:
    """Tell whether figures can be drawn here."""
    return find_spec("vl_convert") is not None


def drawn(figure: dict[str, Any], kind: str) -> bytes:
    """Return a chart as the bytes of a file; it takes a moment, so not on the loop.

    Parameters
    ----------
    figure
        A Vega-Lite dictionary that is as wide as its place.
    kind
        One of `FORMATS`.
    """
    if not can_draw():
        raise FigureError("figures cannot be drawn on this server; tell whoever runs it")
    import vl_convert  # noqa: PLC0415 - all else works without

    fixed = {**figure, "width": _WIDTH}
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(fixed, vl_version=VEGA_LITE, scale=_SCALE))
    return str(vl_convert.vegalite_to_svg(fixed, vl_version=VEGA_LITE)).encode()
