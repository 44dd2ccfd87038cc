"""Formats of files and databases: numbered; older ones are brought up to date, newer ones refused.

What was written once must open in every later version of the package. So each format has a number;
a change that older readers would not understand raises it, and comes with a function that turns
what the number before wrote into what the new one writes (an *upcast*). Reading goes through the
chain of these functions, one number at a time. A number that is higher than the package's own was
written by a newer one, and is refused: nobody can know what it means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgeted.errors import BudgetedError


class Format:
    """One format: its number, and the upcasts that lead there.

    Parameters
    ----------
    what
        What has it, for messages.
    version
        The number that is written.
    error
        What is raised for what cannot be read.
    remedy
        What to do about an older number for which there is no upcast.

    Attributes
    ----------
    upcasts
        For each older number, what turns a document of it into one of the next.

    Examples
    --------
    >>> letters = Format("a letter", 2, BudgetedError)
    >>> @letters.upcast(1)
    ... def dear(letter):
    ...     return {"to": letter["dear"]}
    >>> letters.current({"dear": "Ann"}, 1)
    {'to': 'Ann'}
    >>> letters.current({}, 3)
    Traceback (most recent call last):
    ...
    budgeted.errors.BudgetedError: a letter in format 3, written by a newer budgeted; this one \
knows format 2: update the package
    """

    def __init__(
        self,
        what: str,
        version: int,
        error: type[BudgetedError],
        remedy: str = "it is damaged, or from a version that was never released",
    ) -> None:
        self.what, self.version, self._error, self._remedy = what, version, error, remedy
        self.upcasts: dict[int, Callable[[Any], Any]] = {}

    def upcast(self, version: int) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
        """Register what turns a document of one number into one of the next; as a decorator."""

        def add(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
            if version in self.upcasts:
                raise self._error(f"{self.what}: format {version} has an upcast already")
            self.upcasts[version] = function
            return function

        return add

    def current(self, document: Any, version: object, where: str = "") -> Any:
        """Return a document of some number as the present one.

        Parameters
        ----------
        document
            As it was read.
        version
            Its number.
        where
            The file or database, for messages.
        """
        for function in self.steps(version, where):
            document = function(document)
        return document

    def steps(self, version: object, where: str = "") -> list[Callable[[Any], Any]]:
        """Return the upcasts from a number to the present one; raise an error if there are none."""
        if version == self.version and type(version) is int:
            return []
        place = f"{where}: " if where else ""
        if not isinstance(version, int) or isinstance(version, bool):
            raise self._error(
                f"{place}{self.what} in format {version!r}; this budgeted knows format "
                f"{self.version} only: it is damaged, or from another program"
            )
        if version > self.version:
            raise self._error(
                f"{place}{self.what} in format {version}, written by a newer budgeted; this one "
                f"knows format {self.version}: update the package"
            )
        if any(each not in self.upcasts for each in range(version, self.version)):
            raise self._error(
                f"{place}{self.what} in format {version}; this budgeted knows format "
                f"{self.version} only: {self._remedy}"
            )
        return [self.upcasts[each] for each in range(version, self.version)]
