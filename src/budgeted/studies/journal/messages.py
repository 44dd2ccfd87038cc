"""What databases say, or turn out to hold, and what that means for people."""

from __future__ import annotations

import re

from budgeted.errors import ForeignHistoryError, JournalError
from budgeted.hints import Hint, OtherDatabase

WAIT = 30
"""Seconds to wait for another writer of a SQLite file, and for a statement on a server."""
LOCK_WAIT = 5
"""Seconds to wait for a lock on a server, which nobody holds for longer than a write takes."""
UNCHANGED = "nothing was changed"
"""To be said only where it is certain."""

_WORDS = (
    (("readonly", "read-only"), "is read-only; ask for the right to write, or copy it"),
    (("disk is full", "no space left", "could not extend file"), "has no room left: free some"),
    (("not a database",), "is not a SQLite database"),
    (("no such table",), "holds no studies, and is not complete"),
    (("malformed", "corrupt", "disk i/o"), "is damaged; restore it from a backup"),
    (("database is locked",), f"is kept locked by another program for {WAIT} s; try again"),
    (
        ("lock timeout",),
        f"is kept locked by another program for more than {LOCK_WAIT} s; end that program, or try "
        f"again later",
    ),
    (("statement timeout",), f"took more than {WAIT} s to answer; try again later"),
    (
        ("queuepool limit",),
        "is asked for more at once than this program's connections can carry; try again",
    ),
    (("too many clients", "remaining connection slots"), "takes no more connections; try later"),
    (("unable to open",), "cannot be opened; check the folder and the rights to it"),
    (("permission denied",), "does not let this user in; ask for the right to it"),
    (("authentication failed",), "does not accept this user or password"),
    (("does not exist",), "is not there under this name, or is not complete"),
    (("idle-in-transaction",), "gave up on this program, which paused while it wrote; try again"),
    (
        ("connection", "translate host", "terminating", "server closed", "timeout expired"),
        "cannot be reached; is the server running?",
    ),
)
"""By fragments of their messages; the first that fits."""


def reason_of(error: Exception) -> str:
    """Return what an error of a database means and what to do, without hosts and users."""
    if isinstance(error, ImportError):
        return "PostgreSQL needs psycopg: pip install 'budgeted[postgres]'"
    said = _said(error)
    shown = _discreet(said)
    for fragments, words in _WORDS:
        if any(fragment in said.lower() for fragment in fragments):
            return f"{words} ({shown})"
    return f"the database says: {shown}"


def hint_of(error: Exception) -> Hint | None:
    """Return what to do about an error of a database, where that is known."""
    wrong = any(each in _said(error) for each in ("not a database", "no such table"))
    return OtherDatabase() if wrong else None


def _said(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):  # Python, of names that SQLite found in its file
        return "is damaged; restore it from a backup (it holds text that is no UTF-8)"
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return said.splitlines()[0]


def _discreet(said: str) -> str:
    """Return what a database said without the names of hosts, users and folders.

    >>> _discreet('connection to server at "10.1.2.3", port 5432 failed: Connection refused')
    'Connection refused'
    >>> _discreet('FATAL:  password authentication failed for user "anna"')
    'FATAL:  password authentication failed for user …'
    """
    if said.startswith("connection"):
        said = said.rpartition("failed: ")[2]
    return re.sub(r'"[^"]*"|\'[^\']*\'|\S*@\S+', "…", said)


def foreign(study: str, where: str, known: int, found: int) -> ForeignHistoryError:
    """Return the error of who finds another history than the one he read."""
    if found == 0:
        return ForeignHistoryError(
            f"study {study!r} is not in the database any more: it was deleted, or the database was "
            f"replaced",
            where,
        )
    return ForeignHistoryError(
        f"the history of study {study!r} is not the one that was read here: {known} events were "
        f"known, and the database, which has {found} now, holds others or fewer. It was restored "
        f"from an older copy, or replaced. Open the study again, and look at it before going on",
        where,
    )


def damaged(study: str, where: str, seq: int) -> JournalError:
    """Return the error of who finds a row that does not belong where it is, or none."""
    return JournalError(
        f"the journal of {study!r} is damaged or was edited at event {seq}; restore the database "
        f"from a backup",
        where,
    )
