"""The classifier: what it says of a new case that is known in part, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from budgeted.errors import ModelError
from budgeted.learners.formats import offered
from budgeted.learners.model import Model, is_unknown
from budgeted.problem import Feature, Problem
from budgeted.studies.beginning import learner_of
from budgeted.studies.snapshot import Snapshot
from budgeted.web.pages.fields import clipped, whole_number
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

MOST_FIELDS = 25
"""Of the form; one can search for the others."""
SMALL = 60
"""So few features have a classifier that is there at once."""


class ValueView(View):
    """A value of a feature, and how often it is seen for each label."""

    name: str
    chances: list[float] | None = Field(
        description="P(value | label), in the order of the labels; None if the learner has none"
    )
    chosen: bool


class ModelFeature(View):
    """A feature of the classifier, and what it does for this case."""

    position: int
    name: str
    values: list[ValueView]
    choices: list[str] = Field(description="what can be given; empty: people write it")
    expects: str = Field(description="the same in words", examples=["one of 'no', 'yes'"])
    ranged: bool = Field(description="whether what is outside its range needs force")
    chosen: str | None
    contributions: list[float] | None = Field(
        description="by how much knowing it moved the probability of each label; None if unknown"
    )
    informative: float | None = Field(
        description="expected fall of the GINI loss of this case if it were measured; None if it "
        "is known, or if the learner does not say how frequent its values are"
    )


class LabelView(View):
    """A label: how probable it is for this case, and how common."""

    name: str
    probability: float
    words: str = Field(examples=["87.1 %"])
    prior: float
    study_prior: float
    best: bool


class ModelView(View):
    """Everything on the page of the classifier."""

    study: StudyCard
    seq: int
    labels: list[LabelView]
    features: list[ModelFeature]
    known: int = Field(description="how many features of the case are known")
    own_prior: bool = Field(description="whether another prior than the study's is used")


class FormFeature(View):
    """A feature of which something can be said."""

    position: int
    name: str
    choices: list[str]
    expects: str
    ranged: bool
    chosen: str | None


class FormLabel(View):
    """A label, and how common it is."""

    name: str
    prior: float
    study_prior: float


class ModelForm(View):
    """A form in which the classifier can be taken away."""

    name: str
    title: str


class FormView(View):
    """The form in which a case is described; it needs no classifier."""

    study: StudyCard
    seq: int
    labels: list[FormLabel]
    features: list[FormFeature]
    total: int = Field(description="how many features the search finds")
    every: int = Field(description="how many there are")
    search: str
    forms: list[ModelForm] = Field(description="besides JSON")


def form_view(
    study: Snapshot, known: tuple[str, ...], prior: tuple[float, ...], search: str
) -> FormView:
    """Return the form: what is known of the case, and the first features that a search finds."""
    problem = study.state.problem
    case = case_of(problem.features, known)
    wanted = search.strip().casefold()
    found = [at for at, each in enumerate(problem.features) if wanted in each.name.casefold()]
    given = [at for at, each in enumerate(problem.features) if each.name in case]
    total = sum(prior) or 1.0
    shares = [share / total for share in prior] if prior else problem.prior
    if len(shares) != len(problem.labels):
        raise ModelError(f"prior: must be {len(problem.labels)} shares above 0, one per label")
    return FormView(
        study=card_of(study),
        seq=study.events,
        labels=[
            FormLabel(name=name, prior=share, study_prior=usual)
            for name, share, usual in zip(problem.labels, shares, problem.prior, strict=True)
        ],
        features=[_field(problem, at, case) for at in sorted({*found[:MOST_FIELDS], *given})],
        total=len(found),
        every=len(problem.features),
        search=search.strip(),
        forms=[
            ModelForm(name=each.name, title=each.title)
            for each in offered(learner_of(study.created))
            if each.name != "json"
        ],
    )


def _field(problem: Problem, at: int, case: dict[str, str]) -> FormFeature:
    feature = problem.features[at]
    return FormFeature(
        position=at,
        name=feature.name,
        choices=list(feature.choices),
        expects=feature.expects,
        ranged=feature.ranged,
        chosen=case.get(feature.name),
    )


def model_view(
    study: Snapshot, known: tuple[str, ...], prior: tuple[float, ...], force: bool = False
) -> ModelView:
    """Return what the classifier says."""
    model = study.model()
    case = case_of(model.features, known)
    return view_of(study, with_shares(model, prior), case, force)


def with_shares(model: Model, prior: Sequence[float]) -> Model:
    """Return the model for a population; shares that do not sum to one are scaled."""
    if not prior:
        return model
    total = sum(prior)
    if len(prior) != len(model.labels) or not all(share > 0 for share in prior) or total > 1e9:
        raise ModelError(f"prior: must be {len(model.labels)} shares above 0, one per label")
    return model.with_prior([share / total for share in prior])


def case_of(features: Sequence[Feature], known: Sequence[str]) -> dict[str, str]:
    """Return feature → value of a case given as position=value."""
    case: dict[str, str] = {}
    for each in known:
        chosen, _, value = each.partition("=")
        if not value:
            continue
        position = whole_number(chosen)
        if position is None or position >= len(features):
            raise ModelError(
                f"known: must be <position of a feature>=<value>, got {clipped(each)!r}"
            )
        name = features[position].name
        if case.get(name, value) != value:
            raise ModelError(f"known: {name!r} is given twice, as {case[name]!r} and {value!r}")
        case[name] = value
    return case


def view_of(study: Snapshot, model: Model, case: dict[str, Any], force: bool = False) -> ModelView:
    """Return what a model says of a case."""
    chances = model.predict(case, force)
    case = {
        name: model.feature(name).read(value, force=True)
        for name, value in case.items()
        if not is_unknown(value)
    }
    best = max(chances, key=lambda label: chances[label])
    given = dict(zip(model.labels, study.state.problem.prior, strict=True))
    return ModelView(
        study=card_of(study),
        seq=study.events,
        labels=[
            LabelView(
                name=label,
                probability=chances[label],
                words=f"{100 * chances[label]:.1f} %",
                prior=share,
                study_prior=given[label],
                best=label == best,
            )
            for label, share in zip(model.labels, model.prior, strict=True)
        ],
        features=[_feature(model, case, at) for at in range(len(model.features))],
        known=len(case),
        own_prior=model.prior != study.state.problem.prior,
    )


def _feature(model: Model, case: dict[str, str], at: int) -> ModelFeature:
    feature = model.features[at]
    chances = model.shares(feature)
    chosen = case.get(feature.name)
    known = None if chosen is None else model.value(feature, chosen, force=True)
    others = {name: each for name, each in case.items() if name != feature.name}
    before = np.array(list(model.predict(others, force=True).values()))
    contributions = informative = None
    if chosen is not None:
        after = np.array(list(model.predict(case, force=True).values()))
        contributions = (after - before).tolist()
    elif chances is not None:
        joint = before[:, None] * chances  # labels × values
        totals = joint.sum(axis=0)
        after = 1 - ((joint / totals) ** 2).sum(axis=0)
        informative = max(0.0, float(1 - (before**2).sum() - (totals * after).sum()))
    return ModelFeature(
        position=at,
        name=feature.name,
        values=[
            ValueView(
                name=name,
                chances=None if chances is None else chances[:, column].tolist(),
                chosen=column == known,
            )
            for column, name in enumerate(feature.values)
        ],
        choices=list(feature.choices),
        expects=feature.expects,
        ranged=feature.ranged,
        chosen=chosen,
        contributions=contributions,
        informative=informative,
    )
