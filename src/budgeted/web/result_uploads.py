"""A laboratory's file on the server: how it was read, and what must be said of its columns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.datastructures import FormData

from budgeted.problem import Problem
from budgeted.studies.results.files import LEAVE_OUT, ROLES, Reading, ResultFile, read_results
from budgeted.studies.results.tables import Most
from budgeted.studies.results.texts import ENCODINGS, SEPARATORS
from budgeted.studies.results.workbooks import ZIP
from budgeted.web.pages.fields import text_of
from budgeted.web.settings import Limits

_LEFT_OUT = "(leave out)"
_MOST_PROPOSED = 50


@dataclass(frozen=True)
class Answers:
    """What somebody said of a file, by the fields of the form."""

    reading: Reading

    @classmethod
    def of(cls, form: FormData) -> Answers:
        """Return what a form says; fields that are empty leave it to be found out."""
        names = [str(each) for each in form.getlist("unknown")]
        said = [str(each).strip() for each in form.getlist("meant")]
        meant = {
            name: LEAVE_OUT if answer == _LEFT_OUT else answer
            for name, answer in zip(names, said, strict=False)
            if answer
        }
        columns = {role: text_of(form, f"{role}_column") for role in ROLES}
        return cls(
            Reading(
                SEPARATORS.get(text_of(form, "separator")),
                text_of(form, "encoding") if text_of(form, "encoding") in ENCODINGS else None,
                text_of(form, "sheet") or None,
                text_of(form, "layout") or None,
                {role: column for role, column in columns.items() if column},
                meant,
            )
        )


@dataclass(frozen=True)
class Given:
    """A file as it was understood, and what can be said of it."""

    file: ResultFile
    answers: Answers
    features: tuple[str, ...]
    is_workbook: bool

    @property
    def asks(self) -> bool:
        """Whether something must be said first."""
        return bool(self.file.questions or self.file.missing)

    @property
    def separators(self) -> dict[str, str]:
        """What may stand between cells, and whether it does."""
        return {name: "selected" if mark == self.file.table.separator else ""
                for name, mark in SEPARATORS.items()}  # fmt: skip

    @property
    def encodings(self) -> dict[str, str]:
        """How a text may be written, with the words for it."""
        return ENCODINGS

    @property
    def proposals(self) -> tuple[str, ...]:
        """The first features, for a list to choose from; others can be typed."""
        return self.features[:_MOST_PROPOSED]


async def understand_results(
    content: bytes, problem: Problem, answers: Answers, limits: Limits
) -> Given:
    """Return what a file holds, found out off the loop, or an error in words."""
    features = tuple(each.name for each in problem.features)
    most = Most(limits.upload, limits.unpacked, limits.rows, limits.columns, limits.cells)
    read = await asyncio.to_thread(
        read_results, content, "the file", features, answers.reading, most
    )
    return Given(read, answers, features, content.startswith(ZIP))
