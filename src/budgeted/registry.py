"""What there is of one kind, by name: policies, learners, losses.

Members come from three places: this package; code that says `register`; and packages that are
installed beside this one and name theirs as entry points, so that nobody need import them::

    [project.entry-points."budgeted.policies"]
    thrifty = "my_package.thrifty:Thrifty"

The names of entry points are known without importing anything. A member is imported when it is
first asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from budgeted.errors import BudgetedError

Member = TypeVar("Member")


class Registry(Mapping[str, Member], Generic[Member]):
    """Members of one kind by name; those of other packages come last.

    Parameters
    ----------
    what
        What one of them is called, in messages.
    group
        Of the entry points.
    error
        What is raised where there is no such member.
    members
        Those of this package.
    check
        Raises an error in words if something cannot be a member.

    Examples
    --------
    >>> from budgeted.errors import PolicyError
    >>> class Thrifty:
    ...     name = "thrifty"
    >>> kinds = Registry("policy", "an example", PolicyError, [])
    >>> kinds.register(Thrifty) is kinds["thrifty"] is kinds.find("thrifty")
    True
    >>> kinds.find("thirfty")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: there is no policy 'thirfty'; did you mean 'thrifty'? There are \
thrifty
    """

    def __init__(
        self,
        what: str,
        group: str,
        error: type[BudgetedError],
        members: Iterable[Member],
        check: Callable[[Member], None] = lambda _: None,
    ) -> None:
        self._what, self._group, self._error, self._check = what, group, error, check
        self._members: dict[str, Member] = {}
        for each in members:
            self._members[name_of(each)] = each
        self._own = frozenset(self._members)
        self._ambiguous: dict[str, str] = {}

    def register(self, member: Member) -> Member:
        """Add a member for as long as this process lives, and return it; also as a decorator.

        The same one can be registered again. Another one of the same name cannot: what was decided
        under a name in a study must stay what it was.
        """
        name = getattr(member, "name", None)
        if not isinstance(name, str) or not name:
            raise self._error(f"{member!r}: a {self._what} must have a name")
        self._check(member)
        if self.get(name, member) is not member:
            raise self._error(f"there is a {self._what} {name!r} already; rename yours")
        self._members[name] = member
        return member

    def find(self, name: object) -> Member:
        """Return the member of that name, or raise an error that names the nearest one."""
        return find(self, name, self._what, self._error)

    def available(self) -> dict[str, Member]:
        """Return all that can be used, by name, for lists to choose from.

        What an installed package names and cannot be imported is left out, with a warning.
        """
        result: dict[str, Member] = {}
        for name in self:
            try:
                result[name] = self[name]
            except BudgetedError as error:
                warnings.warn(str(error), stacklevel=2)
        return result

    def package_of(self, name: str) -> str | None:
        """Return the package whose code a member is, or None for those of this package.

        What was registered in a script has the name of its module.
        """
        if name in self._own:
            return None
        if name in self._installed:
            return self._installed[name].module.split(".")[0]
        member = self[name]
        kind = member if isinstance(member, type) else type(member)
        package = kind.__module__.split(".")[0]
        return None if package == "budgeted" else package

    def __getitem__(self, name: str) -> Member:
        if name not in self._members:
            self._members[name] = self._load(self._installed[name])
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._members
        yield from (name for name in self._installed if name not in self._members)

    def __len__(self) -> int:
        return len({*self._members, *self._installed})

    def __contains__(self, name: object) -> bool:
        return name in self._members or name in self._installed

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        """Entry points by name. Nobody can replace a member of this package."""
        named: dict[str, list[EntryPoint]] = {}
        for each in sorted(entry_points(group=self._group), key=lambda each: each.value):
            named.setdefault(each.name, []).append(each)
        found: dict[str, EntryPoint] = {}
        for name, those in named.items():
            if name in self._own:
                warnings.warn(
                    f"{_origin(those[0])} names a {self._what} {name!r}, and there is one in "
                    f"budgeted, which is taken; rename yours",
                    stacklevel=2,
                )
                continue
            found[name] = those[0]
            if len({each.value for each in those}) > 1:
                self._ambiguous[name] = " and ".join(map(_origin, those))
        return found

    def _load(self, entry: EntryPoint) -> Member:
        if entry.name in self._ambiguous:
            raise self._error(
                f"{self._ambiguous[entry.name]} name a {self._what} {entry.name!r}; uninstall all "
                f"but one"
            )
        try:
            member: Member = entry.load()
        except Exception as error:
            raise self._error(
                f"{self._what} {entry.name!r} of {_origin(entry)} cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        if name_of(member) != entry.name:
            raise self._error(
                f"{_origin(entry)} names a {self._what} {entry.name!r}, and what is there calls "
                f"itself {name_of(member)!r}; both must be the same"
            )
        try:
            self._check(member)
        except BudgetedError as error:
            raise self._error(f"{error} ({_origin(entry)})") from error
        return member


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


def find(
    members: Mapping[str, Member], name: object, what: str, error: type[BudgetedError]
) -> Member:
    """Return the member of that name, or raise an error that names the nearest one."""
    if isinstance(name, str) and name in members:
        return members[name]
    close = get_close_matches(str(name).lower(), list(members), n=1)
    hint = f"did you mean {close[0]!r}? There are" if close else "there are"
    raise error(f"there is no {what} {name!r}; {hint} {', '.join(members)}")


def name_of(member: object) -> str:
    """Return what a member calls itself."""
    return str(getattr(member, "name", ""))


def _origin(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else "a package"
    return f"{package} ({entry.value})"
