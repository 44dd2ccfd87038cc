"""Stop rules: say when the study has bought enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import StopRuleError, StudyError
from budgeted.hints import ForceIt
from budgeted.studies.commands.base import Command, parameter, reason

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.events import Event
    from budgeted.studies.stop_rules import StopRules


@dataclass(frozen=True)
class SetStopRules(Command):
    """Say when the study has bought enough; rules that are not given stay as they are.

    What they say now is weighed at once, which takes some seconds where they look ahead. They are
    advice unless they are binding: then asking follows them.
    """

    name: ClassVar[str] = "stop-rules"
    target_error: float | None = parameter(
        "Stop at this share of wrong answers, such as 0.1.", None
    )
    probability: float | None = parameter(
        "How sure it must be that the target is reached; 0.9 unless given.", None
    )
    least_gain: float | None = parameter(
        "Stop when nothing left is expected to lower the error by more than this, such as 0.01.",
        None,
    )
    binding: bool | None = parameter("Whether asking follows them; else they are advice.", None)
    drop: Sequence[str] = parameter(
        "Drop this rule, such as least-gain; can be given several times.", ()
    )
    none: bool = parameter("Drop all rules; those that are given take their place.", False)
    why: str = reason()
    force: bool = parameter("Take a target that all the money is not expected to reach.", False)

    def __post_init__(self) -> None:
        if isinstance(self.drop, str):
            raise StudyError(f"drop: must be a list of rules, got {self.drop!r}")
        object.__setattr__(self, "drop", tuple(self.drop))

    def decide(self, draft: Draft) -> list[Event]:
        """Return the new rules, and what they say now."""
        from budgeted.state.surcharges import committed
        from budgeted.studies.stop_events import StopRulesSet, StopWeighed, stop_log
        from budgeted.studies.stop_rules import Judged, Situation, StopRules
        from budgeted.studies.weighing import foreseen

        if draft.closed:
            raise StudyError("the study is closed; nothing is asked any more")
        log = stop_log(draft)
        old = StopRules() if log is None else log.rules
        new = self.rules_after(old)
        if new.to_table() == old.to_table():
            raise StudyError(f"the rules are these already: {new.words()}")
        if wrong := new.unfit(draft.state.problem):
            raise StopRuleError(wrong)
        changed = StopRulesSet(new.to_table(), old.to_table(), self.why)
        if not new.rules:
            return [changed]
        ahead = draft.looks_ahead and (new.look_ahead or self.target_error is not None)
        forecast, why = None, ""
        if ahead:
            forecast, why = foreseen(draft, draft.signature[0])
        target = None if self.target_error is None or self.force else new.target
        if forecast is not None and target is not None and (far := target.out_of_reach(forecast)):
            raise StudyError(far, hint=ForceIt())
        situation = Situation(draft.state, Judged(draft.predictor), forecast, why)
        said = new.weigh(situation)
        made = StopWeighed(said, new.binding, "weighed", committed(draft.state), ahead)
        return [changed, made]

    def rules_after(self, old: StopRules) -> StopRules:
        """Return the new rules: what is given, and else what there is."""
        from budgeted.listing import did_you_mean
        from budgeted.studies.stop_rules import KEYS, from_table

        table: dict[str, Any] = {} if self.none else old.to_table()
        stated = [each.name for each in old.rules]
        for name in self.drop:
            if name not in stated:
                there = ", ".join(stated) or "none"
                raise StudyError(
                    f"drop: the study has no rule {name!r}; {did_you_mean(name, stated)}its "
                    f"rules: {there}"
                )
            table.pop(name.replace("-", "_"))
            if name == "target-error":
                table.pop("probability", None)
        given = {key: getattr(self, key) for key in KEYS if getattr(self, key) is not None}
        if not given and not self.drop and not self.none:
            raise StudyError("say which rules the study is to have, or which to drop")
        made = from_table(table | given)
        if given.get("binding") and not made.rules:
            raise StudyError("binding: there are no rules that could be binding; give some")
        return made
