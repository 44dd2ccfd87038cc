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
from budgeted.events import Event
from budgeted.state import State
from budgeted.study.standing import Requested, Standing

Decide = Callable[[Standing], list[Event]]
"""What an operation gives rise to, see `budgeted.study.decisions`.

It may try on its draft what it returns, in that order, and change nothing else there.
"""


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
    """What is to be written for some wishes, what each of them is told, and what it leads to."""

    events: tuple[Event, ...]
    actors: tuple[str, ...]
    answers: tuple[Granted | BudgetedError, ...]
    draft: Standing


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
            trial = draft.draft(at, wish.by)
            mine = wish.decide(trial)
            if draft.closed and not all(isinstance(each, events.Corrected) for each in mine):
                raise StudyError(f"study {name!r} is closed; only corrections are possible")
            for event in mine[len(trial.tried) :]:  # what cannot be must not be written
                trial.attempt(event)
        except BudgetedError as error:
            answers.append(error)
            continue
        draft.adopt(trial)
        wanted += mine
        actors += [wish.by] * len(mine)
        numbers = dict.fromkeys(each.number for each in mine if hasattr(each, "number"))
        answers.append(Granted(tuple(draft.request(each) for each in numbers), draft.state))
    return Plan(tuple(wanted), tuple(actors), tuple(answers), draft)
