"""A score sheet as a spreadsheet: a case is typed in, formulas add its points up."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.points import ScoreSheet, score_sheet
from budgeted.learners.formats.sheet_words import columns_of, notes_of, rule_of, start_of, title_of
from budgeted.learners.formula import reading_of
from budgeted.learners.model import Model

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

_FIRST = 4
"""The row of the first feature."""
_LARGEST = "1E+307"
_BLUE, _YELLOW = "DCE6F1", "FFF8D6"


def xlsx(model: Model) -> bytes:
    """Return a workbook: one sheet to type a case into, one with the points.

    Where something is no value of its feature, the row says so, and there is no label.
    """
    file = io.BytesIO()
    workbook_of(score_sheet(model)).save(file)
    return file.getvalue()


def workbook_of(sheet: ScoreSheet) -> Workbook:
    """Return the same as an object of the package openpyxl."""
    from openpyxl import Workbook  # noqa: PLC0415 - an extra

    book = Workbook()
    case = book.active
    case.title = "Case"
    points = book.create_sheet("Points")
    places = _write_points(points, sheet)
    _write_case(case, sheet, places)
    return book


def _write_points(page: Worksheet, sheet: ScoreSheet) -> list[tuple[int, int]]:
    """Write the points, a row for each value; return the first and last row of each feature."""
    readings = reading_of(sheet.model.features, "a spreadsheet")
    _row(page, 1, ["Feature", "Value", "From", "Below", *columns_of(sheet)])
    _row(page, 2, ["Begin with", None, None, None, *start_of(sheet)])
    at, places = 3, []
    for reading, points in zip(readings, sheet.points, strict=True):
        categories: Any = reading["categories"]
        cuts: Any = reading.get("cuts")
        for value, name in enumerate(categories):
            ends = _ends(cuts, value) if cuts else (None, None)
            _row(page, at + value, [reading["name"], name, *ends, *points[:, value].tolist()])
        places.append((at, at + len(categories) - 1))
        at += len(categories)
    for letter, width in (("A", 24), ("B", 24)):
        page.column_dimensions[letter].width = width
    page.freeze_panes = "A2"
    return places


def _ends(cuts: list[Any], value: int) -> tuple[Any, Any]:
    """Where a category of numbers begins, and what is above it."""
    low = cuts[value - 1] if value else float(f"-{_LARGEST}")
    return low, cuts[value] if value < len(cuts) else float(_LARGEST)


def _write_case(page: Worksheet, sheet: ScoreSheet, places: list[tuple[int, int]]) -> None:
    from openpyxl.styles import Alignment, Font, PatternFill  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    columns = columns_of(sheet)
    readings = reading_of(sheet.model.features, "a spreadsheet")
    _row(page, 1, [title_of(sheet)])
    page["A1"].font = Font(bold=True, size=14)
    _row(page, _FIRST - 1, ["Feature", "Value", *columns, "Remark"])
    wrong = get_column_letter(3 + len(columns))
    for at, (reading, (first, last)) in enumerate(zip(readings, places, strict=True), _FIRST):
        page.cell(at, 1, str(reading["name"])).data_type = "s"
        cell = page.cell(at, 2)
        cell.fill = PatternFill("solid", fgColor=_YELLOW)
        known = f'NOT(OR($B{at}="",$B{at}="?"))'
        fits = _fits(reading, at, first, last)
        page[f"{wrong}{at}"] = (
            f'=IF({known},IF({fits},"","no value of it: {_quoted(_short(reading))}"),"")'
        )
        for column in range(len(columns)):
            of = get_column_letter(5 + column)
            page.cell(at, 3 + column).value = (
                f"=IF({known},SUMPRODUCT({_which(reading, at, first, last)},"
                f"Points!${of}${first}:${of}${last}),0)"
            )
        _restrict(page, cell, reading, first, last)
    end = _FIRST + len(readings)
    _row(page, end, ["Sum"])
    sums = []
    for column in range(len(columns)):
        here, of = get_column_letter(3 + column), get_column_letter(5 + column)
        sums.append(f"{here}{end}")
        page[sums[-1]] = f"=Points!${of}$2+SUM({here}{_FIRST}:{here}{end - 1})"
    _row(page, end + 1, ["Label"])
    remarks = f"SUMPRODUCT(LEN({wrong}{_FIRST}:{wrong}{end - 1}))>0"
    page[f"B{end + 1}"] = f'=IF({remarks},"look at the remarks",{_label(sheet, sums)})'
    for row in (_FIRST - 1, end, end + 1):
        for each in page[row]:
            each.font = Font(bold=True)
            each.fill = PatternFill("solid", fgColor=_BLUE)
    _row(page, end + 2, [rule_of(sheet)])
    for at, note in enumerate(notes_of(sheet), end + 4):
        _row(page, at, [note])
        page.merge_cells(start_row=at, start_column=1, end_row=at, end_column=3 + len(columns))
        page.cell(at, 1).alignment = Alignment(wrap_text=True, vertical="top")
        page.row_dimensions[at].height = 48
    page.column_dimensions["A"].width = 28
    page.column_dimensions["B"].width = 24
    page.column_dimensions[wrong].width = 52
    page.page_setup.fitToWidth, page.page_setup.fitToHeight = 1, 0
    page.sheet_properties.pageSetUpPr.fitToPage = True


def _which(reading: dict[str, Any], at: int, first: int, last: int) -> str:
    """Formula: 1 for the row of the value that was typed, 0 for the others."""
    if "cuts" in reading:
        number = f"IF(ISNUMBER($B{at}),$B{at},-{_LARGEST}*10)"
        return f"(Points!$C${first}:$C${last}<={number})*(Points!$D${first}:$D${last}>{number})"
    return f"EXACT(Points!$B${first}:$B${last},$B{at})*1"


def _fits(reading: dict[str, Any], at: int, first: int, last: int) -> str:
    """Formula: whether what was typed is a value."""
    if "cuts" not in reading:
        return f"SUMPRODUCT({_which(reading, at, first, last)})=1"
    low = f"-{_LARGEST}" if reading["least"] is None else repr(reading["least"])
    high = _LARGEST if reading["most"] is None else repr(reading["most"])
    return f"IF(ISNUMBER($B{at}),AND($B{at}>={low},$B{at}<={high}),FALSE)"


def _label(sheet: ScoreSheet, sums: list[str]) -> str:
    """Formula: what the sums mean."""
    if len(sums) == 1:
        low, high = map(_quoted, sheet.model.labels)
        return f'IF({sums[0]}>={-sheet.start[0]},"{high}","{low}")'
    row = f"{sums[0]}:{sums[-1]}"
    names = ",".join(f'"{_quoted(each)}"' for each in sheet.model.labels)
    return f"CHOOSE(MATCH(MAX({row}),{row},0),{names})"


def _restrict(page: Worksheet, cell: Any, reading: dict[str, Any], first: int, last: int) -> None:
    """Offer the values of a feature in a list; what is typed is checked by the formulas."""
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415

    if "cuts" in reading:
        cell.number_format = "General"
        return
    cell.number_format = "@"  # so that 3 and 1-2 stay what they are
    offered = DataValidation(
        type="list",
        formula1=f"Points!$B${first}:$B${last}",
        allow_blank=True,
        showErrorMessage=False,
    )
    page.add_data_validation(offered)
    offered.add(cell)


def _row(page: Worksheet, at: int, cells: list[Any]) -> None:
    for column, each in enumerate(cells, 1):
        cell = page.cell(at, column)
        cell.value = each
        if isinstance(each, str):
            cell.data_type = "s"  # a name that begins with = is no formula


def _quoted(text: str) -> str:
    return text.replace('"', '""')


def _short(reading: dict[str, Any]) -> str:
    """What a feature takes, no longer than a formula may hold."""
    words = str(reading["expects"])
    return words if len(words) <= 120 else f"{words[:119]}…"


XLSX = ModelFormat(
    "xlsx",
    "A score sheet as a spreadsheet with formulas",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    xlsx,
    needs="openpyxl",
    extra="spreadsheet",
)
