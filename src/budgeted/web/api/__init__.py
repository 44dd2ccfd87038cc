"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter

from budgeted.web.api import changes, live, reading, rehearsals, studies

router = APIRouter(prefix="/api")
for _part in (studies, reading, changes, live, rehearsals):
    router.include_router(_part.router)
