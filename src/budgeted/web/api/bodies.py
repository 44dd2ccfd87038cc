"""What routes are given: the workers, the worker of the study, and who acts.

All are coroutines, though none but one waits: others would be run on a thread each, which takes
longer than all the rest of a request.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Path, Request

from budgeted.addresses import name_of
from budgeted.errors import StudyError
from budgeted.studies.drafts import LONGEST_KEY, check_key
from budgeted.web.auth.roles import sees_labels
from budgeted.web.plans import Plans
from budgeted.web.worker import BlindWorker, StudyWorker
from budgeted.web.workers import StudyWorkers


async def _study_name(name: Annotated[str, Path(description="Name of the study.")]) -> str:
    return name_of(name)


async def _case_name(case: Annotated[str, Path(description="Name of the case.")]) -> str:
    return name_of(case)


StudyName = Annotated[str, Depends(_study_name)]
"""The name of a study in an address, for routes with ``{name}``: any text, as it was."""

CaseName = Annotated[str, Depends(_case_name)]
"""The name of a case in an address, for routes with ``{case}``."""


async def _office(request: Request) -> StudyWorkers:
    found: StudyWorkers = request.app.state.workers
    return found


async def _worker(request: Request, name: StudyName) -> StudyWorker:
    """The worker of the study; for who must not see labels, one that shows none."""
    workers: StudyWorkers = request.app.state.workers
    found = await workers.worker(name)
    if request.headers.get("x-study", found.id) != found.id:
        raise StudyError(
            "the study that this page shows was deleted, and there is another one of its name now; "
            "nothing was done. Load the page anew"
        )
    return found if sees_labels(request) else BlindWorker(found)


async def _actor(request: Request) -> str:
    found: str = request.state.actor
    return found


async def _plans(request: Request) -> Plans:
    found: Plans = request.app.state.plans
    return found


async def _key(
    idempotency_key: Annotated[
        str | None,
        Header(
            description=f"Made up by the client, such as a UUID; 1 to {LONGEST_KEY} signs of ASCII "
            f"without blanks. What is sent again with the same key is not carried out again, and "
            f"answered with what became of it.",
        ),
    ] = None,
) -> str:
    return "" if idempotency_key is None else check_key(idempotency_key)


TheWorkers = Annotated[StudyWorkers, Depends(_office)]
TheWorker = Annotated[StudyWorker, Depends(_worker)]
TheActor = Annotated[str, Depends(_actor)]
ThePlans = Annotated[Plans, Depends(_plans)]
TheKey = Annotated[str, Depends(_key)]
