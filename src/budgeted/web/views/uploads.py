"""The preview of a new study."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from budgeted.policies import accompanying, policy
from budgeted.web.uploads import Understood
from budgeted.web.views.parts import View
from budgeted.web.views.study import FeatureView, feature_of

_MOST_SHOWN = 500


class CaseRow(View):
    """A line of the list of cases."""

    line: int
    case: str
    label: str
    wrong: str = Field(description="what is wrong with it; empty if nothing is")


class LabelCount(View):
    """How many cases have a label, and its share where cases come from."""

    label: str
    cases: int
    prior: float | None


class PreviewView(View):
    """What was understood of an upload, and what is wrong."""

    ready: bool = Field(description="whether the study can begin")
    name: str
    budget: str
    policy: str
    parameters: dict[str, Any]
    case_rule: str
    seed: int
    loss: str
    features: list[FeatureView]
    labels: list[LabelCount]
    columns: list[str]
    rows: list[CaseRow] = Field(description="those with mistakes first, at most 500")
    rows_total: int
    rows_wrong: int
    study_mistakes: list[str]
    case_mistakes: list[str]
    validation_mistakes: list[str]
    validation: bool = Field(description="whether there is a validation file that can be used")


def preview_view(found: Understood) -> PreviewView:
    """Return the preview of an upload."""
    plain, given = found.plain, found.given
    wrong = [row for row in found.rows if row.wrong]
    first = [*wrong, *(row for row in found.rows if not row.wrong)][:_MOST_SHOWN]
    chooser = plain.get("policy", {})
    chooser = chooser if isinstance(chooser, dict) else {}
    priors = dict(zip(given.problem.labels, given.problem.prior, strict=True)) if given else {}
    counts = {label: found.labels.get(label, 0) for label in priors} or found.labels
    seed, loss = plain.get("seed", 0), plain.get("loss", "gini")
    made = policy(given.policy, **given.parameters) if given else None
    return PreviewView(
        ready=given is not None and not found.validation_mistakes,
        name=str(plain.get("name", "")),
        budget=given.problem.terms.words() if given else str(plain.get("budget", "")),
        policy=given.policy if given else str(chooser.get("name", "")),
        parameters=given.parameters if given else {},
        case_rule=str(plain.get("case_rule") or accompanying(made)["case_rule"]),
        seed=seed if isinstance(seed, int) else 0,
        loss=str(loss),
        features=[feature_of(given.problem, at) for at in range(len(given.problem.features))]
        if given
        else [],
        labels=[
            LabelCount(label=label, cases=number, prior=priors.get(label))
            for label, number in counts.items()
        ],
        columns=list(found.columns),
        rows=[
            CaseRow(line=row.line, case=row.case, label=row.label, wrong=row.wrong)
            for row in sorted(first, key=lambda row: row.line)
        ],
        rows_total=len(found.rows),
        rows_wrong=len(wrong),
        study_mistakes=list(found.study_mistakes),
        case_mistakes=list(found.case_mistakes),
        validation_mistakes=list(found.validation_mistakes),
        validation=found.validation is not None,
    )
