"""What there is to see of one study."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from budgeted.studies.commands import Ask
from budgeted.studies.commands.ask import MOST_AT_ONCE
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.auth.roles import Role, needs, sees_labels, sighted
from budgeted.web.failures import documented
from budgeted.web.views.cards import VISITS, CardsView
from budgeted.web.views.case import FeatureNames
from budgeted.web.views.classifier import ClassifierView
from budgeted.web.views.diagnosis import DiagnosisView, Wanted
from budgeted.web.views.history import HistoryView
from budgeted.web.views.model import ModelView, view_of
from budgeted.web.views.parts import RequestView, request_of
from budgeted.web.views.study import StudyView, WorklistView
from budgeted.web.views.why import NextView, PriceView, WhyView

router = APIRouter(prefix="/studies/{name}", tags=["one study"])

Text = Annotated[str, Query(max_length=200)]
Page = Annotated[int, Query(ge=1, le=1_000_000)]
Visits = Annotated[int, Query(ge=1, le=2_000, description="how many cases at most")]
Count = Annotated[int, Query(ge=1, le=MOST_AT_ONCE)]
Features = Annotated[list[str], Query(max_length=1_000, description="names of features")]
Known = Annotated[list[str], Query(max_length=10_000, description="<position of feature>=<value>")]
Prior = Annotated[list[float], Query(max_length=1_000, description="a share for each label")]
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
_JSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}}}
_NOT_FOUND = documented(404, 422)
_MAYBE_BLIND = documented(403, 404, 422)
_SIGHTED = Depends(sighted)


class Chart(StrEnum):
    """The charts of a study."""

    error = "error"
    worth = "worth"
    belief = "belief"
    purchases = "purchases"


class PartialCase(BaseModel):
    """A case known in part, and where it comes from."""

    model_config = ConfigDict(extra="forbid")

    case: dict[str, str | int | float] = Field(
        description="feature → value", examples=[{"fever": "yes"}]
    )
    force: bool = Field(
        default=False, description="take values that are outside the range of their feature"
    )
    prior: dict[str, float] | None = Field(default=None, description="label → share, all of them")


Amount = str | int | float
Wrong = Amount | dict[str, dict[str, Amount]]


class NewCase(BaseModel):
    """A new case, what was ordered of it, and the terms on which tests are ordered."""

    model_config = ConfigDict(extra="forbid")

    known: dict[str, str | int | float] = Field(
        default={}, description="feature → value, of all that is known", examples=[{"fever": "yes"}]
    )
    ordered: list[str] = Field(
        default=[], description="which of them were ordered, in this order; others cost nothing"
    )
    without: list[str] = Field(default=[], description="features that cannot be ordered")
    prices: dict[str, Amount] = Field(
        default={}, description="feature → price, where it is not the study's"
    )
    fees: bool = Field(default=True, description="whether the study's fees and panels are due")
    wrong: Wrong | None = Field(
        default=None,
        description="what wrong answers cost: an amount, or answer → label → amount; null: they "
        "are counted",
    )
    limit: Amount | None = Field(default=None, description="for the tests of the case")
    force: bool = Field(
        default=False, description="take values that are outside the range of their feature"
    )
    strategy: bool = Field(default=False, description="the whole strategy as well")

    def wanted(self) -> Wanted:
        """Return the same, as views take it."""
        wrong: str | tuple[tuple[str, str, str], ...] | None = None
        if isinstance(self.wrong, dict):
            wrong = tuple(
                (answer, label, str(amount))
                for answer, row in self.wrong.items()
                for label, amount in row.items()
            )
        elif self.wrong is not None:
            wrong = str(self.wrong)
        return Wanted(
            known=tuple((name, str(value)) for name, value in self.known.items()),
            ordered=tuple(self.ordered),
            without=tuple(self.without),
            prices=tuple((name, str(price)) for name, price in self.prices.items()),
            fees=self.fees,
            wrong=wrong,
            limit=None if self.limit is None else str(self.limit),
            force=self.force,
            strategy=self.strategy,
        )


@router.get("", responses=_NOT_FOUND)
async def see_study(worker: TheWorker) -> StudyView:
    """Return everything on the page of a study."""
    return await queries.study_page(worker)


@router.get("/classifier", dependencies=[_SIGHTED], responses=_MAYBE_BLIND)
async def see_classifier(worker: TheWorker) -> ClassifierView:
    """Return how good the classifier is now."""
    return await queries.classifier_page(worker)


@router.get("/visits", responses=_NOT_FOUND)
async def see_visits(worker: TheWorker, most: Visits = VISITS) -> CardsView:
    """Return what is due, case by case, the first that was asked for first."""
    return await queries.cards_page(worker, (), most)


@router.get("/price", responses=documented(404, 409, 422), dependencies=[needs(Role.MANAGES)])
async def see_price(
    worker: TheWorker,
    n: Count = 1,
    visits: Count | None = None,
    case: Text | None = None,
    only: Features = [],  # noqa: B006
    without: Features = [],  # noqa: B006
    at_most: Text | None = None,
) -> PriceView:
    """Return what the same `ask` would cost now; nothing is asked."""
    return await queries.price_page(worker, Ask(n, visits, case, only, without, at_most))


@router.get("/next", dependencies=[_SIGHTED], responses=_MAYBE_BLIND)
async def see_next(worker: TheWorker) -> NextView:
    """Return what would be asked for next, and what it is compared with; nothing is asked."""
    return await queries.next_page(worker)


@router.get("/requests/{number}/why", responses=_NOT_FOUND)
async def see_why(worker: TheWorker, number: int) -> WhyView:
    """Return what was compared when something was asked for."""
    return await queries.why_page(worker, number)


@router.get("/worklist", responses=_NOT_FOUND)
async def see_worklist(worker: TheWorker) -> WorklistView:
    """Return the requests under way."""
    return await queries.worklist_page(worker)


@router.get("/worklist.csv", response_class=Response, responses=_CSV | _NOT_FOUND)
async def get_worklist(worker: TheWorker) -> Response:
    """Return the requests under way as CSV, safe to open in a spreadsheet."""
    return csv_file(await queries.worklist_file(worker), "worklist.csv")


@router.get("/history", responses=_NOT_FOUND)
async def see_history(
    request: Request, worker: TheWorker, text: Text = "", kind: Text = "", who: Text = "",
    feature: Text = "", case: Text = "", page: Page = 1,
) -> HistoryView:  # fmt: skip
    """Return a page of the log, newest first."""
    seen = sees_labels(request)
    return await queries.history_page(worker, text, kind, who, feature, case, page, seen)


@router.get("/history.csv", response_class=Response, responses=_CSV | _NOT_FOUND)
async def get_history(
    request: Request, worker: TheWorker, text: Text = "", kind: Text = "", who: Text = "",
    feature: Text = "", case: Text = "",
) -> Response:  # fmt: skip
    """Return the log as CSV, oldest first, safe to open in a spreadsheet."""
    seen = sees_labels(request)
    file = await queries.history_file(worker, text, kind, who, feature, case, seen)
    return csv_file(file, "history.csv")


@router.get("/features", responses=_NOT_FOUND)
async def find_features(worker: TheWorker, search: Text = "") -> FeatureNames:
    """Return the names of features that hold a text: the first fifty, and how many there are."""
    return await queries.features_found(worker, search)


@router.get("/requests/{number}", responses=_NOT_FOUND)
async def see_request(worker: TheWorker, number: int) -> RequestView:
    """Return a request, and what is kept of all that was compared for it."""
    snapshot = await worker.look()
    return request_of(snapshot.request(number), snapshot.state.problem, 10_000)


@router.get("/model", dependencies=[_SIGHTED], responses=_MAYBE_BLIND)
async def see_model(
    worker: TheWorker,
    known: Known = [],  # noqa: B006
    prior: Prior = [],  # noqa: B006
    force: bool = False,
) -> ModelView:
    """Return what the classifier says of a case known in part."""
    return await queries.model_page(worker, tuple(known), tuple(prior), force)


@router.post(
    "/predict", dependencies=[needs(Role.LOOKS), _SIGHTED], responses=documented(403, 404, 413, 422)
)
async def predict(worker: TheWorker, given: PartialCase) -> ModelView:
    """Return what the classifier says of a case known in part, by names."""
    snapshot = await worker.look()
    model = snapshot.model()
    if given.prior is not None:
        model = model.with_prior(given.prior)
    return view_of(snapshot, model, given.case, given.force)


@router.post(
    "/diagnose",
    dependencies=[needs(Role.LOOKS), _SIGHTED],
    responses=documented(403, 404, 413, 422),
)
async def diagnose(worker: TheWorker, given: NewCase) -> DiagnosisView:
    """Return which test a new case needs next and why, or what to answer; nothing is kept."""
    return await queries.diagnosis_page(worker, given.wanted())


@router.get("/model.json", response_class=Response, dependencies=[_SIGHTED],
            responses=_JSON | _MAYBE_BLIND)  # fmt: skip
async def get_model(worker: TheWorker, prior: Prior = []) -> Response:  # noqa: B006
    """Return the classifier in its documented format."""
    return json_file(await queries.model_file(worker, tuple(prior)), "model.json")


@router.get(
    "/charts/{which}",
    response_class=JSONResponse,
    dependencies=[_SIGHTED],
    responses=_MAYBE_BLIND,
)
async def see_chart(
    worker: TheWorker, which: Chart, feature: Text = "", search: Text = "", latest: bool = False
) -> JSONResponse:
    """Return a chart as a Vega-Lite dictionary, its data inside, up to the last event.

    Of many features, those with the longest bars are shown, or those that `search` finds. With
    `latest` it is returned as it was computed last, and says of how many events in its field
    ``usermeta``; 202 if it was not computed yet.
    """
    if not latest:
        return JSONResponse(await queries.chart(worker, which.value, feature, search))
    found = await queries.latest_chart(worker, which.value, feature, search)
    age = {"events": found.events, "of": found.of, "behind": found.behind}
    if found.view is None:
        return JSONResponse({"usermeta": age}, 202)
    return JSONResponse(found.view | {"usermeta": found.view.get("usermeta", {}) | age})


def csv_file(text: str, name: str) -> Response:
    """Return a CSV to be saved; the name is ours, never one that somebody chose."""
    return _file(text, name, "text/csv; charset=utf-8")


def json_file(text: str, name: str) -> Response:
    """Return JSON to be saved."""
    return _file(text, name, "application/json")


def _file(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(errors="replace"), media_type=kind, headers=headers)
