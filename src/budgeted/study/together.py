"""What several people want of a study at the same moment, decided in one pass.

Writing to a journal costs the same for one event as for fifty: a transaction that waits for the
disk. So what is wanted while another write is under way is collected and goes in together. Each
wish sees the study as the wishes before it left it, as if they had come one after the other; one
that makes no sense is refused and leaves no trace, whatever becomes of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from budgeted import events
from budgeted.errors import BudgetedError, StudyError
from budgeted.events import Event, check_text, to_json
from budgeted.hints import KeyUsed
from budgeted.state import State
from budgeted.study.keys import Used, check_key, fingerprint, fresh_key
from budgeted.study.standing import Requested, Standing

Decide = Callable[[Standing], list[Event]]
"""What an operation gives rise to, see `budgeted.study.decisions`.

It may try on its draft what it returns, in that order, and change nothing else there.
"""


@dataclass(frozen=True)
class Wish:
    """Something that somebody wants done.

    Attributes
    ----------
    by, decide
        Who wants it, and what it gives rise to.
    key, command
        Made up by who wants it, so that it is done once however often it is sent; and what it is,
        so that a key that is used for something else is found out. See `budgeted.study.keys`.
    """

    by: str
    decide: Decide
    key: str = ""
    command: str = ""

    @classmethod
    def to(
        cls, operation: str, decide: Callable[..., list[Event]], *arguments: Any, by: str, key: str
    ) -> Wish:
        """Return the wish to do something with these arguments.

        Parameters
        ----------
        operation
            Its name: the same on the command line, on the page and in Python.
        decide, arguments
            One of `budgeted.study.decisions`, and what it takes besides the draft.
        by, key
            As above; without a key one is made up, so that this wish differs from all others.
        """
        command = fingerprint(operation, *arguments)
        return cls(by, lambda draft: decide(draft, *arguments), key or fresh_key(), command)


@dataclass(frozen=True)
class Granted:
    """A wish that was written down.

    Attributes
    ----------
    requests
        What became of the requests that its events are about, in their order.
    state
        Of the study right after it; later wishes of the same pass are not in it.
    repeated
        Whether it had been carried out before, by its key: then this says what became of it since.
    """

    requests: tuple[Requested, ...]
    state: State
    repeated: bool = False


@dataclass(frozen=True)
class Plan:
    """What is to be written for some wishes, what each of them is told, and what it leads to."""

    events: tuple[Event, ...]
    actors: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
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
    keys: list[tuple[str, str]] = []
    answers: list[Granted | BudgetedError] = []
    for wish in wishes:
        try:
            used = draft.keys.get(check_key(wish.key)) if wish.key else None
            if used is not None:
                answers.append(_repeated(draft, wish, used))
                continue
            trial = draft.draft(at, wish.by, wish.key, wish.command)
            mine = wish.decide(trial)
            if draft.closed and not all(map(_after_the_end, mine)):
                raise StudyError(f"study {name!r} is closed; only corrections are possible")
            for event in mine[len(trial.tried) :]:  # what cannot be must not be written
                trial.attempt(event)
            check_text("the name of who writes", wish.by)
            for event in mine:  # one bad text must not take the wishes of others along
                to_json(event)
        except BudgetedError as error:
            answers.append(error)
            continue
        draft.adopt(trial)
        wanted += mine
        actors += [wish.by] * len(mine)
        keys += [(wish.key, wish.command)] * len(mine)
        numbers = dict.fromkeys(each.number for each in mine if hasattr(each, "number"))
        answers.append(Granted(tuple(draft.request(each) for each in numbers), draft.state))
    return Plan(tuple(wanted), tuple(actors), tuple(keys), tuple(answers), draft)


def _repeated(draft: Standing, wish: Wish, used: Used) -> Granted:
    """Return what became of a wish that was carried out before."""
    if (wish.command, wish.by) != (used.command, used.by):
        raise StudyError(
            f"key: {wish.key!r} was used for another command already, by {used.by} at {used.at}",
            hint=KeyUsed(used.by, used.at),
        )
    return Granted(tuple(draft.request(each) for each in used.numbers), draft.state, repeated=True)


def _after_the_end(event: Event) -> bool:
    """Whether something may happen in a closed study: people may want to be forgotten even then."""
    if isinstance(event, events.Withdrawn):
        return event.forget
    return isinstance(event, events.Corrected)
