"""Whether a database holds a journal of ours, in good order; and making one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from budgeted.errors import JournalError
from budgeted.hints import NoDatabase, OtherDatabase
from budgeted.studies.journal.connections import Pool, identity
from budgeted.studies.journal.sidecar import forget_beside, studies_beside
from budgeted.studies.journal.tables import FORMAT, FORMAT_TABLE, NAMES, metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LARGEST_CHECKED = 256 * 2**20
"""Bytes of a SQLite file that is looked over whole when it is opened: half a second."""


def check_tables(pool: Pool, file: str | None, where: str, *, create: bool) -> None:
    """Raise an error unless the database holds a journal; make it if that is wanted."""
    if file is not None and not _is_there(file, where, create):
        _check_lost("is gone", file, where)
        raise JournalError(
            "there is no such file, so there are no studies", where, hint=NoDatabase()
        )
    from sqlalchemy import inspect

    with pool.engine.connect() as connection:
        names = inspect(connection).get_table_names()
        ours = [name for name in NAMES if name in names]
        if file is not None and (names or os.path.getsize(file)):
            found = identity(file)
            if pool.checked != found:  # not yet, or another one was put in its place
                look_over(connection, file, where)
                pool.checked = found
        if len(ours) == len(NAMES):
            _check_format(connection, where)
            return
    if ours or (file is not None and names):
        raise JournalError(
            f"belongs to another program (it has tables {', '.join(names[:5])})",
            where,
            hint=OtherDatabase(),
        )
    if file is not None:
        _check_lost("is empty", file, where)
    if not create:
        raise JournalError("there are no studies in it", where, hint=NoDatabase())
    _make_tables(pool, file is not None)


def look_over(connection: Connection, file: str, where: str, *, whole: bool = False) -> None:
    """Raise an error if SQLite finds damage in its file."""
    if not whole and os.path.getsize(file) > _LARGEST_CHECKED:
        return
    pragma = "integrity_check" if whole else "quick_check"
    found = connection.exec_driver_sql(f"PRAGMA {pragma}(1)").scalars().all()
    if found != ["ok"]:
        said = str(found[0]).strip().splitlines()[-1] if found else "no answer"
        raise JournalError(f"is damaged; restore it from a backup (SQLite says: {said})", where)


def _is_there(file: str, where: str, create: bool) -> bool:
    path = Path(file)
    if path.is_file():
        return True
    if create:
        forget_beside(file)
        try:
            path.touch()
        except OSError as error:
            raise JournalError(
                f"cannot be opened; check the folder and the rights to it ({error.strerror})", where
            ) from None
    return create


def _check_lost(what: str, file: str, where: str) -> None:
    """Raise an error if there were studies once: a new one must not take their place unnoticed."""
    if lost := studies_beside(file):
        studies = "a study was" if lost == 1 else f"{lost} studies were"
        raise JournalError(
            f"{what}, though {studies} written to it. Restore the newest backup; if a new "
            f"beginning is meant, delete it, and the file beside it whose name ends in -heads",
            where,
        )


def _check_format(connection: Connection, where: str) -> None:
    from sqlalchemy import select

    table = metadata().tables[FORMAT_TABLE]
    found = connection.execute(select(table.c.version)).scalars().all()
    if found != [FORMAT]:
        version = ", ".join(map(str, found[:3])) or "nothing"
        raise JournalError(
            f"a journal in format {version}; this budgeted knows format {FORMAT} only: a newer one "
            f"wrote it, so update the package, or it is damaged",
            where,
        )


def _make_tables(pool: Pool, sqlite: bool) -> None:
    from sqlalchemy import insert
    from sqlalchemy.exc import DBAPIError

    if sqlite:
        raw = pool.engine.raw_connection()
        try:
            raw.cursor().execute("PRAGMA journal_mode = WAL")  # it stays with the file
        finally:
            raw.close()
    try:
        with pool.engine.connect() as plain:
            connection = plain.execution_options(budgeted_write=True)
            with connection.begin():
                metadata().create_all(connection, checkfirst=False)
                version = metadata().tables[FORMAT_TABLE]
                connection.execute(insert(version), [{"version": FORMAT}])
    except DBAPIError as error:
        if "already exists" not in str(error):  # somebody else made them just now: fine
            raise
