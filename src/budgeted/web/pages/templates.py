"""Jinja2 for all pages: everything is escaped, and a name that is not given is an error."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from budgeted import __version__
from budgeted.addresses import name_of
from budgeted.studies.drafts import fresh_key
from budgeted.web.auth.roles import Role, role_of, sees_labels
from budgeted.web.hints import in_fields
from budgeted.web.views.parts import people_time


@cache
def environment() -> Environment:
    """Return what renders templates; built once."""
    made = Environment(
        loader=PackageLoader("budgeted.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"fresh_key": fresh_key}
    made.filters |= {
        "in_fields": in_fields,
        "percent": percent,
        "percent_number": percent_number,
        "readable_time": people_time,
        "short_number": short_number,
    }
    return made


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **given: Any,
) -> HTMLResponse:
    """Return a page, or a part of one."""
    state = request.state
    shared = {
        "version": __version__,
        "actor": getattr(state, "actor", ""),
        "known": bool(getattr(state, "actor", "")),
        "guarded": _guarded(request),
        "root": getattr(state, "root", ""),
        "path": request.url.path,
        "here": "",
        "role": role_of(request).words,
        "may_enter": role_of(request) >= Role.ENTERS,
        "may_manage": role_of(request) >= Role.MANAGES,
        "sees_labels": sees_labels(request),
        "currency": _currency(request),
    }
    text = environment().get_template(template).render(shared | given)
    return HTMLResponse(text, status_code=status, headers=headers)


def _guarded(request: Request) -> bool:
    """Tell whether people log in here; what stands before the application may not know it."""
    app = request.scope.get("app")
    return app is not None and bool(app.state.settings.credentials_needed)


def _currency(request: Request) -> str:
    """Return the currency of the study that a page is about, if somebody said it."""
    app, name = request.scope.get("app"), request.path_params.get("name")
    kept = getattr(app.state, "preparations", None) if app is not None else None
    return str(kept.currency_of(name_of(name))) if kept is not None and name else ""


def percent(share: float, digits: int = 1) -> str:
    """Return a share as people read it.

    >>> percent(0.1642), percent(0.5, 0)
    ('16.4 %', '50 %')
    """
    return f"{100 * share:.{digits}f} %"


def percent_number(share: float) -> str:
    """Return a share as a width: a number from 0 to 100.

    >>> percent_number(1 / 3), percent_number(-0.1), percent_number(7)
    ('33.33', '0.00', '100.00')
    """
    return f"{100 * min(1.0, max(0.0, share)):.2f}"


def short_number(number: float) -> str:
    """Return a number with as many digits as people type.

    >>> short_number(0.6), short_number(1 / 3)
    ('0.6', '0.3333')
    """
    return f"{number:.4g}"
