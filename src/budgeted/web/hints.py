"""What to do instead, in the words of the page: fields and buttons; see `budgeted.hints`.

A program that uses the API is told the same, as it has no page: the names of operations are those
of the buttons.
"""

from __future__ import annotations

import re

from budgeted.errors import BudgetedError, JournalError
from budgeted.hints import (
    ChangedSince,
    CorrectIt,
    FailIt,
    ForceIt,
    Hint,
    KeyUsed,
    NoDatabase,
    OtherDatabase,
    RecordIt,
    TellIt,
)

_FIELDS = {
    "budget": "Budget",
    "n": "How many",
    "cost": "What was charged",
    "charged": "Amount that was charged",
    "charge": "Cost",
    "matter": "Tests that matter",
    "best_alone": "The best test alone",
    "target_error": "Error to be reached",
    "probability": "How sure",
    "up_to": "Largest budget",
    "times": "Times as many cases",
}
"""Keys at the beginning of a message, and the fields of forms that they are about."""


_STOP_FIELDS = {
    "target_error": "Target error",
    "probability": "Probability",
    "least_gain": "Least gain",
}
"""Keys of rules for stopping, and the fields of the form that states them."""


def words(error: BudgetedError) -> list[str]:
    """Return what is wrong, one thing each, with what helps.

    >>> from budgeted.errors import StudyError
    >>> words(StudyError("request 6 was told 'low' already", hint=CorrectIt(6, "high")))[0]
    "request 6 was told 'low' already; if that is wrong, press Correct beside it in the history"
    """
    mistakes = [str(each) for each in getattr(error, "mistakes", ())]
    if not mistakes:
        # Which host and user the database has is nobody's business who only uses the page.
        said = error.reason if isinstance(error, JournalError) else str(error)
        return [f"{said}{_and(error.hint)}"]
    hints = (*getattr(error, "hints", ()), *[None] * len(mistakes))
    return [f"{mistake}{_and(hint)}" for mistake, hint in zip(mistakes, hints, strict=False)]


def in_fields(message: str) -> str:
    """Return a message with the names of fields instead of those of parameters.

    >>> in_fields("budget: is missing"), in_fields("cases[0]: the name must not be blank")
    ('Budget: is missing', 'Case 1: the name must not be blank')
    >>> in_fields("feature.cuts: at least one is needed")
    'Cuts: at least one is needed'
    >>> in_fields("stop.probability: belongs to target_error, which is missing")
    'Probability: belongs to Target error, which is missing'
    """
    told = re.sub(r"^feature\.(\w+)", lambda at: at[1].replace("_", " ").capitalize(), message)
    if told.startswith("stop."):
        told = told.replace("belongs to target_error", "belongs to Target error")
        told = re.sub(r"^stop\.(\w+)", lambda at: _STOP_FIELDS.get(at[1], at[1]), told)
    told = re.sub(r"\bcases\[(\d+)\]", lambda at: f"Case {int(at[1]) + 1}", told)
    key, mark, rest = told.partition(":")
    return f"{_FIELDS[key]}{mark}{rest}" if key in _FIELDS else told


def _and(hint: Hint | None) -> str:
    return "" if hint is None else f"; {_sentence(hint)}"


def _sentence(hint: Hint) -> str:  # noqa: PLR0911 - one for each hint
    match hint:
        case CorrectIt():
            return "if that is wrong, press Correct beside it in the history"
        case RecordIt():
            return (
                "if that was a slip, press Undo; if its value came after all, write it down under "
                '"Record a value that nobody asked for"'
            )
        case ChangedSince():
            return "press Undo again if that is what you mean to take back"
        case KeyUsed():
            return "make up a new key for each command"
        case TellIt(number):
            return f"press its value on the card of request {number}"
        case ForceIt():
            return 'if it is right all the same, tick "Right all the same" and send it again'
        case FailIt(number):
            return f'write it down under "It failed" on the card of request {number}'
        case NoDatabase() | OtherDatabase():
            return "tell whoever runs the server"
