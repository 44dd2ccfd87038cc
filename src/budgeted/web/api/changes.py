"""Everything that changes a study. What comes at the same moment is written together."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from budgeted.web.api.given import TheActor, TheDesk, TheKey
from budgeted.web.desk import Done
from budgeted.web.failures import documented
from budgeted.web.views.parts import Money, RequestView, View, money_of, request_of

router = APIRouter(prefix="/studies/{name}", tags=["changes"])

Amount = Annotated[str, Field(max_length=40)] | int | float
Number = Annotated[int, Path(ge=1, le=2**53, description="Of the request.")]
Why = Annotated[str, Field(max_length=2_000, description="for the log")]
_REFUSALS = documented(403, 404, 409, 413, 422, 429)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Ask(_Body):
    """How many requests, worth having together."""

    n: int = Field(default=1, ge=1, le=10_000)


class Tell(_Body):
    """What came back."""

    value: str = Field(max_length=1_000)
    cost: Amount | None = Field(default=None, description="charged; the listed price unless given")


class Fail(_Body):
    """Why there is no value, and what it cost all the same."""

    charged: bool | Amount = Field(default=False, description="true, or how much was charged")
    usable: bool = Field(default=True, description="whether this case may be asked again")
    why: Why = ""


class Reason(_Body):
    """Why, for the log."""

    why: Why = ""


class Correct(_Body):
    """The right value; null if there is none after all."""

    value: Annotated[str, Field(max_length=1_000)] | None
    cost: Amount | None = None
    why: Why = ""


class RecordedValue(_Body):
    """A value that nobody asked for."""

    case: str = Field(max_length=1_000)
    feature: str = Field(max_length=1_000)
    value: str = Field(max_length=1_000)


class Record(_Body):
    """Values that nobody asked for: all of them are written down, or none."""

    values: list[RecordedValue] = Field(min_length=1, max_length=10_000)
    charge: bool | Amount = Field(default=False, description="true, or what each of them cost")


class Budget(_Body):
    """Another budget."""

    budget: Amount
    why: Why = ""


class Withdraw(_Body):
    """A case that is gone for good."""

    case: str = Field(max_length=1_000)
    forget: bool = Field(
        default=False,
        description="take its values out of all that is shown; the database still holds them",
    )
    why: Why = ""


class Changed(View):
    """The requests that it is about, and the money right after."""

    requests: list[RequestView]
    money: Money
    repeated: bool = Field(
        default=False, description="it had been carried out before, with this Idempotency-Key"
    )


@router.post("/ask", response_model=Changed, responses=_REFUSALS)
async def ask(desk: TheDesk, actor: TheActor, key: TheKey, given: Ask | None = None) -> Response:
    """Ask for the next requests; fewer when the money or the cases do not last."""
    return changed(await desk.ask(given.n if given else 1, by=actor, key=key))


@router.post("/requests/{number}/tell", response_model=Changed, responses=_REFUSALS)
async def tell(
    desk: TheDesk, actor: TheActor, key: TheKey, number: Number, given: Tell
) -> Response:
    """Write down the value of a request; telling the same again is harmless."""
    return changed(await desk.tell(number, given.value, given.cost, by=actor, key=key))


@router.post("/requests/{number}/fail", response_model=Changed, responses=_REFUSALS)
async def fail(
    desk: TheDesk, actor: TheActor, key: TheKey, number: Number, given: Fail | None = None
) -> Response:
    """Write down that a request brought no value."""
    how = given or Fail()
    return changed(await desk.fail(number, how.charged, how.usable, how.why, by=actor, key=key))


@router.post("/requests/{number}/cancel", response_model=Changed, responses=_REFUSALS)
async def cancel(
    desk: TheDesk, actor: TheActor, key: TheKey, number: Number, given: Reason | None = None
) -> Response:
    """Take back a request: its money and its case are free again."""
    return changed(await desk.cancel(number, given.why if given else "", by=actor, key=key))


@router.post("/requests/{number}/correct", response_model=Changed, responses=_REFUSALS)
async def correct(
    desk: TheDesk, actor: TheActor, key: TheKey, number: Number, given: Correct
) -> Response:
    """Replace a value that was told or recorded; the log keeps both."""
    done = await desk.correct(number, given.value, given.cost, given.why, by=actor, key=key)
    return changed(done)


@router.post("/requests/{number}/undo", response_model=Changed, responses=_REFUSALS)
async def undo(
    desk: TheDesk, actor: TheActor, key: TheKey, number: Number, given: Reason | None = None
) -> Response:
    """Take back that a request was told, failed or cancelled: it is pending again."""
    return changed(await desk.undo(number, given.why if given else "", by=actor, key=key))


@router.post("/record", response_model=Changed, responses=_REFUSALS)
async def record(desk: TheDesk, actor: TheActor, key: TheKey, given: Record) -> Response:
    """Write down values that nobody asked for; those that answer a request tell it."""
    values = [(each.case, each.feature, each.value) for each in given.values]
    return changed(await desk.record(values, given.charge, by=actor, key=key))


@router.post("/budget", response_model=Changed, responses=_REFUSALS)
async def budget(desk: TheDesk, actor: TheActor, key: TheKey, given: Budget) -> Response:
    """Change the budget; it must cover what is spent and reserved."""
    return changed(await desk.set_budget(given.budget, given.why, by=actor, key=key))


@router.post("/withdraw", response_model=Changed, responses=_REFUSALS)
async def withdraw(desk: TheDesk, actor: TheActor, key: TheKey, given: Withdraw) -> Response:
    """Take a case out for good; its pending requests are cancelled."""
    return changed(await desk.withdraw(given.case, given.forget, given.why, by=actor, key=key))


@router.post("/close", response_model=Changed, responses=_REFUSALS)
async def close(
    desk: TheDesk, actor: TheActor, key: TheKey, given: Reason | None = None
) -> Response:
    """End the study; only corrections remain possible."""
    return changed(await desk.close(given.why if given else "", by=actor, key=key))


def changed(done: Done) -> Response:
    """Return what was done, rendered: the checks of the framework take longer than the writing."""
    problem = done.state.problem
    view = Changed.model_construct(
        requests=[request_of(each, problem, 0) for each in done.requests],
        money=money_of(done.state),
        repeated=done.repeated,
    )
    return Response(view.__pydantic_serializer__.to_json(view), media_type="application/json")
