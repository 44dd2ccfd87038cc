"""Where results come from: a fingerprint of the code that computed them, and what it ran under."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from budgeted import __version__
from budgeted.errors import RunnerError


@dataclass(frozen=True)
class Provenance:
    """What a run was computed with.

    >>> here = Provenance.here()
    >>> here.fingerprint == Provenance.here().fingerprint
    True
    >>> Provenance("c0de", "0.1.0", "3.11.7", "2.4.6", "1.17.0").differences(
    ...     Provenance("c0de", "0.1.0", "3.11.9", "1.26.4", "1.17.0"))
    ['NumPy 1.26.4 instead of 2.4.6']
    """

    code: str  # hash over the code of this package
    budgeted: str
    python: str
    numpy: str
    scipy: str
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, own: Mapping[str, str] | None = None) -> Provenance:
        """Return that of what this process computes, with modules that the user brought."""
        versions = platform.python_version(), version("numpy"), version("scipy")
        return cls(code(), __version__, *versions, own or {})

    @property
    def fingerprint(self) -> str:
        """A short name for all that decides.

        Of other people's versions the first two numbers take part: with such a release sums may be
        taken in another way (Python 3.12) and generators may draw other numbers, so that the same
        seed gives another world. Releases with repairs are not meant to do that.
        """
        versions = [_release(each) for each in (self.python, self.numpy, self.scipy)]
        text = json.dumps([self.code, versions, sorted(self.own.items())])
        return digest(text.encode())

    def differences(self, other: Provenance) -> list[str]:
        """Return in words what decided differently in the other one."""
        said = ["the code of budgeted was another"] if other.code != self.code else []
        said += [
            f"{name} was another"
            for name in sorted({*self.own, *other.own})
            if self.own.get(name) != other.own.get(name)
        ]
        return said + [
            f"{name} {two} instead of {one}"
            for name, one, two in (
                ("Python", self.python, other.python),
                ("NumPy", self.numpy, other.numpy),
                ("SciPy", self.scipy, other.scipy),
            )
            if _release(one) != _release(two)
        ]

    def document(self) -> dict[str, object]:
        """Return it as JSON has it, with its fingerprint."""
        return {"fingerprint": self.fingerprint, **asdict(self)}

    @classmethod
    def of(cls, document: Mapping[str, object]) -> Provenance:
        """Return what `document` gave."""
        known = {key: value for key, value in document.items() if key != "fingerprint"}
        return cls(**known)  # type: ignore[arg-type]


@cache
def code() -> str:
    """Return the hash over the code of this package, and over the tables that it has."""
    return package_hash("budgeted")


def package_hash(name: str) -> str:
    """Return a hash over the code of an installed package or module, wherever it is.

    >>> package_hash("budgeted") == package_hash("budgeted") != package_hash("json")
    True
    """
    spec = find_spec(name)
    folders = list(map(Path, (spec and spec.submodule_search_locations) or ()))
    if folders:
        files = [each for folder in folders for each in sorted(folder.rglob("*"))]
        found = [each for each in files if each.name.endswith((".py", ".csv.gz", ".toml"))]
    else:
        found = [Path(str(spec and spec.origin))]
    if not any(each.suffix == ".py" for each in found):
        raise RunnerError(
            f"{name}: its sources are not there, so that nobody can tell which code computes; "
            f"install it with its .py files"
        )
    return digest(b"".join(f"{each.name} {digest(each.read_bytes())}\n".encode() for each in found))


def digest(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:12]


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])
