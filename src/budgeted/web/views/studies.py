"""The list of studies."""

from __future__ import annotations

from pydantic import Field

from budgeted.addresses import segment
from budgeted.policies import POLICIES, parameter_names
from budgeted.studies.ledger import Summary
from budgeted.studies.snapshot import Snapshot, id_of
from budgeted.web.views.parts import Money, View, amounts, money_of

PER_PAGE = 25


class StudyCard(View):
    """A study at a glance."""

    name: str
    quoted: str = Field(description="the name as a part of an address")
    id: str = Field(description="tells it from another study that had, or gets, the same name")
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
    """A page of the studies of the database, the one with the latest event first."""

    studies: list[StudyCard]
    broken: list[str] = Field(description="studies that cannot be opened, and why")
    closed: bool = Field(description="whether these are the closed ones, which are listed apart")
    number_closed: int = Field(description="how many are closed")
    text: str = Field(description="what their names hold; empty: anything")
    total: int = Field(description="how many there are, with such names")
    page: int
    pages: int


def studies_view(
    cards: list[StudyCard], broken: list[str], text: str, closed: bool, page: int
) -> StudiesView:
    """Return a page of studies."""
    wanted = text.strip().casefold()
    kept = [
        card
        for card in cards
        if (card.state == "closed") is closed and wanted in card.name.casefold()
    ]
    kept.sort(key=lambda card: card.last_at, reverse=True)
    pages = max(1, -(-len(kept) // PER_PAGE))
    page = min(max(1, page), pages)
    return StudiesView(
        studies=kept[(page - 1) * PER_PAGE : page * PER_PAGE],
        broken=broken,
        closed=closed,
        number_closed=sum(card.state == "closed" for card in cards),
        text=text,
        total=len(kept),
        page=page,
        pages=pages,
    )


def card_of(study: Snapshot) -> StudyCard:
    """Return a study at a glance."""
    card = card_from(
        study.name, Summary.of(study, study.entries[0], study.entries[-1]), blind=study.blind
    )
    return card.model_copy(update={"money": money_of(study.state)})


def card_from(name: str, study: Summary, *, blind: bool = False) -> StudyCard:
    """Return a study at a glance, from what is kept of it for lists."""
    return StudyCard(
        name=name,
        quoted=segment(name),
        id=id_of(name, study.started_at, study.started_by),
        state="closed" if study.closed else "open",
        money=amounts(study.budget, study.spent, study.reserved, study.free),
        features=study.features,
        cases=study.cases,
        labels=[] if blind else list(study.labels),
        policy=study.policy,
        bought=study.bought,
        pending=study.pending,
        events=study.events,
        started_at=study.started_at,
        started_by=study.started_by,
        last_at=study.last_at,
        last_by=study.last_by,
        last_words="" if blind else study.last_words,
    )


def policy_choices() -> list[PolicyChoice]:
    """Return the policies that can be chosen."""
    return [
        PolicyChoice(name=name, summary=kind.summary, parameters=list(parameter_names(kind)))
        for name, kind in POLICIES.available().items()
    ]
