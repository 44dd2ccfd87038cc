"""What routes are given: the office, the desk of the study, and who acts.

All are coroutines, though none but one waits: others would be run on a thread each, which takes
longer than all the rest of a request.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

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


TheOffice = Annotated[Office, Depends(_office)]
TheDesk = Annotated[Desk, Depends(_desk)]
TheActor = Annotated[str, Depends(_actor)]
TheRehearsals = Annotated[Rehearsals, Depends(_rehearsals)]
