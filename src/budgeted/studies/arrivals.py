"""Cases that arrive, looked at row by row before they are added: what will be added, what refused.

`AddCases` takes all of a list or nothing, and its error lists what is wrong. People who have a list
want to see each row first, and may leave out those that do not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgeted.errors import ObservationError
from budgeted.studies.case_lists import CaseList, Columns, case_list
from budgeted.studies.case_records import CaseRecord
from budgeted.studies.commands import AddCases, NewCase, RecordedValue
from budgeted.studies.csv_rows import parse_rows
from budgeted.studies.events import PENDING
from budgeted.studies.snapshot import Snapshot

NEW, THERE, REFUSED = "new", "there", "refused"
_FILE = "the list"


@dataclass(frozen=True)
class Arrival:
    """A row of a list of cases, and what will become of it."""

    line: int  # of the file, from 1
    case: str
    label: str
    group: str
    verdict: str  # ``new``, ``there`` already, or ``refused``
    values: int  # how many values of it will be written down
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arrivals:
    """A list of cases as it was understood."""

    rows: tuple[Arrival, ...]  # all of them, in their order
    command: AddCases  # what adds those that are not refused
    ignored: tuple[str, ...]  # columns that mean nothing here

    def number(self, verdict: str) -> int:
        """Return how many rows have a verdict."""
        return sum(each.verdict == verdict for each in self.rows)

    @property
    def values(self) -> int:
        """How many values will be written down."""
        return sum(each.values for each in self.rows)


def read_arrivals(study: Snapshot, content: bytes, columns: Columns | None = None) -> Arrivals:
    r"""Return what a list of cases would do to a study; an error says what is wrong with the file.

    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Study.create(f"{folder}/my.db", "flu", problem, [("Ann", "ill")]) as study:
    ...         now = study.snapshot()
    >>> found = read_arrivals(now, b"case,label,fever\nBob,well,yes\nAnn,well,\n")
    >>> [(each.case, each.verdict, each.values) for each in found.rows]
    [('Bob', 'new', 1), ('Ann', 'refused', 0)]
    >>> found.rows[1].said
    ("is there already, with the label 'ill'",)
    """
    header, rows, lines = parse_rows(content, _FILE, None, _encoding(content))
    names = [each.name for each in study.state.problem.features]
    found = case_list(header, rows, _FILE, names, columns)
    meant = columns or Columns()
    known: dict[int, list[tuple[str, str]]] = {}
    for each in found.known:
        known.setdefault(each.row, []).append((each.feature, each.value))
    arrivals, cases, values = _looked_at(study, found, known, lines)
    held = {meant.case, meant.label, meant.group, *names}
    return Arrivals(
        tuple(arrivals),
        AddCases(cases, values),
        tuple(name for name in header if name not in held),
    )


def _looked_at(
    study: Snapshot,
    found: CaseList,
    known: dict[int, list[tuple[str, str]]],
    lines: Sequence[int],
) -> tuple[list[Arrival], list[NewCase], list[RecordedValue]]:
    labels, records = study.state.problem.labels, study.case_records
    arrivals: list[Arrival] = []
    cases: list[NewCase] = []
    values: list[RecordedValue] = []
    seen: dict[str, int] = {}
    for at, (case, label) in enumerate(found.cases):
        group, record = found.groups.get(case, ""), records.get(case)
        wrong = []
        if not case:
            wrong.append("its name is missing")
        elif case in seen:
            wrong.append(f"is in the list twice, also on line {seen[case]}")
        if label not in labels:
            listed = ", ".join(map(repr, labels))
            wrong.append(f"there is no label {label!r}; there are {listed}")
        elif record is not None and record.label != label:
            wrong.append(f"is there already, with the label {record.label!r}")
        if record is not None and group not in ("", record.group):
            there = f"in the group {record.group!r}" if record.group else "in no group"
            wrong.append(f"is there already, {there}, not in {group!r}")
        taken, bad, said = _values(study, record, known.get(at, []))
        wrong += bad
        seen.setdefault(case, lines[at])
        verdict = REFUSED if wrong else NEW if record is None else THERE
        if not wrong:
            cases.append(NewCase(case, label, group))
            values += [RecordedValue(case, *each) for each in taken]
        number = 0 if wrong else len(taken)
        arrivals.append(
            Arrival(lines[at], case, label, group, verdict, number, tuple(wrong or said))
        )
    return arrivals, cases, values


def _values(
    study: Snapshot, record: CaseRecord | None, known: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """The values of a row that are new; what is wrong with others; what is to be said of some."""
    problem = study.state.problem
    taken, wrong, said = [], [], []
    for name, given in known:
        feature = problem.features[problem.feature_index(name)]
        try:
            value = feature.read(given)
        except ObservationError as error:
            wrong.append(str(error))
            continue
        held = None if record is None else record.held.get(name)
        if record is not None and record.withdrawn:
            wrong.append("is withdrawn: no value of it is taken any more")
            break
        if held is not None and held.fate != PENDING:
            if not feature.same(held.value, value):
                wrong.append(f"{name} is {held.value!r} already, not {value!r}")
            continue
        if held is not None:
            said.append(f"{name} answers request {held.number}, at {held.cost}")
        taken.append((name, value))
    return taken, wrong, said


def _encoding(content: bytes) -> str:
    """How a file is written: as everybody does today, or as old spreadsheets do."""
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
