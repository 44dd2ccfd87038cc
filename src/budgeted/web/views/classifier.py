"""How good the classifier of a study is now: what is expected of it, and what was measured."""

from __future__ import annotations

from math import isnan

from pydantic import Field

from budgeted.learners import Outlook
from budgeted.learners.base import Confusion
from budgeted.learners.prospect import CONFIDENCE
from budgeted.problem import Problem
from budgeted.simulation.judge import Validation
from budgeted.studies.measured import Measured, disagreement, measure, measured_confusion
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.status import expected_error, is_better, most_frequent
from budgeted.studies.weighing import stop_status
from budgeted.web.views.manage import StopView, stop_of
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of


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


class Rate(View):
    """A share of the cases of a label, with an interval that holds nine of ten possibilities."""

    share: float
    low: float
    high: float


class LabelView(View):
    """What is said of the cases of one label: rightly, or that they are of another."""

    label: str
    prior: float = Field(description="its share among new cases")
    expected: list[Rate] | None = Field(
        description="how often each label is expected to be said, in their order; null: not known"
    )
    measured: list[Rate] | None = Field(
        description="how often each was said of the validation cases; null: there are none of it"
    )
    right: Rate | None = Field(description="how often it is expected to be recognised")
    right_measured: Rate | None = Field(description="how often it was, on validation cases")
    cases: int = Field(description="validation cases of this label")


class ClassifierView(View):
    """How good the classifier is now."""

    study: StudyCard
    seq: int
    outlook: OutlookView | None = Field(description="null: there is no classifier here")
    unknown: str = Field(description="why there is none")
    measured: MeasuredView | None = Field(description="error on the validation cases")
    validated: bool = Field(description="whether there are validation cases")
    labels: list[LabelView] = Field(
        description="of two labels the one recognised gives sensitivity, the other specificity; "
        "empty for who must not see labels"
    )
    positive: str = Field(description="the rarer one of two labels; empty where there are more")
    stop: StopView | None = Field(description="what the rules for stopping say; null: none")


def classifier_view(study: Snapshot, judge: Validation | None) -> ClassifierView:
    """Return how good the classifier is now."""
    expected, unknown = expected_error(study)
    measured = None if judge is None or expected is None else measure(study.predictor, judge)
    return ClassifierView(
        study=card_of(study),
        seq=study.events,
        outlook=outlook_of(study, expected),
        unknown=unknown,
        measured=measured_of(measured, expected),
        validated=judge is not None,
        labels=[] if expected is None or study.blind else _labels(study, judge),
        positive="" if study.blind else _rarer(study.state.problem),
        stop=stop_of(stop_status(study)),
    )


def _labels(study: Snapshot, judge: Validation | None) -> list[LabelView]:
    problem = study.state.problem
    number = len(problem.labels)
    counted = None if judge is None else measured_confusion(study.predictor, judge)
    expected, measured = _rates(study.confusion, number), _rates(counted, number)
    cases = [0.0] * len(problem.labels)
    if judge is not None:
        cases = (judge.masses.sum(axis=0) * len(judge.values)).tolist()
    found = []
    for at, label in enumerate(problem.labels):
        mine, theirs = expected[at], measured[at]
        found.append(
            LabelView(
                label=label,
                prior=problem.prior[at],
                expected=mine,
                measured=theirs,
                right=mine[at] if mine else None,
                right_measured=theirs[at] if theirs else None,
                cases=round(cases[at]),
            )
        )
    return found


def _rates(found: Confusion | None, labels: int) -> list[list[Rate] | None]:
    """A row for each label; none for one of which there is no case."""
    if found is None:
        return [None] * labels
    tables = [each.tolist() for each in (found.shares, found.low, found.high)]
    return [
        None if isnan(rows[0][0]) else [
            Rate(share=share, low=low, high=high) for share, low, high in zip(*rows, strict=True)
        ]
        for rows in zip(*tables, strict=True)
    ]  # fmt: skip


def _rarer(problem: Problem) -> str:
    """Of two labels the one to be found: the rarer one; of equals, the last."""
    if len(problem.labels) != 2:
        return ""
    return problem.labels[0 if problem.prior[0] < problem.prior[1] else 1]


def outlook_of(study: Snapshot, now: Outlook | None) -> OutlookView | None:
    """Return the expected error; None if there is no classifier here, or who asks is blind: all
    labels that the cases could have can be tried, and only the right ones give it.
    """
    if now is None or study.blind:
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
