"""What the rules for stopping of a study say, and how a form states them."""

from __future__ import annotations

from pydantic import Field

from budgeted.studies.snapshot import Snapshot
from budgeted.studies.stop_rules import StopRules
from budgeted.studies.weighing import StopStatus
from budgeted.web.views.parts import View


class VerdictView(View):
    """What one rule says."""

    rule: str
    stops: bool
    words: str = Field(description="why, in money and in error")
    figures: dict[str, bool | int | float | str | None]


class StopView(View):
    """What the rules for stopping say now."""

    rules: dict[str, bool | int | float | str | None] = Field(
        description="as a study file has them"
    )
    binding: bool = Field(description="whether asking follows them; else they are advice")
    stops: bool = Field(description="whether one of them says to stop")
    verdicts: list[VerdictView]
    due: bool = Field(description="whether they are weighed anew when something is asked next")
    weighed_at: str = Field(description="what was spent when they looked ahead; empty: never")
    headline: str = Field(description="what to do, without the reasons")
    reasons: list[str] = Field(description="of those that say to stop; else of all")
    words: str = Field(description="all in a sentence")


class StopRulesView(View):
    """The rules for stopping, as the fields of a form have them."""

    words: str
    lines: list[str] = Field(description="the same; a line for each rule, if there are several")
    target_error: str
    probability: str
    least_gain: str
    binding: bool


def stop_of(status: StopStatus | None) -> StopView | None:
    """Return what the rules say; None if there are none."""
    if status is None:
        return None
    return StopView(
        rules=dict(status.rules),  # type: ignore[arg-type]
        binding=status.binding,
        stops=status.stops,
        verdicts=[
            VerdictView(
                rule=each.rule, stops=each.stops, words=each.words, figures=dict(each.figures)
            )
            for each in status.verdicts
        ],
        due=status.due,
        weighed_at="" if status.weighed_at is None else f"{status.weighed_at:f}",
        headline=f"{status.headline[0].upper()}{status.headline[1:]}",
        reasons=list(status.reasons),
        words=f"{status.words[0].upper()}{status.words[1:]}.",
    )


def stop_rules_of(study: Snapshot) -> StopRulesView:
    """Return the rules of a study for a form."""
    rules = StopRules() if study.stop is None else study.stop.rules
    table, said = rules.to_table(), rules.words()
    return StopRulesView(
        words=f"{said[0].upper()}{said[1:]}.",
        lines=[each.removeprefix("- ") for each in rules.lines()],
        target_error=str(table.get("target_error", "")),
        probability=str(table.get("probability", "")),
        least_gain=str(table.get("least_gain", "")),
        binding=bool(table.get("binding", False)),
    )
