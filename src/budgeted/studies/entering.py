"""What people write down many at a time, and beside values: results, and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from budgeted.studies import commands
from budgeted.studies.commands import Result
from budgeted.studies.drafts import Draft
from budgeted.studies.growing import Growing
from budgeted.studies.notes import Note, about, notes_in
from budgeted.studies.projection import Requested
from budgeted.studies.results.preview import Preview, previewed


class Entering(Growing):
    """A study that takes whole tables of results."""

    def enter(
        self, results: Sequence[Sequence[Any]], *, charge: bool = False, key: str = ""
    ) -> tuple[Requested, ...]:
        """Write down results, all of them or none: told if asked for, else recorded."""
        given = cast(Sequence[Result], results)
        return self.do(commands.Enter(given, charge), key=key).requests

    def preview(self, results: Sequence[Sequence[Any]], *, charge: bool = False) -> Preview:
        """Return what `enter` would write now, result by result; nothing is written."""
        self.refresh()
        draft = Draft.of(self._projection)
        draft.signature = (self._clock(), self.by, "", "")
        return previewed(draft, results, charge)

    def results_in(
        self,
        frame: Any,
        *,
        case: str | None = None,
        layout: str | None = None,
        meant: Mapping[str, str] | None = None,
    ) -> tuple[Result, ...]:
        """Return the results that a dataframe holds, for `preview` and `enter`; nothing is written.

        A row for each case and a column for each feature, or a row for each result with columns
        ``case``, ``test``, ``value`` and perhaps ``cost`` and ``note``: what ``budgeted study
        import`` reads from a file. Null, NaN and empty cells are no results.
        """
        from budgeted.studies.results.files import (  # noqa: PLC0415
            Reading,
            results_of,
        )

        how = Reading(
            layout=layout, columns={"case": case} if case else {}, meant=dict(meant or {})
        )
        return results_of(frame, [each.name for each in self.state.problem.features], how)

    def undo_batch(self, batch: str, why: str = "", *, key: str = "") -> tuple[Requested, ...]:
        """Take back all values that were written down with one key, or none of them."""
        return self.do(commands.UndoBatch(batch, why), key=key).requests

    def note(self, text: str, *, number: int | None = None, case: str = "", key: str = "") -> None:
        """Write a note on a value, on a case, or on the study."""
        self.do(commands.Note(text, number, case), key=key)

    def notes(self, case: str | None = None, number: int | None = None) -> tuple[Note, ...]:
        """Return the notes on a case and its values, on one value, or else on the study."""
        return about(notes_in(self._projection), case=case, number=number)
