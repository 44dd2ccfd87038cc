"""What would be asked for next, to be set beside what more values of each feature are worth."""

from __future__ import annotations

from pydantic import Field

from budgeted.problem import money
from budgeted.studies.drafts import Draft
from budgeted.studies.foresight import next_order
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of
from budgeted.web.views.why import Bar, bars_of, in_words


class NextView(View):
    """What would be asked for next, and what it is compared with."""

    study: StudyCard
    seq: int
    features: list[str] = Field(description="what would be ordered together; empty: nothing")
    case: str
    label: str
    cost: str
    why: str
    why_not: str = Field(description="why nothing would be asked for")
    bars: list[Bar] = Field(description="what the policy compares for it, the best first")
    words: str = Field(description="whether what is ordered is the best of these, and if not, why")


def next_view(study: Snapshot, draft: Draft) -> NextView:
    """Return what would be asked for next; nothing is asked.

    Parameters
    ----------
    study, draft
        At the moment, to be looked at and to be tried on.
    """
    asked, why_not = next_order(draft, study.name)
    bars = [] if asked is None else bars_of(asked)
    return NextView(
        study=card_of(study),
        seq=study.events,
        features=[] if asked is None else [line.feature for line in asked.lines],
        case="" if asked is None else asked.case,
        label="" if asked is None else asked.label,
        cost="" if asked is None else str(money.total([line.cost for line in asked.lines])),
        why="" if asked is None else asked.reason,
        why_not=why_not,
        bars=bars,
        words="" if asked is None else in_words(asked, bars),
    )
