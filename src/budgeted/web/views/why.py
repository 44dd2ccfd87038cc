"""Why something was asked for, what would be asked next, and at what price.

Why is the comparison of the policy as it was recorded with the request.

Nothing is computed anew, so that it never contradicts the request. A policy compares features and
labels by scores, of which a lower one is better. Where all are below nothing, as with the default,
they are what each would bring for its money; else they are losses, and what counts is how far each
is from the highest.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from budgeted.listing import listed
from budgeted.policies import POLICIES
from budgeted.problem import money
from budgeted.studies.commands import Ask
from budgeted.studies.drafts import Draft
from budgeted.studies.events import Asked, Spread
from budgeted.studies.foresight import foresee, next_order
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

_TIE = 1e-6


class Bar(View):
    """One of those compared."""

    feature: str
    label: str
    score: float
    share: float = Field(description="from 0, as bad as the worst, to 1, the best")
    words: str = Field(examples=["the best", "9 % behind"])
    ordered: bool = Field(description="whether it was ordered then")


class WhyView(View):
    """Why a request was made."""

    study: StudyCard
    seq: int
    number: int
    case: str
    feature: str
    label: str
    policy: str
    why: str
    by: str
    at: str
    bars: list[Bar] = Field(description="the best first; empty: nothing was compared")
    number_compared: int
    words: str = Field(description="whether what was ordered is the best here, and if not, why")


def why_view(study: Snapshot, number: int) -> WhyView:
    """Return why a request was made."""
    request = study.request(number)
    asked = request.asked
    bars = [] if asked is None else bars_of(asked)
    return WhyView(
        study=card_of(study),
        seq=study.events,
        number=number,
        case=request.case,
        feature=request.feature,
        label=request.label,
        policy="" if asked is None else asked.policy,
        why=request.why,
        by=request.by,
        at=request.at,
        bars=bars,
        number_compared=asked.compared.number if asked and asked.compared else 0,
        words="nobody asked for it" if asked is None else in_words(asked, bars),
    )


def bars_of(asked: Asked) -> list[Bar]:
    """Return what is kept of a comparison, as lengths."""
    ordered = {(line.feature, asked.label) for line in asked.lines}
    lengths = _shares([score for _, _, score in asked.scores], asked.compared)
    return [
        Bar(
            feature=feature,
            label=label,
            score=score,
            share=share,
            words=_behind(share),
            ordered=(feature, label) in ordered,
        )
        for (feature, label, score), share in zip(asked.scores, lengths, strict=True)
    ]


def in_words(asked: Asked, bars: Sequence[Bar]) -> str:
    """Return whether what was ordered is the best of what was compared, and if not, why."""
    policy = asked.policy
    if not bars:
        return f"{policy} compared nothing for this one: {asked.reason}."
    mine = [bar for bar in bars if bar.ordered]
    names = listed([line.feature for line in asked.lines])
    if not mine:
        return f"{names} was ordered along with what is best here: {asked.reason}."
    number = len(bars) if asked.compared is None else asked.compared.number
    best = max(bar.share for bar in bars)
    if max(bar.share for bar in mine) >= best - _TIE:
        ties = [bar for bar in bars if bar.share >= best - _TIE and not bar.ordered]
        as_good = "" if not ties else f"; {len(ties)} more would be as good"
        return f"Of {number} compared, what was ordered is the best{as_good}."
    kind = POLICIES.available().get(policy)
    if kind is not None and getattr(kind, "draws", False):
        return f"{policy} draws what it orders, so that it is not always the best: {asked.reason}."
    return f"What was ordered is not the best here: {asked.reason}."


def _shares(scores: Sequence[float], spread: Spread | None) -> list[float]:
    """How long the bar of each score is, from 0 to 1."""
    if not scores:
        return []
    best, worst = min(scores), max(scores)
    if spread is not None:
        best, worst = min(best, spread.lowest), max(worst, spread.highest)
    if worst <= 0:
        worst = 0.0
    length = worst - best
    return [1.0 if length <= 0 else (worst - score) / length for score in scores]


def _behind(share: float) -> str:
    """How far behind the best it is; where that is little, with as many digits as show it.

    >>> _behind(1.0), _behind(0.91), _behind(0.9962), _behind(0.0)
    ('the best', '9 % behind', '0.38 % behind', '100 % behind')
    """
    if share >= 1 - _TIE:
        return "the best"
    behind = 100 * (1 - share)
    return f"{behind:.2g} % behind" if behind < 1 else f"{behind:.0f} % behind"


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
    """Return what would be asked for next; nothing is asked."""
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
    """Return what asking would cost."""
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
