"""The operations of a study as routes: address, body and description come from the command.

An operation with a `number` is about a request, and has its address below that of the request. Its
other fields are the body, which may be left out where all of them have a default.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.types import Receive, Scope, Send

from budgeted.studies.commands import Command
from budgeted.studies.commands.base import LONGEST_NAME, fields_of
from budgeted.studies.commands.base import Field as Parameter
from budgeted.studies.drafts import Done
from budgeted.web.api.bodies import TheActor, TheKey, TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.failures import documented
from budgeted.web.views.parts import Money, RequestView, View, money_of, request_of
from budgeted.web.worker import StudyWorker

NUMBER = "number"
Amount = Annotated[str, Field(max_length=40)] | int | float
_REFUSALS = documented(403, 404, 409, 413, 422, 429)


class Changed(View):
    """The requests that it is about, and the money right after."""

    requests: list[RequestView]
    money: Money
    events: list[str] = Field(
        default=[], description="what was written for it, in words; nothing if it is repeated"
    )
    repeated: bool = Field(
        default=False, description="it had been carried out before, with this Idempotency-Key"
    )
    stopped: str = Field(
        default="",
        description="why less was asked for than wanted, where there was money; or empty",
    )


class Answer(Response):
    """What was done, rendered; `budgeted.web.request_log` writes it down when it is sent.

    The checks of the framework would take longer than the writing.
    """

    media_type = "application/json"

    def __init__(self, done: Done) -> None:
        view = Changed.model_construct(
            requests=[request_of(each, done.state.problem, 0) for each in done.requests],
            money=money_of(done.state),
            events=[each.words() for each in done.events],
            repeated=done.repeated,
            stopped=done.stopped,
        )
        super().__init__(view.__pydantic_serializer__.to_json(view))
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        scope.setdefault("state", {})["done"] = self._done
        await super().__call__(scope, receive, send)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


def path_of(kind: type[Command]) -> str:
    """Return the address of an operation, below that of the study.

    >>> from budgeted.studies.commands import Close, Tell
    >>> path_of(Tell), path_of(Close)
    ('/requests/{number}/tell', '/close')
    """
    numbered = any(each.name == NUMBER for each in fields_of(kind))
    return f"/requests/{{number}}/{kind.name}" if numbered else f"/{kind.name}"


def role_for(kind: type[Command]) -> Role:
    """Return what somebody must be to carry out an operation.

    >>> from budgeted.studies.commands import Close, Tell
    >>> role_for(Tell).text, role_for(Close).text
    ('enters', 'manages')
    """
    return Role.ENTERS if kind.enters else Role.MANAGES


def body_of(kind: type[Command]) -> type[BaseModel]:
    """Return the body of an operation: its fields, but for hidden ones and the request's number."""
    fields: dict[str, Any] = {
        each.name: (_type_of(each), _details_of(each))
        for each in fields_of(kind)
        if each.name != NUMBER and not each.about.hidden
    }
    return create_model(kind.__name__, __base__=_Body, __doc__=inspect.getdoc(kind), **fields)


def add_route(router: APIRouter, kind: type[Command]) -> None:
    """Add the route of an operation."""
    fields = {each.name: each for each in fields_of(kind)}
    body: Any = body_of(kind)
    takes: list[tuple[str, Any, Any]] = [
        ("worker", TheWorker, inspect.Parameter.empty),
        ("actor", TheActor, inspect.Parameter.empty),
        ("key", TheKey, inspect.Parameter.empty),
    ]
    if NUMBER in fields:
        about = fields.pop(NUMBER).about
        limits = Path(ge=about.least, le=about.most, description=about.help)
        takes.append((NUMBER, Annotated[int, limits], inspect.Parameter.empty))
    if any(each.required for each in fields.values()):
        takes.append(("given", body, inspect.Parameter.empty))
    else:
        takes.append(("given", body | None, None))

    async def carry_out(
        worker: StudyWorker, actor: str, key: str, given: BaseModel | None, **path: int
    ) -> Response:
        values = {} if given is None else plain_body(given)
        return Answer(await worker.do(kind(**path, **values), by=actor, key=key))

    carry_out.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=usual)
            for name, hint, usual in takes
        ]
    )
    router.add_api_route(
        path_of(kind),
        carry_out,
        methods=["POST"],
        dependencies=[needs(role_for(kind))],
        name=kind.name,
        description=inspect.getdoc(kind),
        response_model=Changed,
        responses=_REFUSALS,
    )


def _type_of(each: Parameter) -> Any:
    """Return the type of a field as the body has it."""
    hint, about = each.hint, each.about
    if each.parts == ():
        return list[Annotated[str, Field(max_length=LONGEST_NAME)]]
    if each.parts is not None:
        return list[_part_of(get_args(hint)[0])]  # type: ignore[misc]
    if each.may_be(Decimal):
        found: Any = bool | Amount if each.may_be(bool) else Amount
    elif each.may_be(str):
        found = Annotated[str, Field(max_length=about.longest)]
        for kind in (int, float):  # a value may be a number
            found = found | kind if each.may_be(kind) else found
    else:
        return hint
    return found | None if each.may_be(type(None)) else found


def _details_of(each: Parameter) -> Any:
    about = each.about
    members = each.parts is not None
    return Field(
        default=... if each.required else _plain_default(each.default),
        description=about.help,
        ge=about.least,
        le=about.most,
        min_length=1 if members and each.required else None,
        max_length=about.longest if members else None,
    )


def _plain_default(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


def _part_of(kind: Any) -> type[BaseModel]:
    """Return the body of a tuple with names."""
    usual = kind._field_defaults
    fields: dict[str, Any] = {
        name: (_part_type(hint), usual.get(name, ...))
        for name, hint in get_type_hints(kind).items()
    }
    return create_model(kind.__name__, __base__=_Body, __doc__=inspect.getdoc(kind), **fields)


def _part_type(hint: Any) -> Any:
    """Return the type of a part: a text, and a number where it may be one; or yes or no."""
    if hint is bool:
        return bool
    text: Any = Annotated[str, Field(max_length=LONGEST_NAME)]
    for kind in get_args(hint):
        text = text if kind is str else text | kind
    return text


def plain_body(given: BaseModel) -> dict[str, Any]:
    """Return what a body holds as the command takes it, by field."""
    return {name: _plain(value) for name, value in given}


def _plain(value: Any) -> Any:
    """Return a value of a body as the command takes it."""
    if isinstance(value, BaseModel):
        return tuple(held for _, held in value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def router(operations: Iterable[type[Command]]) -> APIRouter:
    """Return the routes of operations."""
    made = APIRouter(prefix="/studies/{name}", tags=["changes"])
    for kind in operations:
        add_route(made, kind)
    return made
