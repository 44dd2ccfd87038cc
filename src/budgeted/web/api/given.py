"""What routes are given: the office, the desk of the study, and who acts.

All are coroutines, though none but one waits: others would be run on a thread each, which takes
longer than all the rest of a request.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from budgeted.study.keys import LONGEST, check_key
from budgeted.web.desk import Desk
from budgeted.web.names import StudyName
from budgeted.web.office import Office
from budgeted.web.rehearsals import Rehearsals


async def _office(request: Request) -> Office:
    found: Office = request.app.state.office
    return found


async def _desk(request: Request, name: StudyName) -> Desk:
    office: Office = request.app.state.office
    return await office.desk(name)


async def _actor(request: Request) -> str:
    found: str = request.state.actor
    return found


async def _rehearsals(request: Request) -> Rehearsals:
    found: Rehearsals = request.app.state.rehearsals
    return found


async def _key(
    idempotency_key: Annotated[
        str | None,
        Header(
            description=f"Made up by the client, such as a UUID; 1 to {LONGEST} signs of ASCII "
            f"without blanks. What is sent again with the same key is not carried out again, and "
            f"answered with what became of it.",
        ),
    ] = None,
) -> str:
    return "" if idempotency_key is None else check_key(idempotency_key)


TheOffice = Annotated[Office, Depends(_office)]
TheDesk = Annotated[Desk, Depends(_desk)]
TheActor = Annotated[str, Depends(_actor)]
TheRehearsals = Annotated[Rehearsals, Depends(_rehearsals)]
TheKey = Annotated[str, Depends(_key)]
