"""What each address shows, for people and programs alike: one function per page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from budgeted.errors import BudgetedError, JournalError, UnknownError
from budgeted.learners.formats import ModelFormat, model_format
from budgeted.studies.commands import Ask
from budgeted.studies.measured import measure
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.status import cells_of
from budgeted.studies.tables import TABLES
from budgeted.studies.validation import ValidationFile
from budgeted.web import charts
from budgeted.web.background import Computed
from budgeted.web.hints import words
from budgeted.web.plans import Plans
from budgeted.web.views.cards import VISITS, CardsView, cards_view
from budgeted.web.views.case import CaseView, FeatureNames, case_view, matching
from budgeted.web.views.case import features_found as features_named
from budgeted.web.views.cases import ArrivalsView, CasesView, arrivals_view, cases_table, cases_view
from budgeted.web.views.classifier import ClassifierView, classifier_view
from budgeted.web.views.diagnosis import DiagnosisView, Wanted, diagnosis_view
from budgeted.web.views.forecast import ForecastView, fan_of, forecast_view
from budgeted.web.views.history import (
    HistoryLine,
    HistoryView,
    history_csv,
    history_view,
    worklist_csv,
)
from budgeted.web.views.history import recent_lines as last_lines
from budgeted.web.views.manage import ManageView, manage_view
from budgeted.web.views.model import FormView, ModelView, form_view, model_view, with_shares
from budgeted.web.views.plans import PlanView, plan_view
from budgeted.web.views.report import ErrorView, ReportView, report_view
from budgeted.web.views.results import (
    ResultsView,
    WrittenView,
    entry_cells,
    results_view,
    written_view,
)
from budgeted.web.views.studies import StudiesView, card_from, card_of, studies_view
from budgeted.web.views.study import (
    CellsView,
    LedgerView,
    MoneyView,
    StudyView,
    WorklistView,
    cells_view,
    ledger_view,
    money_view,
    study_view,
    worklist_view,
)
from budgeted.web.views.why import NextView, PriceView, WhyView, next_view, price_view, why_view
from budgeted.web.worker import BlindWorker, StudyWorker
from budgeted.web.workers import StudyWorkers

CHARTS = ("error", "worth", "belief", "purchases")


async def studies_page(
    workers: StudyWorkers,
    blind: bool = False,
    text: str = "",
    closed: bool = False,
    page: int = 1,
) -> StudiesView:
    """Return a page of the studies; one that cannot be opened does not hide the others."""
    cards, broken = [], []
    for name, found in (await workers.summaries()).items():
        if not isinstance(found, JournalError):
            cards.append(card_from(name, found, blind=blind))
            continue
        try:  # what is kept for lists is damaged: the study itself may be whole
            worker = await workers.worker(name)
            shown = BlindWorker(worker) if blind else worker
            cards.append(await shown.view("card", card_of))
        except BudgetedError as error:
            broken.append(f"{name}: {'; '.join(words(error))}")
    return studies_view(cards, broken, text, closed, page)


async def study_page(worker: StudyWorker) -> StudyView:
    """Return everything that there is to know of a study; it fits a model and weighs all cells."""
    return await worker.slow("study", _study, worker.validation, worker.most_at_once)


async def ledger_page(worker: StudyWorker) -> LedgerView:
    """Return what the ledger alone says: money and what is for sale."""
    return await worker.view("ledger", _ledger, worker.validation, worker.most_at_once)


async def money_page(worker: StudyWorker) -> MoneyView:
    """Return the money alone."""
    return await worker.view("money", money_view)


async def recent_lines(
    worker: StudyWorker, number: int, labels: bool = True
) -> tuple[HistoryLine, ...]:
    """Return the last so many events, with the requests that they are about."""
    return await worker.view("recent", last_lines, number, labels)


async def classifier_page(worker: StudyWorker) -> ClassifierView:
    """Return how good the classifier is now; it fits a model."""
    return await worker.slow("classifier", _classifier, worker.validation)


async def latest_classifier(worker: StudyWorker) -> Computed[ClassifierView]:
    """Return how good the classifier was when that was computed last."""
    return await worker.latest("classifier", _classifier, worker.validation)


async def forecast_page(worker: StudyWorker) -> ForecastView:
    """Return how good the classifier is expected to be, as far as that was computed."""
    return forecast_view(await worker.look(), await worker.forecast())


async def begin_forecast(worker: StudyWorker, seconds: float | None = None) -> ForecastView:
    """Have a forecast made, or a better one of the same events; return at once."""
    known = await worker.begin_forecast(seconds)
    return forecast_view(await worker.look(), known)


async def latest_cells(worker: StudyWorker) -> Computed[CellsView]:
    """Return what was bought, and what more was worth when that was computed last."""
    return await worker.latest("cells", cells_view)


async def features_found(worker: StudyWorker, search: str = "") -> FeatureNames:
    """Return the features that somebody looks for, the first ones of them."""
    return await worker.view("features", features_named, search)


async def cards_page(
    worker: StudyWorker, shown: tuple[int, ...] = (), most: int = VISITS
) -> CardsView:
    """Return what is due, visit by visit, and what became of the requests that a page shows."""
    return await worker.view("cards", cards_view, shown, most)


async def price_page(worker: StudyWorker, command: Ask) -> PriceView:
    """Return what asking would cost now; nothing is asked."""
    worker.check_size(command)
    async with worker.trying:
        draft, snapshot = await worker.draft(), worker.snapshot()
        return await asyncio.to_thread(price_view, snapshot, draft, command)


async def next_page(worker: StudyWorker) -> NextView:
    """Return what would be asked for next; nothing is asked."""
    async with worker.trying:  # once for a burst: who waited finds what was made of the last event
        draft = await worker.draft()
        return await worker.view("next", lambda study: next_view(study, draft))


async def why_page(worker: StudyWorker, number: int) -> WhyView:
    """Return why something was asked for: what was compared when that was decided."""
    return await worker.view("why", why_view, number)


async def worklist_page(worker: StudyWorker) -> WorklistView:
    """Return the requests under way."""
    return await worker.view("worklist", worklist_view)


async def worklist_file(worker: StudyWorker) -> str:
    """Return the requests under way as CSV."""
    return await worker.view("worklist.csv", worklist_csv)


async def results_page(
    worker: StudyWorker,
    find: str = "",
    tests_page: int = 1,
    page: int = 1,
    added: tuple[str, ...] = (),
) -> ResultsView:
    """Return a part of the table in which results are entered."""
    return await worker.view("results", results_view, find, tests_page, page, added)


async def result_cells(
    worker: StudyWorker, rows: tuple[str, ...], columns: tuple[str, ...]
) -> list[list[dict[str, Any]]]:
    """Return what is due and known of some cases and tests."""
    return await worker.view("entry cells", entry_cells, rows, columns)


async def written_batch(worker: StudyWorker, key: str) -> WrittenView | None:
    """Return what was written down with a key; None without one, or if nothing was."""
    return written_view(await worker.look(), key) if key else None


async def history_page(
    worker: StudyWorker,
    text: str = "",
    kind: str = "",
    who: str = "",
    feature: str = "",
    case: str = "",
    page: int = 1,
    labels: bool = True,
) -> HistoryView:
    """Return a page of the log."""
    wanted = (text, kind, who, feature, case, page, labels)
    return await worker.view("history", history_view, *wanted)


async def history_file(
    worker: StudyWorker,
    text: str = "",
    kind: str = "",
    who: str = "",
    feature: str = "",
    case: str = "",
    labels: bool = True,
) -> str:
    """Return the log as CSV."""
    return await worker.view("history.csv", history_csv, text, kind, who, feature, case, labels)


async def cases_page(
    worker: StudyWorker,
    labels: bool = True,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
    page: int = 1,
) -> CasesView:
    """Return a page of the cases."""
    return await worker.view("cases", cases_view, labels, text, label, group, state, sort, page)


async def cases_file(
    worker: StudyWorker,
    labels: bool = True,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
) -> str:
    """Return the cases as CSV."""
    return await worker.view("cases.csv", cases_table, labels, text, label, group, state, sort)


async def case_page(
    worker: StudyWorker,
    case: str,
    labels: bool = True,
    text: str = "",
    kind: str = "",
    chosen: str = "",
    page: int = 1,
) -> CaseView:
    """Return the page of a case."""
    today = datetime.now(UTC).date()
    return await worker.view("case", case_view, case, labels, text, kind, chosen, page, today)


async def manage_page(worker: StudyWorker, feature: str = "") -> ManageView:
    """Return what concerns a study as a whole, with cuts that are proposed for a feature."""
    return await worker.view("manage", manage_view, feature)


async def report_page(worker: StudyWorker) -> ReportView:
    """Return the report of a study, but for what a model says."""
    return await worker.view("report", report_view)


async def error_page(worker: StudyWorker) -> ErrorView:
    """Return what a model says of its own error, and what was measured."""
    return await worker.slow("error", _error, worker.validation)


async def table_file(worker: StudyWorker, which: str, labels: bool) -> str:
    """Return one of the tables of a study as CSV; see `budgeted.studies.tables`."""
    if which not in TABLES:
        raise UnknownError(f"there is no table {which!r}; there are {', '.join(TABLES)}")
    return await worker.view("table", _table, which, labels)


async def model_in(
    worker: StudyWorker, name: str, prior: tuple[float, ...] = ()
) -> tuple[bytes, ModelFormat]:
    """Return the classifier in one of its formats, for a population, and the format."""
    format = model_format(name)
    return await worker.slow(f"model as {name}", _model_file, name, prior), format


async def arrivals_page(worker: StudyWorker, content: bytes) -> ArrivalsView:
    """Return what a list of cases would add to a study, row by row."""
    return await asyncio.to_thread(arrivals_view, await worker.look(), content)


async def model_page(
    worker: StudyWorker,
    known: tuple[str, ...] = (),
    prior: tuple[float, ...] = (),
    force: bool = False,
) -> ModelView:
    """Return what the classifier says of a case known in part."""
    return await worker.slow("model", model_view, known, prior, force)


async def diagnosis_page(worker: StudyWorker, wanted: Wanted) -> DiagnosisView:
    """Return which test a new case needs next, or what to answer."""
    return await worker.slow("diagnosis", diagnosis_view, wanted)


async def model_form(
    worker: StudyWorker,
    known: tuple[str, ...] = (),
    prior: tuple[float, ...] = (),
    search: str = "",
) -> FormView:
    """Return the form in which a case is described."""
    return await worker.view("model form", form_view, known, prior, search)


async def model_file(worker: StudyWorker, prior: tuple[float, ...] = ()) -> str:
    """Return the classifier as JSON."""
    return await worker.slow("model.json", _model, prior)


async def chart(
    worker: StudyWorker, which: str, feature: str = "", search: str = ""
) -> dict[str, Any]:
    """Return a chart as a Vega-Lite dictionary with its data inside, up to the last event."""
    if which == "error":
        return await _error_chart(worker, await worker.curve())
    figure: dict[str, Any] = await worker.slow(*_slow(which, feature, search))
    return figure


async def latest_chart(
    worker: StudyWorker, which: str, feature: str = "", search: str = ""
) -> Computed[dict[str, Any]]:
    """Return the same as it was computed last."""
    if which != "error":
        return await worker.latest(*_slow(which, feature, search))
    found = await worker.latest_curve()
    if found.view is None:
        return found
    return replace(found, view=await _error_chart(worker, found.view))


async def _error_chart(worker: StudyWorker, points: list[dict[str, Any]]) -> dict[str, Any]:
    """What was, and what is to come where that was forecast."""
    fan = fan_of(await worker.forecast())
    return charts.error_against_money(points, _budget(worker), fan)


def _slow(which: str, feature: str, search: str) -> tuple[Any, ...]:
    """What a chart is made of, as `StudyWorker.slow` takes it."""
    if which == "belief":
        return "belief", _belief, feature, search.strip()
    if which == "worth":
        return "worth", _worth, search.strip().casefold()
    if which == "purchases":
        return "purchases", _purchases, search.strip().casefold()
    raise UnknownError(f"there is no chart {which!r}; there are {', '.join(CHARTS)}")


def _budget(worker: StudyWorker) -> float:
    return float(worker.snapshot().state.problem.budget)


async def plan_page(plans: Plans, id: str) -> PlanView:
    """Return what there is of a plan."""
    return plan_view(await plans.known(id))


async def plan_chart(plans: Plans, id: str) -> dict[str, Any]:
    """Return the curves of a plan, once it is made."""
    known = await plans.known(id)
    if known.plan is None:
        raise UnknownError("there is nothing to show yet: the plan is not made")
    return charts.planned(known.plan)


def _study(study: Snapshot, validation: ValidationFile | None, most_at_once: int) -> StudyView:
    judge = None if validation is None else validation.judge(study.judged_problem)
    measured = None if judge is None else measure(study.predictor, judge)
    return study_view(study, most_at_once, judge is not None, measured)


def _error(study: Snapshot, validation: ValidationFile | None) -> ErrorView:
    shown = _study(study, validation, 1)
    return ErrorView(outlook=shown.outlook, unknown=shown.unknown, measured=shown.measured)


def _table(study: Snapshot, which: str, labels: bool) -> str:
    return TABLES[which](study, labels).to_csv()


def _model_file(study: Snapshot, name: str, prior: tuple[float, ...]) -> bytes:
    return model_format(name).content(with_shares(study.model(), prior))


def _ledger(study: Snapshot, validation: ValidationFile | None, most_at_once: int) -> LedgerView:
    judge = None if validation is None else validation.judge(study.judged_problem)
    return ledger_view(study, most_at_once, judge is not None)


def _classifier(study: Snapshot, validation: ValidationFile | None) -> ClassifierView:
    judge = None if validation is None else validation.judge(study.judged_problem)
    return classifier_view(study, judge)


def _model(study: Snapshot, prior: tuple[float, ...]) -> str:
    return with_shares(study.model(), prior).to_json()


def _belief(study: Snapshot, feature: str, search: str) -> dict[str, Any]:
    if feature and feature not in study.state.problem.by_name:
        raise UnknownError(f"there is no feature {feature!r}")
    found = [feature] if feature else matching(study, search)
    if not found:
        return charts.in_words(f"There is no feature with {search!r} in its name.")
    name = found[0]
    return charts.belief_of(study.predictor, name)


def _worth(study: Snapshot, search: str) -> dict[str, Any]:
    return charts.worth(cells_of(study), search)


def _purchases(study: Snapshot, search: str) -> dict[str, Any]:
    return charts.purchases(cells_of(study, weighed=False), search)
