"""What concerns a study as a whole: its money, its tests, its cuts, when to stop."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from budgeted.problem.budgets import kind_of
from budgeted.problem.money import show
from budgeted.problem.values import Categorical, Number
from budgeted.studies.proposed_cuts import WAYS, Found, proposals
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.stop_rules import StopRules
from budgeted.studies.weighing import StopStatus
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

_MOST_CHOICES = 50


class TermsView(View):
    """The terms of the budget, as the fields of a form have them."""

    kind: str = Field(examples=["firm", "soft"])
    words: str
    amount: str
    limit: str
    rate: str
    steps: str
    point_worth: str


class CutsView(View):
    """A feature that is measured, and where its numbers are cut."""

    feature: str
    cuts: str
    scale: str
    source: str


class ProposalView(View):
    """Cuts that were found in what was bought so far."""

    how: str
    cuts: str
    in_each: list[int]
    source: str
    why_not: str


class ManageView(View):
    """Everything on the page of what concerns the study as a whole."""

    study: StudyCard
    seq: int
    terms: TermsView
    stop: StopRulesView
    numeric: list[CutsView] = Field(description="the first ones")
    named: list[str] = Field(description="features whose values are names, the first ones")
    cut: CutsView | None = Field(description="the feature that is to be cut elsewhere")
    proposals: list[ProposalView]
    decimal: str = Field(examples=["point", "comma"])


def manage_view(study: Snapshot, feature: str) -> ManageView:
    """Return the page of what concerns a study as a whole."""
    features = study.state.problem.features
    numeric = {each.name: each.kind for each in features if isinstance(each.kind, Number)}
    chosen = numeric.get(feature)
    marks = {each.decimal for each in numeric.values()}
    return ManageView(
        study=card_of(study),
        seq=study.events,
        terms=_terms(study),
        stop=stop_rules_of(study),
        numeric=[_cuts(name, kind) for name, kind in list(numeric.items())[:_MOST_CHOICES]],
        named=[each.name for each in features if isinstance(each.kind, Categorical)][
            :_MOST_CHOICES
        ],
        cut=None if chosen is None else _cuts(feature, chosen),
        proposals=[] if chosen is None else _proposals(study, feature, chosen),
        decimal=marks.pop() if len(marks) == 1 else "point",
    )


def _terms(study: Snapshot) -> TermsView:
    terms = study.state.problem.terms
    table: dict[str, Any] = terms.to_table()
    steps = [f"{each['beyond']}:{each['rate']}" for each in table.get("steps", ())]
    return TermsView(
        kind=kind_of(table),
        words=terms.words(),
        amount=show(terms.amount),
        limit=str(table.get("limit", "")),
        rate=str(table.get("rate", "")),
        steps=" ".join(steps),
        point_worth=str(table.get("point_worth", "")),
    )


def _cuts(name: str, kind: Number) -> CutsView:
    return CutsView(feature=name, cuts=kind.written_cuts, scale=kind.scale, source=kind.source)


def _proposals(study: Snapshot, feature: str, kind: Number) -> list[ProposalView]:
    found = []
    for how, each in zip(WAYS, proposals(study, feature), strict=True):
        if isinstance(each, Found):
            cuts = kind.recut(each.cuts, each.source).written_cuts
            found.append(ProposalView(how=how, cuts=cuts, in_each=list(each.in_each),
                                      source=each.source, why_not=""))  # fmt: skip
        else:
            found.append(ProposalView(how=how, cuts="", in_each=[], source="", why_not=each))
    return found


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
