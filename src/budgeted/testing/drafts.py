"""What commands are tried on, and with what: a small study at three moments, and made-up fields."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from copy import deepcopy
from decimal import Decimal
from typing import Any

from budgeted.policies import policy
from budgeted.policies.base import several
from budgeted.problem import Feature, Problem
from budgeted.problem.values import Number
from budgeted.studies.commands import (
    Ask,
    Cancel,
    Close,
    Command,
    Fail,
    Record,
    RecordedValue,
    RuleOut,
    Tell,
)
from budgeted.studies.commands.base import Field, fields_of
from budgeted.studies.creation import creation
from budgeted.studies.drafts import Draft, Sent, plan
from budgeted.studies.projection import Projection

_AT = "2026-01-02T03:04:05Z"
_POLICY = "round-robin"
_TEXTS = {
    "case": ("case 1", "case 8"), "feature": ("fever", "cough", "weight"),
    "label": ("ill", "well"), "value": ("yes", "a new one"), "cuts": ("70 90.5",),
    "only": ("fever",),
}  # fmt: skip
"""Texts that mean something in the study, by the name of the field."""
_NEW = {"case": "case 9", "value": "no"}
"""The same of what may be new."""
_TABLES = {"feature": {"name": "scan", "values": ["no", "yes"], "cost": "2.50"}}
"""The same of tables."""
_RECORDED = Record([RecordedValue("case 8", "fever", "no")])
_RULED_OUT = RuleOut("case 8", "cough", "allergic")
AMOUNTS = ("2.50", "99")
_MOST = 300


def stages() -> dict[str, Projection]:
    """Return the study at its beginning; with requests pending, told, and so on; and at its end.

    >>> [each.fate for each in stages()["under way"].requests.values()]
    ['pending', 'told', 'failed', 'cancelled', 'pending', 'recorded']
    """
    answers = [Ask(5), Tell(2, "yes"), Fail(3), Cancel(4), _RECORDED, _RULED_OUT]
    ends = [Cancel(1), Cancel(5), Close()]
    return {"new": _after([]), "under way": _after(answers), "closed": _after([*answers, *ends])}


def _after(commands: Sequence[Command]) -> Projection:
    features = [
        Feature("fever", ("no", "yes"), "1.50"),
        Feature("cough", ("no", "yes"), 4),
        Feature("weight", kind=Number(cuts=[80], unit="kg"), cost=2),
    ]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), 50)
    cases = [(f"case {at}", problem.labels[at % 2]) for at in range(1, 9)]
    found = Projection(creation("sample", problem, cases, _POLICY, {}, None, 3, "gini"))
    draft = draft_of(found)
    done = plan(draft, [Sent(each, "somebody") for each in commands], "sample", _AT)
    for answer in done.answers:
        if isinstance(answer, Exception):
            raise answer
    found.adopt(draft)
    return found


def draft_of(projection: Projection) -> Draft:
    """Return a draft on which somebody chooses, at a fixed time."""
    made = Draft.of(projection)
    made.signature = (_AT, "somebody", "", "")
    made.chooser = several(policy(_POLICY))
    return made


def picture(projection: Projection) -> dict[str, Any]:
    """Return all that a study knows, to compare."""
    state = projection.state
    names = ("history", "pending", "belief", "spent", "reserved", "free", "next_number")
    return {name: getattr(state, name) for name in names} | {
        "budget": state.problem.budget,
        "cases left": state.cases_left.tolist(),
        "cells": projection.cells.tolist(),
        "taken": projection.taken.tolist(),
        "requests": dict(projection.requests),
        "keys": deepcopy(dict(projection.keys)),
        "withdrawn": (projection.withdrawn, projection.forgotten),
        "ruled out": dict(projection.ruled_out),
        "cases": (projection.cases, projection.case_labels.tolist(), dict(projection.groups)),
        "order": [each.tolist() for each in projection.order],
        "problem": state.problem,
        "closed": projection.closed,
        "extras": deepcopy(projection.extras),
    }


def made_up(kind: type[Command]) -> Iterator[dict[str, Any]]:
    """Yield fields of a command that could make sense, as JSON has them."""
    known = fields_of(kind)
    every = itertools.product(*(list(_choices(each)) for each in known))
    for values in itertools.islice(every, _MOST):
        yield {each.name: value for each, value in zip(known, values, strict=True)}


def _choices(each: Field) -> Iterator[Any]:
    if not each.required:
        yield each.default
    if each.parts:
        yield [[_TEXTS.get(part, ("some text",))[0] for part in each.parts]]
        yield [[_NEW.get(part, _TEXTS.get(part, ("",))[0]) for part in each.parts]]
    elif each.parts is not None:
        yield [_TEXTS.get(each.name, ("some text",))[0]]
    elif each.is_table:
        yield _TABLES.get(each.name, {})
    elif each.may_be(Decimal):
        yield from AMOUNTS
    elif each.may_be(str):
        yield from _TEXTS.get(each.name, ("some text",))
    elif each.name == "number":
        yield from range(1, 7)
    elif each.may_be(int):
        yield each.about.least or 1
    if each.may_be(bool):
        yield each.default is False
    if each.may_be(type(None)):
        yield None
