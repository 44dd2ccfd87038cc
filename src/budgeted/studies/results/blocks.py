"""A block of cells that somebody copied in a spreadsheet, and where it belongs in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgeted.errors import TableError
from budgeted.listing import did_you_mean
from budgeted.studies.csv_rows import plain_cell
from budgeted.studies.results.files import ROLES

_MOST_CELLS = 10_000


def pasted(
    text: str,
    cases: Callable[[str], str | None],
    features: Sequence[str],
    shown: tuple[Sequence[str], Sequence[str]],
    start: tuple[int, int] = (0, 0),
) -> list[tuple[str, str, str]]:
    r"""Return case, feature and text of each cell of a block; all of it fits, or it is refused.

    A first row of tests and a first column of cases are recognised; without them the block goes
    where the cursor is.

    >>> there = {"P1", "P2"}
    >>> known = lambda name: name if name in there else None
    >>> pasted("low\t3.5\nhigh\t4", known, ["crp", "mcv"], (["P1", "P2"], ["mcv", "crp"]))
    [('P1', 'mcv', 'low'), ('P1', 'crp', '3.5'), ('P2', 'mcv', 'high'), ('P2', 'crp', '4')]
    >>> pasted("case\tcrp\nP2\t4", known, ["crp", "mcv"], ([], []))
    [('P2', 'crp', '4')]
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rows = [list(map(plain_cell, line.split("\t"))) for line in lines if line.strip()]
    if sum(map(len, rows)) > _MOST_CELLS:
        raise TableError(f"the block has more than {_MOST_CELLS:,} cells; upload it as a file")
    if not rows:
        return []
    names = {each.casefold(): each for each in features}
    tests: list[str] | None = None
    has_cases = False
    if any(cell.casefold() in names for cell in rows[0]):
        tests, has_cases = _header(rows.pop(0), names, features)
    elif len(rows[0]) > 1:
        has_cases = all(cases(row[0]) is not None for row in rows)
    first_row, first_column = start
    if tests is None:
        width = max(map(len, rows)) - has_cases
        tests = list(shown[1][first_column : first_column + width])
        if len(tests) < width:
            raise TableError(
                f"the block has {width} columns, and from here only {len(tests)} are shown; begin "
                f"further left, or copy it with the names of the tests above it"
            )
    if not has_cases and len(rows) > len(shown[0]) - first_row:
        raise TableError(
            f"the block has {len(rows)} rows, and from here only {len(shown[0]) - first_row} cases "
            f"are shown; begin further up, or copy it with the names of the cases before it"
        )
    found, unknown = [], []
    for at, row in enumerate(rows):
        case = cases(row[0]) if has_cases else shown[0][first_row + at]
        if case is None:
            unknown.append(row[0])
            continue
        held = row[1:] if has_cases else row
        if len(held) > len(tests) and any(held[len(tests) :]):
            raise TableError(f"row {at + 1} of the block is longer than its first row")
        found += [(case, test, cell) for test, cell in zip(tests, held, strict=False) if cell]
    if unknown:
        listed = ", ".join(map(repr, unknown[:5]))
        raise TableError(f"there is no case {listed} in this study; nothing was pasted")
    return found


def _header(
    header: Sequence[str], names: dict[str, str], features: Sequence[str]
) -> tuple[list[str], bool]:
    """Return the tests that a header names, and whether its first column holds cases."""
    usual = ROLES["case"]
    has_cases = header[0].casefold() not in names and (
        not header[0] or header[0].casefold() in usual or len(header) > 1
    )
    wanted = list(header[1:] if has_cases else header)
    while wanted and not wanted[-1]:
        wanted.pop()
    unknown = [each for each in wanted if each.casefold() not in names]
    if unknown:
        raise TableError(
            f"there is no test {unknown[0]!r}; {did_you_mean(unknown[0], features)}Nothing was "
            f"pasted"
        )
    return [names[each.casefold()] for each in wanted], has_cases
