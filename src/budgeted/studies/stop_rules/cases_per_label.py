"""Stop once enough cases of each label were measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.errors import StopRuleError
from budgeted.problem import money
from budgeted.state import State
from budgeted.studies.events import Parameter
from budgeted.studies.stop_rules.base import Situation, Verdict


@dataclass(frozen=True)
class CasesPerLabel:
    """Stop when of so many cases of each label some value is there, or under way.

    Parameters
    ----------
    cases_per_label
        How many different cases of each label are enough.
    """

    name: ClassVar[str] = "cases-per-label"
    summary: ClassVar[str] = "so many cases of each label were measured"

    cases_per_label: int

    def __post_init__(self) -> None:
        wanted = self.cases_per_label
        if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
            raise StopRuleError(
                [f"stop.cases_per_label: must be a whole number from 1, got {wanted!r}"]
            )

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether there are enough of each label."""
        labels = situation.state.problem.labels
        measured = dict(zip(labels, situation.measured(), strict=True))
        missing = {
            label: number for label, number in measured.items() if number < self.cases_per_label
        }
        listed = ", ".join(f"{label} {number}" for label, number in (missing or measured).items())
        enough = self._enough()
        stand = f"{situation.money_in_words()}{situation.error_in_words()}"
        few = self._too_few(situation, measured)
        words = (
            f"{enough} wanted, and there are fewer: {listed}{few}; {stand}"
            if missing
            else f"{enough} measured or under way: {listed}; {stand}"
        )
        figures: dict[str, Parameter] = {"cases_per_label": self.cases_per_label}
        figures |= {f"cases of {label}": number for label, number in measured.items()}
        figures |= {"rest": money.show(situation.rest)}
        return Verdict(self.name, not missing, words, figures, about_labels=True)

    def _too_few(self, situation: Situation, measured: Mapping[str, int]) -> str:
        """That it will not be met, where the study has fewer cases of a label than it wants."""
        few = [f"{label} {number}"
               for label, number in zip(measured, _there_are(situation.state), strict=True)
               if number < self.cases_per_label]  # fmt: skip
        if not few:
            return ""
        return f" (the study has no more cases than {', '.join(few)}, so that others must be added)"

    def words(self) -> str:
        """Return when it says to stop."""
        return f"when {self._enough()} measured or under way"

    def _enough(self) -> str:
        number = self.cases_per_label
        return f"{number} {'case of each label is' if number == 1 else 'cases of each label are'}"


def _there_are(state: State) -> list[int]:
    """How many cases of each label the study has.

    Of a feature it is those that can still give it and those that gave it; some of one feature may
    be ruled out or of no use, so that the feature with the most is right.
    """
    given: list[list[set[object]]] = [[set() for _ in state.problem.labels]
                                      for _ in state.problem.features]  # fmt: skip
    for each in (*state.history, *state.pending):
        given[each.feature][each.label].add(each.case)
    sold = np.array([[len(cases) for cases in row] for row in given])
    result: list[int] = (state.cases_left + sold).max(axis=0).tolist()
    return result
