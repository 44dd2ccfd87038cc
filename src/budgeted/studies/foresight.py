"""What asking would cost, before it is asked: it is tried on a draft, and nothing is written.

The policy is asked as if the orders were placed, so that what is said is what would happen if they
were placed now. In a large study a decision takes long, so there is a limit: when it is passed, the
price of the orders that were decided until then is what is known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from budgeted.errors import BudgetedError
from budgeted.problem import Firm, money
from budgeted.studies.commands.ask import Ask, why_fewer
from budgeted.studies.commands.base import Command
from budgeted.studies.commands.budget import SetBudget
from budgeted.studies.drafts import Done, Draft, Sent, plan
from budgeted.studies.events import Asked

if TYPE_CHECKING:
    import numpy as np

    from budgeted.policies import Choice
    from budgeted.policies.base import Chooser
    from budgeted.state import State

SECONDS = 5.0
"""How long orders are tried; the one that is being decided is decided to its end."""


@dataclass(frozen=True)
class Foreseen:
    """What asking would lead to now."""

    wanted: int
    placed: int
    requests: int  # how many measurements these are
    cost: Decimal
    free: Decimal
    whole: Decimal | None = None
    known: bool = True  # whether all were tried; if not, more might be had
    fewer: str = ""  # why there are fewer than wanted; empty if there are not

    def words(self) -> str:
        """Return it in a sentence or two.

        >>> Foreseen(3, 3, 3, Decimal("12.00"), Decimal("400.00")).words()
        '3 would cost 12.00, of 400.00 that are free.'
        >>> Foreseen(20, 11, 11, Decimal("225.00"), Decimal("230.00"), Decimal("412.00")).words()
        '20 would cost 412.00 if there were the money; 11 fit in the 230.00 that are free, for \
225.00.'
        """
        price, free = money.show(self.cost), money.show(self.free)
        if not self.known:
            return (
                f"The first {self.placed} would cost {price}, of {free} that are free; what the "
                f"others cost takes longer to work out."
            )
        if self.placed >= self.wanted:
            tests = f" ({self.requests} tests)" if self.requests != self.placed else ""
            return f"{self.placed}{tests} would cost {price}, of {free} that are free."
        if not self.placed:
            return f"Nothing can be had: {self.fewer}."
        if self.whole is not None:
            verb = "fits" if self.placed == 1 else "fit"
            return (
                f"{self.wanted} would cost {money.show(self.whole)} if there were the money; "
                f"{self.placed} {verb} in the {free} that are free, for {price}."
            )
        return f"{self.placed} can be had, for {price}: {self.fewer}."


def foresee(
    draft: Draft,
    command: Ask,
    name: str,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Foreseen:
    """Return what asking would lead to, or raise the error that it would be refused with."""
    wanted = command.n if command.visits is None else command.visits
    done, known = _tried(draft, [command], name, clock() + seconds, clock)
    found = Foreseen(
        wanted,
        _placed(done, command),
        len(done.requests),
        money.total([each.cost for each in done.requests]),
        draft.state.free,
        None,
        known,
        why_fewer(done.requests, command, done.state, done.stopped) if known else "",
    )
    if not known or found.placed >= wanted or not found.placed or not _lacks_money(done.state):
        return found
    try:
        richer = [_much_more(draft.state, wanted), command]
        done, known = _tried(draft, richer, name, clock() + seconds, clock)
    except BudgetedError:  # it only says what more would cost
        return found
    if not known or _placed(done, command) < wanted:
        return found
    whole = money.total([each.cost for each in done.requests])
    return Foreseen(**{**vars(found), "whole": whole})


def next_order(draft: Draft, name: str) -> tuple[Asked | None, str]:
    """Return what would be asked for next, and why nothing would."""
    command = Ask()
    try:
        done, _ = _tried(draft, [command], name, math.inf, time.monotonic)
    except BudgetedError as error:
        return None, str(error)
    found = next((each for each in done.events if isinstance(each, Asked)), None)
    return found, "" if found else why_fewer((), command, done.state, done.stopped)


class _Hurried:
    """Asks a policy until the time is over."""

    def __init__(self, chooser: Chooser, until: float, clock: Callable[[], float]) -> None:
        self._chooser, self._until, self._clock = chooser, until, clock
        self._chosen = 0
        self.late = False

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return what the policy says; nothing once it is late, but for the first order."""
        if self._chosen and self._clock() > self._until:
            self.late = True
            return None
        self._chosen += 1
        return self._chooser.choose(state, rng)


def _tried(
    draft: Draft,
    commands: Sequence[Command],
    name: str,
    until: float,
    clock: Callable[[], float],
) -> tuple[Done, bool]:
    """What became of the last of some commands on a draft, and whether there was time for it."""
    trial = Draft.of(draft)
    assert draft.chooser is not None, "nobody chooses on this draft"
    trial.looks_ahead = False  # what rules for stopping said last will do
    hurried = trial.chooser = _Hurried(draft.chooser, until, clock)
    found = plan(trial, [Sent(each, "nobody") for each in commands], name, draft.signature[0])
    for answer in found.answers:
        if isinstance(answer, BudgetedError):
            raise answer
    last = found.answers[-1]
    assert isinstance(last, Done)
    return last, not hurried.late


def _placed(done: Done, command: Ask) -> int:
    """How many of what was wished for there are: orders, or cases."""
    if command.visits is None:
        return len({each.order for each in done.requests})
    return len({each.case for each in done.requests})


def _lacks_money(state: State) -> bool:
    firm = isinstance(state.problem.terms, Firm) and state.problem.has_prices
    return firm and not state.affordable() and bool((state.cases_left > 0).any())


def _much_more(state: State, wanted: int) -> SetBudget:
    """A budget that pays for all that is wanted, whatever it is."""
    everything = money.total(list(state.problem.feature_prices))
    return SetBudget(money.add(state.problem.budget, money.times(everything, wanted)))
