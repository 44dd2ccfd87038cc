"""Where results come from: a fingerprint of the code that decided, and the versions under it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from budgeted import __version__
from budgeted.provenance.deciding_code import digest, parts


@dataclass(frozen=True)
class Provenance:
    """What a run was computed with.

    Attributes
    ----------
    code
        Hash over the modules of this package that decide.
    budgeted, python, numpy
        Versions.
    own
        File name of each module that the user brought → hash over its code.

    Examples
    --------
    >>> here = Provenance.here()
    >>> here.fingerprint == Provenance.here().fingerprint
    True
    >>> Provenance("c0de", "0.1.0", "3.11.7", "2.4.6").differences(
    ...     Provenance("c0de", "0.1.0", "3.11.9", "1.26.4"))
    ['NumPy 1.26.4 instead of 2.4.6']
    """

    code: str
    budgeted: str
    python: str
    numpy: str
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, own: Mapping[str, str] | None = None) -> Provenance:
        """Return that of what this process computes, with modules that the user brought."""
        return cls(code(), __version__, platform.python_version(), np.__version__, own or {})

    @property
    def fingerprint(self) -> str:
        """A short name for all that decides.

        Of Python and NumPy the first two numbers of the version take part: with such a release
        sums may be taken in another way (Python 3.12) and generators may draw other numbers, so
        that the same seed gives another world. Releases with repairs are not meant to do that.
        """
        versions = [_release(self.python), _release(self.numpy)]
        text = json.dumps([self.code, versions, sorted(self.own.items())])
        return digest(text.encode())

    def differences(self, other: Provenance, changed: Sequence[str] = ()) -> list[str]:
        """Return in words what decided differently in the other one.

        `changed` are the parts of this package that are known to have been others.
        """
        said = []
        if other.code != self.code and not changed:
            said.append("the code of budgeted was another")
        elif changed:
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            said.append(f"{', '.join(changed[:3])}{more} changed")
        for name in sorted({*self.own, *other.own}):
            if self.own.get(name) != other.own.get(name):
                said.append(f"{name} was another")
        for name, one, two in (
            ("Python", self.python, other.python),
            ("NumPy", self.numpy, other.numpy),
        ):
            if _release(one) != _release(two):
                said.append(f"{name} {two} instead of {one}")
        return said

    def document(self) -> dict[str, object]:
        """Return it as JSON has it, with its fingerprint."""
        return {"fingerprint": self.fingerprint, **asdict(self)}

    @classmethod
    def of(cls, document: Mapping[str, object]) -> Provenance:
        """Return what `document` gave."""
        known = {key: value for key, value in document.items() if key != "fingerprint"}
        return cls(**known)  # type: ignore[arg-type]


def code() -> str:
    """Return the hash over the code of this package that decides."""
    return digest(json.dumps(sorted(parts().items())).encode())


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])
