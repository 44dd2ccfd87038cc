"""All studies of some databases as one table: a row for each, with its money and its state.

Each row is from the summary that is written with every event, so no study is opened for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from budgeted.errors import JournalError, StudyError
from budgeted.files import write_atomically
from budgeted.studies.frames import framed, types_of
from budgeted.studies.journal import Journal, parse_url
from budgeted.studies.ledger import Summary, summaries
from budgeted.studies.tables import Table

COLUMNS = (
    "database", "study", "state", "budget", "spent", "reserved", "free", "features", "cases",
    "labels", "policy", "bought", "pending", "events", "started_at", "started_by", "last_at",
    "last_by", "problem",
)  # fmt: skip
SUFFIXES = (".db", ".sqlite", ".sqlite3")
"""Of the files of a folder that are looked into."""
_SQLITE = b"SQLite format 3\x00"


def overview(databases: Iterable[str | PathLike[str]]) -> Table:
    """Return a row for each study, the last column saying what is wrong with it, if something is.

    Parameters
    ----------
    databases
        SQLite files, folders of them, or URLs of databases. Files of a folder that are no journal
        are passed over; one that was named must be one.
    """
    rows: list[tuple[str, ...]] = []
    for database, named in _found(databases):
        where = parse_url(database).render_as_string(hide_password=True)
        where = where.removeprefix("sqlite:///") if "://" not in database else where
        try:
            with Journal(database, "") as journal:
                several = summaries(journal)
        except JournalError:
            if named:
                raise
            continue
        rows += [_row(where, name, each) for name, each in several.items()]
    return Table(COLUMNS, rows)


def studies_dataframe(databases: Iterable[str | PathLike[str]], *, backend: str = "pandas") -> Any:
    """Return the same as a dataframe of pandas, polars or pyarrow."""
    table = overview(databases)
    return framed(table, types_of(table), backend)


def write_parquet(databases: Iterable[str | PathLike[str]], target: Path) -> None:
    """Write the same as a Parquet file, amounts as decimals and times in UTC."""
    frame = studies_dataframe(databases, backend="pyarrow")
    import pyarrow.parquet  # noqa: PLC0415 - it is there, since the line above went through

    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(frame, buffer, compression="zstd")
    try:
        write_atomically(target, buffer.getvalue().to_pybytes(), private=False)
    except OSError as error:
        raise StudyError(f"{target}: cannot be written: {error.strerror or error}") from error


def _found(databases: Iterable[str | PathLike[str]]) -> Iterable[tuple[str, bool]]:
    """Yield each database once, and whether it was named itself."""
    seen: set[str] = set()
    for given in map(str, databases):
        folder = Path(given)
        listed = [(given, True)]
        if "://" not in given and folder.is_dir():
            files = sorted(each for each in folder.iterdir() if each.suffix in SUFFIXES)
            listed = [(str(each), False) for each in files if _is_sqlite(each)]
            if not listed:
                raise StudyError(f"{given}: no SQLite file is in this folder; name the files")
        for database, named in listed:
            if database not in seen:
                seen.add(database)
                yield database, named


def _is_sqlite(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _row(where: str, name: str, found: Summary | JournalError) -> tuple[str, ...]:
    if isinstance(found, JournalError):
        return (where, name, *[""] * (len(COLUMNS) - 3), found.reason)
    state = "archived" if found.archived else "closed" if found.closed else "open"
    facts = vars(found) | {
        "database": where, "study": name, "state": state, "free": found.free,
        "labels": ", ".join(found.labels), "problem": "",
    }  # fmt: skip
    return tuple(str(facts[each]) for each in COLUMNS)
