"""Rehearsals on complete old tables."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from budgeted.web.api.bodies import TheActor, TheRehearsals
from budgeted.web.auth.roles import Role, needs
from budgeted.web.failures import documented
from budgeted.web.jobs import Wanted
from budgeted.web.queries import rehearsal_chart, rehearsal_page, rehearsals_page
from budgeted.web.views.rehearsals import (
    RehearsalCard,
    RehearsalsView,
    RehearsalView,
    rehearsal_card,
)

router = APIRouter(prefix="/rehearsals", tags=["rehearsals"])

Id = Annotated[str, Path(description="Of the rehearsal.")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Price = Annotated[str, Field(max_length=40)]


class RehearsalChart(StrEnum):
    """The charts of a rehearsal."""

    error = "error"
    purchases = "purchases"


class NewRehearsal(BaseModel):
    """Policies that spend budgets on a table whose answers are known."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=200)
    csv: str = Field(description="the table: a header, a row per case", min_length=1)
    label: Name = Field(description="column that holds the label")
    ignore: list[Name] = Field(default=[], max_length=1_000, description="columns not for sale")
    policies: list[Name] = Field(
        default=["auto", "sfl", "round-robin"], min_length=1, max_length=20
    )
    budgets: list[Price] = Field(default=["50"], min_length=1, max_length=10)
    runs: int = Field(default=10, ge=1, le=10_000)
    seed: int = Field(default=0, ge=0, le=2**53)
    costs: Price | dict[str, Price] = Field(default="1", description="of a value, or by feature")
    missing: Literal["no value", "own value"] = "no value"

    def wanted(self) -> Wanted:
        """Return what is compared."""
        return Wanted(
            self.title, self.label, tuple(self.ignore), tuple(self.policies), tuple(self.budgets),
            self.runs, self.seed, self.costs, self.missing,
        )  # fmt: skip


@router.get("", responses=documented())
async def list_rehearsals(rehearsals: TheRehearsals) -> RehearsalsView:
    """List all rehearsals, the newest first."""
    return rehearsals_page(rehearsals)


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Role.MANAGES)],
    responses=documented(403, 413, 422, 429),
)
async def create_rehearsal(
    rehearsals: TheRehearsals, actor: TheActor, given: NewRehearsal
) -> RehearsalCard:
    """Begin a rehearsal; it waits its turn and runs in processes of its own."""
    content = given.csv.encode(errors="replace")
    return rehearsal_card(await rehearsals.create(given.wanted(), content, by=actor))


@router.get("/{id}", responses=documented(404, 422))
async def see_rehearsal(rehearsals: TheRehearsals, id: Id) -> RehearsalView:
    """Return a rehearsal with what its runs say so far."""
    return await rehearsal_page(rehearsals, id)


@router.get("/{id}/charts/{which}", response_class=JSONResponse, responses=documented(404, 422))
async def see_rehearsal_chart(
    rehearsals: TheRehearsals, id: Id, which: RehearsalChart
) -> JSONResponse:
    """Return a chart of a rehearsal as a Vega-Lite dictionary, its data inside."""
    return JSONResponse(await rehearsal_chart(rehearsals, id, which.value))


@router.post(
    "/{id}/cancel",
    dependencies=[needs(Role.MANAGES)],
    responses=documented(403, 404, 409, 413, 422),
)
async def cancel_rehearsal(rehearsals: TheRehearsals, id: Id) -> RehearsalCard:
    """Stop a rehearsal, or take it out of the queue."""
    return rehearsal_card(await rehearsals.cancel(id))
