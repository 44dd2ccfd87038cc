"""What every command does, whatever it does to a study; and made-up fields to try it with."""

import itertools
import json
from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from decimal import Decimal
from typing import get_args, get_origin

from budgeted import Feature, Number, Problem
from budgeted.errors import BudgetedError
from budgeted.policies import policy
from budgeted.policies.base import several
from budgeted.studies.commands import Ask, Cancel, Close, Fail, Record, RecordedValue, RuleOut, Tell
from budgeted.studies.commands.base import fields_of
from budgeted.studies.creation import creation
from budgeted.studies.drafts import Draft, Sent, fingerprint, plan
from budgeted.studies.events import Asked, Event
from budgeted.studies.journal.rows import from_json, to_json
from budgeted.studies.projection import Projection

RESERVED = ("name", "by", "database", "as_json", "key")
"""What the command line takes besides the fields of a command."""
_TYPES = {int, bool, str, float, Decimal, type(None)}
_AT, _LATER = "2026-01-02T03:04:05Z", "2026-01-04T03:04:05Z"
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


def stages():
    """A study at its beginning; with requests pending, told, and so on; and at its end."""
    answers = [Ask(5), Tell(2, "yes"), Fail(3), Cancel(4), _RECORDED, _RULED_OUT]
    ends = [Cancel(1), Cancel(5), Close()]
    return {"new": _after([]), "under way": _after(answers), "closed": _after([*answers, *ends])}


def _after(commands):
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


def draft_of(projection):
    """Return a draft on which somebody chooses, at a fixed time."""
    made = Draft.of(projection)
    made.signature = (_LATER, "somebody", "", "")
    made.chooser = several(policy(_POLICY))
    return made


def picture(projection):
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
        "notes": (projection.noted, projection.stop),
    }


def made_up(kind):
    """Yield fields of a command that could make sense, as JSON has them."""
    known = fields_of(kind)
    every = itertools.product(*(list(_choices(each)) for each in known))
    for values in itertools.islice(every, _MOST):
        yield {each.name: value for each, value in zip(known, values, strict=True)}


def _choices(each):
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


_NO_AMOUNTS = ("a lot", "NaN", "Infinity", "-1", -1, float("nan"))
_NO_NUMBERS = (0, -1, 10**6)
_ODD_TEXTS = ("", "\x00", "no such thing", "x" * 5_000, "\ud800")


def check_command(kind, examples=()):
    """It is refused in words, or leads to events; trying them is all that it does to a draft.

    The same draft gives the same events, which come back from JSON as they were. `examples` are
    fields to try it with beside made-up ones. The study has requests 1 to 6, the cases "case 1" to
    "case 8", "well" or "ill", and the features "fever", "cough" and "weight", a number in kg.
    """
    check_fields(kind)
    found = []
    for when, study in stages().items():
        for given in (*examples, *made_up(kind)):
            what = f"{kind.__name__}({given}), with the study {when},"
            if _check_decision(kind, study, given, what):
                found.append((study, given))
    assert found, "nothing that was tried leads to an event; give examples of its fields"
    for study, given in found[:3]:
        for nonsense, refused in _nonsense(kind, given):
            events = _decided(kind, study, nonsense)
            assert isinstance(events, str) or not refused, f"{nonsense} must be refused"
            with suppress(BudgetedError):  # a text that cannot be written
                list(map(to_json, events if isinstance(events, list) else ()))


def check_fields(kind):
    """JSON and a terminal can fill its fields in, and help says what they are."""
    assert kind.__doc__.strip()
    numbers = [each.name for each in fields_of(kind) if each.may_be(int)]
    assert set(kind.sized_by) <= set(numbers)
    for each in fields_of(kind):
        assert each.about.help.strip()
        assert each.name not in RESERVED
        if get_origin(each.hint) is not Sequence and not each.is_table:
            assert set(get_args(each.hint) or (each.hint,)) <= _TYPES
        if not each.required:
            json.dumps(each.default, allow_nan=False)


def _check_decision(kind, study, given, what):
    """Return whether it leads to something; what it does must be all right."""
    before = picture(study)
    events = _decided(kind, study, given)
    assert picture(study) == before, f"{what} changes the study itself"
    again = _decided(kind, study, _as_sent(kind, json.loads(json.dumps(given))))
    assert again == events, f"{what} leads to {events!r}, and then to {again!r}"
    for other in _same_amounts(kind, given):
        same = _decided(kind, study, other)
        refused = isinstance(same, str) and isinstance(events, str)  # in words of the amount
        assert refused or same == events, f"{what} leads to something else with {other}"
    if isinstance(events, str):
        assert events.strip(), f"{what} is refused without a word"
        return False
    orders = [each for each in events if isinstance(each, Asked)]
    asked = min(len(orders), len({each.case for each in orders}))
    most = max((given.get(name) or 0 for name in kind.sized_by), default=0)
    assert asked <= most, f"{what} asks for {asked}, and sized_by says that it is {most}"
    for event in events:
        assert from_json(to_json(event)) == event, f"{what}: {event!r} comes back as another"
        words = event.words()
        assert words.strip(), f"{what}: {event!r} has no words"
        for each in (event.allowed_after_closing, event.forgets):
            assert isinstance(each, bool), f"{what}: of {event!r}, {each!r} must be true or false"
    return bool(events)


def _decided(kind, study, given):
    """Return the events of a command, or the words by which it is refused."""
    draft = draft_of(study)
    try:
        command = kind(**given)
        mark = fingerprint(command)
        found = command.decide(draft)
        assert fingerprint(command) == mark, "decide changes the fields of the command"
        _check_draft(study, draft, found)
        for event in found[len(draft.tried) :]:
            draft.attempt(event)
    except BudgetedError as error:
        return str(error)
    return list(found)


def _check_draft(study, draft, found):
    assert isinstance(found, list | tuple), f"decide must return a list of events, got {found!r}"
    for each in found:
        assert isinstance(each, Event), f"decide must return events, got {each!r}"
    tried = draft.tried
    assert tried == list(found[: len(tried)]), (
        "decide tries events on the draft that it does not return, or in another order"
    )
    other = draft_of(study)
    for event in tried:
        other.attempt(event)
    here, there = picture(draft), picture(other)
    changed = [name for name in here if here[name] != there[name]]
    assert not changed, f"decide changes the draft other than by trying events: {changed[0]}"


def _as_sent(kind, given):
    """Return fields as the JSON API hands them on: parts of a sequence are tuples."""
    several = {each.name for each in fields_of(kind) if each.parts}
    return {name: [tuple(part) for part in value] if name in several else value
            for name, value in given.items()}  # fmt: skip


def _same_amounts(kind, given):
    """Yield the same amounts in other types: the command line has texts, JSON numbers."""
    for each in fields_of(kind):
        value = given.get(each.name)
        if each.may_be(Decimal) and value in AMOUNTS:
            yield {**given, each.name: Decimal(value)}
            yield {**given, each.name: float(value)}


def _nonsense(kind, given):
    """Yield fields with one that makes no sense, and whether that must be refused."""
    for each in fields_of(kind):
        if each.name == "number":
            yield from (({**given, each.name: odd}, True) for odd in _NO_NUMBERS)
        elif each.may_be(Decimal):
            yield from (({**given, each.name: odd}, True) for odd in _NO_AMOUNTS)
        elif each.parts is not None:
            for odd in _ODD_TEXTS:
                yield {**given, each.name: [(odd,) * len(each.parts) or odd]}, False
        elif each.may_be(str):
            yield from (({**given, each.name: odd}, False) for odd in _ODD_TEXTS)
        elif each.may_be(int) and each.about.least is not None:
            yield {**given, each.name: each.about.least - 1}, True
