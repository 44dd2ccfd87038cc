"""A score sheet on paper: a page to print, Markdown, and plain text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.points import ScoreSheet, score_sheet
from budgeted.learners.formats.program import digest, source
from budgeted.learners.formats.sheet_words import (
    columns_of,
    notes_of,
    rule_of,
    start_of,
    title_of,
)
from budgeted.learners.model import Model


def page(model: Model) -> bytes:
    """Return a sheet as a page without scripts that prints on paper."""
    sheet, style = score_sheet(model), source("sheet.css")
    columns = columns_of(sheet)
    heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in columns)
    empty = '<td class="box"></td>' * len(columns)
    parts = [
        f"<tr class=start><th colspan=2 scope=row>Begin with</th>{_cells(start_of(sheet))}{empty}"
        "</tr>"
        if any(start_of(sheet))
        else ""
    ]
    for feature, values in _rows(sheet):
        for at, (value, points) in enumerate(values):
            name = (
                f'<th scope="rowgroup" rowspan="{len(values)}">{escape(feature)}</th>'
                if at == 0
                else ""
            )
            box = f'<td class="box" rowspan="{len(values)}"></td>' * len(columns)
            parts.append(
                f"<tr{' class=first' if at == 0 else ''}>{name}<td>{escape(value)}</td>"
                f"{_cells(points)}{box if at == 0 else ''}</tr>"
            )
    notes = "".join(f"<li>{escape(each)}</li>" for each in notes_of(sheet))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src '{digest(style)}'\">\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title_of(sheet))}</title>\n<style>{style}</style></head>\n"
        f"<body><main><h1>{escape(title_of(sheet))}</h1>\n"
        f'<p class="who"><span>Case</span><span>Date</span></p>\n'
        f'<table><thead><tr><th scope="col">Feature</th><th scope="col">Value</th>{heads}'
        f'<th scope="col" class="yours" colspan="{len(columns)}">Yours</th></tr></thead>\n'
        f"<tbody>{''.join(parts)}</tbody>\n"
        f'<tfoot class="yours"><tr><th colspan="{2 + len(columns)}" scope="row">Sum</th>{empty}'
        f"</tr></tfoot>"
        f'</table>\n<p class="rule">{escape(rule_of(sheet))}</p>\n<ul>{notes}</ul></main></body>'
        f"</html>\n"
    ).encode()


def markdown(model: Model) -> bytes:
    """Return a sheet as Markdown."""
    sheet = score_sheet(model)
    columns = columns_of(sheet)
    lines = [
        f"# {_marked(title_of(sheet))}",
        "",
        f"| Feature | Value | {' | '.join(map(_marked, columns))} |",
        f"| --- | --- |{' ---: |' * len(columns)}",
    ]
    if any(start_of(sheet)):
        lines.append(f"| Begin with | | {' | '.join(map(_points, start_of(sheet)))} |")
    for feature, values in _rows(sheet):
        for at, (value, points) in enumerate(values):
            name = "" if at else _marked(feature)
            cells = " | ".join(map(_points, points))
            lines.append(f"| {name} | {_marked(value)} | {cells} |")
    lines += ["", f"**{_marked(rule_of(sheet))}**", ""]
    lines += [f"- {_marked(each)}" for each in notes_of(sheet)]
    return ("\n".join(lines) + "\n").encode()


def text(model: Model) -> bytes:
    """Return a sheet as plain text."""
    sheet = score_sheet(model)
    columns = columns_of(sheet)
    rows = [("", *columns)]
    if any(start_of(sheet)):
        rows.append(("Begin with", *map(_points, start_of(sheet))))
    for feature, values in _rows(sheet):
        rows.append((feature, *[""] * len(columns)))
        rows += [(f"  {value}", *map(_points, points)) for value, points in values]
    first = max(len(row[0]) for row in rows)
    widths = [max(len(row[at]) for row in rows) for at in range(1, 1 + len(columns))]
    lines = [title_of(sheet), ""]
    for name, *cells in rows:
        shown = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{name:<{first}}  {shown}".rstrip())
    lines += ["", f"Sum: {rule_of(sheet)}", "", *notes_of(sheet)]
    return ("\n".join(lines) + "\n").encode()


def _rows(sheet: ScoreSheet) -> Iterator[tuple[str, list[tuple[str, tuple[int, ...]]]]]:
    """Yield each feature with its values and their points."""
    for feature, points in zip(sheet.model.features, sheet.points, strict=True):
        told = "" if feature.choices else f" ({feature.expects})"
        yield (
            f"{feature.name}{told}",
            list(zip(feature.values, map(tuple, points.T.tolist()), strict=True)),
        )


def _cells(points: tuple[int, ...]) -> str:
    return "".join(f'<td class="points">{_points(each)}</td>' for each in points)


def _points(number: int) -> str:
    return f"\N{MINUS SIGN}{-number}" if number < 0 else str(number)


def _marked(words: str) -> str:
    words = " ".join(words.splitlines())  # a line of a table ends with its line
    for mark in "\\`*_[]<>|#":
        words = words.replace(mark, f"\\{mark}")
    return words


SHEET = ModelFormat("score-sheet", "A score sheet to print, as a page", "text/html", page, "html")
SHEET_MARKDOWN = ModelFormat(
    "score-sheet-md", "A score sheet as Markdown", "text/markdown", markdown, "md"
)
SHEET_TEXT = ModelFormat("score-sheet-text", "A score sheet as text", "text/plain", text, "txt")
