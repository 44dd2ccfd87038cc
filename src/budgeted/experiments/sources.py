"""Files that a user brings to an experiment: a table, or modules with policies.

Whoever computes must have the very bytes that the experiment was read with. On the same machine
they are read from the file again; a worker elsewhere has been handed them (`hand_over`). Other
bytes under the same name are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from budgeted.errors import ExperimentError

_HANDED: dict[str, bytes] = {}
"""What this process was handed, by its hash."""


@dataclass(frozen=True)
class Source:
    """A file as it was when the experiment was read.

    Attributes
    ----------
    path
        Where it is on the machine of the user.
    sha256
        Of its content.
    """

    path: str
    sha256: str

    @classmethod
    def at(cls, path: Path, field: str) -> Source:
        """Return the file that is there now; `field` of the experiment names it."""
        try:
            return cls(str(path.absolute()), _sha256(path.read_bytes()))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ExperimentError([f"{field}: {path}: cannot be read: {reason}"]) from error

    @property
    def name(self) -> str:
        """Of the file, without its folder."""
        return Path(self.path).name

    def content(self) -> bytes:
        """Return the bytes, the same ones wherever this is asked."""
        if self.sha256 in _HANDED:
            return _HANDED[self.sha256]
        try:
            content = Path(self.path).read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ExperimentError([f"{self.path}: cannot be read: {reason}"]) from error
        if _sha256(content) != self.sha256:
            raise ExperimentError(
                [f"{self.path}: has changed since the experiment was read; start again"]
            )
        return content


def hand_over(contents: Mapping[str, bytes]) -> None:
    """Keep contents, by their hashes, for what is computed in this process."""
    _HANDED.update(contents)


def forget(hashes: Iterable[str]) -> None:
    """Keep them no longer."""
    for each in hashes:
        _HANDED.pop(each, None)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
