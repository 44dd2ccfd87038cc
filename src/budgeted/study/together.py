"""What several people want of a study at the same moment, decided in one pass.

Writing to a journal costs the same for one event as for fifty: a transaction that waits for the
disk. So what is wanted while another write is under way is collected and goes in together. Each
wish sees the study as the wishes before it left it, as if they had come one after the other; one
that makes no sense is refused and leaves no trace, whatever becomes of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from budgeted import events
from budgeted.errors import BudgetedError, StudyError
from budgeted.events import Entry, Event
from budgeted.state import State
from budgeted.study.standing import Requested, Standing

Decide = Callable[[Standing], list[Event]]
"""What an operation gives rise to, see `budgeted.study.decisions`; it may change its draft."""


@dataclass(frozen=True)
class Wish:
    """Something that somebody wants done."""

    by: str
    decide: Decide


@dataclass(frozen=True)
class Granted:
    """A wish that was written down.

    Attributes
    ----------
    requests
        What became of the requests that its events are about, in their order.
    state
        Of the study right after it; later wishes of the same pass are not in it.
    """

    requests: tuple[Requested, ...]
    state: State


@dataclass(frozen=True)
class Plan:
    """What is to be written for some wishes, and what each of them is told."""

    events: tuple[Event, ...]
    actors: tuple[str, ...]
    answers: tuple[Granted | BudgetedError, ...]


def plan(standing: Standing, wishes: Sequence[Wish], name: str, at: str) -> Plan:
    """Return what carrying out the wishes in turn would write.

    Parameters
    ----------
    standing
        Where the study stands; it is not changed.
    wishes
        The first come first.
    name, at
        Of the study, for messages; and the time.
    """
    draft = standing.draft()
    wanted: list[Event] = []
    actors: list[str] = []
    answers: list[Granted | BudgetedError] = []
    for wish in wishes:
        try:
            mine = wish.decide(draft.draft())
            if draft.closed and not all(isinstance(each, events.Corrected) for each in mine):
                raise StudyError(f"study {name!r} is closed; only corrections are possible")
            trial = draft.draft()
            for event in mine:  # what cannot be must be found out before it is written
                trial.apply(Entry(0, at, wish.by, event))
        except BudgetedError as error:
            answers.append(error)
            continue
        draft = trial
        wanted += mine
        actors += [wish.by] * len(mine)
        numbers = dict.fromkeys(each.number for each in mine if hasattr(each, "number"))
        answers.append(Granted(tuple(draft.request(each) for each in numbers), draft.state))
    return Plan(tuple(wanted), tuple(actors), tuple(answers))
