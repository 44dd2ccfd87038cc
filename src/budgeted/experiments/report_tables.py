r"""The tables of a report: as CSV, as Markdown, and as LaTeX for a paper.

CSV has every number in full, a row for each; Markdown and LaTeX have what people read. LaTeX needs
the package ``booktabs`` alone, and is made to be taken in by ``\input``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import isfinite, isnan
from typing import Any

from budgeted.experiments.report import LEVEL, UNITS, Difference, Ranking, Report, Row

_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          "±": r"$\pm$", "–": "--", "\u2212": "$-$", "<": "$<$", ">": "$>$", "|": "$|$",
          **{each: f"\\{each}" for each in "&%$#_{}"}}  # fmt: skip
_TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon signed-rank test"}
_MOST_FLOATS = 12
"""LaTeX holds back so many tables without trouble; then they are set."""
_WORDS = ("policy", "table", "minus", "against")
"""Columns that begin on the left."""


@dataclass(frozen=True)
class Cell:
    """What stands in a cell of a table that people read, perhaps in bold."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table that people read: what it shows, its header, its rows, and what is said below it."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str


def sheets_of(report: Report) -> list[Sheet]:
    """Return the tables that people read."""
    pairs = dict.fromkeys((row.table, row.measure) for row in report.rows)
    sheets = [_by_money(table, measure, report.rows) for table, measure in pairs]
    measures = dict.fromkeys(each.measure for each in report.differences)
    sheets += [_differences(measure, report) for measure in measures]
    for each in report.rankings:
        sheets += [_ranks(each), _rank_tests(each)]
    return sheets


def _by_money(table: str, measure: str, every: Iterable[Row]) -> Sheet:
    rows = [row for row in every if (row.table, row.measure) == (table, measure)]
    shares = list(dict.fromkeys(row.share for row in rows))
    policies = dict.fromkeys(row.policy for row in rows)
    cells = {(row.policy, row.share): _mean(row) for row in rows}
    unit = f" ({UNITS[measure]})" if measure in UNITS else ""
    return Sheet(
        f"{table}: {measure}{unit}",
        ("policy", *("at the end" if share == 1 else f"{100 * share:g} % spent"
                     for share in shares)),
        tuple((Cell(each), *(cells[each, share] for share in shares)) for each in policies),
        f"Mean ± standard error of {rows[0].runs} runs; the best mean in bold.",
    )  # fmt: skip


def _mean(row: Row) -> Cell:
    if isnan(row.mean):
        return Cell("–")
    spread = "" if isnan(row.standard_error) else f" ± {row.standard_error:.3f}"
    return Cell(f"{row.mean:.3f}{spread}", row.best)


def _differences(measure: str, report: Report) -> Sheet:
    found = [each for each in report.differences if each.measure == measure]
    rows = tuple(
        (
            Cell(each.table), Cell(each.one), Cell(each.other),
            Cell(_signed(each.mean)), Cell(f"{_signed(each.low)} to {_signed(each.high)}"),
            Cell(_p(each.p_t)), Cell(_p(each.p_wilcoxon)),
            Cell(_p(each.corrected), each.corrected < LEVEL),
        )
        for each in found
    )  # fmt: skip
    counted = sum(isfinite(each.corrected) for each in found)
    return Sheet(
        f"Paired differences at the end: {measure}",
        ("table", "policy", "minus", "difference", "95 % interval", "p (t)", "p (Wilcoxon)",
         "p, corrected"),
        rows,
        f"Run by run, in the same worlds. Intervals are Student's t. Corrected: the p-value of the "
        f"{_TESTS[report.test]}, by Holm's method for {counted} comparisons; bold below {LEVEL:g}.",
    )  # fmt: skip


def _ranks(ranking: Ranking) -> Sheet:
    rows = tuple(
        (Cell(policy), Cell(f"{rank:.2f}"))
        for policy, rank in zip(ranking.policies, ranking.ranks, strict=True)
    )
    return Sheet(
        f"Mean ranks over {len(ranking.tables)} tables: {ranking.measure}",
        ("policy", "mean rank"),
        rows,
        f"By the means at the end; 1 is the best. Friedman's test that all are the same: "
        f"p {_equal(ranking.friedman)}. Tables: {', '.join(ranking.tables)}.",
    )


def _rank_tests(ranking: Ranking) -> Sheet:
    rows = tuple(
        (
            Cell(ranking.policies[each.one]), Cell(ranking.policies[each.other]),
            Cell(_p(each.p)), Cell(_p(each.corrected), each.corrected < LEVEL),
        )
        for each in ranking.pairs
    )  # fmt: skip
    number = len(ranking.tables)
    return Sheet(
        f"Policies over {number} tables: {ranking.measure}",
        ("policy", "against", "p (Wilcoxon)", "p, corrected"),
        rows,
        f"Wilcoxon signed-rank test over the means of the tables, corrected by Holm's method for "
        f"{len(ranking.pairs)} comparisons; bold below {LEVEL:g}. With {number} tables none can be "
        f"below {2 / 2**number:.2g} before the correction.",
    )


def _signed(number: float) -> str:
    return "–" if isnan(number) else f"{number:+.3f}".replace("-", "\u2212")


def _p(value: float) -> str:
    """Return a p-value as papers have it.

    >>> _p(0.0412), _p(0.00001), _p(1.0), _p(float("nan"))
    ('0.041', '< 0.001', '1.000', '–')
    """
    if isnan(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _equal(value: float) -> str:
    told = _p(value)
    return told if told.startswith("<") else f"= {told}"


def markdown(report: Report) -> str:
    """Return the report as Markdown."""
    parts = []
    for sheet in sheets_of(report):
        rule = "|".join(" --- " if each in _WORDS else " ---: " for each in sheet.header)
        lines = [_line(map(_marked, sheet.header)), f"|{rule}|"]
        for row in sheet.rows:
            texts = [_marked(each.text) for each in row]
            lines.append(_line(f"**{text}**" if each.bold else text
                               for text, each in zip(texts, row, strict=True)))  # fmt: skip
        parts.append("\n".join([f"### {sheet.title}", "", *lines, "", sheet.note]))
    parts += [_marked(f"Left out: {each}.") for each in report.left_out]
    return "\n\n".join([*parts, f"Made from {report.origin}."]) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _marked(text: str) -> str:
    r"""Return a text that Markdown leaves as it is.

    >>> print(_marked("a|b*c"))
    a\|b\*c
    """
    return "".join(f"\\{each}" if each in "\\|*_`<" else each for each in text)


def latex(report: Report) -> str:
    """Return the report as tables for LaTeX."""
    parts = [f"% {report.origin}", r"% \usepackage{booktabs}"]
    parts += [f"% left out: {each}" for each in report.left_out]
    for at, sheet in enumerate(sheets_of(report), start=1):
        columns = "".join("l" if each in _WORDS else "r" for each in sheet.header)
        rows = [" & ".join(_tex_cell(each) for each in row) + r" \\" for row in sheet.rows]
        parts.append(
            "\n".join([
                r"\begin{table}[htbp]", r"  \centering\small\setlength{\tabcolsep}{4pt}",
                f"  \\caption{{{_tex(sheet.title)}}}", f"  \\label{{tab:budgeted-{at}}}",
                f"  \\begin{{tabular}}{{{columns}}}",
                r"    \toprule", "    " + " & ".join(map(_tex, sheet.header)) + r" \\",
                r"    \midrule", *(f"    {row}" for row in rows), r"    \bottomrule",
                r"  \end{tabular}", r"  \par\smallskip\footnotesize " + _tex(sheet.note),
                r"\end{table}", *([] if at % _MOST_FLOATS else [r"\clearpage"]),
            ])
        )  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _tex_cell(cell: Cell) -> str:
    text = _tex(cell.text)
    return f"\\textbf{{{text}}}" if cell.bold else text


def _tex(text: str) -> str:
    r"""Return a text for LaTeX.

    >>> print(_tex("50 % of a_b"), _tex("0.10 ± 0.02"))
    50 \% of a\_b 0.10 $\pm$ 0.02
    """
    return "".join(_LATEX.get(each, each) for each in text)


def csv_tables(report: Report) -> dict[str, str]:
    """Return each kind of table as CSV, by the name of its file."""
    tables = {
        "by-money": _csv(Row, report.rows),
        "differences": _csv(Difference, report.differences),
    }
    if report.rankings:
        ranks = [(each.measure, policy, rank, len(each.tables), each.friedman)
                 for each in report.rankings
                 for policy, rank in zip(each.policies, each.ranks, strict=True)]  # fmt: skip
        tests = [(each.measure, each.policies[pair.one], each.policies[pair.other],
                  len(each.tables), pair.p, pair.corrected)
                 for each in report.rankings for pair in each.pairs]  # fmt: skip
        tables["ranks"] = _lines(("measure", "policy", "mean_rank", "tables", "p_friedman"), ranks)
        tables["rank-tests"] = _lines(
            ("measure", "one", "other", "tables", "p_wilcoxon", "corrected"), tests
        )
    return tables


def _csv(kind: type[Any], members: Sequence[Any]) -> str:
    names = [each.name for each in fields(kind)]
    return _lines(names, ([getattr(each, name) for name in names] for each in members))


def _lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow(["" if isinstance(each, float) and isnan(each) else each for each in row])
    return written.getvalue()


def plain(report: Report) -> str:
    """Return the report as JSON; what is not known is null."""
    return json.dumps(_known(asdict(report)), indent=2, ensure_ascii=False) + "\n"


def _known(given: Any) -> Any:
    if isinstance(given, dict):
        return {key: _known(each) for key, each in given.items()}
    if isinstance(given, list | tuple):
        return [_known(each) for each in given]
    return None if isinstance(given, float) and isnan(given) else given
