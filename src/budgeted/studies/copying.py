"""A study copied from one database to another, with its digests: from SQLite to a server, and back.

The rows are taken as they were written, so that every digest stays what it is: who noted one down
finds it in the copy. They are checked and folded first; what is damaged is not copied. All of them
go into one transaction, so that there is a whole copy or none. A study that is there already, in
whatever state, is left alone.

The name of the study is a part of each digest, so a copy cannot have another one. What a server
keeps beside the database, such as validation cases, is no part of the study and stays where it is.
"""

from __future__ import annotations

from budgeted.errors import ConflictError, StudyError, UnknownError
from budgeted.studies.journal import Head, Journal
from budgeted.studies.ledger import Summary
from budgeted.studies.replay import fold


def copy_study(source: str, name: str, target: str, new_name: str | None = None) -> Head:
    """Copy a study; return number and digest of its last event.

    Parameters
    ----------
    source, target
        Databases: paths of SQLite files, or URLs. The target is made if there is none.
    name, new_name
        Of the study here; and there, which must be the same.

    Examples
    --------
    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> folder = tempfile.TemporaryDirectory()
    >>> one, other = f"{folder.name}/one.db", f"{folder.name}/other.db"
    >>> with Study.create(one, "flu", problem, [("Ann", "ill")]) as study:
    ...     digest = study.head.digest
    >>> copy_study(one, "flu", other).digest == digest
    True
    >>> copy_study(one, "flu", other)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    budgeted.errors.StudyError: ...: there is a study 'flu' already; nothing was copied
    >>> folder.cleanup()
    """
    if new_name not in (None, name):
        raise StudyError(
            f"a copy of study {name!r} cannot be called {new_name!r}: the name is a part of every "
            f"digest, and none of them would hold any more. Leave the name out"
        )
    with Journal(source, name) as journal:
        rows, entries = journal.every_row()
        if not entries:
            listed = ", ".join(map(repr, journal.names())) or "none"
            raise UnknownError(f"there is no study {name!r}; there are: {listed}")
        projection = fold(None, entries, journal.where)
    summary = Summary.of(projection, entries[0], entries[-1]).to_text()
    with Journal(target, name, create=True) as copy:
        try:
            done = name not in copy.names() and copy.take(rows, summary)
        except ConflictError:  # somebody began one of that name at the same moment
            done = False
        if not done:
            raise StudyError(f"{copy.where}: there is a study {name!r} already; nothing was copied")
        return copy.head
