"""The public names of the package, and the pages of the reference that are made of them.

Public is what a package lists in ``__all__``, and what its registries know: the names that people
need, and those that they write into files.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import budgeted
from budgeted.registry import Registry

APART = ("budgeted.cli", "budgeted.web", "budgeted.__main__")
"""What people use by its commands and pages, which have references of their own."""


@cache
def packages() -> tuple[str, ...]:
    """Return every module that lists public names, the whole package first.

    Examples
    --------
    >>> packages()[0], "budgeted.policies" in packages()
    ('budgeted', True)
    """
    found = ["budgeted"]
    for each in walk_packages(budgeted.__path__, "budgeted."):
        if not each.name.startswith(APART) and hasattr(import_module(each.name), "__all__"):
            found.append(each.name)
    return tuple(sorted(found))


def public_names(package: str) -> dict[str, Any]:
    """Return the objects that a package lists, by their names.

    Examples
    --------
    >>> public_names("budgeted")["Problem"].__name__
    'Problem'
    """
    module = import_module(package)
    return {name: getattr(module, name) for name in module.__all__ if not name.startswith("__")}


def home_of(package: str, name: str, thing: Any) -> str:
    """Return where an object is defined: it is documented under one name only.

    Examples
    --------
    >>> home_of("budgeted", "Problem", public_names("budgeted")["Problem"])
    'budgeted.problem.problem.Problem'
    >>> home_of("budgeted.policies", "POLICIES", public_names("budgeted.policies")["POLICIES"])
    'budgeted.policies.POLICIES'
    """
    if inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)):
        return f"{thing.__module__}.{thing.__qualname__}"
    return f"{_module_of(name, thing, package)}.{name}"


def _module_of(name: str, thing: Any, package: str) -> str:
    """Return the module that makes a constant: where its name is assigned, not imported."""
    for module in [
        sys.modules[each] for each in sorted(sys.modules) if each.startswith("budgeted")
    ]:
        if vars(module).get(name) is thing and name in _assigned(module.__name__):
            return module.__name__
    return package


@cache
def _assigned(module: str) -> set[str]:
    """Return the names that a module assigns at its top level."""
    targets: list[ast.expr] = []
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return {each.id for each in targets if isinstance(each, ast.Name)}


def documented() -> dict[str, dict[str, str]]:
    """Return the homes of the names of each package, each in the innermost one that lists it.

    Examples
    --------
    >>> documented()["budgeted.problem"]["Problem"]
    'budgeted.problem.problem.Problem'
    """
    pages: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for package in sorted(packages(), key=lambda each: (-each.count("."), each)):
        homes = {
            name: home_of(package, name, thing) for name, thing in public_names(package).items()
        }
        pages[package] = {name: home for name, home in homes.items()
                          if home not in seen and home.startswith("budgeted")}  # fmt: skip
        seen.update(homes.values())
        for name, home in _members(package):
            if home not in seen:
                pages[package][name] = home
                seen.add(home)
    return {package: pages[package] for package in packages()}


def _members(package: str) -> Iterator[tuple[str, str]]:
    """Yield what the registries of a package know and the package has itself."""
    for thing in public_names(package).values():
        if isinstance(thing, Registry):
            for name in thing:
                member = thing[name]
                made = member if inspect.isclass(member) or inspect.isfunction(member) else None
                if made is not None and made.__module__.startswith("budgeted."):
                    yield made.__qualname__, f"{made.__module__}.{made.__qualname__}"


def _words(package: str) -> str:
    """Return what a package says of itself, with its examples as blocks of code."""
    parts = (inspect.getdoc(import_module(package)) or "").split("\n\n")
    return "\n\n".join(f"```pycon\n{each}\n```" if each.startswith(">>> ") else each
                       for each in parts)  # fmt: skip


def reference_pages() -> dict[str, str]:
    """Return the Markdown of the reference: a page for each package, and one that lists them."""
    rows = []
    pages = {}
    for package, homes in documented().items():
        words = _words(package).split("\n\n")[0].replace("\n", " ")
        names = ", ".join(f"[`{name}`][{home}]" for name, home in homes.items())
        rows.append(f"| [`{package}`]({package}.md) | {words} | {names} |")
        blocks = "\n\n".join(f"::: {home}" for home in homes.values())
        pages[package] = f"# {package}\n\n{_words(package)}\n\n{blocks}\n"
    table = "\n".join(["| package | what it is | names |", "| --- | --- | --- |", *rows])
    return {"index": f"# Reference\n\n{_WORDS}\n\n{table}\n", **pages}


_WORDS = """What the package offers to Python, from the docstrings of its code. Examples run in the
tests. What stands directly in `budgeted` is all that most people need."""
