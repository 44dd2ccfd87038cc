"""A study is put into the archive, taken back, or deleted for good."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import Archive, Unarchive
from budgeted.studies.drafts import fresh_key
from budgeted.studies.snapshot import Snapshot
from budgeted.web.api.bodies import TheActor, TheWorker, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.names import segment
from budgeted.web.pages import confirm
from budgeted.web.pages.answers import REFUSED, Key, Text, carry_out, done, go, is_htmx, refused
from budgeted.web.pages.idempotency import Once
from budgeted.web.pages.templates import render
from budgeted.web.worker import StudyWorker

router = APIRouter()


@router.post("/studies/{name}/archive", dependencies=[needs(Role.MANAGES)])
async def archive(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    why: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Put a study into the archive, once that is confirmed."""
    study = await worker.look()
    try:
        if not study.archived:
            question = confirm.ask_first(
                request,
                study,
                of_archiving(study),
                confirmed,
                title="Put the study into the archive?",
                button="Put it there",
                action=f"{_back(worker)}/archive",
                back=_form(worker),
                fields={"why": why, "key": key},
            )
            if question is not None:
                return question
        made = await carry_out(request, worker, Archive(why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#archive-problem")
    if made.repeated:
        said = "The study is in the archive."
        return done(request, said, worker.seq, _form(worker), repeated=True)
    return go(request, _form(worker))


@router.post("/studies/{name}/unarchive", dependencies=[needs(Role.MANAGES)])
async def unarchive(
    request: Request, worker: TheWorker, actor: TheActor, why: Text = "", key: Key = ""
) -> Response:
    """Take a study back from the archive."""
    try:
        made = await carry_out(request, worker, Unarchive(why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#archive-problem")
    if made.repeated:
        said = "The study was taken back from the archive."
        return done(request, said, worker.seq, _form(worker), repeated=True)
    return go(request, _form(worker))


@router.post("/studies/{name}/delete", dependencies=[needs(Role.MANAGES)])
async def delete(
    request: Request,
    worker: TheWorker,
    workers: TheWorkers,
    actor: TheActor,
    typed: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Delete a study for good, once its name is typed under what that means."""
    study = await worker.look()
    sentences = of_deleting(study)
    try:
        if not (study.archived or study.closed):
            raise StudyError("put the study into the archive, or close it, before deleting it")
    except BudgetedError as error:
        return refused(request, error, "#archive-problem")
    if confirmed != confirm.digest(sentences):
        return _question(request, worker, sentences)
    if typed.strip() != worker.name.strip():
        mistake = "This is not the name of the study. Nothing was deleted."
        return _question(request, worker, sentences, mistake)

    async def carry() -> str:
        await workers.delete(worker.name, worker.id)
        return "/studies"

    once: Once = request.app.state.once
    try:
        return go(request, await once.lead(key, f"{actor} deletes {worker.id}", carry))
    except BudgetedError as error:
        return refused(request, error, "#confirm-problem")


def of_archiving(study: Snapshot) -> list[str]:
    """Return what happens if a study is put into the archive."""
    waiting = len(study.state.pending)
    sentences = [
        "The list of studies leaves it out; it stands under Archived. Everybody can still look at "
        "it, and nothing changes it until somebody who manages takes it back."
    ]
    if waiting:
        many = "1 request is" if waiting == 1 else f"{waiting} requests are"
        sentences.append(f"{many} under way; what comes back cannot be written down meanwhile.")
    return sentences


def of_deleting(study: Snapshot) -> list[str]:
    """Return what happens if a study is deleted."""
    return [
        f"All of it goes, for everybody and for good: {study.number_of_cases} cases, "
        f"{len(study.numbered)} requests and values, {study.events} events, and the validation "
        f"cases. {study.state.spent} were spent on it. Nobody can take this back; only backups "
        f"of the database still hold it.",
        "The log of the server keeps who deleted it, when, and the digest of its last event.",
    ]


def _question(
    request: Request, worker: StudyWorker, sentences: list[str], mistake: str = ""
) -> Response:
    """Ask for the name, in a dialogue or, without scripts, on a page."""
    given: dict[str, Any] = {
        "name": worker.name,
        "sentences": sentences,
        "confirmed": confirm.digest(sentences),
        "key": fresh_key(),
        "action": f"{_back(worker)}/delete",
        "back": _form(worker),
        "mistake": mistake,
    }
    status = REFUSED if mistake else 200
    if not is_htmx(request):
        return render(request, "delete.html", status=status, **given)
    headers = {
        "HX-Retarget": "#confirm",
        "HX-Reswap": "innerHTML",
        "HX-Trigger-After-Swap": json.dumps({"ask-first": {}}),
    }
    return render(request, "parts/delete.html", status=status, headers=headers, **given)


def _back(worker: StudyWorker) -> str:
    return f"/studies/{segment(worker.name)}"


def _form(worker: StudyWorker) -> str:
    """The page on which a study is put into the archive, taken back and deleted."""
    return f"{_back(worker)}/manage"
