"""What there is of one kind, by name: policies, learners, losses, price lists.

Members come from three places: those of this package, which are listed; code that says `register`;
and packages that are installed beside this one and name theirs as entry points, so that nobody need
import them::

    [project.entry-points."budgeted.policies"]
    thrifty = "my_package.thrifty:Thrifty"

Nothing is imported before somebody asks for a member.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from budgeted.errors import BudgetedError, PluginWarning

Member = TypeVar("Member")
_NAME = re.compile(r"[^\W_][\w.+*-]*")


class Registry(Mapping[str, Member], Generic[Member]):
    """Members of one kind by name; those of this package come first, those of others last.

    >>> from budgeted.errors import PolicyError
    >>> kinds = Registry("policy", PolicyError, {"thrifty": "budgeted.policies.greedy:Greedy"})
    >>> kinds["thrifty"].__name__
    'Greedy'
    >>> kinds.find("thirfty")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: there is no policy 'thirfty'; did you mean 'thrifty'? There are \
thrifty
    """

    def __init__(
        self,
        what: str,
        error: type[BudgetedError],
        members: Mapping[str, Member | str],
        check: Callable[[Member], None] = lambda _: None,
        group: str = "",
    ) -> None:
        self._what, self._error, self._check, self._group = what, error, check, group
        self._one = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
        self._own = frozenset(members)
        self._members: dict[str, Any] = dict(members)
        self._loaded: dict[str, Member] = {}

    def register(self, member: Member) -> Member:
        """Add a member for as long as this process lives, and return it; also as a decorator.

        The same one can be registered again. Another one of the same name cannot: what was decided
        under a name in a study must stay what it was.
        """
        name = getattr(member, "name", None)
        check_name(name, self._what, self._error)
        self._check(member)
        if self.get(str(name), member) is not member:
            raise self._error(f"there is {self._one} {name!r} already; rename yours")
        self._members.setdefault(str(name), member)
        return member

    def forget(self, name: str) -> None:
        """Undo `register`; what is of this package or installed stays."""
        if name not in self._own:
            self._members.pop(name, None)

    def find(self, name: object) -> Member:
        """Return the member of that name, or raise an error that names the nearest one."""
        return find(self, name, self._what, self._error)

    def make(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Return an object of the class of that name with these parameters."""
        return make(self, name, parameters, self._what, self._error)

    def available(self) -> dict[str, Member]:
        """Return all that can be used, by name; what cannot is left out, with a warning."""
        result: dict[str, Member] = {}
        for name in self:
            try:
                result[name] = self[name]
            except BudgetedError as error:
                warnings.warn(str(error), PluginWarning, stacklevel=2)
        return result

    def package_of(self, name: str) -> str | None:
        """Return the package whose code a member is, or None for this one."""
        member = self[name]
        kind = member if isinstance(member, type) else type(member)
        if name in self._installed and name not in self._members:
            return self._installed[name].module.split(".")[0]
        package = kind.__module__.split(".")[0]
        return None if package == "budgeted" else package

    def origin_of(self, name: str) -> str | None:
        """Return the distribution and version that a member comes from, for the record.

        What was registered in a script has the name of its module; None stands for this package.
        """
        found = self._installed.get(name) if name not in self._members else None
        if found is not None and found.dist is not None:
            return f"{found.dist.name} {found.dist.version}"
        package = None if name in self._own else self.package_of(name)
        return None if package is None else f"{package} (registered)"

    def __getitem__(self, name: str) -> Member:
        if name in self._members:
            held = self._members[name]
            if isinstance(held, str):
                module, _, attribute = held.partition(":")
                held = self._members[name] = getattr(import_module(module), attribute)
            member: Member = held
            return member
        if name not in self._loaded:
            self._loaded[name] = self._load(self._installed[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._members
        yield from (name for name in self._installed if name not in self._members)

    def __len__(self) -> int:
        return len({*self._members, *self._installed})

    def __contains__(self, name: object) -> bool:
        return name in self._members or name in self._installed

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        """Entry points by name; nobody can replace a member of this package."""
        found = entry_points(group=self._group) if self._group else ()
        named = sorted(found, key=lambda each: (each.name, each.value), reverse=True)
        for each in named:
            if each.name in self._own:
                warnings.warn(
                    f"{_origin(each)} names {self._one} {each.name!r}, and there is one in "
                    f"budgeted, which is taken; rename yours",
                    PluginWarning,
                    stacklevel=2,
                )
        return {each.name: each for each in reversed(named) if each.name not in self._own}

    def _load(self, entry: EntryPoint) -> Member:
        try:
            member: Member = entry.load()
        except Exception as error:
            raise self._error(
                f"{self._what} {entry.name!r} of {_origin(entry)} cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        name = getattr(member, "name", "")
        if name != entry.name:
            raise self._error(
                f"{_origin(entry)} names {self._one} {entry.name!r}, and what is there calls "
                f"itself {name!r}; both must be the same"
            )
        try:
            check_name(name, self._what, self._error)
            self._check(member)
        except BudgetedError as error:
            raise self._error(f"{error} ({_origin(entry)})") from error
        return member


def _origin(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else "a package"
    return f"{package} ({entry.value})"


def check_name(name: object, what: str, error: type[BudgetedError]) -> None:
    """Raise an error unless a member may be called that: people type it, and files hold it.

    >>> from budgeted.errors import PolicyError
    >>> check_name("very thrifty", "policy", PolicyError)
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: policy 'very thrifty': a name begins with a letter or a digit and \
goes on with letters, digits, '-', '_' and '.', without blanks
    """
    if not isinstance(name, str) or not name:
        raise error(f"a {what} must have a name, such as 'thrifty', got {name!r}")
    if _NAME.fullmatch(name) is None:
        raise error(
            f"{what} {name!r}: a name begins with a letter or a digit and goes on with letters, "
            f"digits, '-', '_' and '.', without blanks"
        )


def find(
    members: Mapping[str, Member], name: object, what: str, error: type[BudgetedError]
) -> Member:
    """Return the member of that name, or raise an error that names the nearest one."""
    if isinstance(name, str) and name in members:
        return members[name]
    close = get_close_matches(str(name).lower(), list(members), n=1)
    hint = f"did you mean {close[0]!r}? There are" if close else "there are"
    raise error(f"there is no {what} {name!r}; {hint} {', '.join(members)}")


def check_dataclass(kind: object, what: str, method: str, error: type[BudgetedError]) -> None:
    """Raise an error unless a class is a dataclass, whose fields are parameters, with a method."""
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
