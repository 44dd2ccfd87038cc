"""The two synthetic problems of the paper's Section 4.1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.errors import WorldError
from budgeted.learners.belief import Floats, Integers
from budgeted.problem import Feature, PriceList, Problem
from budgeted.problem.budgets import Terms
from budgeted.problem.money import MoneyLike
from budgeted.seeds import stream
from budgeted.simulation.datasets import Rehearsal
from budgeted.simulation.judge import Validation
from budgeted.simulation.worlds import TableWorld

__all__ = ["FIGURE_3A", "FIGURE_3B", "SYNTHETIC", "Synthetic"]

_LARGEST_EXACT = 2**14
"""The true error is computed over every x up to so many of them."""


@dataclass(frozen=True)
class Synthetic:
    """Cases drawn from a random naive Bayes model of Boolean features and two labels.

    Lizotte, Madani and Greiner (2003), Section 4.1: each run draws a model, and from it 1 000
    cases, of which the first 80 % can be bought and the others are for validation.

    Parameters
    ----------
    features
        How many.
    discriminative
        How many of them tell the labels apart; the others have the same parameter, uniform on
        (0, 1), under both labels. None: each parameter of each label is uniform (Figure 3(a)).
    strength
        P(first value | first label) of the discriminative ones, and one minus it under the other
        label.
    class_prior
        Share of the first label.
    cases
        How many are drawn.
    prior_counts
        Of the features of the problem, as for `budgeted.problem.Feature`.
    case_rule
        Of the world; see `budgeted.simulation.worlds.TableWorld`.

    Examples
    --------
    >>> rehearsal = FIGURE_3B.draw(seed=7, budget=100)
    >>> len(rehearsal.problem.features), sum(rehearsal.world.cases), rehearsal.discriminative
    (10, 800, (3,))
    """

    features: int = 10
    discriminative: int | None = 1
    strength: float = 0.9
    class_prior: float = 0.5
    cases: int = 1_000
    prior_counts: float | str = 1.0
    case_rule: str = "fresh"

    def __post_init__(self) -> None:
        whole = (self.features, self.cases, self.discriminative or 0)
        if not all(isinstance(each, int) and not isinstance(each, bool) for each in whole):
            raise WorldError(
                "features, discriminative and cases: must be whole numbers, got "
                f"{self.features!r}, {self.discriminative!r}, {self.cases!r}"
            )
        checks = {
            f"features: must be at least 1, got {self.features}": self.features >= 1,
            f"discriminative: must be from 0 to the number of features ({self.features}), "
            f"got {self.discriminative}": self.discriminative is None
            or 0 <= self.discriminative <= self.features,
            f"strength: must be from 0 to 1, got {self.strength}": 0 <= self.strength <= 1,
            f"class_prior: must be between 0 and 1, got {self.class_prior}": 0
            < self.class_prior
            < 1,
            f"cases: must be at least 10, got {self.cases}": self.cases >= 10,
        }
        wrong = [message for message, holds in checks.items() if not holds]
        if wrong:
            raise WorldError("; ".join(wrong))

    def draw(
        self, seed: int, budget: MoneyLike | Terms, price_list: PriceList | None = None
    ) -> Rehearsal:
        """Draw a model and its cases; the same seed gives the same world at any budget.

        A value costs 1, unless a price list says otherwise.
        """
        rng = stream(seed, 2)
        problem = Problem(
            features=[
                Feature(f"x{i + 1}", ("a", "b"), 1, self.prior_counts) for i in range(self.features)
            ],
            labels=("first", "second"),
            prior=(self.class_prior, 1 - self.class_prior),
            budget=budget,
            prices=price_list,
        )
        first_values, chosen = self._first_value_chances(rng)
        labels = (rng.random(self.cases) >= self.class_prior).astype(np.int64)
        values = (rng.random((self.cases, self.features)) >= first_values[labels]).astype(np.int64)
        training = int(0.8 * self.cases)
        truth = None
        if 2**self.features <= _LARGEST_EXACT:
            parameters = np.stack([first_values, 1 - first_values], axis=2).reshape(2, -1)
            truth = Validation.of_model(problem, parameters)
        return Rehearsal(
            problem,
            TableWorld(problem, values[:training], labels[:training], seed, self.case_rule),
            Validation.of_table(problem, values[training:], labels[training:]),
            truth,
            tuple(sorted(chosen.tolist())),
        )

    def _first_value_chances(self, rng: np.random.Generator) -> tuple[Floats, Integers]:
        """P(first value | label), labels × features, and which features are discriminative."""
        if self.discriminative is None:
            return rng.random((2, self.features)), np.arange(self.features)
        chances = np.tile(rng.random(self.features), (2, 1))
        chosen = rng.permutation(self.features)[: self.discriminative]
        chances[0, chosen], chances[1, chosen] = self.strength, 1 - self.strength
        return chances, chosen


FIGURE_3A = Synthetic(discriminative=None)
"""Every feature matters, more or less."""
FIGURE_3B = Synthetic(discriminative=1)
"""One feature of ten matters."""
SYNTHETIC = {"figure-3a": FIGURE_3A, "figure-3b": FIGURE_3B}
"""The problems of the paper by the names that experiments and commands take."""
