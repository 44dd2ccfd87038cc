"""What cannot be undone is confirmed, with a sentence that says what will happen.

The sentence is made from the study as it is. Who confirms sends its digest along; if something
else would happen by then, the new sentence is shown instead of doing it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from budgeted.problem import money
from budgeted.problem.budgets import Terms
from budgeted.problem.money import show
from budgeted.studies.events import PENDING, value_in_words
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Requested
from budgeted.web.pages.templates import render


def digest(sentences: Sequence[str]) -> str:
    """Return by what a confirmation is known."""
    return hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]


def ask_first(
    request: Request,
    study: Snapshot,
    sentences: Sequence[str],
    confirmed: str,
    *,
    title: str,
    button: str,
    action: str,
    back: str,
    fields: Mapping[str, str],
) -> Response | None:
    """Return the question as a dialogue; None if it is answered.

    It is answered if the same was confirmed (`confirmed` is the digest of the sentences), and if
    the form was carried out before: then it says so when it comes again, whatever it would do by
    now. `back` is where leads who does not want it; `fields` is what the form held, with its key.
    """
    if confirmed == digest(sentences) or any(
        entry.key == fields["key"] for entry in study.entries if entry.key
    ):
        return None
    given: dict[str, Any] = {
        "title": title,
        "sentences": sentences,
        "button": button,
        "action": action,
        "back": back,
        "fields": {**fields, "confirmed": digest(sentences)},
    }
    headers = {
        "HX-Retarget": "#confirm",
        "HX-Reswap": "innerHTML",
        "HX-Trigger-After-Swap": json.dumps({"ask-first": {}}),
    }
    return render(request, "parts/confirm.html", headers=headers, **given)


def of_withdrawing(study: Snapshot, case: str, forget: bool) -> list[str]:
    """Return what withdrawing a case does."""
    mine = [each for each in study.requests() if each.case == case]
    pending = [each for each in mine if each.fate == PENDING]
    values = [each for each in mine if each.value is not None]
    said = [
        f"Case {case} is taken out for good: nothing more is measured on it, and this cannot be "
        f"undone."
    ]
    if pending:
        listed = ", ".join(str(each.number) for each in pending)
        noun = "Request" if len(pending) == 1 else "Requests"
        verb = "is" if len(pending) == 1 else "are"
        said.append(f"{noun} {listed} {verb} cancelled; {show(_sum(pending))} come back.")
    if values:
        noun = "value" if len(values) == 1 else "values"
        what = "kept in the classifier"
        if forget:
            what = "taken out of the classifier and of all that is shown, not out of the database"
        verb = "is" if len(values) == 1 else "are"
        they = "it" if len(values) == 1 else "they"
        said.append(
            f"Its {len(values)} {noun} {verb} {what}; the {show(_sum(values))} that {they} cost "
            f"stay spent."
        )
    return said


def of_closing(study: Snapshot) -> list[str]:
    """Return what closing a study does."""
    state = study.state
    return [
        "The study is closed: nothing more is asked, recorded or undone, unless somebody reopens "
        "it; only corrections remain possible.",
        f"{show(state.spent)} of {show(state.problem.budget)} are spent; {show(state.free)} will "
        f"not be spent.",
    ]


def of_less_money(study: Snapshot, budget: Decimal) -> list[str]:
    """Return what a smaller budget does."""
    state = study.state
    gone = money.add(state.spent, state.reserved)
    return [
        f"The budget falls from {show(state.problem.budget)} to {show(budget)}.",
        f"{show(state.spent)} are spent and {show(state.reserved)} reserved, which stays; "
        f"{show(money.subtract(budget, gone))} are free then instead of {show(state.free)}.",
    ]


def of_other_terms(study: Snapshot, terms: Terms) -> list[str]:
    """Return what other terms of the budget do."""
    state = study.state
    gone = money.add(state.spent, state.reserved)
    said = [f"The budget is {state.problem.terms.words()}.", f"It becomes {terms.words()}."]
    if terms.limit >= gone:
        left = show(money.subtract(terms.limit, gone))
        said.append(
            f"{show(state.spent)} are spent and {show(state.reserved)} reserved, which stays; "
            f"{left} are free then instead of {show(state.free)}."
        )
    return said


def of_correcting(old: Requested, value: str | None, cost: Decimal) -> list[str]:
    """Return what a correction does."""
    said = f"Number {old.number}, {old.feature} of case {old.case}: "
    if value != old.value:
        said += f"{value_in_words(value)} instead of {value_in_words(old.value)}"
    if cost != old.cost:
        both = ", " if value != old.value else ""
        said += f"{both}{show(cost)} instead of {show(old.cost)} charged"
    return [f"{said}.", "The classifier and the money change at once; the log keeps both."]


def _sum(requests: Sequence[Requested]) -> Decimal:
    return reduce(money.add, (each.cost for each in requests), Decimal(0))
