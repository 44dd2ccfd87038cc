"""In which formats a classifier can be taken away: JSON, and what others add.

>>> [each.name for each in model_formats()][:1]
['json']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from budgeted.errors import ModelError, UnknownError
from budgeted.learners.model import Model


@dataclass(frozen=True)
class ModelFormat:
    """A way to write a classifier down.

    Attributes
    ----------
    name
        Of the format, and how names of such files end.
    title
        What it is, for people, in a few words.
    media_type
        What a server says that it is.
    write
        Returns the bytes of the file, or raises an error that says why there is none.
    """

    name: str
    title: str
    media_type: str
    write: Callable[[Model], bytes]


_FORMATS: dict[str, ModelFormat] = {}


def register_format(format: ModelFormat) -> ModelFormat:
    """Add a format; pages list it by itself."""
    if _FORMATS.get(format.name, format) != format:
        raise ModelError(f"there is a format {format.name!r} already; rename yours")
    _FORMATS[format.name] = format
    return format


def model_formats() -> tuple[ModelFormat, ...]:
    """Return all formats that there are, the usual one first."""
    return tuple(_FORMATS.values())


def model_format(name: str) -> ModelFormat:
    """Return a format by its name."""
    if name not in _FORMATS:
        raise UnknownError(f"there is no format {name!r}; there are {', '.join(_FORMATS)}")
    return _FORMATS[name]


register_format(
    ModelFormat(
        "json",
        "JSON, for any program",
        "application/json",
        lambda model: model.to_json().encode(),
    )
)
