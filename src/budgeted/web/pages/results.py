"""Results are entered here: in a table or as a file; they are looked over, then written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import UploadFile

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import Enter, Note, Result, UndoBatch
from budgeted.studies.results.preview import DOUBTFUL, REFUSED, Preview
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, TheWorker, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.pages.answers import Key, Text, beside, carry_out, done, go, refused
from budgeted.web.pages.fields import text_of, whole_number
from budgeted.web.pages.result_forms import Typed, lines_of, lines_to_text
from budgeted.web.pages.templates import render
from budgeted.web.result_uploads import Answers, Given, understand_results
from budgeted.web.views.results import digest_of, preview_of
from budgeted.web.worker import StudyWorker

router = APIRouter()
_ENTERS = [needs(Role.ENTERS)]


@router.get("/studies/{name}/results")
async def results(
    request: Request,
    worker: TheWorker,
    find: str = "",
    page: str = "1",
    tests_page: str = "1",
    case: str = "",
    written: str = "",
) -> Response:
    """Show the table."""
    typed = Typed(find=find, page=whole_number(page) or 1, tests_page=whole_number(tests_page) or 1)
    if case:
        typed = typed._with_case(case, await worker.look())
    return await _page(request, worker, typed, written=written)


@router.post("/studies/{name}/results", dependencies=_ENTERS)
async def change_table(request: Request, worker: TheWorker) -> Response:
    """Show another part of the table, one more case or a pasted block; keep what was typed."""
    form = await request.form()
    typed = Typed.of(form)
    try:
        typed = typed.done(text_of(form, "do"), form, await worker.look())
    except BudgetedError as error:
        typed = _with_problem(typed, error)
    view = await queries.results_page(worker, typed.find, typed.tests_page, typed.page, typed.added)
    return render(request, "parts/result_table.html", view=view, typed=typed)


@router.get("/studies/{name}/results/cells")
async def cells(request: Request, worker: TheWorker) -> Response:
    """Return what is due and known of the cases and tests that a page shows."""
    rows = tuple(request.query_params.getlist("row"))[:25]
    view = await queries.result_cells(worker, rows, tuple(request.query_params.getlist("column")))
    return JSONResponse(view)


@router.post("/studies/{name}/results/check", dependencies=_ENTERS)
async def check(request: Request, worker: TheWorker) -> Response:
    """Show what writing down the table would do."""
    typed = Typed.of(await request.form())
    try:
        if not typed.cells:
            raise StudyError("nothing is typed yet; type a value into a cell, or paste some")
        return await _preview(request, worker, typed.results, typed.charge, typed=typed)
    except BudgetedError as error:
        return refused(request, error, "#check-problem")


@router.post("/studies/{name}/results/file", dependencies=_ENTERS)
async def file(request: Request, worker: TheWorker, workers: TheWorkers) -> Response:
    """Show what a laboratory's file holds, and what writing it down would do."""
    form = await request.form()
    given = form.get("file")
    try:
        if not isinstance(given, UploadFile) or not given.filename:
            raise StudyError("choose the file first")
        study = await worker.look()
        answers = Answers.of(form)
        found = await understand_results(
            await given.read(), study.state.problem, answers, workers.settings.limits
        )
        if found.asks:
            return await _shown(request, worker, "parts/result_questions.html", found=found)
        if not found.file.results:
            raise StudyError("the file holds no values: every cell is empty")
        return await _preview(
            request, worker, found.file.results, bool(text_of(form, "charge_file")), found=found
        )
    except BudgetedError as error:
        return refused(request, error, "#file-problem")


@router.post("/studies/{name}/results/write", dependencies=_ENTERS)
async def write(request: Request, worker: TheWorker, actor: TheActor, key: Key = "") -> Response:
    """Write down what was looked over, all at once, unless it would do something else by now."""
    form = await request.form()
    back = f"/studies/{segment(worker.name)}/results"
    charge = bool(text_of(form, "charge"))
    try:
        lines = lines_of(text_of(form, "lines"))
        study = await worker.look()
        if key and any(entry.key == key for entry in study.entries):
            return go(f"{back}?written={segment(key)}")
        typed = Typed.of(form) if text_of(form, "from_table") else None
        seen = await worker.trial(lambda held: held.preview(lines, charge=charge))
        if digest_of(seen) != text_of(form, "shown"):
            return await _preview(request, worker, lines, charge, typed=typed, changed=True)
        sure = {whole_number(str(each)) for each in form.getlist("force")}
        wanted = [
            each._replace(force=True) if at in sure else each for at, each in enumerate(lines)
        ]
        left: list[Result] = []
        if text_of(form, "skip"):
            seen = await worker.trial(lambda held: held.preview(wanted, charge=charge))
            left = [each.result for each in seen.outcomes if each.fate in (DOUBTFUL, REFUSED)]
            wanted = list(seen.fitting)
        if not wanted:
            raise StudyError("nothing of it can be written down")
        await carry_out(request, worker, Enter(wanted, charge), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#write-problem")
    if typed is not None and left:  # what could not be written stays where it was typed
        kept = {(str(each[0]), str(each[1])): str(each[2]) for each in left}
        rest = Typed(
            kept, typed.added, page=typed.page, tests_page=typed.tests_page, find=typed.find
        )
        # What is on the page takes the place of what was there; its frame stays.
        swap = {"HX-Retarget": "#main", "HX-Reselect": "#main > *", "HX-Reswap": "innerHTML"}
        return await _page(request, worker, rest, key, swap)
    return go(f"{back}?written={segment(key)}")


@router.post("/studies/{name}/results/undo", dependencies=_ENTERS)
async def undo(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    batch: Text = "",
    shown: Text = "",
    key: Key = "",
) -> Response:
    """Take back all that was written down at once, if nothing else happened to it since."""
    back = f"/studies/{segment(worker.name)}/results?written={segment(batch)}"
    try:
        wanted = UndoBatch(batch, shown=shown.split())
        await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#undo-problem")
    return go(back)


@router.post("/studies/{name}/note", dependencies=_ENTERS)
async def note(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    text: Text = "",
    case: Text = "",
    number: Text = "",
    key: Key = "",
) -> Response:
    """Write a note on a value, a case or the study."""
    try:
        about = whole_number(number.strip()) if number.strip() else None
        if number.strip() and about is None:
            raise StudyError("the number of a value is a whole number, as in the history")
        made = await carry_out(request, worker, Note(text, about, case.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#note-problem")
    said = "The note is written down; it stands in the history."
    return done(said, worker.seq, beside(request, said), made.repeated)


def _with_problem(typed: Typed, error: BudgetedError) -> Typed:
    return replace(typed, problem=" ".join(words(error)))


async def _preview(
    request: Request,
    worker: StudyWorker,
    results: Sequence[Result],
    charge: bool,
    typed: Typed | None = None,
    found: Given | None = None,
    changed: bool = False,
) -> Response:
    given = list(results)
    seen: Preview = await worker.trial(lambda study: study.preview(given, charge=charge))
    lines = () if found is None else found.file.lines
    what = "row" if found is not None and found.is_workbook else "line"
    places = [f"{what} {each}" for each in lines] or [""] * len(given)
    return await _shown(
        request,
        worker,
        "parts/result_preview.html",
        preview=preview_of(seen, places),
        lines=lines_to_text(given),
        charge=charge,
        typed=typed,
        found=found,
        changed=changed,
    )


async def _shown(request: Request, worker: StudyWorker, template: str, **given: Any) -> Response:
    """Return what is shown below the table."""
    view = await queries.results_page(worker, "", 1, 1, ())
    headers = {"HX-Retarget": "#preview", "HX-Reswap": "innerHTML"}
    shared: dict[str, Any] = {"found": None, "typed": None, "changed": False}
    return render(request, template, headers=headers, view=view, **(shared | given))


async def _page(
    request: Request,
    worker: StudyWorker,
    typed: Typed,
    written: str,
    headers: dict[str, str] | None = None,
) -> Response:
    view = await queries.results_page(worker, typed.find, typed.tests_page, typed.page, typed.added)
    return render(
        request,
        "results.html",
        headers=headers,
        view=view,
        typed=typed,
        written=await queries.written_batch(worker, written),
        tab="Enter results",
        here="studies",
    )
