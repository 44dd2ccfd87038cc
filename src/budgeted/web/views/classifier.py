"""How good the classifier of a study is now: what is expected of it, and what was measured."""

from __future__ import annotations

from pydantic import Field

from budgeted.learners import Outlook
from budgeted.learners.prospect import CONFIDENCE
from budgeted.simulation.judge import Validation
from budgeted.studies.measured import Measured, disagreement, measure
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.status import expected_error, is_better, most_frequent
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of


class OutlookView(View):
    """How often the classifier of today is expected to be wrong on new cases."""

    error: float
    low: float
    high: float
    confidence: float
    words: str = Field(examples=["16.4 % (5.0 % to 28.4 %)"])
    majority: str = Field(description="the most frequent label")
    majority_error: float = Field(description="the error of always saying it")
    separates: bool = Field(description="whether the classifier is expected to do better than that")


class MeasuredView(View):
    """How often the classifier is wrong on the validation cases."""

    error: float
    low: float
    high: float
    cases: int
    disagreement: str = Field(description="said where it is not what was expected; else empty")


class ClassifierView(View):
    """How good the classifier is now."""

    study: StudyCard
    seq: int
    outlook: OutlookView | None = Field(description="null: there is no classifier here")
    unknown: str = Field(description="why there is none")
    measured: MeasuredView | None = Field(description="error on the validation cases")


def classifier_view(study: Snapshot, judge: Validation | None) -> ClassifierView:
    """Return how good the classifier is now.

    Parameters
    ----------
    study
        At the moment.
    judge
        Validation cases, if there are any.
    """
    expected, unknown = expected_error(study)
    measured = None if judge is None or expected is None else measure(study.predictor, judge)
    return ClassifierView(
        study=card_of(study),
        seq=study.events,
        outlook=outlook_of(study, expected),
        unknown=unknown,
        measured=measured_of(measured, expected),
    )


def outlook_of(study: Snapshot, now: Outlook | None) -> OutlookView | None:
    """Return the expected error; None if there is no classifier here."""
    if now is None:
        return None
    majority, majority_error = most_frequent(study.state.problem)
    return OutlookView(
        error=now.error,
        low=now.low,
        high=now.high,
        confidence=CONFIDENCE,
        words=_words(now).replace("%", " %"),
        majority=majority,
        majority_error=majority_error,
        separates=is_better(now, majority_error),
    )


def measured_of(found: Measured | None, expected: Outlook | None) -> MeasuredView | None:
    """Return the measured error beside the expected one."""
    if found is None or expected is None:
        return None
    return MeasuredView(**vars(found), disagreement=disagreement(expected, found))


def _words(now: Outlook) -> str:
    return f"{now.error:.1%} ({now.low:.1%} to {now.high:.1%})"
