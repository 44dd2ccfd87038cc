"""What to do instead, as a code with facts: each surface says it in its own words.

An error says what is wrong. What to do about it is a command on a terminal, a button on a page
and a call in a program; so an error carries a hint, and `budgeted.cli.studies.hints` and
`budgeted.web.hints` turn it into a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CorrectIt:
    """A value is there already: if it is wrong, replace it; with None, there is none after all."""

    number: int
    value: str | None


@dataclass(frozen=True)
class RecordIt:
    """A request is over: a slip is undone, and a value that came all the same is recorded."""

    number: int
    case: str
    feature: str
    value: str | None


@dataclass(frozen=True)
class TellIt:
    """A request is still under way: its value is told."""

    number: int
    value: str | None


@dataclass(frozen=True)
class FailIt:
    """A request is still under way, and nothing can come of it: it fails."""

    number: int


@dataclass(frozen=True)
class ChangedSince:
    """A request is not what it was when its sender looked: look again before doing it."""

    number: int


@dataclass(frozen=True)
class KeyUsed:
    """An idempotency key belongs to another command, which was carried out by whom and when."""

    by: str
    at: str


@dataclass(frozen=True)
class ForceIt:
    """A value is probably a slip: if it is right all the same, insist on it."""


@dataclass(frozen=True)
class NoDatabase:
    """There is no database, or none with studies: begin a study, or say where they are."""


@dataclass(frozen=True)
class OtherDatabase:
    """It is not the database that was meant: say which one is."""


Hint = (
    CorrectIt | RecordIt | TellIt | FailIt | ChangedSince | KeyUsed | ForceIt | NoDatabase
    | OtherDatabase
)  # fmt: skip
