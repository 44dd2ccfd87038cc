"""What a format is: bytes of a classifier, or a word on why there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from budgeted.errors import ModelError
from budgeted.learners.model import Model
from budgeted.registry import check_name


@dataclass(frozen=True)
class ModelFormat:
    """A way to write a classifier down.

    Attributes
    ----------
    name
        Of the format.
    title
        What it is, for people, in a few words.
    media_type
        What a server says that it is.
    write
        Returns the bytes of the file, or raises an error that says why there are none.
    ending
        How the names of such files end; the name of the format unless given.
    needs, extra
        A package that must be importable to write it, and the extra that brings it.
    of_formula
        Whether it writes the formula of a predictor, which not every learner's has; lists offer it
        for the others only.
    learners
        Lists offer it for models of these learners only; for all unless given.

    Examples
    --------
    >>> ModelFormat("text", "Words", "text/plain", lambda model: b"", needs="nowhere").missing
    "the format 'text' needs the package 'nowhere'"
    """

    name: str
    title: str
    media_type: str
    write: Callable[[Model], bytes]
    ending: str = ""
    needs: str = ""
    extra: str = ""
    of_formula: bool = False
    learners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.ending:
            object.__setattr__(self, "ending", self.name)

    @property
    def is_text(self) -> bool:
        """Whether people can read it, and a terminal can show it."""
        kind = self.media_type
        return kind.startswith("text/") or kind.endswith(("json", "xml", "sql"))

    @property
    def missing(self) -> str:
        """What must be installed first, in words; "" if it can be written here."""
        if not self.needs or find_spec(self.needs) is not None:
            return ""
        if not self.extra:
            return f"the format {self.name!r} needs the package {self.needs!r}"
        return (
            f"the format {self.name!r} needs the extra {self.extra!r}: pip install "
            f"'budgeted[{self.extra}]'"
        )

    def content(self, model: Model) -> bytes:
        """Return a classifier in this format, or raise an error that says why it cannot be."""
        if said := self.missing:
            raise ModelError(said)
        return self.write(model)


def check_format(format: ModelFormat) -> None:
    """Raise an error unless something can be a format."""
    if not isinstance(format, ModelFormat):
        raise ModelError(f"a format must be a budgeted.learners.formats.ModelFormat, got {format}")
    check_name(format.name, "format", ModelError)
