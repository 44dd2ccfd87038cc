"""The list of studies, and new ones."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from budgeted.web.api.bodies import TheActor, TheWorker, TheWorkers
from budgeted.web.auth.roles import Role, needs, sees_labels
from budgeted.web.failures import documented
from budgeted.web.queries import studies_page
from budgeted.web.settings import Limits
from budgeted.web.uploads import Understood, Upload, understand
from budgeted.web.views.studies import PolicyChoice, StudiesView, StudyCard, card_of, policy_choices

router = APIRouter(tags=["studies"])

Text = Annotated[str, Query(max_length=200, description="only studies whose names hold it")]
Page = Annotated[int, Query(ge=1, le=1_000_000)]


class NewStudy(BaseModel):
    """A study to begin: its file and its cases, as text."""

    model_config = ConfigDict(extra="forbid")

    study: str | dict[str, Any] = Field(
        description="a study file (TOML), or its content as an object",
        examples=['name = "flu"\nbudget = 9\n\n[[features]]\nname = "fever"\n…'],
    )
    cases: str = Field(description="CSV", examples=["case,label\nAnn,ill\nBob,well\n"])
    id_column: str = Field(default="case", min_length=1)
    label_column: str = Field(default="label", min_length=1)
    validation: str | None = Field(
        default=None, description="CSV with all features and the label, to measure the error on"
    )

    def upload(self) -> Upload:
        """Return it as bytes, like uploaded files."""
        return Upload(
            _bytes(self.study) if isinstance(self.study, str) else self.study,
            _bytes(self.cases),
            self.id_column,
            self.label_column,
            None if self.validation is None else _bytes(self.validation),
        )


class NewValidation(BaseModel):
    """Cases known in full, to measure the error on."""

    model_config = ConfigDict(extra="forbid")

    csv: str
    label_column: str = Field(default="label", min_length=1)


@router.get("/studies", responses=documented())
async def list_studies(
    request: Request, workers: TheWorkers, text: Text = "", closed: bool = False, page: Page = 1
) -> StudiesView:
    """List studies, open or closed, the one with the latest event first, 25 on a page."""
    return await studies_page(workers, not sees_labels(request), text, closed, page)


@router.get("/policies", responses=documented())
async def list_policies() -> list[PolicyChoice]:
    """List the policies that can be chosen."""
    return policy_choices()


_MANAGES = [needs(Role.MANAGES)]


@router.post(
    "/studies", status_code=201, dependencies=_MANAGES, responses=documented(403, 409, 413, 422)
)
async def create_study(workers: TheWorkers, actor: TheActor, given: NewStudy) -> StudyCard:
    """Begin a study."""
    found = await _understood(given, workers.settings.limits)
    worker = await workers.create(found.checked(), by=actor, validation=found.validation)
    return await worker.view("card", card_of)


@router.post(
    "/studies/{name}/validation",
    dependencies=[needs(Role.MANAGES)],
    responses=documented(403, 404, 413, 422),
)
async def give_validation(
    workers: TheWorkers, worker: TheWorker, given: NewValidation
) -> StudyCard:
    """Give the study cases to measure its error on; they are never used to choose."""
    await workers.judge_on(worker.name, _bytes(given.csv), given.label_column)
    return await worker.view("card", card_of)


async def _understood(given: NewStudy, limits: Limits) -> Understood:
    return await asyncio.to_thread(understand, given.upload(), limits)


def _bytes(text: str) -> bytes:
    """Halves of characters become question marks, which the readers then refuse where they hurt."""
    return text.encode(errors="replace")
