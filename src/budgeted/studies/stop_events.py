"""Rules for stopping in the log of a study: which ones hold, what they said, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from budgeted.problem import Problem, money
from budgeted.state import State
from budgeted.state.surcharges import committed
from budgeted.studies.events import Entry, Event
from budgeted.studies.stop_rules import StopRules, Verdict, from_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeted.problem.orders import Purchase
    from budgeted.studies.projection import Projection

BY_RULE = "a rule of the study says to stop"


@dataclass(frozen=True)
class StopRulesSet(Event):
    """These rules say from now on when to stop."""

    rules: dict[str, Any]  # as a study file has them; empty if there are none any more
    old_rules: dict[str, Any]
    why: str = ""
    kind: Literal["stop_rules_set"] = "stop_rules_set"

    def words(self) -> str:
        """Return it in one line.

        >>> StopRulesSet({"target_error": 0.1, "binding": True}, {}).words()
        'rules for stopping: stop at an error of at most 10.0 %, with a probability of 90 %: a \
rule that asking follows'
        """
        before = f"; before: {from_table(self.old_rules).words()}" if self.old_rules else ""
        why = f" ({self.why})" if self.why else ""
        return f"rules for stopping: {from_table(self.rules).words()}{before}{why}"


@dataclass(frozen=True)
class StopWeighed(Event):
    """The rules for stopping were weighed: what they said, and what was done then."""

    verdicts: tuple[Verdict, ...]
    binding: bool  # whether the study says that asking follows them; else they were advice
    done: Literal["weighed", "asked", "stopped", "overruled"]
    committed: Decimal  # what was spent or reserved at that moment
    ahead: bool = False
    kind: Literal["stop_weighed"] = "stop_weighed"

    @property
    def stops(self) -> bool:
        """Whether some rule says to stop."""
        return any(each.stops for each in self.verdicts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why to stop, of each rule that says so."""
        return tuple(each.words for each in self.verdicts if each.stops)

    def words(self) -> str:
        """Return it in one line."""
        if not self.stops:
            told = "; ".join(each.words for each in self.verdicts)
            return f"rules for stopping weighed at {money.show(self.committed)}: go on: {told}"
        told = "; ".join(self.reasons)
        said = {
            "weighed": "a rule says to stop" if self.binding else "advice to stop",
            "asked": "advice to stop, and more was asked for",
            "stopped": "stopped by a rule of the study",
            "overruled": "a rule of the study to stop was overruled",
        }[self.done]
        return f"{said}: {told}"


def stopped_words(made: StopWeighed) -> str:
    """Return why asking stopped, and how to go on, in words that fit every surface."""
    return (
        f"{BY_RULE}: {'; '.join(made.reasons)}. To go on, change the rules for stopping, or ask "
        f"anyway"
    )


@dataclass(frozen=True, eq=False)
class _Ahead:
    """What a forecast was made of: it holds until this changes much."""

    committed: Decimal
    problem: Problem
    history: Sequence[Purchase]
    cases: int
    withdrawn: int
    stopped: bool


@dataclass(frozen=True, eq=False)
class StopLog:
    """What the log says of stopping."""

    rules: StopRules
    last: StopWeighed | None = None  # when they were weighed last; None if never
    at: str = ""  # when that was (UTC)
    ahead: _Ahead | None = None

    def said_before(self) -> Mapping[str, Verdict]:
        """Return what each rule said last."""
        return {} if self.last is None else {each.rule: each for each in self.last.verdicts}


def stop_log(projection: Projection) -> StopLog | None:
    """Return what the log of a study says of stopping; None if it has no rules."""
    return projection.stop


def is_due(log: StopLog, state: State, cases: int, withdrawn: int) -> bool:
    """Tell whether a forecast has to be made anew, for rules that look ahead.

    It has if there is none since the rules were set; if another tenth of the budget was spent or
    reserved, or given back; if what can be bought is another than it was: the budget, the features,
    the cases; and, if a rule stopped the study by it, once what was under way then has come back,
    since only that can change anything.
    """
    before = log.ahead
    if not log.rules.look_ahead:  # once, to say whether a target is within reach
        return before is None and log.rules.target is not None
    if before is None or before.problem is not state.problem:
        return True
    if (before.cases, before.withdrawn) != (cases, withdrawn):
        return True
    moved = money.subtract(committed(state), before.committed)
    if moved and money.times(abs(moved), PARTS) >= state.problem.budget:
        return True
    return before.stopped and not state.pending and before.history != state.history


PARTS = 10
"""Parts of the budget after each of which rules that look ahead are weighed anew."""


def _rules_set(projection: Projection, _: Entry, event: StopRulesSet) -> None:
    rules = from_table(event.rules)
    projection.stop = StopLog(rules) if rules.rules else None


def _weighed(projection: Projection, entry: Entry, event: StopWeighed) -> None:
    log = stop_log(projection)
    if log is None:
        return  # of rules that somebody dropped at the same moment
    state, before = projection.state, log.ahead
    if event.ahead:
        before = _Ahead(
            event.committed,
            state.problem,
            state.history,
            projection.number_of_cases,
            len(projection.withdrawn),
            event.done == "stopped",
        )
    elif before is not None and event.done == "stopped":
        before = replace(before, stopped=True)
    projection.stop = StopLog(log.rules, event, entry.at, before)


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {
    StopRulesSet: _rules_set,
    StopWeighed: _weighed,
}
"""What they change: nothing but what is known of stopping."""


def first_rules(rules: StopRules) -> list[Event]:
    """Return what a study with these rules begins with, behind its first event."""
    return [StopRulesSet(rules.to_table(), {})] if rules.rules else []
