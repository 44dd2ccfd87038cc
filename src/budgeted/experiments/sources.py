"""Files that a user brings to an experiment: a table, or modules with policies.

Whoever computes must have the very bytes that the experiment was read with. On the same machine
they are read from the file again; a worker elsewhere has been handed them (`hand_over`). Other
bytes under the same name are refused.

A policy in a module is a dataclass with a ``name`` and ``choose(state, rng)``, as those of this
package are; see `budgeted.policies.base.Policy`. The files are loaded in their order, and one can
import those before it by name. Nothing is registered: another experiment does not know them.
"""

from __future__ import annotations

import hashlib
import sys
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.abc import SourceLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from threading import Lock
from traceback import extract_tb
from types import ModuleType
from typing import cast

from budgeted.errors import ExperimentError, PolicyError
from budgeted.policies import POLICIES, Policy
from budgeted.registry import check_dataclass, check_name

_HANDED: dict[str, bytes] = {}
"""What this process was handed, by its hash."""


@dataclass(frozen=True)
class Source:
    """A file as it was when the experiment was read."""

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


_ONE_AT_A_TIME = Lock()
"""Workers may have several threads, and what is imported is the same for all of them."""


def kinds(modules: tuple[Source, ...]) -> Mapping[str, type[Policy]]:
    """Return the policies of this package and those in the modules, by name."""
    if not modules:
        return POLICIES
    with _ONE_AT_A_TIME:
        return ChainMap(_loaded(modules), POLICIES)  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def _loaded(modules: tuple[Source, ...]) -> dict[str, type[Policy]]:
    found: dict[str, type[Policy]] = {}
    with _importable(modules):
        for source in modules:
            for kind in _policies_in(_module(source), source):
                if kind.name in POLICIES or kind.name in found:
                    raise ExperimentError(
                        [f"{source.path}: there is a policy {kind.name!r} already; rename yours"]
                    )
                found[kind.name] = kind
    if not found:
        listed = ", ".join(each.name for each in modules)
        raise ExperimentError(
            [f"modules: no policy in {listed}; a policy is a dataclass with a name and "
             "choose(state, rng)"]
        )  # fmt: skip
    return found


@contextmanager
def _importable(modules: tuple[Source, ...]) -> Iterator[None]:
    """Refuse names that mean something else, and leave no trace when the loading is over."""
    names = [Path(each.path).stem for each in modules]
    before = {name: sys.modules.get(name) for name in names}
    for name, source in zip(names, modules, strict=True):
        taken = name in sys.stdlib_module_names or names.count(name) > 1
        there = getattr(before[name], "__file__", None) if before[name] else source.path
        if taken or not there or Path(there).resolve() != Path(source.path).resolve():
            raise ExperimentError(
                [f"{source.path}: {name!r} is the name of another module; rename the file"]
            )
    try:
        yield
    finally:
        for name, module in before.items():
            if module is not None:
                sys.modules[name] = module
            else:
                sys.modules.pop(name, None)


class _Loader(SourceLoader):
    """Imports the very bytes that the experiment was read with, wherever the file is by now."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def get_filename(self, fullname: str) -> str:
        """Return where the user has it; tracebacks name it."""
        return self._source.path

    def get_data(self, path: str | bytes) -> bytes:
        """Return the source text."""
        return self._source.content()


def _module(source: Source) -> ModuleType:
    loader = _Loader(source)
    spec = spec_from_loader(Path(source.path).stem, loader, origin=source.path)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        loader.exec_module(module)
    except ExperimentError:
        raise
    except Exception as error:
        raise ExperimentError([f"{source.path}: {what_happened(error, (source,))}"]) from error
    return module


def _policies_in(module: ModuleType, source: Source) -> Iterator[type[Policy]]:
    for each in vars(module).values():
        own = isinstance(each, type) and each.__module__ == module.__name__
        if own and isinstance(getattr(each, "name", None), str) and callable(
            getattr(each, "choose", None)
        ):  # fmt: skip
            try:
                check_name(each.name, "policy", PolicyError)
                check_dataclass(each, "policy", "choose(state, rng)", PolicyError)
            except PolicyError as error:
                raise ExperimentError([f"{source.path}: {error}"]) from None
            yield cast(type[Policy], each)


def what_happened(error: Exception, modules: tuple[Source, ...]) -> str:
    """Return an error in words, with the line of the user's module that it comes from."""
    ours = {each.path: each.name for each in modules}
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename in ours]
    lines = [f"{ours[frame.filename]}, line {frame.lineno}" for frame in frames]
    where = f" ({lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {error}{where}"
