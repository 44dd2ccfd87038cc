"""The page of one study: the money, what is under way, what is worth buying."""

from __future__ import annotations

from pydantic import Field

from budgeted.learners import Outlook
from budgeted.learners.prospect import CONFIDENCE
from budgeted.problem import Problem
from budgeted.studies.commands.ask import why_nothing
from budgeted.studies.fates import PENDING
from budgeted.studies.measured import Measured, disagreement
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.status import Status, status_of
from budgeted.web.views.parts import EventView, RequestView, View, event_of, request_of
from budgeted.web.views.studies import StudyCard, card_of

_RECENT = 8
_MOST_CASES = 2_000


class OutlookView(View):
    """How often the classifier of today is expected to be wrong on new cases."""

    error: float
    low: float
    high: float
    confidence: float
    words: str = Field(examples=["16.4 % (5.0 % to 28.4 %)"])
    majority: str = Field(description="the most frequent label; empty: not shown to you")
    majority_error: float = Field(description="the error of always saying it")
    separates: bool = Field(description="whether the classifier is expected to do better than that")


class MeasuredView(View):
    """How often the classifier is wrong on the validation cases."""

    error: float
    low: float
    high: float
    cases: int
    disagreement: str = Field(description="said where it is not what was expected; else empty")


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


class StudyView(View):
    """Everything on the page of a study."""

    study: StudyCard
    seq: int = Field(description="number of the last event in it")
    outlook: OutlookView | None = Field(description="null: there is no classifier here")
    unknown: str = Field(description="why there is none")
    loss: str
    pending: list[RequestView]
    cells: list[CellView] = Field(description="empty for who must not see labels")
    features: list[FeatureView]
    recent: list[EventView]
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
    measured: MeasuredView | None = Field(description="error on the validation cases")


class WorklistView(View):
    """The requests under way, to be printed."""

    study: StudyCard
    seq: int
    requests: list[RequestView]
    total: str = Field(description="what they cost together")


def study_view(
    study: Snapshot, most_at_once: int, validated: bool, measured: Measured | None
) -> StudyView:
    """Return the page of a study.

    Parameters
    ----------
    study
        At the moment.
    most_at_once
        How many may be asked for.
    validated, measured
        Whether there is a validation file, and the error on it.
    """
    status, problem = status_of(study, _RECENT), study.state.problem
    why_not = _why_not(study)
    return StudyView(
        study=card_of(study),
        seq=study.events,
        outlook=_outlook(status, study.blind),
        unknown=status.unknown,
        loss=study.created.loss,
        pending=[request_of(each, problem) for each in status.pending],
        cells=[
            CellView(
                feature=each.feature,
                label=each.label,
                cost="" if each.cost is None else str(each.cost),
                bought=each.bought,
                pending=each.pending,
                failed=each.failed,
                left=each.left,
                worth=each.worth,
            )
            for each in (() if study.blind else status.cells)
        ],
        features=features_of(study),
        recent=[event_of(each) for each in reversed(status.recent)],
        withdrawn=sorted(study.withdrawn),
        prior=list(problem.prior),
        case_names=list(study.cases[:_MOST_CASES]),
        parameters=dict(study.created.parameters),
        case_rule=study.created.case_rule,
        seed=study.created.seed,
        package=study.created.package,
        can_ask=not why_not,
        why_not=why_not,
        most_at_once=most_at_once,
        validated=validated,
        measured=_measured(measured, status.outlook),
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


def _outlook(status: Status, blind: bool) -> OutlookView | None:
    now = status.outlook
    if now is None:
        return None
    return OutlookView(
        error=now.error,
        low=now.low,
        high=now.high,
        confidence=CONFIDENCE,
        words=_words(now).replace("%", " %"),
        majority="" if blind else status.majority,
        majority_error=status.majority_error,
        separates=status.separates,
    )


def _measured(found: Measured | None, expected: Outlook | None) -> MeasuredView | None:
    if found is None or expected is None:
        return None
    return MeasuredView(**vars(found), disagreement=disagreement(expected, found))


def _words(now: Outlook) -> str:
    return f"{now.error:.1%} ({now.low:.1%} to {now.high:.1%})"


def _why_not(study: Snapshot) -> str:
    if study.archived:
        return "the study is in the archive"
    if study.blind and not study.closed:  # it may name a label of which no case is left
        return ""
    return "the study is closed" if study.closed else why_nothing(study.state)
