"""The door: where people say who they are."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/login")
async def login(request: Request, next: str = "/studies") -> Response:
    """Show the form."""
    return login_page(request, "", next)


def login_page(
    request: Request, message: str, after: str, *, name: str = "", status: int = 200
) -> Response:
    """Return the form, with what was wrong before.

    Parameters
    ----------
    request
        Whose answer it is.
    message
        What was wrong, or nothing.
    after
        Where to go then.
    name
        As it was typed.
    status
        Of the answer.
    """
    return render(
        request, "login.html", status=status, message=message, next=after, name=name, known=False
    )
