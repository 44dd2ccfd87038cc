"""Randomised single feature lookahead: one of the best, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats
from budgeted.policies.base import Choice, check_count, check_number
from budgeted.problem import Action
from budgeted.state import State
from budgeted.value import check_engine_options, lookahead
from budgeted.value.loss import named


@dataclass(frozen=True)
class RandomisedLookahead:
    """Draw one of the cells that single feature lookahead finds best, the better the likelier.

    Kapoor and Greiner (2005), *Learning and classifying under hard budgets*, ECML. Lookahead is
    sure of its choice even where others are as good; drawing among the best spreads the money.
    Of the `best` cells with the least expected losses S, each is drawn with probability
    ∝ exp(−S / τ). Losses that matter differ by thousandths, so a fixed τ would draw evenly: here
    τ is `temperature` times the standard deviation of those losses.

    Cells that cannot be told apart from the last of the best are kept too. Costs and requests
    under way count as in `budgeted.policies.single_feature_lookahead`.

    Parameters
    ----------
    best
        How many cells to draw from.
    temperature
        How evenly; towards 0 it becomes lookahead itself.
    max_depth, loss, engine, particles
        As for single feature lookahead.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = RandomisedLookahead(best=2).choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=1, label=1), 'drawn with probability 0.81 among the 3 best; its expected gini \
loss is 0.4409')
    """

    name: ClassVar[str] = "rsfl"
    summary: ClassVar[str] = "like sfl, but one of the best is drawn, the better the likelier"
    draws: ClassVar[bool] = True
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    best: int = 10
    temperature: float = 1.0
    max_depth: int | None = None
    loss: str = "gini"
    engine: str = "auto"
    particles: int = 1_000

    def __post_init__(self) -> None:
        named(self.loss)
        check_engine_options(self.engine, self.particles)
        check_count("best", self.best)
        check_number("temperature", self.temperature)
        if self.max_depth is not None:
            check_count("max_depth", self.max_depth)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a drawn cell; the scores are the expected losses of all."""
        depths = state.depths(at_most=self.max_depth)
        if not depths.any():
            return None
        found = lookahead(
            state.belief,
            depths,
            self.loss,
            given=state.under_way(),
            engine=self.engine,
            particles=self.particles,
            rng=rng,
        )
        cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
        losses = found.values[depths > 0]
        chances = self._chances(losses, found.resolution)
        drawn = int(rng.choice(len(cells), p=chances))
        reason = (
            f"drawn with probability {chances[drawn]:.2f} among the {np.count_nonzero(chances)} "
            f"best; its expected {self.loss} loss is {losses[drawn]:.4f}"
        )
        scores = dict(zip(cells, losses.tolist(), strict=True))
        return Choice(cells[drawn], scores, reason, found.engine)

    def _chances(self, losses: Floats, resolution: float) -> Floats:
        last = np.sort(losses)[: self.best][-1]
        kept = losses <= last + resolution
        spread = float(losses[kept].std())
        behind = losses - losses.min()
        # What the engine cannot tell apart must not decide anything.
        scale = self.temperature * spread if spread > resolution else np.inf
        weights = np.where(kept, np.exp(-behind / scale), 0.0)
        result: Floats = weights / weights.sum()
        return result
