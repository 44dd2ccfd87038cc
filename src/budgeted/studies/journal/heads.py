"""All studies of a database: their names, last events and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgeted.studies.journal.rows import sql, summary_digest_of
from budgeted.studies.journal.tables import Head

if TYPE_CHECKING:
    from sqlalchemy import Connection

# From both places: one that is damaged in one of them is listed, and says so when opened. From name
# to name by the index: the events in between need not be looked at.
_NAMES = """
    WITH RECURSIVE begun(study) AS (
        SELECT min(study) FROM budgeted_events
        UNION ALL
        SELECT (SELECT min(e.study) FROM budgeted_events e WHERE e.study > begun.study)
        FROM begun WHERE begun.study IS NOT NULL)
    SELECT study FROM begun WHERE study IS NOT NULL UNION SELECT study FROM budgeted_heads"""
_HEADS = f"""
    SELECT names.study, h.seq, h.digest, h.summary, h.summary_digest FROM ({_NAMES}) AS names
    LEFT JOIN budgeted_heads h ON h.study = names.study ORDER BY names.study"""


def fetch_names(connection: Connection) -> tuple[str, ...]:
    """Return the names of all studies, in order."""
    query = f"SELECT study FROM ({_NAMES}) AS names ORDER BY study"
    return tuple(connection.execute(sql(query)).scalars().all())


def fetch_heads(connection: Connection) -> list[tuple[str, Head, str]]:
    """Return name, last event and summary of each study, in order of their names.

    A summary that was not written with that event, or was edited since, is left out.
    """
    found = []
    for study, seq, digest, summary, kept in connection.execute(sql(_HEADS)):
        right = kept == summary_digest_of(str(digest), str(summary))
        found.append((study, Head(seq or 0, digest or ""), str(summary) if right else ""))
    return found
