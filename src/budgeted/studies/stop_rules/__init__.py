"""Rules that say when a study has bought enough, one file each; and those of one study together.

A study states them in a table of its file, in which the fields of all rules are keys::

    [stop]
    target_error = 0.10     # good enough,
    probability = 0.9       # if it is this sure
    least_gain = 0.01       # or nothing left would lower the error by more than a point
    binding = false         # advice; true makes it a rule that asking follows

>>> from_table({"least_gain": 0.01, "cases_per_label": 30}).words()
'stop when nothing left is expected to lower the error by more than 1 point, or when 30 cases of \
each label are measured or under way: advice'
>>> from_table({"target": 0.1})
Traceback (most recent call last):
...
budgeted.errors.StopRuleError: stop.target: there is no such key; did you mean 'target_error'? \
There are target_error, probability, least_gain, point_worth, cases_per_label, binding
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from budgeted.errors import BudgetedError, StopRuleError
from budgeted.problem import Problem, money
from budgeted.registry import Registry, make, parameter_names, required_names, stated
from budgeted.studies.naming import there_are
from budgeted.studies.stop_rules.base import (
    Judged,
    Situation,
    StopRule,
    Verdict,
    check_kind,
    clearly_goes_on,
    looks_ahead,
    unfit_for,
)

__all__ = [
    "STOP_RULES", "Judged", "MissingRule", "Situation", "StopRule", "StopRules", "Verdict",
    "from_table", "read_again", "weighed",
]  # fmt: skip

STOP_RULES: Registry[type[StopRule]] = Registry(
    "stop rule",
    StopRuleError,
    {
        "target-error": "budgeted.studies.stop_rules.target_error:TargetError",
        "least-gain": "budgeted.studies.stop_rules.least_gain:LeastGain",
        "point-worth": "budgeted.studies.stop_rules.point_worth:PointWorth",
        "cases-per-label": "budgeted.studies.stop_rules.cases_per_label:CasesPerLabel",
    },
    check_kind,
)
"""Every rule by its name; `STOP_RULES.register` adds one."""
BINDING = "binding"


@dataclass(frozen=True)
class MissingRule:
    """Stands for what a study states and no rule that is installed here has."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = "a rule that is not installed here"
    key: str
    value: Any

    def weigh(self, situation: Situation) -> Verdict:
        """Say that nobody knows."""
        said = f"no rule that is installed here has the key {self.key!r}; install its package"
        return Verdict(self.key, False, f"it cannot be weighed: {said}")

    def words(self) -> str:
        """Return what is known of it."""
        return f"by {self.key} = {self.value!r}, of a rule that is not installed here"


@dataclass(frozen=True)
class StopRules:
    """The rules of a study.

    Attributes
    ----------
    rules
        In the order of `STOP_RULES`; none where the study has none.
    binding
        Whether asking follows them; else they are advice.
    """

    rules: tuple[StopRule, ...] = ()
    binding: bool = False

    @property
    def look_ahead(self) -> bool:
        """Whether one of them needs a forecast."""
        return any(map(looks_ahead, self.rules))

    @property
    def has_target(self) -> bool:
        """Whether one of them can tell by a forecast that it will never be met."""
        return any(hasattr(each, "out_of_reach") for each in self.rules)

    def clearly_go_on(self, situation: Situation) -> bool:
        """Tell whether a forecast of a few runs is enough for all that look ahead to go on."""
        return all(clearly_goes_on(each, situation) for each in self.rules if looks_ahead(each))

    def to_table(self) -> dict[str, Any]:
        """Return them as a study file and a journal have them; `from_table` gives them back."""
        table: dict[str, Any] = {}
        for rule in self.rules:
            if isinstance(rule, MissingRule):
                table[rule.key] = rule.value
                continue
            held = {key: getattr(rule, key) for key in required_names(type(rule))} | stated(rule)
            table |= {
                key: money.show(value) if isinstance(value, Decimal) else value
                for key, value in held.items()
            }
        return table | ({BINDING: True} if self.binding and self.rules else {})

    def words(self) -> str:
        """Return when to stop, and whether that is advice or a rule."""
        if not self.rules:
            return "nothing says when to stop"
        kind = "a rule that asking follows" if self.binding else "advice"
        return f"stop {', or '.join(each.words() for each in self.rules)}: {kind}"

    def lines(self) -> list[str]:
        """Return the same with a line for each rule, where there are several."""
        if len(self.rules) < 2:
            said = self.words()
            return [f"{said[0].upper()}{said[1:]}."]
        kind = "a rule that asking follows" if self.binding else "advice"
        return [f"Stop as soon as one of these holds ({kind}):"] + [
            f"- {each.words()}" for each in self.rules
        ]

    def unfit(self, problem: Problem) -> list[str]:
        """Return what is wrong with them in a problem."""
        return [wrong for each in self.rules if (wrong := unfit_for(each, problem))]


def from_table(table: object) -> StopRules:
    """Return the rules that a table states; an error lists all that is wrong with it."""
    if not isinstance(table, Mapping):
        raise StopRuleError([f"stop: must be a table with the rules to stop by, got {table!r}"])
    mistakes = []
    fields = _fields()
    known = [*fields, BINDING]
    for key in table:
        if key not in known:
            mistakes.append(f"stop.{key}: there is no such key; {there_are(str(key), known)}")
    binding = table.get(BINDING, False)
    if not isinstance(binding, bool):
        mistakes.append(f"stop.{BINDING}: must be true or false, got {binding!r}")
    rules: list[StopRule] = []
    for name, kind in STOP_RULES.items():
        given = {key: table[key] for key in parameter_names(kind) if key in table}
        missing = [key for key in required_names(kind) if key not in given]
        if not given:
            continue
        if missing:
            least = ", ".join(missing)
            mistakes += [f"stop.{key}: belongs to {least}, which is missing" for key in given]
            continue
        try:
            rules.append(make(STOP_RULES, name, given, "stop rule", StopRuleError))
        except StopRuleError as error:
            mistakes += error.mistakes
    if mistakes:
        raise StopRuleError(mistakes)
    return StopRules(tuple(rules), binding)


def read_again(table: Mapping[str, Any]) -> StopRules:
    """Return the rules of a journal; what is not installed here does not lock the study.

    >>> read_again({"phase_of_moon": "full", "cases_per_label": 3}).rules
    (CasesPerLabel(cases_per_label=3), MissingRule(key='phase_of_moon', value='full'))
    """
    known = [*_fields(), BINDING]
    others = tuple(MissingRule(key, table[key]) for key in table if key not in known)
    try:
        found = from_table({key: table[key] for key in table if key in known})
    except BudgetedError:  # of a rule that takes other parameters now
        every = tuple(MissingRule(key, table[key]) for key in table if key != BINDING)
        return StopRules(every, table.get(BINDING) is True)
    return StopRules((*found.rules, *others), found.binding)


def weighed(rules: StopRules, situation: Situation) -> tuple[Verdict, ...]:
    """Return what each rule says; one that fails says so, and stops nothing."""
    return tuple(_weighed(each, situation) for each in rules.rules)


def _weighed(rule: StopRule, situation: Situation) -> Verdict:
    try:
        return rule.weigh(situation)
    except BudgetedError as error:
        return Verdict(rule.name, False, f"it cannot be weighed: {error}")
    except Exception as error:  # of a package that is not this one: the study must go on
        said = f"{type(error).__name__}: {error}"
        return Verdict(rule.name, False, f"it cannot be weighed: {said}")


def _fields() -> dict[str, str]:
    """Key → the rule that it belongs to."""
    return {key: name for name, kind in STOP_RULES.items() for key in parameter_names(kind)}
