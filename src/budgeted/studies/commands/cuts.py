"""Cuts: put the numbers of a feature into other categories."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import ProblemError, StudyError
from budgeted.studies.commands.base import LONGEST_NAME, Command, parameter, reason

if TYPE_CHECKING:
    from budgeted.problem.values import Number
    from budgeted.studies.drafts import Draft
    from budgeted.studies.events import Event


@dataclass(frozen=True)
class SetCuts(Command):
    """Cut the numbers of a feature elsewhere; everything is computed anew from the numbers.

    The log keeps both versions. The cuts are numbers, such as "200 240", or a word for where they
    are in what was bought so far: median, terciles, quartiles, quintiles, deciles, or labels.
    """

    name: ClassVar[str] = "cuts"
    feature: str = parameter("Its name.", longest=LONGEST_NAME)
    cuts: str = parameter(
        'Numbers such as "200 240", or median, terciles, quartiles, quintiles, deciles, labels.',
        longest=LONGEST_NAME,
    )
    why: str = reason()

    def decide(self, draft: Draft) -> list[Event]:
        """Return that the cuts are others, with both versions."""
        from budgeted.studies.growth import CutsChanged, numeric, with_cuts

        problem, name = draft.state.problem, draft.names.feature(self.feature)
        at, old = numeric(problem, name)
        new = self._wanted(draft, name, old)
        if new.cuts == old.cuts:
            raise StudyError(f"the cuts of {name!r} are {old.written_cuts} already")
        with_cuts(problem, at, new)
        sources = old.source, new.source
        return [CutsChanged(name, old.cuts, new.cuts, *sources, old.decimal, self.why)]

    def _wanted(self, draft: Draft, feature: str, old: Number) -> Number:
        from budgeted.studies.proposed_cuts import WAYS, bought_cuts

        given = self.cuts.strip()
        try:
            if given in WAYS:
                found = bought_cuts(given, draft.state.problem, draft.requests.values(), feature)
                return old.recut(found.cuts, found.source)
            return old.recut(_numbers(given, old.decimal), "")
        except ProblemError as error:
            raise StudyError(f"{error}; or say one of {', '.join(WAYS)}") from None


def _numbers(given: str, decimal: str) -> tuple[str, ...]:
    """Return the numbers of a line: blanks, semicolons or, where that is no decimal, commas.

    >>> _numbers("[200, 240]", "point"), _numbers("37,5; 39", "comma")
    (('200', '240'), ('37,5', '39'))
    """
    between = r"[\s;]+" if decimal == "comma" else r"[\s;,]+"
    return tuple(each for each in re.split(between, given.strip(" []")) if each)
