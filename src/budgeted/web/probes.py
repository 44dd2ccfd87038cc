"""What machines ask: is the server alive, and is it ready?"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from budgeted.errors import BudgetedError
from budgeted.web.office import Office

router = APIRouter(include_in_schema=False)

_PATIENCE = 3.0
"""Seconds that the database has to answer."""
_FRESH = 1.0
"""Seconds that an answer is good for, however many ask."""


class Readiness:
    """Whether the database answers; asked at most once a second, and never twice at once.

    Parameters
    ----------
    office
        Of the server.
    """

    def __init__(self, office: Office) -> None:
        self._office = office
        self._asking: asyncio.Task[bool] | None = None
        self._asked = 0.0

    async def check(self) -> bool:
        """Tell whether the database answers, and soon enough."""
        if self._asking is None or (
            self._asking.done() and time.monotonic() > self._asked + _FRESH
        ):
            self._asked = time.monotonic()
            self._asking = asyncio.create_task(self._ask())
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(self._asking), _PATIENCE)
        return False

    async def _ask(self) -> bool:
        try:
            await self._office.names()
        except (BudgetedError, OSError):
            return False
        return True


@router.get("/health")
async def health() -> Response:
    """Say that the server is alive, and nothing else."""
    return JSONResponse({"alive": True})


@router.get("/ready")
async def ready(request: Request) -> Response:
    """Say whether the database answers: 200, or 503 without a word about where it is."""
    found: Readiness = request.app.state.readiness
    if await found.check():
        return JSONResponse({"ready": True})
    return JSONResponse({"ready": False, "error": "the database does not answer"}, 503)
