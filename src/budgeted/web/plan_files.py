"""A plan as data: what was asked, and what came out; kept in a folder that is called by the former.

Who asks the same again finds the same folder: the plan, if it is made, or the runs that there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from budgeted.errors import PlanError, TableError
from budgeted.files import write_atomically
from budgeted.studies.case_lists import Columns
from budgeted.studies.forecast import code
from budgeted.studies.planning import AS_PLANNED, RUNS, Asked, WhatIf, ask
from budgeted.web.settings import Limits


@dataclass(frozen=True)
class Question:
    """What somebody wants to know, as it came: texts and numbers that JSON can hold."""

    study: str | Mapping[str, Any]  # a study file (TOML), or what it holds
    cases: str | int | None = None
    table: str | None = None  # old cases, as CSV
    matter: float | None = None
    best_alone: float | None = None
    target: float | None = None
    probability: float | None = None
    up_to: str | None = None
    what_ifs: tuple[Mapping[str, Any], ...] = ()
    runs: int = RUNS
    seed: int = 0
    id_column: str = "case"
    label_column: str = "label"

    @property
    def digest(self) -> str:
        """A short name of all that was asked."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    def asked(self, most_cases: int) -> Asked:
        """Return the question, checked and put together."""
        return ask(
            _bytes(self.study) if isinstance(self.study, str) else self.study,
            cases=_bytes(self.cases) if isinstance(self.cases, str) else self.cases,
            table=None if self.table is None else _bytes(self.table),
            matter=self.matter,
            best_alone=self.best_alone,
            target=self.target,
            probability=self.probability,
            up_to=self.up_to,
            what_ifs=[WhatIf.read(each, at) for at, each in enumerate(self.what_ifs)],
            runs=self.runs,
            seed=self.seed,
            columns=Columns(self.id_column, self.label_column),
            most_cases=most_cases,
        )


@dataclass(frozen=True)
class PlanFile:
    """A question that was taken on."""

    folder: Path
    question: Question
    title: str  # the name of the study
    by: str
    at: str
    total: int  # how many runs there are to be

    @property
    def id(self) -> str:
        """Its name in addresses."""
        return self.folder.name

    @property
    def made(self) -> Path:
        """Where the plan is, once it is made."""
        return self.folder / "plan.json"

    def plan(self) -> dict[str, Any] | None:
        """Return the plan as JSON has it; None if it is not made yet."""
        found: dict[str, Any] | None = self._read_made().get("plan")
        return found

    def outdated(self) -> bool:
        """Tell whether the plan is there, but other code made it than would make it now."""
        made = self._read_made()
        return "plan" in made and made.get("code") != code()

    def _read_made(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self.made.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def runs(self) -> int:
        """Return how many runs are kept: a line each, behind a first one."""
        found = [file.read_bytes().count(b"\n") - 1 for file in self.folder.glob("runs-*.jsonl")]
        return max([0, *found])

    def keep(self) -> None:
        """Write down what was asked: there whole, or not at all."""
        plain = {key: each for key, each in asdict(self).items() if key != "folder"}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / "asked.json", json.dumps(plain).encode())

    @classmethod
    def read(cls, folder: Path) -> PlanFile:
        """Return what is kept in a folder."""
        try:
            plain = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
            question = plain.pop("question")
            question["what_ifs"] = tuple(question["what_ifs"])
            return cls(folder=folder, question=Question(**question), **plain)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PlanError(f"what was asked cannot be read: {error}") from None


def checked(question: Question, limits: Limits) -> Asked:
    """Return a question put together; raise an error for what makes no sense or is too much."""
    try:
        json.dumps(asdict(question), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise PlanError("study: holds half a character, which no file can keep") from None
    asked = question.asked(limits.rows)
    if asked.total > limits.runs:
        raise PlanError(
            f"runs: {asked.runs} for each of {asked.total // asked.runs} curves are {asked.total}; "
            f"this server makes at most {limits.runs}"
        )
    first = asked.designs[AS_PLANNED]
    cases = sum(len(each.cases) for each in asked.designs.values()) + len(first.cases)
    if asked.runs * cases > limits.played:
        raise PlanError(
            f"runs: {asked.runs} times {cases} cases are more than the {limits.played} that this "
            f"server plays; ask for fewer runs, or plan with fewer cases"
        )
    tests = len(first.problem.features)
    rows = len({each.case for each in asked.source.pilot})
    if tests > limits.columns or rows > limits.rows or rows * tests > limits.cells:
        raise TableError(
            f"the table has {rows} cases of {tests} tests; this server takes {limits.rows} cases, "
            f"{limits.columns} tests and {limits.cells} cells"
        )
    return asked


def _bytes(text: str) -> bytes:
    """Halves of characters become question marks, which the readers then refuse where they hurt."""
    return text.encode(errors="replace")
