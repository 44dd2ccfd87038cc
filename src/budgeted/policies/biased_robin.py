"""Biased robin: stay while it helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.errors import PolicyError
from budgeted.policies.base import Choice
from budgeted.policies.turns import take_turn
from budgeted.state import State
from budgeted.value import loss as loss_of
from budgeted.value.loss import named


@dataclass(frozen=True)
class BiasedRobin:
    """Stay with what was bought last while it lowered the loss, else go on to the next.

    Lizotte, Madani and Greiner (2003), Section 3.3 and Figure 2(b). Their text leaves open what
    is gone round: ``over="features"`` draws the label from the prior, or takes the one of which the
    feature has the fewest values; ``over="cells"`` takes every feature and label apart. Features
    give the advantage that the paper reports, cells do not.

    Whether the last purchase lowered the loss is seen by retracting it from today's belief. While
    it is still under way, or brought no value, there is nothing to stay for.

    Parameters
    ----------
    over
        ``features`` or ``cells``.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    next_label
        Over features, ``prior`` or ``fewest``.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = BiasedRobin().choose(state, np.random.default_rng(0))
    >>> choice.action.feature, choice.reason
    (0, "the last purchase lowered the gini loss from 0.5000 to 0.4857: stay with 'fever'")
    """

    name: ClassVar[str] = "biased-robin"
    summary: ClassVar[str] = "stay with a feature while its values lower the loss, else the next"
    looks_back: ClassVar[int] = 1

    over: str = "features"
    loss: str = "gini"
    next_label: str = "prior"

    def __post_init__(self) -> None:
        named(self.loss)
        if self.next_label not in ("prior", "fewest"):
            raise PolicyError(f"next_label: must be 'prior' or 'fewest', got {self.next_label!r}")
        if self.over not in ("features", "cells"):
            raise PolicyError(f"over: must be 'features' or 'cells', got {self.over!r}")

    @property
    def alike(self) -> tuple[str, ...]:
        """What it does not tell apart by position; labels too, unless they are in its order."""
        return ("labels", "values") if self.over == "features" else ("values",)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the current or the next turn; its scores count the turns."""
        if not state.affordable():
            return None
        stay, reason, engine = self._judge_last(state, rng)
        follow = {"over": self.over, "next_label": self.next_label}
        return take_turn(state, rng, stay=stay, reason=reason, engine=engine, **follow)

    def _judge_last(self, state: State, rng: np.random.Generator) -> tuple[bool, str, str]:
        last = state.last_purchase()
        if last is None or last.value is None:
            return False, "there is no last value to judge by", ""
        without = state.belief.retract_at(last.feature, last.label, last.value)
        # Where the loss has to be sampled, both share a seed: their difference is what counts.
        seed = int(rng.integers(2**63))
        now, before = (loss_of(each, self.loss, rng=seed) for each in (state.belief, without))
        lowered = now < before - max(now.resolution, before.resolution)
        verb = "lowered" if lowered else "did not lower"
        words = f"the last purchase {verb} the {self.loss} loss from {before:.4f} to {now:.4f}"
        return lowered, words, now.engine
