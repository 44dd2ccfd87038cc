"""A score sheet to print: whole points for each value, as few as change hardly any decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.formats.additive import ReferenceCases, additive, reference_cases
from budgeted.learners.formats.page import digest, source
from budgeted.learners.formula import check_names
from budgeted.learners.layout import Floats, Integers
from budgeted.learners.model import Model

LIMIT = 0.01
"""Of the decisions, a smaller share may change."""
_MOST_POINTS = 100
_STEPS = np.linspace(-0.45, 0.45, 10)
_ERRORS = 2.0
"""Standard errors that a share which was found by drawing must keep below the limit."""


@dataclass(frozen=True, eq=False)
class ScoreSheet:
    """Whole points for each value of each feature; what is not known has none."""

    model: Model  # that it stands for
    start: tuple[int, ...]  # where one begins: a number for each column of points
    points: tuple[Integers, ...]
    changed: tuple[float, float]
    cases: int  # how many cases that was found out with
    complete: bool  # whether these are all that there are

    @property
    def largest(self) -> int:
        """The largest number of points of a value."""
        return int(max(np.abs(each).max() for each in self.points))

    def label(self, case: Mapping[str, Any]) -> str:
        """Return what the sheet says of a case; what the model refuses it refuses as well."""
        sums = self.sums(np.array([self.model.positions(case)]))
        return self.model.labels[int(labels_of(sums)[0])]

    def sums(self, values: Integers) -> Integers:
        """Return the sums of points of cases, cases × columns, for positions of values."""
        result = np.tile(np.array(self.start), (len(values), 1))
        for at, points in enumerate(self.points):
            known = values[:, at] >= 0
            result[known] += points.T[values[known, at]]
        return result


def labels_of(sums: Any) -> Integers:
    """Return which label each row of sums means."""
    if sums.shape[1] == 1:
        result: Integers = (sums[:, 0] >= 0).astype(np.int64)
        return result
    return np.asarray(sums.argmax(axis=1))


def score_sheet(model: Model, limit: float = LIMIT) -> ScoreSheet:
    """Return the sheet with the smallest points that changes fewer decisions than a limit.

    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> features = [Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.7, 0.3), 10)
    >>> bought = [Purchase(at, label, label, 1) for at, label in ((0, 0), (0, 1), (1, 1))] * 4
    >>> sheet = score_sheet(Model.of(NaiveBayes().fit(problem, bought)))
    >>> sheet.start, [each.tolist() for each in sheet.points], sheet.changed
    ((-1,), [[[-1, 1]], [[-1, 0]]], (0.0, 0.0))
    >>> sheet.label({"fever": "yes"}), sheet.label({"cough": "yes"})
    ('ill', 'well')
    """
    check_names(model, "a score sheet")
    chosen = reference_cases(model)
    exact = additive(chosen)
    judges = chosen if chosen.complete else reference_cases(model, seed=1)
    bar = limit if chosen.complete else limit - _ERRORS * np.sqrt(limit / len(chosen.values) * 2)
    best: tuple[float, Integers] | None = None
    for most in range(1, _MOST_POINTS + 1):
        found = min(_rounded(exact, most, chosen), key=lambda each: each[0])
        if best is None or found[0] < best[0]:
            best = found
        if found[0] < bar:
            made = _sheet(model, found[1], judges)
            if max(made.changed) < bar:
                return made
    assert best is not None
    reached = _sheet(model, best[1], judges)
    raise ModelError(
        f"a score sheet of this model would change {max(reached.changed):.1%} of its decisions, "
        f"even with points to {_MOST_POINTS}, and may change less than {limit:.0%}: what its "
        f"features say does not just add up; take another form"
    )


def _rounded(exact: Floats, most: int, cases: ReferenceCases) -> Iterator[tuple[float, Integers]]:
    """Yield rounded points up to a largest one, with the share of decisions that they change."""
    seen = cases.indicators
    two = exact.shape[1] == 2
    numbers = (exact[:, 1:] - exact[:, :1]) if two else exact - exact.min(axis=1, keepdims=True)
    largest = np.abs(numbers[1:]).max()
    for step in _STEPS if largest > 0 else ():
        points = np.rint(numbers * (most + step) / largest).astype(np.int64)
        sums = (seen[:, 1:] @ points[1:]).astype(np.int64)
        middle = points[0]
        for away in range(-2, 3) if two else (0,):
            tried = points.copy()
            tried[0] = middle + away
            changed = cases.changed(labels_of(sums + tried[0])).max()
            yield float(changed), tried
    if not largest > 0:
        points = np.zeros_like(numbers, dtype=np.int64)
        points[0] = np.sign(numbers[0]) - (numbers[0] <= 0 if two else 0)
        yield float(cases.changed(labels_of((seen @ points).astype(np.int64))).max()), points


def _sheet(model: Model, points: Integers, cases: ReferenceCases) -> ScoreSheet:
    sizes = [len(each.values) for each in model.features]
    parts = np.split(points[1:].T, np.cumsum(sizes)[:-1], axis=1)
    start = tuple(map(int, points[0]))
    number = len(cases.values) if cases.complete else len(cases.values) // 2
    made = ScoreSheet(model, start, tuple(parts), (0.0, 0.0), number, cases.complete)
    ordinary, even = cases.changed(labels_of(made.sums(cases.values))).tolist()
    return replace(made, changed=(ordinary, even))


def sheet_page(model: Model) -> bytes:
    """Return a sheet as a page without scripts that prints on paper."""
    sheet, style = score_sheet(model), source("sheet.css")
    columns = _columns(sheet)
    heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in columns)
    empty = '<td class="box"></td>' * len(columns)
    parts = [
        f"<tr class=start><th colspan=2 scope=row>Begin with</th>{_cells(_start(sheet))}{empty}"
        "</tr>"
        if any(_start(sheet))
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
    notes = "".join(f"<li>{escape(each)}</li>" for each in _notes(sheet))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src '{digest(style)}'\">\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(_title(sheet))}</title>\n<style>{style}</style></head>\n"
        f"<body><main><h1>{escape(_title(sheet))}</h1>\n"
        f'<p class="who"><span>Case</span><span>Date</span></p>\n'
        f'<table><thead><tr><th scope="col">Feature</th><th scope="col">Value</th>{heads}'
        f'<th scope="col" class="yours" colspan="{len(columns)}">Yours</th></tr></thead>\n'
        f"<tbody>{''.join(parts)}</tbody>\n"
        f'<tfoot class="yours"><tr><th colspan="{2 + len(columns)}" scope="row">Sum</th>{empty}'
        f"</tr></tfoot>"
        f'</table>\n<p class="rule">{escape(_rule(sheet))}</p>\n<ul>{notes}</ul></main></body>'
        f"</html>\n"
    ).encode()


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


def _columns(sheet: ScoreSheet) -> tuple[str, ...]:
    """The heads of the columns of points: with two labels there is one."""
    return ("Points",) if len(sheet.start) == 1 else sheet.model.labels


def _title(sheet: ScoreSheet) -> str:
    """The title."""
    *others, last = sheet.model.labels
    return f"Score sheet: {', '.join(others)} or {last}?"


def _rule(sheet: ScoreSheet) -> str:
    """What the sum means."""
    if len(sheet.start) == 1:
        low, high = sheet.model.labels
        least, most = (
            sheet.start[0] + sum(end(0, *points[0].tolist()) for points in sheet.points)
            for end in (min, max)
        )
        if most < 0 or least >= 0:
            always = low if most < 0 else high
            return f"Always {always}: whatever is known of a case, this model says nothing else."
        return f"{-sheet.start[0]} or more: {high}; less: {low}."
    return (
        "The label with the largest sum; of equal sums the one further to the left "
        f"({', '.join(sheet.model.labels)})."
    )


def _start(sheet: ScoreSheet) -> tuple[int, ...]:
    """Where each column begins on paper: with two labels at 0, the rule has the rest."""
    return (0,) if len(sheet.start) == 1 else sheet.start


def _notes(sheet: ScoreSheet) -> tuple[str, ...]:
    """What one must know to use the sheet."""
    ordinary, even = (_percent(each) for each in sheet.changed)
    cases = f"all {sheet.cases} possible cases" if sheet.complete else f"{sheet.cases} drawn cases"
    shares = ", ".join(
        f"{label} {_percent(share)}"
        for label, share in zip(sheet.model.labels, sheet.model.prior, strict=True)
    )
    study = sheet.model.about.get("study")
    return (
        "What is not known gets no points. What is not on the sheet cannot be added up: look "
        "again, and do not guess.",
        f"Of the decisions of the model, {ordinary} are others on this sheet ({even} if all values "
        f"were equally frequent); less than {_percent(LIMIT)} was asked for. Found with {cases} "
        f"known in part, the points being at most {sheet.largest}.",
        f"For a population with {shares}." + (f" From the study {study}." if study else ""),
    )


def _percent(share: float) -> str:
    """Return a share in per cent, never 0 where it is not.

    >>> _percent(0.00455), _percent(0.00001), _percent(0.5), _percent(0)
    ('0.46 %', '< 0.01 %', '50 %', '0 %')
    """
    if 0 < share < 0.00005:
        return "< 0.01 %"
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %"
