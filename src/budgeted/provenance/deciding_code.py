"""Which code decides the numbers of a run, and a hash for each part of it.

Which modules decide is not listed by hand, where one could be forgotten, but read from the imports:
those that playing a run needs, whatever they import, and all their neighbours in the same folder,
except in the folders that the playing itself is in: a figure beside it changes no number.
The data files beside them, such as the tables, count too. Comments, docstrings and formatting do
not: only code can change a number.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from budgeted.errors import RunnerError

PLAYS_A_RUN = "budgeted.experiments.spec"
"""The module from which the imports are followed."""
_NO_DATA = (".py", ".pyc", ".pyi", ".md", ".typed")
_ONE_AT_A_TIME = Lock()
"""Workers may have several threads, and Python 3.11 must not parse in two of them at once."""


def parts() -> Mapping[str, str]:
    """Return a hash for each part of this package that decides, by its name."""
    with _ONE_AT_A_TIME:
        return _parts()


@cache
def _parts() -> Mapping[str, str]:
    return parts_that_decide(files("budgeted"))


def parts_that_decide(package: Traversable) -> dict[str, str]:
    """Return a hash for each module and data file that decides, by its name.

    Parameters
    ----------
    package
        The folder of the package: installed, in a checkout or in an archive.

    Examples
    --------
    >>> parts = parts_that_decide(files("budgeted"))
    >>> "budgeted.policies.greedy" in parts, "budgeted.web.app" in parts
    (True, False)
    """
    found: dict[str, str] = {}
    todo = [PLAYS_A_RUN]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        file, folder = _locate(package, name)
        if file is None:
            continue  # a name inside a module, or somebody else's module
        tree = _parsed(file.read_bytes(), name)
        found[name] = _hash_of(tree)
        parent = name.rpartition(".")[0]
        todo += [parent, *_imports(tree, name if folder else parent)]
        if folder is not None:
            found |= {f"{name}/{at}": digest(each.read_bytes()) for at, each in _data(folder)}
            if not PLAYS_A_RUN.startswith(f"{name}."):
                todo += [f"{name}.{each}" for each in _modules(folder)]
    if PLAYS_A_RUN not in found:
        raise RunnerError(
            f"{package}: the sources of budgeted are not there, so that nobody can tell which code "
            "computes; install it with its .py files"
        )
    return found


def code_hash(source: bytes, name: str) -> str:
    """Return a hash over what a module does; comments, docstrings and formatting do not count.

    >>> code_hash(b"x = 1  # one", "a.py") == code_hash(b"x   =   1", "a.py")
    True
    >>> code_hash(b"x = 1", "a.py") == code_hash(b"x = 2", "a.py")
    False
    """
    with _ONE_AT_A_TIME:
        return _hash_of(_parsed(source, name))


def package_hash(name: str) -> str:
    """Return a hash over the code of an installed package or module, wherever it is.

    >>> package_hash("budgeted") == package_hash("budgeted") != package_hash("json")
    True
    """
    spec = find_spec(name)
    if spec is None or not (spec.submodule_search_locations or (spec.origin or "").endswith(".py")):
        raise RunnerError(
            f"{name}: its sources are not there, so that nobody can tell which code computes"
        )
    folders = [Path(each) for each in spec.submodule_search_locations or ()]
    files_of = [(path.relative_to(folder).as_posix(), path) for folder in folders
                for path in sorted(folder.rglob("*.py"))]  # fmt: skip
    if not folders:
        files_of = [(name, Path(str(spec.origin)))]
    rows = [(each, code_hash(path.read_bytes(), str(path))) for each, path in files_of]
    return digest(json.dumps(rows).encode())


def _parsed(source: bytes, name: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise RunnerError(f"{name}: is not Python: {error}") from error


def _hash_of(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and (ast.get_docstring(node, clean=False) is not None):
            node.body[0] = ast.Pass()
    return digest(ast.dump(tree).encode("utf-8", "surrogatepass"))


def digest(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:12]


def _locate(package: Traversable, name: str) -> tuple[Traversable | None, Traversable | None]:
    """Return the file of a module, and its folder if it is a package."""
    top, *rest = name.split(".")
    if top != PLAYS_A_RUN.partition(".")[0]:
        return None, None
    place = package
    for part in rest[:-1]:
        place = place / part
    if rest and (place / f"{rest[-1]}.py").is_file():
        return place / f"{rest[-1]}.py", None
    folder = place / rest[-1] if rest else place
    inside = folder / "__init__.py"
    return (inside, folder) if inside.is_file() else (None, None)


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield every module that could be meant by an import, wherever in the module it stands."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse  # the rest is for type checkers and never runs
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            home = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            yield home
            yield from (f"{home}.{each.name}" for each in node.names)
        todo += ast.iter_child_nodes(node)


def _modules(folder: Traversable) -> list[str]:
    names = [each.name.removesuffix(".py") for each in folder.iterdir()]
    return [name for name in names if not name.startswith("__")]


def _data(folder: Traversable, at: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the files below a package that are not code, and not those of a package within."""
    for each in folder.iterdir():
        if each.is_dir():
            if not (each / "__init__.py").is_file() and each.name != "__pycache__":
                yield from _data(each, f"{at}{each.name}/")
        elif not each.name.endswith(_NO_DATA):
            yield f"{at}{each.name}", each
