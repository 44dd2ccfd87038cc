"""What concerns a study as a whole: its money, its tests, its cuts, its end."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from budgeted.problem.budgets import kind_of
from budgeted.problem.money import show
from budgeted.problem.values import Categorical, Number
from budgeted.studies.proposed_cuts import WAYS, Found, proposals
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.stop import StopRulesView, stop_rules_of
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
    """Return the page of what concerns a study as a whole.

    Parameters
    ----------
    study
        At the moment.
    feature
        Of which cuts are proposed; empty for none.
    """
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
