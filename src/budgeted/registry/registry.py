"""A registry: the members of one kind by name, wherever they come from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import Distribution, EntryPoint, entry_points
from threading import RLock
from typing import Any, Generic, TypeVar

from budgeted.errors import BudgetedError, PluginWarning
from budgeted.registry.home import members_of
from budgeted.registry.making import make
from budgeted.registry.names import check_name, find, name_of

Member = TypeVar("Member")


class Registry(Mapping[str, Member], Generic[Member]):
    """Members of one kind by name; those of this package come first, those of others last.

    Parameters
    ----------
    what
        What one of them is called, in messages.
    group
        Of the entry points.
    error
        What is raised where there is no such member.
    members
        Those of this package: the package in whose modules they are, or the members themselves.
    check
        Raises an error in words if something cannot be a member.
    first
        Names that come first in lists, in this sequence; others follow by their names.
    like
        What members are objects of, where they are no classes.

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
        members: Iterable[Member] | str,
        check: Callable[[Member], None] = lambda _: None,
        *,
        first: Sequence[str] = (),
        like: type | None = None,
    ) -> None:
        self._what, self._group, self._error, self._check = what, group, error, check
        self._one = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
        self._home, self._first, self._like = members, tuple(first), like
        self._members: dict[str, Member] = {}
        self._loaded: dict[str, Member] = {}
        self._ambiguous: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self._lock = RLock()

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
        self._members[str(name)] = member
        return member

    def forget(self, name: str) -> None:
        """Undo `register`; what is of this package or installed stays."""
        self._members.pop(name, None)

    def find(self, name: object) -> Member:
        """Return the member of that name, or raise an error that names the nearest one."""
        return find(self, name, self._what, self._error)

    def broken(self) -> list[str]:
        """Return which files of the home folder could not be used, and why, in words."""
        _ = self._own
        return [f"{module}: {why}" for module, why in self._broken.items()]

    def make(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Return an object of the class of that name with these parameters."""
        return make(self, name, parameters, self._what, self._error)

    def available(self) -> dict[str, Member]:
        """Return all that can be used, by name, for lists to choose from.

        What cannot be imported is left out, with a warning.
        """
        result: dict[str, Member] = {}
        for each in self.broken():
            warnings.warn(each, PluginWarning, stacklevel=2)
        for name in self:
            try:
                result[name] = self[name]
            except BudgetedError as error:
                warnings.warn(str(error), PluginWarning, stacklevel=2)
        return result

    def package_of(self, name: str) -> str | None:
        """Return the package whose code a member is, or None for those of this package.

        What was registered in a script has the name of its module.
        """
        if name in self._own:
            return None
        if name in self._installed and name not in self._members:
            return self._installed[name].module.split(".")[0]
        member = self[name]
        kind = member if isinstance(member, type) else type(member)
        package = kind.__module__.split(".")[0]
        return None if package == "budgeted" else package

    def origin_of(self, name: str) -> str | None:
        """Return the distribution and version that a member comes from, for the record.

        What was registered in a script has the name of its module; None stands for this package.
        """
        if name in self._own:
            return None
        if name in self._installed and name not in self._members:
            found = self._installed[name].dist
            return _origin(self._installed[name]) if found is None else _released(found)
        package = self.package_of(name)
        return None if package is None else f"{package} (registered)"

    def __getitem__(self, name: str) -> Member:
        for held in (self._own, self._members, self._loaded):
            if name in held:
                return held[name]
        self._loaded[name] = self._load(self._installed[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in self._members if name not in self._own)
        others = (name for name in self._installed if name not in self._own)
        yield from (name for name in others if name not in self._members)

    def __len__(self) -> int:
        return len({*self._own, *self._members, *self._installed})

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._members or name in self._installed

    @property
    def _own(self) -> dict[str, Member]:
        """The members of this package, which are looked for when they are first needed."""
        if "_found" not in self.__dict__:
            with self._lock:
                if "_found" not in self.__dict__:
                    self.__dict__["_found"] = self._look()
        found: dict[str, Member] = self.__dict__["_found"]
        return found

    def _look(self) -> dict[str, Member]:
        found: dict[str, Member] = {}
        if not isinstance(self._home, str):
            return {name_of(each): each for each in self._home}
        for module, each in members_of(self._home, self._like):
            if isinstance(each, Exception):
                self._broken[module] = f"cannot be imported: {type(each).__name__}: {each}"
                continue
            name = name_of(each)
            try:
                check_name(name, self._what, self._error)
                self._check(each)  # type: ignore[arg-type]
            except BudgetedError as error:
                self._broken[module] = str(error)
                continue
            if found.get(name, each) is not each:
                self._broken[module] = f"there is {self._one} {name!r} already; rename it"
                continue
            found[name] = each  # type: ignore[assignment]
        leading = [name for name in self._first if name in found]
        return {name: found[name] for name in (*leading, *sorted(found)) if name in found}

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
                    f"{_origin(those[0])} names {self._one} {name!r}, and there is one in "
                    f"budgeted, which is taken; rename yours",
                    PluginWarning,
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
                f"{self._ambiguous[entry.name]} name {self._one} {entry.name!r}; uninstall all "
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
                f"{_origin(entry)} names {self._one} {entry.name!r}, and what is there calls "
                f"itself {name_of(member)!r}; both must be the same"
            )
        try:
            check_name(entry.name, self._what, self._error)
            self._check(member)
        except BudgetedError as error:
            raise self._error(f"{error} ({_origin(entry)})") from error
        return member


def _released(found: Distribution) -> str:
    return f"{found.name} {found.version}"


def _origin(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else "a package"
    return f"{package} ({entry.value})"
