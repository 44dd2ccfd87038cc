"""What stands on a score sheet besides its points, the same on paper and in a spreadsheet."""

from __future__ import annotations

from budgeted.learners.formats.points import LIMIT, ScoreSheet


def columns_of(sheet: ScoreSheet) -> tuple[str, ...]:
    """Return the heads of the columns of points.

    With two labels there is one column; what it counts for is said by `rule_of`.
    """
    return ("Points",) if len(sheet.start) == 1 else sheet.model.labels


def title_of(sheet: ScoreSheet) -> str:
    """Return the title."""
    *others, last = sheet.model.labels
    return f"Score sheet: {', '.join(others)} or {last}?"


def rule_of(sheet: ScoreSheet) -> str:
    """Return what the sum means."""
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


def start_of(sheet: ScoreSheet) -> tuple[int, ...]:
    """Return where each column begins on paper: with two labels at 0, the rule has the rest."""
    return (0,) if len(sheet.start) == 1 else sheet.start


def notes_of(sheet: ScoreSheet) -> tuple[str, ...]:
    """Return what one must know to use the sheet."""
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
