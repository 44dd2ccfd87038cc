"""What machines ask: is the server alive, is it ready, and how is it doing?"""

from __future__ import annotations

import asyncio
import time

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from budgeted.errors import BudgetedError, JournalError
from budgeted.web.workers import StudyWorkers

router = APIRouter(include_in_schema=False)

_PATIENCE = 3.0
"""Seconds that the database has to answer."""
_FRESH = 1.0
"""Seconds that an answer is good for, however many ask."""


class Readiness:
    """Whether the database answers; asked at most once a second, and never twice at once."""

    def __init__(self, workers: StudyWorkers) -> None:
        self._office = workers
        self._asking: asyncio.Task[bool] | None = None
        self._asked = 0.0
        self.cause: Exception | None = None
        """Why it does not, for the log."""

    async def check(self) -> bool:
        """Tell whether the database answers, and soon enough."""
        if self._asking is None or (
            self._asking.done() and time.monotonic() > self._asked + _FRESH
        ):
            self._asked = time.monotonic()
            self._asking = asyncio.create_task(self._ask())
        try:
            return await asyncio.wait_for(asyncio.shield(self._asking), _PATIENCE)
        except TimeoutError:
            self.cause = JournalError(f"has not answered for {_PATIENCE:g} s", self._office.where)
            return False

    async def _ask(self) -> bool:
        try:
            await self._office.ping()
        except (BudgetedError, OSError) as error:
            self.cause = error
            return False
        self.cause = None
        return True


@router.api_route("/health", methods=["GET", "HEAD"])
async def health() -> Response:
    """Say that the server is alive, and nothing else."""
    return JSONResponse({"alive": True})


@router.api_route("/ready", methods=["GET", "HEAD"])
async def ready(request: Request) -> Response:
    """Say whether the database answers: 200, or 503 without a word about where it is."""
    found: Readiness = request.app.state.readiness
    if await found.check():
        return JSONResponse({"ready": True})
    request.state.cause = found.cause
    return JSONResponse({"ready": False, "error": "the database does not answer"}, 503)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return what the server counted, for Prometheus."""
    found = generate_latest(request.app.state.metrics.registry)
    return Response(found, media_type=CONTENT_TYPE_LATEST)
