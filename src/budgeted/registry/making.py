"""Objects made of a registered dataclass and parameters, which stand in files and journals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import MappingProxyType
from typing import Any

from budgeted.errors import BudgetedError
from budgeted.registry.names import find


def check_dataclass(kind: object, what: str, method: str, error: type[BudgetedError]) -> None:
    """Raise an error unless a class is a dataclass, whose fields are parameters, with a method.

    Parameters
    ----------
    kind, what
        The class, and what it is to be.
    method
        As it is called, with its arguments.
    error
        To be raised.
    """
    name = getattr(kind, "name", kind)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise error(f"{what} {name!r}: must be a dataclass; its fields are the parameters")
    if not callable(getattr(kind, method.partition("(")[0], None)):
        raise error(f"{what} {name!r}: must have {method}")


def make(
    members: Mapping[str, Any],
    name: str,
    parameters: Mapping[str, Any],
    what: str,
    error: type[BudgetedError],
    without: Collection[str] = (),
    filled: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Return an object of the dataclass of that name; an error in words names its parameters.

    Lists, which files have, are taken as tuples, so that the object can be hashed. Fields `without`
    are filled in by somebody else, and are no parameters; those of them that are known already
    are `filled`, if the dataclass has them.
    """
    kind = find(members, name, what, error)
    known = [each for each in parameter_names(kind) if each not in without]
    unknown = [key for key in parameters if key not in known]
    if unknown:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise error(f"{what} {name!r} has no parameter {', '.join(map(repr, unknown))}; {takes}")
    missing = [key for key in required_names(kind) if key not in parameters]
    if missing:
        raise error(f"{what} {name!r} needs {', '.join(map(repr, missing))}")
    try:
        given = {key: frozen(value) for key, value in parameters.items()}
        return kind(**given, **{key: filled[key] for key in filled if key in parameter_names(kind)})
    except BudgetedError:
        raise
    except (TypeError, ValueError) as wrong:  # of a check that somebody wrote in a hurry
        raise error(f"{what} {name!r}: {wrong}") from wrong
    except Exception as wrong:  # the words of these say little without their name
        raise error(f"{what} {name!r}: {type(wrong).__name__}: {wrong}") from wrong


def parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a dataclass."""
    return tuple(each.name for each in fields(kind) if each.init)


def required_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a dataclass that have no usual value."""
    return tuple(
        each.name
        for each in fields(kind)
        if each.init and each.default is MISSING and each.default_factory is MISSING
    )


def frozen(value: Any) -> Any:
    """Return lists within lists as tuples.

    >>> frozen([1, [2, "three"]])
    (1, (2, 'three'))
    """
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def stated(made: Any) -> dict[str, Any]:
    """Return those fields of a dataclass object that are not as usual, by their names."""
    held = {each.name: (getattr(made, each.name), each.default) for each in fields(made)}
    return {name: value for name, (value, usual) in held.items() if value != usual}
