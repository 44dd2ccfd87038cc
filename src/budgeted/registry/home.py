"""The members that this package has itself: one file each, in a folder that is their home."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType


def members_of(home: str, like: type | None = None) -> Iterator[tuple[str, object]]:
    """Yield every member in the modules of a folder, and the errors of those that do not load.

    Parameters
    ----------
    home
        The package; its modules are looked at in the alphabetical sequence of their names.
    like
        What members are objects of; unless given, they are the classes of a module that have a
        ``name``.

    Yields
    ------
    tuple
        The name of the module, and a member of it, or the exception that importing it raised.

    Examples
    --------
    >>> [each.name for _, each in members_of("budgeted.problem.prices")][-1]
    'tariff'
    """
    folder = import_module(home)
    for found in sorted(pkgutil.iter_modules(folder.__path__), key=lambda each: each.name):
        name = f"{home}.{found.name}"
        if found.name.startswith("_"):
            continue
        try:
            module = import_module(name)
        except Exception as error:
            yield name, error
            continue
        for each in _members(module, like):
            yield name, each


def _members(module: ModuleType, like: type | None) -> Iterator[object]:
    for name, each in vars(module).items():
        if name.startswith("_"):
            continue
        if like is not None:
            if isinstance(each, like):
                yield each
        elif isinstance(each, type) and each.__module__ == module.__name__ and _is_named(each):
            yield each


def _is_named(kind: type) -> bool:
    """Whether a class has a name of its own; one that only others are made of has none."""
    return isinstance(vars(kind).get("name"), str)
