"""The operations of a study as commands: each opens the study, carries it out, and says so."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.studies.options import SHARED, changing_a_study, command_from, of_operation
from budgeted.cli.studies.printing import (
    money,
    plain,
    print_json,
    print_money,
    print_table,
    requests_table,
    show_done,
    show_request,
    unasked,
)

if TYPE_CHECKING:
    from budgeted.studies.commands import (
        Ask,
        Close,
        Command,
        Record,
        SetBudget,
        SetStopRules,
        Withdraw,
    )
    from budgeted.studies.drafts import Done
    from budgeted.studies.study import Study


def command_of(kind: type[Command]) -> click.Command:
    """Return an operation as a command."""

    @changing_a_study
    def carry_out(found: Study, command: Any, key: str, as_json: bool) -> None:
        before = found.events
        done = found.do(command, key=key)
        show = _SHOWN.get(kind.name)
        if show is not None:
            show(found, command, done, as_json)
        elif hasattr(command, "number"):
            show_request(found, found.request(command.number), as_json)
        else:
            _show_events(found, before, as_json)

    @functools.wraps(carry_out)
    def read(**given: Any) -> None:
        """Make the command of what was typed, before anything is opened."""
        command = command_from(kind, given)
        carry_out(command=command, **{name: given[name] for name in SHARED})

    made: Callable[..., Any] = read
    for option in reversed(of_operation(kind)):
        made = option(made)
    return click.command(kind.name, help=inspect.getdoc(kind))(made)


def _show_events(found: Study, before: int, as_json: bool) -> None:
    """Print what an operation without words of its own led to."""
    told = [entry.event.words() for entry in found.history(before)]
    show_done(found, "; ".join(told) or "Nothing was to be done.", as_json)


def _show_asked(found: Study, command: Ask, done: Done, as_json: bool) -> None:
    from budgeted.studies.commands.ask import why_fewer
    from budgeted.studies.journal.rows import to_plain
    from budgeted.studies.stop_events import StopWeighed

    asked = done.requests
    weighed = [each for each in done.events if isinstance(each, StopWeighed)]
    if as_json:
        stopped: dict[str, Any] = {"stopped": done.stopped} if done.stopped else {}
        if weighed:
            stopped["stop"] = to_plain(weighed[-1])
        print_json({"requests": [plain(each) for each in asked], **stopped, **money(found)})
        return
    if asked:
        cases = list(dict.fromkeys(each.case for each in asked))  # one patient after the other
        print_table(requests_table(sorted(asked, key=lambda each: cases.index(each.case))))
    for each in weighed:
        if each.done != "stopped":  # else it is said below
            said = each.words()
            click.echo(f"{said[0].upper()}{said[1:]}.")
    if fewer := why_fewer(asked, command, found.state, done.stopped):
        begin = "Nothing more can be bought" if done.stopped_by is None else "No more was asked for"
        click.echo(f"{begin}: {fewer}.")
    print_money(found)


def _show_withdrawn(found: Study, command: Withdraw, done: Done, as_json: bool) -> None:
    from budgeted.studies.erasure import STILL_THERE
    from budgeted.studies.events import CANCELLED

    cancelled = [f"request {each.number}" for each in done.requests if each.fate == CANCELLED]
    words = f"Case {command.case} is withdrawn for good: nothing can be bought from it any more."
    if cancelled:
        words += f" Cancelled: {', '.join(cancelled)}."
    if command.forget:
        words += (
            " Its values are out of the classifier, and neither the log nor an export shows them "
            f"any more; what they cost stays spent.\n{STILL_THERE}"
        )
    show_done(found, words, as_json)


def _show_recorded(found: Study, _: Record, done: Done, as_json: bool) -> None:
    if not done.requests:
        show_done(found, "This value is there already.", as_json)
        return
    (recorded,) = done.requests
    show_request(found, recorded, as_json)
    free = unasked(found, done.requests)
    if free["values"] and free["list_price"] and not as_json:
        click.echo(
            f"It was not charged; by the price list it costs {free['list_price']}. To charge "
            f"that: budgeted study correct {recorded.number} {recorded.value} --cost "
            f"{free['list_price']}"
        )


def _show_stop_rules(found: Study, _: SetStopRules, done: Done, as_json: bool) -> None:
    if as_json:
        show_done(found, "; ".join(each.words() for each in done.events), as_json)
        return
    from budgeted.cli.studies.views import print_stop
    from budgeted.studies.stop_rules import StopRules
    from budgeted.studies.weighing import stop_status

    seen = found.snapshot()
    rules = StopRules() if seen.stop is None else seen.stop.rules
    click.echo("\n".join(rules.lines()))
    status = stop_status(seen)
    if status is not None:
        print_stop(status)
    print_money(found)


def _show_budget(found: Study, _: SetBudget, __: Done, as_json: bool) -> None:
    show_done(found, f"The budget is {found.state.problem.terms.words()} now.", as_json)


def _show_closed(found: Study, _: Close, __: Done, as_json: bool) -> None:
    words = f"Study {found.name!r} is closed: {found.events} events, digest {found.head.digest}."
    show_done(found, words, as_json)


_SHOWN: dict[str, Callable[[Study, Any, Done, bool], None]] = {
    "ask": _show_asked,
    "withdraw": _show_withdrawn,
    "record": _show_recorded,
    "budget": _show_budget,
    "stop-rules": _show_stop_rules,
    "close": _show_closed,
}
"""What is said of some operations; others say what became of their request, or of the log."""
