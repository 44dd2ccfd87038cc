"""A new case, diagnosed test by test; all that was said of it is in the address."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, DiagnosisError
from budgeted.problem import Feature
from budgeted.studies.preparing.amounts import amount
from budgeted.studies.snapshot import Snapshot
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.auth.roles import sighted
from budgeted.web.hints import words
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.fields import clipped, whole_number
from budgeted.web.pages.templates import render
from budgeted.web.views.diagnosis import Wanted, before_fees
from budgeted.web.views.model import MOST_FIELDS, case_of
from budgeted.web.views.studies import card_of

router = APIRouter()
Several = Annotated[list[str] | None, Query(max_length=1_000)]
_MOST_LABELS = 6
"""For more of them a table of what wrong answers cost would not fit on the page."""


@router.get("/studies/{name}/diagnose", dependencies=[Depends(sighted)])
async def diagnose(
    request: Request,
    worker: TheWorker,
    known: Several = None,
    told: Several = None,
    cannot: Several = None,
    test: str = "",
    value: str = "",
    skip: str = "",
    wrong: str = "",
    limit: str = "",
    plain: str = "",
    force: str = "",
    strategy: str = "",
) -> Response:
    """Say which test a new case needs next, or what to answer."""
    study = await worker.look()
    given = _Given(study, request)
    view, mistakes, typed = None, [], value.strip()
    steps, absent = list(told or ()), list(cannot or ())
    before = [*(known or ()), *given.written()]
    try:
        if skip and test:
            absent.append(test)
        elif typed and test:
            given.read(test, typed, bool(force))
            steps.append(f"{test}={typed}")
        elif test and not skip:
            raise DiagnosisError("say what the test showed, or that it cannot be done")
    except BudgetedError as error:
        mistakes = words(error)
    try:
        wanted = given.wanted(before, steps, absent, wrong, limit, not plain)
        wanted = Wanted(**{**vars(wanted), "force": bool(force), "strategy": bool(strategy)})
        view = await queries.diagnosis_page(worker, wanted)
    except BudgetedError as error:
        mistakes += words(error)
    terms = [
        (key, text)
        for key, text in request.query_params.multi_items()
        if key in ("known", "wrong", "limit", "plain", "force")
        or key.startswith(("known-", "price-", "wrong-"))
    ]
    kept = [*(("told", each) for each in steps), *(("cannot", each) for each in absent)]
    shown: dict[str, Any] = {
        "view": {"study": card_of(study)} if view is None else view,
        "found": view,
        "mistakes": mistakes,
        "fields": given.fields(before),
        "labels": given.labels,
        "matrix": given.matrix(),
        "wrong": wrong,
        "limit": limit,
        "plain": plain,
        "forced": force,
        "typed": typed if mistakes else "",
        "terms": [(key, text) for key, text in terms if text],
        "kept": kept,
        "back": urlencode([*terms, *kept[:-1]]) if steps and not absent else "",
        "whole": urlencode([*terms, *kept, ("strategy", "yes")]),
        "again": urlencode(terms),
        "tab": "Model",
    }
    status = REFUSED if mistakes else 200
    return render(request, "diagnose.html", status=status, **shown, here="studies")


class _Given:
    """What was typed into the form, for a study."""

    def __init__(self, study: Snapshot, request: Request) -> None:
        self._features = study.state.problem.features
        self._costs = before_fees(study.state.problem)
        self._query = request.query_params
        self.labels = study.state.problem.labels

    def wanted(
        self,
        known: list[str],
        told: list[str],
        cannot: list[str],
        wrong: str,
        limit: str,
        fees: bool,
    ) -> Wanted:
        """Return the case and the terms."""
        steps = case_of(self._features, told)
        return Wanted(
            known=tuple((case_of(self._features, known) | steps).items()),
            ordered=tuple(steps),
            without=tuple(self._feature(each).name for each in cannot),
            prices=tuple(
                (each.name, amount(typed))
                for at, each in enumerate(self._features)
                if (typed := self._query.get(f"price-{at}", "").strip())
            ),
            fees=fees,
            wrong=self._wrong(amount(wrong)),
            limit=amount(limit) or None,
        )

    def written(self) -> list[str]:
        """Return what was written of tests where nothing can be chosen, as position=value."""
        return [
            f"{key.removeprefix('known-')}={text.strip()}"
            for key, text in self._query.items()
            if key.startswith("known-") and text.strip()
        ]

    def read(self, test: str, value: str, force: bool) -> None:
        """Raise an error unless a test can have shown this."""
        self._feature(test).read(value, force)

    def fields(self, known: list[str]) -> list[dict[str, Any]]:
        """Return the tests of which something can be said before, with their prices."""
        try:
            case = case_of(self._features, known)
        except BudgetedError:
            case = {}
        return [
            {
                "position": at,
                "name": each.name,
                "choices": each.choices,
                "expects": each.expects,
                "chosen": case.get(each.name, ""),
                "cost": f"{self._costs[each.name]:f}",
                "price": self._query.get(f"price-{at}", ""),
            }
            for at, each in enumerate(self._features)
            if at < MOST_FIELDS or each.name in case
        ]

    def matrix(self) -> list[list[str]] | None:
        """Return what was typed for each answer and label; None if there are too many labels."""
        number = len(self.labels)
        if number > _MOST_LABELS:
            return None
        return [
            [self._query.get(f"wrong-{answer}-{label}", "") for label in range(number)]
            for answer in range(number)
        ]

    def _wrong(self, every: str) -> str | tuple[tuple[str, str, str], ...] | None:
        """One amount, or those of the table, where blank ones cost as much as every other."""
        table = self.matrix()
        if table is None or not any(cell.strip() for row in table for cell in row):
            return every or None
        return tuple(
            (answer, label, amount(cell) or every)
            for answer, row in zip(self.labels, table, strict=True)
            for label, cell in zip(self.labels, row, strict=True)
            if answer != label and (amount(cell) or every)
        )

    def _feature(self, position: str) -> Feature:
        at = whole_number(position)
        if at is None or at >= len(self._features):
            raise DiagnosisError(f"there is no test {clipped(position)!r} in this study")
        return self._features[at]
