"""What commands would write: each is decided on a draft, and carried out once by its key.

Whoever sends a command over a network cannot know, when no answer comes, whether it was carried
out. So a command may carry an idempotency key that its sender made up. The key goes into the
journal with every event that the command leads to; when it comes again, from whatever process and
however much later, nothing is written, and the answer is what became of the first. The same key
with another command is a mistake of the sender, and refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import BudgetedError, StudyError, UnwritableError
from budgeted.hints import KeyUsed
from budgeted.policies.base import Choice, Chooser, choose
from budgeted.policies.stopping import Thrifty
from budgeted.problem import CaseSoFar, Order
from budgeted.problem.orders import along, lines
from budgeted.seeds import POLICY, stream
from budgeted.state import State
from budgeted.state.cases import cheapest_places, pick_place
from budgeted.studies.accounts import so_far
from budgeted.studies.beginning import learner_of
from budgeted.studies.budget_terms import why_stopped
from budgeted.studies.commands.base import Command
from budgeted.studies.events import BOUGHT, OPEN, REQUESTED, Entry, Event, Line, day_of, numbers_of
from budgeted.studies.journal.rows import check_text, to_json
from budgeted.studies.naming import Names
from budgeted.studies.projection import LAYERED, Projection, Requested, Used, layered

if TYPE_CHECKING:
    from budgeted.studies.stop_events import StopWeighed
    from budgeted.studies.wishes import Wishes

LONGEST_KEY = 200
"""Characters of a key; a UUID has 36."""


class Draft(Projection):
    """A copy of a projection to try events on; what is tried there changes nothing elsewhere."""

    tried: list[Event]  # what it was changed by since it was made
    _borrowed: NDArray[np.int8]
    signature: tuple[str, str, str, str] = ("", "", "", "")
    chooser: Chooser | None = None
    package: str = ""
    stopped: str = ""
    stopped_by: StopWeighed | None = None  # what the rules for stopping said, if it was one of them
    looks_ahead: bool = True

    @classmethod
    def of(cls, projection: Projection) -> Draft:
        """Return a draft of a projection, or of another draft."""
        made = object.__new__(cls)
        made.__dict__.update(projection.__dict__)  # `copy.copy` takes several times as long
        made._borrowed = projection.cells
        made.taken = projection.taken.copy()
        made.tried = []
        # No copies: a study has thousands.
        for name in LAYERED:
            setattr(made, name, layered(getattr(projection, name)))
        return made

    def cells_to_change(self) -> NDArray[np.int8]:
        """Return cells that are the draft's own: most are only looked at, and there are many."""
        if self.cells is self._borrowed:
            self.cells = self.cells.copy()
        return self.cells

    def names_to_change(self) -> Names:
        """Return a copy of the names: those that are held here are those of the study."""
        return self.names.copy()

    def attempt(self, event: Event) -> None:
        """Fold an event into the draft; raise an error if it does not fit."""
        at, by, key, command = self.signature
        self.apply(Entry(0, at, by, event, key, command))
        self.tried.append(event)

    def choose(self, wishes: Wishes | None = None) -> Choice | None:
        """Return what the policy buys next, of what is wished for; None if nothing."""
        assert self.chooser is not None, "nobody chooses on this draft"
        # Steps are counted from 0 in a simulation, whose draws these are.
        rng = stream(self.created.seed, POLICY, self.state.next_number - 1)
        state, chooser = self.facing(wishes), self.chooser
        if state.problem.soft is not None:
            chooser = Thrifty(chooser, lambda: learner_of(self.created))
        found = choose(chooser, state, rng, self.created.policy)
        self.stopped = why_stopped(state, self.created) if found is None else ""
        return found

    def facing(self, wishes: Wishes | None = None) -> State:
        """Return the state that the policy sees: only what may be ordered now can be bought."""
        state = self.dated(self.signature[0])
        if wishes is not None:
            state = wishes.restrict(state, self)
        return state

    def dated(self, at: str) -> State:
        """Return the state with the prices of a day, where they depend on anything at all."""
        state = self.state
        return state if state.problem.separable else state.changed(today=day_of(at))

    @property
    def today(self) -> date | None:
        """The day of what is tried, in UTC; None if it has no date."""
        return day_of(self.signature[0])

    def pick(self, wanted: Order, case: str | None = None) -> str | None:
        """Return the case to buy these features from: where they cost least, by the case rule."""
        order = self.order[wanted.label]
        first, *others = wanted.features
        cells = self.cells[order, first]
        can = cells == OPEN
        for feature in others:
            can &= self.cells[order, feature] == OPEN
        if case is not None:
            can &= order == self.names.rows[case]
        if not self.state.problem.separable:
            visited = {
                self.names.rows[str(name)]: each for name, each in self.state.visited.items()
            }
            dated = replace(wanted, day=self.today)
            groups = {self.names.rows[name]: group for name, group in self.groups.items()}
            can = cheapest_places(self.state.problem, dated, can, order, visited, groups)
        rule, had = self.created.case_rule, 0
        if rule == "settle":
            had = int(((cells == REQUESTED) | (cells == BOUGHT)).sum())
        at = pick_place(rule, can, had, self.taken[order] > 0)
        return None if at is None else self.names.cases[order[at]]

    def placed(self, wanted: Order, case: str, allowed: Collection[int] | None = None) -> Order:
        """Return an order of a case, today, with what makes it no dearer."""
        if self.state.problem.separable:
            return replace(wanted, case=case)
        every = range(len(self.state.problem.features)) if allowed is None else sorted(allowed)
        order = replace(wanted, case=case, day=self.today)
        return along(self.state.problem, order, so_far(self, case), every)

    def lines_of(self, order: Order) -> tuple[Line, ...]:
        """Return the lines of an order of a case, at what they cost now."""
        problem = self.state.problem
        before = CaseSoFar(label=order.label, name=order.case)
        if not problem.separable:
            before = so_far(self, str(order.case))
        quoted = lines(problem.prices, order, before)
        return tuple(
            Line(self.state.next_number + at, problem.features[feature].name, price)
            for at, (feature, price) in enumerate(zip(order.features, quoted, strict=True))
        )


@dataclass(frozen=True)
class Sent:
    """A command as somebody sent it."""

    command: Command
    by: str
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or fresh_key())


@dataclass(frozen=True)
class Done:
    """What became of a command that was carried out."""

    requests: tuple[Requested, ...]
    state: State
    repeated: bool = False
    events: tuple[Event, ...] = ()
    stopped: str = ""
    stopped_by: StopWeighed | None = None


@dataclass(frozen=True)
class Plan:
    """What is to be written for some commands, what each of them is told, and what it leads to."""

    events: tuple[Event, ...]
    actors: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    answers: tuple[Done | BudgetedError, ...]
    draft: Draft


def plan(draft: Draft, sent: Sequence[Sent], name: str, at: str) -> Plan:
    """Return what carrying out the commands in turn would write."""
    wanted: list[Event] = []
    actors: list[str] = []
    keys: list[tuple[str, str]] = []
    answers: list[Done | BudgetedError] = []
    for each in sent:
        mark = fingerprint(each.command)
        try:
            used = draft.keys.get(check_key(each.key))
            if used is not None:
                answers.append(_repeated(draft, each, mark, used))
                continue
            trial = Draft.of(draft)
            trial.signature = (at, each.by, each.key, mark)
            mine = _decided(trial, each, name)
        except BudgetedError as error:
            answers.append(error)
            continue
        draft.adopt(trial)
        wanted += mine
        actors += [each.by] * len(mine)
        keys += [(each.key, mark)] * len(mine)
        numbers = dict.fromkeys(number for made in mine for number in numbers_of(made))
        about = tuple(draft.request(number) for number in numbers)
        answers.append(
            Done(
                about,
                draft.dated(at),
                events=tuple(mine),
                stopped=trial.stopped,
                stopped_by=trial.stopped_by,
            )
        )
    return Plan(tuple(wanted), tuple(actors), tuple(keys), tuple(answers), draft)


def _decided(trial: Draft, sent: Sent, name: str) -> Sequence[Event]:
    """Return the events of a command, tried and fit to be written."""
    over = trial.closed
    mine = sent.command.decide(trial)
    if over and not all(event.allowed_after_closing for event in mine):
        raise StudyError(f"study {name!r} is closed; only corrections are possible")
    for event in mine[len(trial.tried) :]:  # what cannot be must not be written
        trial.attempt(event)
    check_text("the name of who writes", sent.by)
    for event in mine:  # one bad text must not take the commands of others along
        to_json(event)
    return mine


def _repeated(draft: Draft, sent: Sent, mark: str, used: Used) -> Done:
    """Return what became of a command that was carried out before."""
    if (mark, sent.by) != (used.command, used.by):
        raise StudyError(
            f"key: {sent.key!r} was used for another command already, by {used.by} at {used.at}",
            hint=KeyUsed(used.by, used.at),
        )
    about = tuple(draft.request(each) for each in dict.fromkeys(used.numbers))
    return Done(about, draft.state, repeated=True)


def fresh_key() -> str:
    """Return a key that nobody else has."""
    return secrets.token_hex(8)


def check_key(key: str) -> str:
    """Return a key, or an error that says what is wrong with it.

    >>> check_key("3f2b-7")
    '3f2b-7'
    """
    if not 1 <= len(key) <= LONGEST_KEY or not all("!" <= each <= "~" for each in key):
        raise UnwritableError(
            f"key: must be 1 to {LONGEST_KEY} letters, digits and signs of ASCII without blanks, "
            f"such as a UUID, got {key[:40]!r}"
        )
    return key


def fingerprint(command: Command) -> str:
    """Return a short digest of a command: what is to be done, and to what.

    >>> from budgeted.studies.commands import Tell
    >>> fingerprint(Tell(7, "yes", 2)) == fingerprint(Tell(7, "yes", "2"))
    True
    >>> fingerprint(Tell(7, "yes")) == fingerprint(Tell(7, "no"))
    False
    """
    every = fields(command)  # type: ignore[arg-type]  # every kind is a dataclass
    held = {each.name: _plain(getattr(command, each.name)) for each in every}
    plain = json.dumps([command.name, held], sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _plain(argument: Any) -> Any:
    """Amounts come as text, integers or decimals: the same amount is the same command."""
    if argument is None or isinstance(argument, bool):
        return argument
    if isinstance(argument, list | tuple):
        return [_plain(each) for each in argument]
    if isinstance(argument, Mapping):
        return {str(key): _plain(value) for key, value in argument.items()}
    return str(argument)
