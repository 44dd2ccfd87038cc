"""All pages together."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from budgeted.web.forms import checked_form
from budgeted.web.pages import (
    cards,
    changes,
    correct,
    history,
    login,
    model,
    new,
    rehearsals,
    studies,
    study,
)

router = APIRouter(include_in_schema=False, dependencies=[Depends(checked_form)])
for _module in (login, new, studies, study, cards, changes, correct, history, model, rehearsals):
    router.include_router(_module.router)
