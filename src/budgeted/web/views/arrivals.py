"""A list of cases before it is added: what each row would do."""

from __future__ import annotations

import hashlib

from pydantic import Field

from budgeted.studies.arrivals import NEW, REFUSED, THERE, Arrivals, read_arrivals
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

_MOST_ROWS = 25


class ArrivalView(View):
    """A row of the list."""

    line: int
    case: str
    label: str
    group: str
    verdict: str = Field(examples=[NEW, THERE, REFUSED])
    values: int
    said: list[str]


class ArrivalsView(View):
    """What a list of cases would add; nothing is added yet."""

    study: StudyCard
    rows: list[ArrivalView] = Field(description="the first ones; those that are refused come first")
    total: int
    new: int
    there: int
    refused: int
    values: int
    ignored: list[str] = Field(description="columns that mean nothing here")
    digest: str = Field(description="of what would be added, for who confirms it")


def arrivals_view(study: Snapshot, content: bytes) -> ArrivalsView:
    """Return what a list of cases would add to a study."""
    found = read_arrivals(study, content)
    rows = sorted(found.rows, key=lambda each: each.verdict != REFUSED)[:_MOST_ROWS]
    return ArrivalsView(
        study=card_of(study),
        rows=[
            ArrivalView(
                line=each.line,
                case=each.case,
                label=each.label,
                group=each.group,
                verdict=each.verdict,
                values=each.values,
                said=list(each.said),
            )
            for each in rows
        ],
        total=len(found.rows),
        new=found.number(NEW),
        there=found.number(THERE),
        refused=found.number(REFUSED),
        values=found.values,
        ignored=list(found.ignored),
        digest=digest_of(found),
    )


def digest_of(found: Arrivals) -> str:
    """Return by what is known what would be added."""
    return hashlib.sha256(repr(found.command).encode()).hexdigest()[:16]
