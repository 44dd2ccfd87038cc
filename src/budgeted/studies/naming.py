"""The names of a study: which case, feature or value is meant, given as text or as a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from budgeted.errors import ObservationError, UnknownError
from budgeted.listing import did_you_mean, listed
from budgeted.problem import Problem
from budgeted.problem.names import spelled


def there_are(name: str, names: Iterable[str]) -> str:
    """Return what names there are, behind the question whether one of them was meant.

    >>> there_are("Age", ["age", "cp"])
    "did you mean 'age'? There are age, cp"
    >>> there_are("id", ["age", "cp"])
    'there are age, cp'
    """
    every = list(names)
    question = did_you_mean(name, every)
    return f"{question}{'There' if question else 'there'} are {', '.join(every)}"


class Names:
    """Positions of cases, features and labels by their names."""

    def __init__(self, cases: Sequence[tuple[str, str]], problem: Problem) -> None:
        self.cases = [name for name, _ in cases]
        self.rows = {name: row for row, name in enumerate(self.cases)}
        self.labels = {name: at for at, name in enumerate(problem.labels)}
        self._every: tuple[str, ...] | None = None
        self.take_features(problem)

    @property
    def every_case(self) -> tuple[str, ...]:
        """The names of all cases that there are now, to be kept by whoever looks."""
        if self._every is None:
            self._every = tuple(self.cases)
        return self._every

    def copy(self) -> Names:
        """Return names that can be added to without changing these."""
        made = object.__new__(Names)
        made.__dict__.update(self.__dict__)
        made.cases, made.rows = self.cases.copy(), self.rows.copy()
        return made

    def add_cases(self, cases: Sequence[str]) -> None:
        """Take in cases that arrived, behind those that are there."""
        self.rows.update({name: row for row, name in enumerate(cases, len(self.cases))})
        self.cases += cases
        self._every = None

    def take_features(self, problem: Problem) -> None:
        """Take the features of a problem."""
        self.columns = {each.name: at for at, each in enumerate(problem.features)}
        self._features = problem.features

    def case(self, given: object) -> str:
        """Return the name of a case, which may be given as a number; it must be there."""
        found = spelled(given, self.rows)
        if found is None:
            raise UnknownError(f"there is no case {given!r} in this study")
        return found

    def feature(self, given: object) -> str:
        """Return the name of a feature, which may be given as a number; it must be there."""
        found = spelled(given, self.columns)
        if found is None:
            names = tuple(self.columns)
            close = did_you_mean(given, names) if isinstance(given, str) else ""
            there = f"{close}{'T' if close else 't'}here are {listed(names)}"
            raise ObservationError(f"there is no feature {given!r}; {there}")
        return found

    def value(self, feature: str, given: object, force: bool = False) -> str:
        """Return the text to keep of a value of a feature that somebody told, or insists on."""
        return self._features[self.columns[feature]].read(given, force)

    def same(self, feature: str, kept: str | None, other: str | None) -> bool:
        """Whether two texts are the same value of a feature."""
        return self._features[self.columns[feature]].same(kept, other)
