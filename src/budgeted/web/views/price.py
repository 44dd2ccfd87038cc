"""What asking would cost, before the press."""

from __future__ import annotations

from pydantic import Field

from budgeted.studies.commands import Ask
from budgeted.studies.drafts import Draft
from budgeted.studies.foresight import foresee
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of


class PriceView(View):
    """What so many orders would cost now; nothing is asked by looking."""

    study: StudyCard
    seq: int
    wanted: int
    placed: int = Field(description="how many of them fit in the money that is free")
    requests: int = Field(description="how many measurements these are")
    cost: str = Field(description="what they cost together")
    free: str
    whole: str | None = Field(description="what all that are wanted would cost; null: not known")
    known: bool = Field(description="false: there was no time to try all; these are the first")
    words: str = Field(examples=["3 would cost 12.00, of 400.00 that are free."])


def price_view(study: Snapshot, draft: Draft, command: Ask) -> PriceView:
    """Return what asking would cost.

    Parameters
    ----------
    study, draft
        At the moment, to be looked at and to be tried on.
    command
        What would be asked.
    """
    found = foresee(draft, command, study.name)
    whole = found.cost if found.placed >= found.wanted else found.whole
    return PriceView(
        study=card_of(study),
        seq=study.events,
        wanted=found.wanted,
        placed=found.placed,
        requests=found.requests,
        cost=str(found.cost),
        free=str(found.free),
        whole=None if whole is None else str(whole),
        known=found.known,
        words=found.words(),
    )
