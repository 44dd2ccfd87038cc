"""The page of one study: what the ledger says at once, and what more is worth."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from budgeted.problem import Problem
from budgeted.studies.commands.ask import why_nothing
from budgeted.studies.events import PENDING
from budgeted.studies.measured import Measured
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.status import Cell, status_of
from budgeted.web.views.classifier import MeasuredView, OutlookView, measured_of, outlook_of
from budgeted.web.views.manage import StopView, stop_of
from budgeted.web.views.parts import EventView, RequestView, View, event_of, request_of
from budgeted.web.views.studies import StudyCard, card_of

_RECENT = 8
_MOST_CASES = 2_000


class CellView(View):
    """A feature and label: what was bought, and what one more value is worth."""

    feature: str
    label: str
    cost: str
    bought: int
    pending: int
    failed: int
    left: int = Field(description="cases to buy from; -1 without limit")
    worth: float | None = Field(description="for its money, as a share of the best; null: not sold")


class FeatureView(View):
    """What is for sale."""

    position: int
    name: str
    values: list[str] = Field(description="what learners tell apart")
    choices: list[str] = Field(description="what can be told; empty: people write it")
    expects: str = Field(description="the same in words", examples=["one of 'no', 'yes'"])
    scale: str = Field(description="its unit and cuts, or the order of its values, in words")
    ranged: bool = Field(description="whether what is outside its range needs force")
    cost: str = Field(description="of the next value, on the case where it costs least")


class LedgerView(View):
    """What the ledger alone says of a study: nothing in it waits for a model to be fitted."""

    study: StudyCard
    seq: int = Field(description="number of the last event in it")
    loss: str
    features: list[FeatureView]
    withdrawn: list[str]
    prior: list[float] = Field(description="shares of the labels, in their order")
    case_names: list[str] = Field(description="of the cases, at most 2000, to choose from")
    parameters: dict[str, bool | int | float | str | None]
    case_rule: str
    seed: int
    package: str
    can_ask: bool
    why_not: str = Field(description="why nothing can be asked; empty if it can")
    most_at_once: int
    validated: bool = Field(description="whether there is a validation file")
    rule_to_stop: bool = Field(description="whether asking follows rules for stopping")


class MoneyView(View):
    """The money, and whether more can be asked: what changes with every event."""

    study: StudyCard
    seq: int
    why_not: str = Field(description="why nothing can be asked; empty if it can")


class StudyView(LedgerView):
    """Everything that there is to know of a study: the ledger, the classifier, what is worth it."""

    outlook: OutlookView | None = Field(description="null: there is no classifier here")
    unknown: str = Field(description="why there is none")
    pending: list[RequestView]
    cells: list[CellView]
    recent: list[EventView]
    measured: MeasuredView | None = Field(description="error on the validation cases")
    stop: StopView | None = Field(description="what the rules for stopping say; null: none")


class CellsView(View):
    """What was bought of each feature and label, and what more of it is worth."""

    study: StudyCard
    seq: int
    cells: list[CellView]
    withdrawn: int
    prior: list[float]
    case_rule: str
    loss: str


class WorklistView(View):
    """The requests under way, to be printed."""

    study: StudyCard
    seq: int
    requests: list[RequestView]
    total: str = Field(description="what they cost together")

    @property
    def number(self) -> int:
        """How many there are, on all pages."""
        return self.study.pending


def ledger_view(study: Snapshot, most_at_once: int, validated: bool) -> LedgerView:
    """Return what the ledger says."""
    return LedgerView(**_ledger(study, most_at_once, validated))


def money_view(study: Snapshot) -> MoneyView:
    """Return the money; it costs the same however large the study is."""
    return MoneyView(study=card_of(study), seq=study.events, why_not=_why_not(study))


def study_view(
    study: Snapshot, most_at_once: int, validated: bool, measured: Measured | None
) -> StudyView:
    """Return everything, for programs."""
    status, problem = status_of(study, _RECENT), study.state.problem
    return StudyView(
        **_ledger(study, most_at_once, validated),
        outlook=outlook_of(study, status.outlook),
        unknown="it is not shown to who enters values" if study.blind else status.unknown,
        pending=[request_of(each, problem) for each in status.pending],
        cells=[] if study.blind else [_cell(each) for each in status.cells],
        recent=[event_of(each) for each in reversed(status.recent)],
        measured=None if study.blind else measured_of(measured, status.outlook),
        stop=stop_of(status.stop),
    )


def cells_view(study: Snapshot) -> CellsView:
    """Return what was bought of each feature and label, and what more of it is worth."""
    return CellsView(
        study=card_of(study),
        seq=study.events,
        cells=[_cell(each) for each in (() if study.blind else status_of(study, 0).cells)],
        withdrawn=len(study.withdrawn),
        prior=list(study.state.problem.prior),
        case_rule=study.created.case_rule,
        loss=study.created.loss,
    )


def worklist_view(study: Snapshot) -> WorklistView:
    """Return the requests under way."""
    problem = study.state.problem
    return WorklistView(
        study=card_of(study),
        seq=study.events,
        requests=[request_of(each, problem, 0) for each in study.requests(PENDING)],
        total=str(study.state.reserved),
    )


def features_of(study: Snapshot) -> list[FeatureView]:
    """Return what is for sale."""
    return [feature_of(study.state.problem, at) for at in range(len(study.state.problem.features))]


def feature_of(problem: Problem, at: int) -> FeatureView:
    """Return one of the features of a problem, with its price on a fresh case."""
    feature = problem.features[at]
    price = str(problem.feature_prices[at]) if problem.has_prices else ""
    return FeatureView(
        position=at,
        name=feature.name,
        values=list(feature.values),
        choices=list(feature.choices),
        expects=feature.expects,
        scale=feature.scale,
        ranged=feature.ranged,
        cost=price,
    )


def _why_not(study: Snapshot) -> str:
    if study.blind and not study.closed:  # it may name a label of which no case is left
        return ""
    return "the study is closed" if study.closed else why_nothing(study.state)


def _ledger(study: Snapshot, most_at_once: int, validated: bool) -> dict[str, Any]:
    created, why_not = study.created, _why_not(study)
    return {
        "study": card_of(study),
        "seq": study.events,
        "loss": created.loss,
        "features": features_of(study),
        "withdrawn": sorted(study.withdrawn),
        "prior": list(study.state.problem.prior),
        "case_names": list(study.cases[:_MOST_CASES]),
        "parameters": dict(created.parameters),
        "case_rule": created.case_rule,
        "seed": created.seed,
        "package": created.package,
        "can_ask": not why_not,
        "why_not": why_not,
        "most_at_once": most_at_once,
        "validated": validated,
        "rule_to_stop": study.stop is not None and study.stop.rules.binding,
    }


def _cell(cell: Cell) -> CellView:
    plain = vars(cell) | {"cost": "" if cell.cost is None else str(cell.cost)}
    return CellView(**plain)
