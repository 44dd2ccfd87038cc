"""All pages together."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute

from budgeted.web.auth.roles import managed
from budgeted.web.pages import (
    asking,
    cases,
    changes,
    diagnose,
    history,
    manage,
    model,
    plans,
    results,
    study,
)
from budgeted.web.pages.preparing import budget as preparing_budget
from budgeted.web.pages.preparing import cases as preparing_cases
from budgeted.web.pages.preparing import tests as preparing_tests


async def _uploads_closed(request: Request) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await request.close()


router = APIRouter(
    include_in_schema=False, dependencies=[Depends(_uploads_closed), Depends(managed)]
)
_PREPARING = (preparing_cases, preparing_tests, preparing_budget)
_MODULES = (
    *_PREPARING, study, asking, results, cases, manage, changes, history, model, diagnose, plans,
)  # fmt: skip
for _module in _MODULES:
    for _route in _module.router.routes:
        # A program that looks whether a page is there asks with HEAD; a stream has no end.
        if not isinstance(_route, APIRoute) or _route.path.endswith("/live"):
            continue
        if "GET" in (_methods := _route.methods or set()):
            _methods.add("HEAD")
    router.include_router(_module.router)
