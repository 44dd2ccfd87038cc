"""The document of the API says how to be let in, and where it is."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response

from budgeted.web.auth.access import cookie_name

PATH = "/api/openapi.json"
router = APIRouter()


def install(app: FastAPI, *, guarded: bool) -> None:
    """Have an application describe itself."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            app.openapi_schema = _secured(made, guarded)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


@router.get(PATH, include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Return the document, with the names that this very server uses."""
    found = request.app.openapi()
    cookie, root = cookie_name(request.scope), request.state.root
    schemes = found["components"]["securitySchemes"]
    session = schemes["session"] | {"name": cookie}
    components = found["components"] | {"securitySchemes": schemes | {"session": session}}
    servers = [{"url": root or "/"}]
    return JSONResponse(found | {"components": components, "servers": servers})


def _secured(document: dict[str, Any], guarded: bool) -> dict[str, Any]:
    """Add to every operation what it takes to be let in."""
    document.setdefault("components", {})["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token that 'budgeted serve-token' printed.",
        },
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": "budgeted",
            "description": "The session of a browser that logged in.",
        },
    }
    needed: list[dict[str, list[str]]] = [{"token": []}, {"session": []}] if guarded else []
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["security"] = needed
    return document
