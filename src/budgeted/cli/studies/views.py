"""How studies look on a terminal: tables for people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from budgeted.studies.events import age_in_days
from budgeted.studies.log import more_compared, ranking

if TYPE_CHECKING:
    from budgeted.learners import Outlook
    from budgeted.problem import Problem
    from budgeted.studies.events import Entry
    from budgeted.studies.measured import Measured
    from budgeted.studies.proposed_cuts import Found
    from budgeted.studies.status import Status
    from budgeted.studies.study import Requested
    from budgeted.studies.weighing import StopStatus

_MOST_PENDING = 10


def print_status(status: Status, console: Console, *, times: bool = True) -> None:
    """Print a status; without times it is the same on every day."""
    console.print(
        f"Study [bold]{escape(status.study)}[/bold]{_condition(status)}: "
        f"budget {status.budget}, spent {status.spent}, reserved {status.reserved}, "
        f"free {status.free}",
        highlight=False,
    )
    if status.terms:
        console.print(_terms_in_words(status), highlight=False)
    console.print(_error_in_words(status), highlight=False)
    if status.stop is not None:
        print_stop(status.stop, console)
    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    for name in ("feature", "label"):
        table.add_column(name, no_wrap=True)
    for name in ("cost", "bought", "pending", "left", "worth"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in status.cells:
        counts = (cell.bought, cell.pending, cell.left)
        worth = "–" if cell.worth is None else f"{cell.worth:.0%}"
        names = (escape(cell.feature), escape(cell.label))
        table.add_row(*names, str(cell.cost or "–"), *map(str, counts), worth)
    console.print(table)
    console.print(
        "worth: what more values are expected to bring for their money, compared with the best",
        highlight=False,
    )
    for name, scale in status.scales.items():
        console.print(f"{name}: {scale}", highlight=False, markup=False)
    if status.pending:
        shown = [f"{each.number} ({each.feature} of {each.case}{_age(each)})"
                 for each in status.pending]  # fmt: skip
        more = len(shown) - _MOST_PENDING
        listed = ", ".join(shown[:_MOST_PENDING]) + (f", and {more} more" if more > 0 else "")
        console.print(f"Pending: {listed}", highlight=False, markup=False)
    if times:
        words = f"{status.events} events, digest {status.digest}"
        console.print(words, highlight=False, soft_wrap=True)
    if status.recent and times:
        console.print(history_table(status.recent))


def _age(request: Requested) -> str:
    """How long ago it was asked for, if that is a day or more."""
    days = age_in_days(request.at, datetime.now(UTC).date())
    return f", for {days} day{'' if days == 1 else 's'}" if days else ""


def _terms_in_words(status: Status) -> str:
    said = f"Budget: {status.terms}."
    if status.surcharge is None:
        return said
    return (
        f"{said}\nSurcharge: {status.surcharge:f} so far, {status.surcharge_reserved:f} more with "
        f"what is reserved."
    )


def print_stop(stop: StopStatus, console: Console | None = None) -> None:
    """Print what the rules for stopping say, and when those looked ahead that do."""
    console = console or Console()
    for line in stop.lines():
        console.print(line, highlight=False, markup=False)
    if stop.weighed_at is not None or stop.due:
        told = (
            ""
            if stop.weighed_at is None
            else f"Looked ahead when {stop.weighed_at:f} were spent or reserved"
        )
        again = "it is weighed anew when something is asked" if stop.due else ""
        said = "; ".join(each for each in (told, again) if each)
        console.print(f"{said[0].upper()}{said[1:]}.", highlight=False, markup=False)


def _error_in_words(status: Status) -> str:
    always = f"always saying {escape(status.majority)}: {status.majority_error:.3f}."
    now = status.outlook
    if now is None:
        return f"Error of the classifier on new cases: not known: {status.unknown};\n{always}"
    return (
        f"Error of the classifier on new cases: {now.error:.3f} ({_interval(now)});\n"
        f"{always}{_nothing_yet(status)}{_within_limit(status)}"
    )


def _within_limit(status: Status) -> str:
    """What is expected with little money for each case, if the study buys for that."""
    return "" if status.within_limit is None else f"\n{escape(status.within_limit.words)}."


def _interval(now: Outlook) -> str:
    return f"90 % interval {now.low:.3f} to {now.high:.3f}"


def print_validation(
    measured: Measured, status: Status, said: str, learned_from: int, console: Console
) -> None:
    """Print the measured error first, then the expected one, and what is to be said of both."""
    expected = status.outlook
    assert expected is not None  # what was measured is a classifier
    console.print(
        f"On {measured.cases} validation cases the classifier is wrong in {measured.error:.1%} "
        f"(90 % interval {measured.low:.1%} to {measured.high:.1%}).\n"
        f"Expected: {expected.error:.1%} ({expected.low:.1%} to {expected.high:.1%}); always "
        f"saying {escape(status.majority)}: {status.majority_error:.1%}.",
        highlight=False,
    )
    if learned_from:
        console.print(
            f"Of {learned_from} of these cases values were bought: the classifier learned from "
            f"them, so on new cases it may be wrong more often. Leave them out to measure that.",
            highlight=False,
        )
    if said:
        console.print(said, highlight=False)


def _nothing_yet(status: Status) -> str:
    """Say so where the classifier is no better than the most frequent label."""
    return "" if status.separates else " Nothing tells the labels apart yet."


def print_proposals(
    problem: Problem, feature: str, proposed: Mapping[str, Found | str], console: Console
) -> None:
    """Print cuts of a feature that could be, and how many values each category would have."""
    from budgeted.studies.growth import numeric

    _, kind = numeric(problem, feature)
    console.print(f"{feature} is cut at {kind.written_cuts} now.", highlight=False, markup=False)
    table = Table()
    for name in ("how", "cuts", "values in each category"):
        table.add_column(name)
    for how, each in proposed.items():
        if isinstance(each, str):
            table.add_row(how, "–", escape(each))
            continue
        said = each.source.partition("; ")[2]
        counts = ", ".join(map(str, each.in_each)) + (f" ({said})" if said else "")
        table.add_row(how, escape(kind.recut(each.cuts, "").written_cuts), escape(counts))
    console.print(table)
    console.print(
        f"To take one: budgeted study cuts {shlex.quote(feature)} CUTS, with numbers or the word "
        "on the left",
        highlight=False,
        markup=False,
    )


def print_why(request: Requested, console: Console) -> None:
    """Print what was compared for a request."""
    console.print(
        f"Request {request.number}: {request.feature} of {request.case} ({request.label}), "
        f"asked by {request.by} at {request.at}\nbecause: {request.why}",
        highlight=False,
        markup=False,
    )
    if request.asked is None:
        return
    engine = f", losses by the {request.asked.engine} engine" if request.asked.engine else ""
    console.print(
        f"chosen by {request.asked.policy} of {request.asked.package}{engine}",
        highlight=False,
        markup=False,
    )
    compared = ranking(request)
    if compared:
        more = more_compared(request, len(compared))
        table = Table(caption=f"lower is better; {more}" if more else "lower is better")
        for name in ("feature", "label"):
            table.add_column(name, no_wrap=True)
        table.add_column("score", justify="right")
        for feature, label, score in compared:
            table.add_row(escape(feature), escape(label), f"{score:.6g}")
        console.print(table)


def history_table(entries: Sequence[Entry]) -> Table:
    """Return events, a line each."""
    table = Table()
    table.add_column("event", justify="right")
    for name in ("when (UTC)", "who"):
        table.add_column(name, no_wrap=True)
    table.add_column("what")
    for each in entries:
        when = each.at.replace("T", " ").removesuffix("Z")
        table.add_row(str(each.seq), when, escape(each.by), escape(each.event.words()))
    return table


def _condition(status: Status) -> str:
    """Whether a study is over."""
    return " (closed)" if status.closed else ""
