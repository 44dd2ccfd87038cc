"""Sampled expected utility: the best of a few, by log gain per money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice, check_count
from budgeted.policies.lookahead import cheapest, costs_of, gains
from budgeted.state import State
from budgeted.value import check_engine_options


@dataclass(frozen=True)
class SampledExpectedUtility:
    """Of a random sample of cells, buy the one that improves the log gain most per money.

    Melville, Saar-Tsechansky, Provost and Mooney (2005), *Economical active feature-value
    acquisition through expected utility estimation*, KDD Workshop on Utility-Based Data Mining;
    log gain is from Saar-Tsechansky, Melville and Provost (2009), *Active feature-value
    acquisition*, Management Science 55(4). There are too many (case, feature) pairs to weigh all,
    so a sample is. Cases of one label are alike before anything of them is seen, so the pairs here
    are cells.

    The log gain is −log P(label | case); what the model expects of it is the entropy loss. The
    score is its expected fall after one purchase, divided by the cost. Requests under way count as
    bought.

    Parameters
    ----------
    candidates
        How many cells to draw, each once; with as many as there are nothing is left to chance.
    engine, particles
        As for `budgeted.value.lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = SampledExpectedUtility(candidates=3).choose(state, np.random.default_rng(0))
    >>> len(choice.scores), choice.reason
    (3, 'most log gain per money, 0.0082, of 3 cells drawn')
    """

    name: ClassVar[str] = "seu"
    summary: ClassVar[str] = "of a random sample, the most expected log gain per money"
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    candidates: int = 10
    engine: str = "auto"
    particles: int = 1_000

    def __post_init__(self) -> None:
        check_engine_options(self.engine, self.particles)
        check_count("candidates", self.candidates)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the best of the sample; the scores are the expected change per money."""
        cells = list(state.affordable())
        if not cells:
            return None
        if len(cells) > self.candidates:
            drawn = rng.choice(len(cells), size=self.candidates, replace=False)
            cells = [cells[position] for position in sorted(drawn.tolist())]
        depths = np.zeros((len(state.problem.features), len(state.problem.labels)), dtype=np.int64)
        depths[tuple(zip(*cells, strict=True))] = 1
        now, (found,) = gains(
            state, [depths], rng, loss="entropy", engine=self.engine, particles=self.particles
        )
        costs = costs_of(state, cells)
        rates = (now - found.values[depths > 0]) / costs
        tied = rates >= rates.max() - 2 * found.resolution / costs
        best = cheapest(state, cells, tied, rng)
        return Choice(
            cells[best],
            dict(zip(cells, (-rates).tolist(), strict=True)),
            f"most log gain per money, {rates[best]:.4f}, of {len(cells)} cells drawn",
            found.engine,
            resolution=2 * found.resolution / float(costs.min()),
        )
