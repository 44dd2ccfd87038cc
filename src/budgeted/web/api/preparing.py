"""The twin of the steps of a new study: a list of cases and some answers become a study file."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from budgeted.studies.preparing import Preparation, read_table
from budgeted.studies.preparing.quotes import example_quotes
from budgeted.web.api.bodies import TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.failures import documented
from budgeted.web.prepared import checked
from budgeted.web.settings import Limits
from budgeted.web.views.parts import View

router = APIRouter(tags=["studies"], dependencies=[needs(Role.MANAGES)])


class ToPrepare(BaseModel):
    """A list of cases, and what was said of the study so far."""

    model_config = ConfigDict(extra="forbid")

    cases: str = Field(
        description="the list as text: commas, semicolons or tabs between the cells",
        examples=["patient;diagnosis;crp\nAnn;ill;12,5\nBob;well;3,1\n"],
    )
    study: dict[str, Any] = Field(default={}, description="keys of a study file")
    uses: dict[str, Literal["case", "label", "group", "test", "ignored"]] = Field(
        default={}, description="of columns; those of others are guessed"
    )
    currency: str = Field(default="", max_length=10, description="shown beside amounts")


class WrongAt(View):
    """What is wrong, and the step at which it is mended."""

    step: str
    words: str


class PreparedView(View):
    """A study that is being prepared; nothing is kept of it."""

    study: dict[str, Any] = Field(description="the study file, as `/api/studies` takes it")
    toml: str = Field(description="the same as text, as the command line takes it")
    cases: str = Field(description="CSV with the columns case, label, group and tests")
    uses: dict[str, str]
    quotes: list[str] = Field(description="examples of what orders cost, in words")
    mistakes: list[WrongAt]


@router.post("/studies/prepare", responses=documented(403, 413, 422))
async def prepare(workers: TheWorkers, given: ToPrepare) -> PreparedView:
    """Say what becomes of a list of cases: columns, tests, cuts, and what is to be mended."""
    return await asyncio.to_thread(_prepared, given, workers.settings.limits)


def _prepared(given: ToPrepare, limits: Limits) -> PreparedView:
    content = given.cases.encode(errors="replace")
    table = read_table(content, "cases", limits.rows, limits.cells)
    filled = bool(given.study.get("features"))
    made = Preparation({"name": "", **given.study}, currency=given.currency, filled=filled)
    made = made.with_table(table)
    uses = {name: use for name, use in given.uses.items() if name in table.header}
    made = made.with_uses(uses)
    _, wrong = checked(made, None, limits)
    return PreparedView(
        study=made.plain,
        toml=made.to_toml(),
        cases=made.to_csv().decode(errors="replace"),
        uses=made.uses,
        quotes=example_quotes(made),
        mistakes=[WrongAt(step=each.step, words=each.words) for each in wrong],
    )
