"""The list of studies."""

from __future__ import annotations

from pydantic import Field

from budgeted.policies import POLICIES, parameter_names
from budgeted.study.snapshot import Snapshot
from budgeted.study.words import describe
from budgeted.web.names import segment
from budgeted.web.views.parts import Money, View, money_of


class StudyCard(View):
    """A study at a glance."""

    name: str
    quoted: str = Field(description="the name as a part of an address")
    state: str = Field(examples=["open", "closed"])
    money: Money
    features: int
    cases: int
    labels: list[str]
    policy: str
    bought: int
    pending: int
    events: int
    started_at: str
    started_by: str
    last_at: str
    last_by: str
    last_words: str


class PolicyChoice(View):
    """A policy that can be chosen."""

    name: str
    summary: str
    parameters: list[str]


class StudiesView(View):
    """All studies of the database."""

    studies: list[StudyCard]
    broken: list[str] = Field(description="studies that cannot be opened, and why")


def card_of(study: Snapshot) -> StudyCard:
    """Return a study at a glance."""
    first, last = study.entries[0], study.entries[-1]
    return StudyCard(
        name=study.name,
        quoted=segment(study.name),
        state="closed" if study.closed else "open",
        money=money_of(study.state),
        features=len(study.created.features),
        cases=len(study.created.cases),
        labels=list(study.created.labels),
        policy=study.created.policy,
        bought=sum(each.value is not None for each in study.state.history),
        pending=len(study.state.pending),
        events=study.events,
        started_at=first.at,
        started_by=first.by,
        last_at=last.at,
        last_by=last.by,
        last_words=describe(last.event),
    )


def policy_choices() -> list[PolicyChoice]:
    """Return the policies that can be chosen."""
    return [
        PolicyChoice(name=name, summary=kind.summary, parameters=list(parameter_names(kind)))
        for name, kind in POLICIES.items()
    ]
