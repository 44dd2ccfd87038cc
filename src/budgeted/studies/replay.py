"""A journal folded event by event: where a study stands."""

from __future__ import annotations

from collections.abc import Sequence

from budgeted.errors import BudgetedError, FeatureKindError, JournalError, StudyError
from budgeted.studies.created import Created
from budgeted.studies.events import Entry
from budgeted.studies.projection import Projection


def fold(projection: Projection | None, entries: Sequence[Entry], where: str) -> Projection:
    """Return the projection after these events; `where` names the journal in messages."""
    for entry in entries:
        try:
            if projection is not None:
                projection.apply(entry)
            elif isinstance(entry.event, Created):
                projection = Projection(entry.event)
            else:
                raise StudyError("a study begins with its creation")
        except FeatureKindError as error:
            raise JournalError(
                f"a feature of the study is of a kind that is not installed here; install the "
                f"package that has it: {error}",
                where,
            ) from error
        except (BudgetedError, KeyError) as error:
            raise JournalError(
                f"event {entry.seq} does not fit what came before it: {error}; the "
                f"journal was written by another program, or is damaged",
                where,
            ) from error
    if projection is None:
        raise JournalError("there are no events", where)
    return projection
