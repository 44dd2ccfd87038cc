"""What every command must do, whatever it does to a study."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from budgeted.errors import BudgetedError
from budgeted.studies.commands import Command
from budgeted.studies.commands.base import fields_of
from budgeted.studies.drafts import fingerprint
from budgeted.studies.events import Asked, Event
from budgeted.studies.journal.rows import from_json, to_json
from budgeted.studies.projection import Projection
from budgeted.testing.command_fields import check_fields
from budgeted.testing.drafts import AMOUNTS, draft_of, made_up, picture, stages
from budgeted.testing.words import in_words

_NO_AMOUNTS = ("a lot", "NaN", "Infinity", "-1", -1, float("nan"))
_NO_NUMBERS = (0, -1, 10**6)
_ODD_TEXTS = ("", "\x00", "no such thing", "x" * 5_000, "\ud800")

Fields = Mapping[str, Any]


def check_command(kind: type[Command], examples: Sequence[Fields] = ()) -> None:
    """Raise an error in words unless a command keeps the contract of all commands.

    It is a frozen dataclass whose fields say what they are, of types that the JSON API and the
    command line have. `decide` returns the events that it leads to, and changes the draft by
    nothing but trying these, in their order; the same draft gives the same events, which come
    back from JSON as they were. What makes no sense is refused in words.

    Parameters
    ----------
    kind
        The class.
    examples
        Fields to try it with beside made-up ones, as JSON has them. The study has requests 1 to 6,
        the cases "case 1" to "case 8", "well" or "ill", and the features "fever" and "cough", "no"
        or "yes", and "weight", a number in kg.

    Examples
    --------
    >>> from budgeted.studies.commands import Tell
    >>> check_command(Tell)
    """
    assert isinstance(kind, type), f"give the class, not an object such as {kind!r}"
    with in_words("the command"):
        check_fields(kind)
    found = []
    for when, study in stages().items():
        for given in (*examples, *made_up(kind)):
            what = f"{kind.__name__}({_listed(given)}), with the study {when},"
            with in_words(what):
                if _check_decision(kind, study, given, what):
                    found.append((study, given))
    assert found, "nothing that was tried leads to an event; give examples of its fields"
    for study, given in found[:3]:
        for nonsense, refused in _nonsense(kind, given):
            what = f"{kind.__name__}({_listed(nonsense)})"
            with in_words(what):
                events = _decided(kind, study, nonsense)
                assert isinstance(events, str) or not refused, f"{what} must be refused"
                with suppress(BudgetedError):  # a text that cannot be written
                    list(map(to_json, events if isinstance(events, list) else ()))


def _check_decision(kind: type[Command], study: Projection, given: Fields, what: str) -> bool:
    """Return whether it leads to something; what it does must be all right."""
    before = picture(study)
    events = _decided(kind, study, given)
    assert picture(study) == before, f"{what} changes the study itself"
    again = _decided(kind, study, _as_sent(kind, json.loads(json.dumps(given))))
    assert again == events, f"{what} leads to {events!r}, and then to {again!r}"
    for other in _same_amounts(kind, given):
        same = _decided(kind, study, other)
        refused = isinstance(same, str) and isinstance(events, str)  # in words of the amount
        assert refused or same == events, f"{what} leads to something else with {_listed(other)}"
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


def _decided(kind: type[Command], study: Projection, given: Fields) -> list[Event] | str:
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


def _check_draft(study: Projection, draft: Any, found: Any) -> None:
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


def _as_sent(kind: type[Command], given: Fields) -> dict[str, Any]:
    """Return fields as the JSON API hands them on: parts of a sequence are tuples."""
    several = {each.name for each in fields_of(kind) if each.parts}
    return {name: [tuple(part) for part in value] if name in several else value
            for name, value in given.items()}  # fmt: skip


def _same_amounts(kind: type[Command], given: Fields) -> Iterator[dict[str, Any]]:
    """Yield the same amounts in other types: the command line has texts, JSON numbers."""
    for each in fields_of(kind):
        value = given.get(each.name)
        if each.may_be(Decimal) and value in AMOUNTS:
            yield {**given, each.name: Decimal(value)}
            yield {**given, each.name: float(value)}


def _nonsense(kind: type[Command], given: Fields) -> Iterator[tuple[dict[str, Any], bool]]:
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


def _listed(given: Fields) -> str:
    return ", ".join(f"{name}={str(value)[:40]!r}" for name, value in given.items())
