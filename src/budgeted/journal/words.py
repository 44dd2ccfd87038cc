"""What databases say, and what that means for people."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from budgeted.errors import ConflictError, JournalError
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


@contextmanager
def translated(where: str, study: str, certain: str = "") -> Iterator[None]:
    """Say in our words what the database says in its own.

    Parameters
    ----------
    where, study
        What it is about, for messages.
    certain
        What is known to be so whatever goes wrong here, such as `UNCHANGED`.
    """
    from sqlalchemy.exc import IntegrityError, SQLAlchemyError

    try:
        yield
    except IntegrityError as error:
        raise ConflictError(
            f"somebody else wrote to study {study!r} first; read on and try again", where
        ) from error
    except (SQLAlchemyError, sqlite3.Error, ImportError, UnicodeDecodeError) as error:
        words = reason_of(error)
        said = f"{words}; {certain}" if certain else words
        raise JournalError(said, where, hint=_hint_of(error)) from error


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


def _hint_of(error: Exception) -> Hint | None:
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
