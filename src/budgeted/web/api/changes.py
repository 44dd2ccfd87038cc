"""Everything that changes a study, as routes for programs."""

from __future__ import annotations

from fastapi import APIRouter

from budgeted.studies.commands import COMMANDS
from budgeted.web.api.operations import add_route


def router() -> APIRouter:
    """Return the routes of all operations that there are, those of other packages among them."""
    made = APIRouter(prefix="/studies/{name}", tags=["changes"])
    for kind in COMMANDS.available().values():
        add_route(made, kind)
    return made
