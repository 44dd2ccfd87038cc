"""When the rules for stopping are weighed, and what asking makes of it.

What can be counted, or read off today's classifier, is weighed whenever somebody asks or looks. A
forecast takes seconds: it is made when somebody asks and another tenth of the budget is spent since
the last one (`budgeted.studies.stop_events.is_due`),
with a seed that follows from the events; so whoever reads the log finds what was said, and a study
that was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from budgeted.errors import BudgetedError
from budgeted.state.surcharges import committed
from budgeted.studies.forecast.runs import run, steps_to_the_end
from budgeted.studies.forecast.summary import summary
from budgeted.studies.stop_events import (
    BY_RULE,
    StopLog,
    StopWeighed,
    is_due,
    stop_log,
    stopped_words,
)
from budgeted.studies.stop_rules import Judged, LeastGain, Situation, StopRules, Verdict

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.forecast import Forecast
    from budgeted.studies.projection import Projection
    from budgeted.studies.snapshot import Snapshot

RUNS = 24
"""Of a forecast by which rules say to stop; fewer would scatter by more than what is weighed."""
POINTS = 2
"""Steps of money in which the rest is looked at."""
_STAGES, _ROUNDS = 8, 8
"""Of a whole study in a run: half as many decisions as those of a forecast that people look at."""


def foreseen(projection: Projection, at: str) -> tuple[Forecast | None, str]:
    """Return how a study would go on to the end of the budget; or why that cannot be said."""
    state = projection.state
    places = steps_to_the_end(projection, POINTS)
    share = state.free / state.problem.budget if state.problem.budget else Decimal(0)
    stages = max(1, math.ceil(_STAGES * share))  # each of them as long as at the beginning
    seed = state.next_number
    try:
        runs = [run(projection, seed, number, at, places, stages=stages, rounds=_ROUNDS)
                for number in range(RUNS)]  # fmt: skip
        return summary(projection, 0, runs, places), ""
    except BudgetedError as error:
        return None, str(error)


class Weighing:
    """Weighs the rules of a study while something is asked of it.

    What the classifier says of itself is found out once: no values come while one asks.
    """

    def __init__(self, draft: Draft, anyway: bool = False) -> None:
        self._draft, self._anyway = draft, anyway
        self._judged = Judged(draft.predictor)
        self._first = True

    def before_order(self) -> StopWeighed | None:
        """Return what is to be written down before the next order, tried on the draft; if anything.

        What stops it says so in `Draft.stopped`.
        """
        draft, log = self._draft, stop_log(self._draft)
        first, self._first = self._first, False
        if log is None or not (first or (log.rules.binding and not self._anyway)):
            return None  # advice is given once, before the first order
        made = self._weighed(log)
        if made.done == "stopped":
            draft.stopped, draft.stopped_by = stopped_words(made), made
        if not _is_news(made, log):
            return None
        draft.attempt(made)
        return made

    def _weighed(self, log: StopLog) -> StopWeighed:
        draft = self._draft
        due = draft.looks_ahead and is_due(
            log, draft.state, draft.number_of_cases, len(draft.withdrawn)
        )
        verdicts = verdicts_of(draft, log.rules, self._judged, log, due)
        done: Literal["asked", "stopped", "overruled"] = "asked"
        if log.rules.binding and any(each.stops for each in verdicts):
            done = "overruled" if self._anyway else "stopped"
        return StopWeighed(verdicts, log.rules.binding, done, committed(draft.state), due)


def verdicts_of(
    draft: Draft, rules: StopRules, judged: Judged, log: StopLog | None, due: bool
) -> tuple[Verdict, ...]:
    """Return what each rule says now."""
    forecast, why = foreseen(draft, draft.signature[0]) if due else (None, "")
    situation = Situation(draft.state, judged, forecast, why)
    return _with_kept(rules, situation, {} if log is None or due else dict(log.said_before()))


def _with_kept(
    rules: StopRules, situation: Situation, before: dict[str, Verdict]
) -> tuple[Verdict, ...]:
    return tuple(
        before[rule.name] if isinstance(rule, LeastGain) and rule.name in before else verdict
        for rule, verdict in zip(rules.rules, rules.weigh(situation), strict=True)
    )


def _is_news(made: StopWeighed, log: StopLog) -> bool:
    """Whether it says something that the log does not."""
    if made.ahead or made.done == "overruled" or log.last is None:
        return True
    last = log.last
    said = [(each.rule, each.stops) for each in made.verdicts]
    return said != [(each.rule, each.stops) for each in last.verdicts] or (
        made.stops and made.done != last.done
    )


@dataclass(frozen=True)
class StopStatus:
    """What the rules of a study say at a moment."""

    rules: dict[str, object]
    binding: bool
    stops: bool
    verdicts: tuple[Verdict, ...]
    due: bool  # whether rules that look ahead are weighed anew when something is asked next
    weighed_at: Decimal | None
    headline: str
    words: str

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why to stop, of each rule that says so; or why to go on, of all of them."""
        return tuple(each.words for each in self.verdicts if each.stops or not self.stops)

    def lines(self) -> list[str]:
        """Return what to do and why, a line for each reason if there are several."""
        if len(self.reasons) == 1:
            return [f"{self.words[0].upper()}{self.words[1:]}."]
        return [f"{self.headline[0].upper()}{self.headline[1:]}:"] + [
            f"- {each}" for each in self.reasons
        ]


def stop_status(study: Snapshot) -> StopStatus | None:
    """Return what the rules of a study say now; None if it has none, or is over."""
    log = study.stop
    if log is None or study.closed:
        return None
    state = getattr(study, "seen", study).state  # the log knows the labels by their names
    due = is_due(log, state, study.number_of_cases, len(study.withdrawn))
    situation = Situation(state, Judged(lambda: study.predictor))
    verdicts = _with_kept(log.rules, situation, dict(log.said_before()))
    stops = any(each.stops for each in verdicts)
    binding = log.rules.binding
    headline = "go on" if not stops else BY_RULE if binding else "advice: stop"
    reasons = "; ".join(each.words for each in verdicts if each.stops or not stops)
    return StopStatus(
        log.rules.to_table(),
        binding,
        stops,
        verdicts,
        due,
        None if log.ahead is None else log.ahead.committed,
        headline,
        f"{headline}: {reasons}",
    )
