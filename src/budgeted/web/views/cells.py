"""Features and cells, a page of them at a time: a study may have thousands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field

from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.study import CellsView, CellView

PER_PAGE = 25
MOST_NAMES = 50

Row = TypeVar("Row")


class CellRows(View):
    """A page of the table of cells, in the sequence of the study."""

    rows: list[CellView]
    total: int = Field(description="cells whose features were found")
    page: int
    pages: int
    search: str


class FeatureNames(View):
    """Features to choose from: those whose names begin with what was typed come first."""

    names: list[str] = Field(description="at most 50")
    total: int = Field(description="how many were found")


def rows_of(view: CellsView, search: str, page: int) -> CellRows:
    """Return a page of the cells whose features have a text in their names."""
    wanted = search.strip().casefold()
    found = [cell for cell in view.cells if wanted in cell.feature.casefold()]
    rows, page, pages = page_of(found, page)
    return CellRows(rows=rows, total=len(found), page=page, pages=pages, search=search.strip())


def page_of(
    every: Sequence[Row], page: int, per_page: int = PER_PAGE
) -> tuple[list[Row], int, int]:
    """Return a page of some rows, its number and how many there are.

    Behind the last page is the last one.

    >>> page_of(range(60), 3), page_of([], 2)
    (([50, 51, 52, 53, 54, 55, 56, 57, 58, 59], 3, 3), ([], 1, 1))
    """
    pages = max(1, -(-len(every) // per_page))
    page = min(max(1, page), pages)
    return list(every[(page - 1) * per_page : page * per_page]), page, pages


def features_found(study: Snapshot, search: str) -> FeatureNames:
    """Return features whose names have a text in them."""
    found = matching(study, search)
    return FeatureNames(names=found[:MOST_NAMES], total=len(found))


def matching(study: Snapshot, search: str) -> list[str]:
    """Return the names of the features that a text finds: that very one, or those that hold it."""
    wanted = search.strip().casefold()
    names = [each.name for each in study.state.problem.features]
    found = [name for name in names if wanted in name.casefold()]
    return sorted(
        found, key=lambda name: (name.casefold() != wanted, not name.casefold().startswith(wanted))
    )
