"""Forms carry a token that belongs to the browser's session: nobody else can make one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request

from budgeted.errors import AccessError
from budgeted.web.auth.origins import SAFE
from budgeted.web.auth.sessions import Session, Sessions


async def checked_form(request: Request) -> AsyncIterator[None]:
    """Raise an error unless a form, or htmx, carries the token of this browser.

    A dependency of every route that answers to forms; uploaded files are closed in the end.
    """
    try:
        await _check_form(request)
        yield
    finally:
        await request.close()


async def _check_form(request: Request) -> None:
    if request.method in SAFE:
        return
    session: Session | None = request.state.session
    sessions: Sessions = request.app.state.sessions
    token: Any = request.headers.get("x-csrf-token")
    if token is None:
        token = (await request.form()).get("csrf")
    if session is None or not isinstance(token, str) or not sessions.form_fits(session, token):
        raise AccessError("this form is too old or was not made here; load the page again")
