"""Retraining: what would the learner of the study make of more values?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from budgeted.errors import PolicyError
from budgeted.learners import Hierarchical, Learner, NaiveBayes, fitted
from budgeted.learners.belief import Floats, Integers
from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.predictor import probabilities_of
from budgeted.policies import bundles
from budgeted.policies.auto import Auto, so_far, spread
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.policies.parameters import check_count
from budgeted.problem import Action
from budgeted.problem.orders import Purchase
from budgeted.state import State

_TIE = 1e-9
"""What differs by no more is rounding."""
_LEAST = 1e-12


def _log(said: Floats, own: Integers) -> Floats:
    result: Floats = -np.log(np.maximum(said[np.arange(len(own)), own], _LEAST))
    return result


def _squares(said: Floats, own: Integers) -> Floats:
    result: Floats = 1 - 2 * said[np.arange(len(own)), own] + (said**2).sum(axis=1)
    return result


def _wrong(said: Floats, own: Integers) -> Floats:
    best = said >= said.max(axis=1, keepdims=True) - _TIE
    result: Floats = 1 - best[np.arange(len(own)), own] / best.sum(axis=1)
    return result


_SCORES: Mapping[str, Callable[[Floats, Integers], Floats]] = {
    "entropy": _log, "gini": _squares, "zero_one": _wrong,
}  # fmt: skip
"""How bad probabilities are where the label turns out to be this one; the least that can be
expected of them is the loss of that name.
"""


@dataclass(frozen=True)
class Retraining:
    """Buy the values that lower the loss of the study's own learner most for their money.

    It asks nothing of the learner but what every learner can: to be fitted. Worlds that are still
    possible are imagined; in each of them the learner is fitted again to what was bought and to
    values that would come, and its loss is measured on cases of that world. Saar-Tsechansky,
    Melville and Provost, *Active feature-value acquisition*, Management Science 55 (2009), weigh
    values so, and Roy and McCallum, *Toward optimal active learning through sampling estimation of
    error reduction*, ICML (2001), labels.

    - Worlds are drawn from what the learner itself holds possible, or, if it has no such model,
      from what the default learner does. All features are weighed in the same worlds.
    - Few values may change nothing, so a *handful* is weighed, evenly over the labels, and bought
      before anything is weighed anew. Requests under way count as bought.
    - To fit a learner takes time, so only the features that the default finds most promising are
      weighed: `candidates` of them, of equals by lot.
    - Where what an order costs depends on what else is bought of its case, whole orders are
      weighed by what their values are worth: `budgeted.policies.bundles`.

    Values are imagined on cases of their own: what they would show of dependence does not count.

    Parameters
    ----------
    loss
        ``entropy``, ``gini`` or ``zero_one``: the logarithmic and the Brier score, and the error.
    handful
        Values of each label that are weighed together.
    candidates
        Features that are weighed, at most.
    worlds
        How many are drawn for a decision.
    cases
        Of each label and world, to measure the loss on.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> choice = Retraining().choose(State.start(problem), np.random.default_rng(0))
    >>> choice.reason.split("; ")[0]
    'nothing of it is known yet'
    """

    name: ClassVar[str] = "retraining"
    summary: ClassVar[str] = "the learner's own expected loss, fitted again to values that may come"
    prefers: ClassVar[Mapping[str, str]] = {"case_rule": "settle"}
    """What goes with this policy in studies and experiments unless told otherwise."""

    loss: str = "entropy"
    handful: int = 2
    candidates: int = 4
    worlds: int = 8
    cases: int = 50

    learner: ClassVar[Learner] = NaiveBayes()
    """Who is fitted; `for_learner` gives an object another one."""

    def __post_init__(self) -> None:
        if self.loss not in _SCORES:
            raise PolicyError(f"loss: must be one of {', '.join(_SCORES)}, got {self.loss!r}")
        for name in ("handful", "candidates", "worlds", "cases"):
            check_count(name, getattr(self, name))

    def for_learner(self, learner: Learner) -> Retraining:
        """Return the policy that buys for a learner."""
        made = copy(self)
        object.__setattr__(made, "learner", learner)
        return made

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature; the scores are the expected change per money."""
        depths = state.depths()
        if not depths.any():
            return None
        if not state.problem.separable:
            return self._order(state, depths, rng)
        rest = self._rest_of_a_handful(state, depths, rng)
        if rest is not None:
            return rest
        rates = self._rates(state, depths, rng, state.costs().min(axis=1))
        weighed = np.isfinite(rates)
        cells = [Action(*cell) for cell in np.argwhere(depths * weighed[:, None]).tolist()]
        best = rates >= np.nanmax(rates) - _TIE
        tied = best[:, None] & _fewest(state, depths)
        chosen = cells[cheapest(state, cells, tied[(depths > 0) & weighed[:, None]], rng)]
        scores = {cell: -float(rates[cell.feature]) for cell in cells}
        return Choice(chosen, scores, self._in_words(state, chosen.feature, rates))

    def _order(self, state: State, depths: Integers, rng: np.random.Generator) -> Choice | None:
        """Return the best order, where prices look at the case."""
        rates = self._rates(state, depths, rng, np.ones(len(depths)))
        worth = np.maximum(np.nan_to_num(rates), 0)[:, None] * _fewest(state, depths)
        return bundles.choose(state, depths, worth, rng, lambda at: so_far(state, at))

    def _rest_of_a_handful(
        self, state: State, depths: Integers, rng: np.random.Generator
    ) -> Choice | None:
        """Return the next value of the feature asked for last, until its handful is full."""
        last = state.last_action
        if last is None or not depths[last.feature].any():
            return None
        size = self.handful * depths.shape[1]
        number = _asked_in_a_row(state, last.feature)
        if number % size == 0:
            return None
        cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
        own = np.zeros(depths.shape, dtype=bool)
        own[last.feature] = _fewest(state, depths)[last.feature]
        chosen = cells[cheapest(state, cells, own[depths > 0], rng)]
        reason = f"value {number % size + 1} of the {size} that were weighed together"
        return Choice(chosen, reason=f"{so_far(state, last.feature)}; {reason}")

    def _rates(
        self, state: State, depths: Integers, rng: np.random.Generator, costs: Floats
    ) -> Floats:
        """By how much a handful of each feature lowers the loss per money; NaN if not weighed."""
        promise = Auto().for_learner(self.learner).worth(state)
        promising = np.nanmax(np.where(depths > 0, promise, -np.inf), axis=1)
        order = rng.permutation(len(depths))
        ranked = order[np.argsort(-promising[order].round(9), kind="stable")]
        weighed = [at for at in ranked.tolist() if depths[at].any()][: self.candidates]
        total = np.minimum(state.purchases(depths), self.handful * depths.shape[1])
        handfuls = spread(total, depths, _bought(state))
        gains = np.zeros(len(depths))
        for world in self._imagined(state, rng):
            seed = int(rng.integers(2**63))
            known = [*state.history, *_drawn(world, state.under_way(), seed)]
            before = self._loss(world, known, seed)
            for at in weighed:
                more = {Action(at, label): int(number) for label, number in enumerate(handfuls[at])}
                after = self._loss(world, [*known, *_drawn(world, more, seed + 1)], seed)
                gains[at] += (before - after) / self.worlds
        rates = np.full(len(depths), np.nan)
        rates[weighed] = gains[weighed] / (total[weighed] * costs[weighed])
        return rates

    def _imagined(self, state: State, rng: np.random.Generator) -> Iterator[ImaginedModel]:
        """Yield worlds that are still possible."""
        own = fitted(self.learner, state.problem, state.history)
        if not callable(getattr(own, "imagine", None)):
            own = fitted(Hierarchical(), state.problem, state.history)
        for _ in range(self.worlds):
            yield own.imagine(rng)  # type: ignore[attr-defined]  # what not every predictor has

    def _loss(self, world: ImaginedModel, bought: Sequence[Purchase], seed: int) -> float:
        """The loss of what is learned in a world, on cases of it that are the same each time."""
        made = fitted(self.learner, world.problem, bought)
        draw, score = np.random.default_rng([seed, 1]), _SCORES[self.loss]
        total = 0.0
        for label, share in enumerate(world.problem.prior):
            cases = world.cases(label, self.cases, draw)
            said = probabilities_of(made, cases)
            total += share * float(score(said, np.full(len(cases), label)).mean())
        return total

    def _in_words(self, state: State, feature: int, rates: Floats) -> str:
        """Why a feature is bought: what is known of it, and who comes second."""
        words = (
            f"{so_far(state, feature)}; in {self.worlds} imagined worlds more values of it bring "
            f"{self.learner.name!r} most for their money, of {np.isfinite(rates).sum()} features"
        )
        others = np.where(np.arange(len(rates)) == feature, np.nan, rates)
        if np.isnan(others).all() or rates[feature] <= 0:
            return words
        second = int(np.nanargmax(others))
        behind = 100 * min(1.0, 1 - others[second] / rates[feature])
        return f"{words}; {state.problem.features[second].name!r} is {behind:.0f} % behind"


def _drawn(world: ImaginedModel, wanted: Mapping[Action, int], seed: int) -> Iterator[Purchase]:
    """Yield values as they may come, each of a case of its own."""
    for cell, number in sorted(wanted.items()):
        draws = np.random.default_rng([seed, *cell]).standard_normal((number, 2)).tolist()
        for typical, own in draws:
            value = world.value(cell.label, cell.feature, typical, own)
            yield Purchase(cell.feature, cell.label, value, 0)


def _bought(state: State) -> Floats:
    """How many values there are of each cell, those under way included."""
    seen = state.belief.seen.astype(float)
    for cell, number in state.under_way().items():
        seen[cell] += number
    return seen


def _fewest(state: State, depths: Integers) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which cells that can be bought have the fewest values of their feature."""
    known = np.where(depths > 0, _bought(state), np.inf)
    found = (depths > 0) & (known <= known.min(axis=1, keepdims=True))
    return np.asarray(found, dtype=bool)


def _asked_in_a_row(state: State, feature: int) -> int:
    """How many of the last requests, whatever became of them, were of this feature."""
    asked = chain(
        ((each.number, each.feature) for each in state.pending),
        ((each.number or 0, each.feature) for each in state.history),
    )
    number = 0
    for _, each in sorted(asked, reverse=True):
        if each != feature:
            break
        number += 1
    return number
