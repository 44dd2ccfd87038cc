"""What to do instead, as commands; see `budgeted.hints`."""

from __future__ import annotations

import shlex

from budgeted.errors import BudgetedError
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


def words(error: BudgetedError) -> str:
    """Return what is wrong, with the command that helps.

    >>> from budgeted.errors import StudyError
    >>> words(StudyError("request 6 was told 'low' already", hint=CorrectIt(6, "high")))
    "request 6 was told 'low' already; if that is wrong, correct it: budgeted study correct 6 high"
    """
    mistakes = getattr(error, "mistakes", None)
    hints = getattr(error, "hints", ())
    if mistakes and any(hints):
        source = str(error).partition("\n")[0]
        told = [
            f"\n  {mistake}{_and(hint)}"
            for mistake, hint in zip(mistakes, (*hints, *[None] * len(mistakes)), strict=False)
        ]
        return source + "".join(told)
    if mistakes and len(mistakes) > 1 and "\n" not in str(error):
        return "there are mistakes:" + "".join(f"\n  {mistake}" for mistake in mistakes)
    return f"{error}{_and(error.hint)}"


def _and(hint: Hint | None) -> str:
    return "" if hint is None else f"; {_sentence(hint)}"


def _sentence(hint: Hint) -> str:  # noqa: PLR0911 - one for each hint
    match hint:
        case CorrectIt(number, value):
            right = "--no-value" if value is None else shlex.quote(value)
            return f"if that is wrong, correct it: budgeted study correct {number} {right}"
        case RecordIt(number, case, feature, value):
            given = " ".join(shlex.quote(each) for each in (case, feature, value or "VALUE"))
            return (
                f"if that was a slip, undo it: budgeted study undo {number}; if its value came "
                f"after all, record it: budgeted study record {given}"
            )
        case ChangedSince(number):
            return f"if that is meant, undo it: budgeted study undo {number}"
        case KeyUsed():
            return "make up a new key for each command"
        case TellIt(number, value):
            return f"tell it: budgeted study tell {number} {shlex.quote(value or 'VALUE')}"
        case ForceIt():
            return "if it is right all the same, say --force"
        case FailIt(number):
            return f"fail it instead: budgeted study fail {number} --unusable"
        case NoDatabase():
            return "'budgeted study new' begins one, and --db (or BUDGETED_DB) says where they are"
        case OtherDatabase():
            return "name the right one with --db (or BUDGETED_DB)"
