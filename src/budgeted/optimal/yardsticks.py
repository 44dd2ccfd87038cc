"""Small problems, solved exactly, that tell policies apart.

With flat priors and equal costs nearly everybody is nearly optimal, so most of these have prices,
priors, values or labels that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from budgeted.learners.belief import Belief
from budgeted.optimal.playing import MOST_SITUATIONS, Played, play
from budgeted.optimal.programme import MOST_STATES, Solution, solve
from budgeted.policies import POLICIES, Policy, parameter_names, policy
from budgeted.problem import Feature, Problem
from budgeted.problem.money import MoneyLike

Counts = float | Sequence[float] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class Yardstick:
    """A problem to be solved exactly.

    Attributes
    ----------
    name, about
        For tables and for people.
    problem
        What is for sale.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    """

    name: str
    about: str
    problem: Problem
    loss: str = "gini"

    def start(self) -> Belief:
        """Return the belief before anything is bought."""
        return Belief.prior(self.problem)


def small_problem(
    values: Sequence[int],
    costs: Sequence[MoneyLike],
    counts: Sequence[Counts],
    prior: Sequence[float],
    budget: MoneyLike,
) -> Problem:
    """Return a problem without names: features x1, x2, …, labels y1, y2, … ."""
    features = [
        Feature(f"x{at + 1}", [str(value + 1) for value in range(size)], cost, count)
        for at, (size, cost, count) in enumerate(zip(values, costs, counts, strict=True))
    ]
    return Problem(features, [f"y{at + 1}" for at in range(len(prior))], prior, budget)


EVEN = (0.5, 0.5)
KNOWN = ((6, 2), (2, 6))
"""A feature known to tell the labels apart, from eight cases of each."""
VAGUE = ((4, 3), (3, 4))
"""A feature that seems to tell little, from seven cases of each."""

YARDSTICKS = {
    each.name: each
    for each in (
        Yardstick(
            "two-flat",
            "two Boolean features, flat priors, equal costs: nearly everybody is nearly optimal",
            small_problem((2, 2), (1, 1), (1, 1), EVEN, 12),
        ),
        Yardstick(
            "three-flat",
            "the same with three features",
            small_problem((2, 2, 2), (1, 1, 1), (1, 1, 1), EVEN, 10),
        ),
        Yardstick(
            "costs-1-4",
            "two features that differ in nothing but their price, 1 and 4",
            small_problem((2, 2), (1, 4), (1, 1), EVEN, 14),
        ),
        Yardstick(
            "costs-1-2-3",
            "three features at 1, 2 and 3",
            small_problem((2, 2, 2), (1, 2, 3), (1, 1, 1), EVEN, 12),
        ),
        Yardstick(
            "dear-but-good",
            "a dear feature known to be good, a cheap one of which nothing is known",
            small_problem((2, 2), (4, 1), (KNOWN, 1), EVEN, 16),
        ),
        Yardstick(
            "unequal-priors",
            "one feature known to be good, one that seems poor, one unknown",
            small_problem((2, 2, 2), (1, 1, 1), (KNOWN, VAGUE, 1), EVEN, 8),
        ),
        Yardstick(
            "extreme-priors",
            "parameters near 0 or 1 for one feature, near one half for the other",
            small_problem((2, 2), (1, 1), (0.2, 4), EVEN, 10),
        ),
        Yardstick(
            "rare-label",
            "one case in ten has the second label",
            small_problem((2, 2), (1, 1), (1, 1), (0.9, 0.1), 12),
        ),
        Yardstick(
            "rare-label-costs",
            "the same with prices 1 and 3, and a good dear feature",
            small_problem((2, 2), (1, 3), (1, KNOWN), (0.9, 0.1), 15),
        ),
        Yardstick(
            "three-values",
            "two features of three values each",
            small_problem((3, 3), (1, 1), (1, 1), EVEN, 10),
        ),
        Yardstick(
            "mixed-values",
            "a Boolean feature at 1, one of four values at 2",
            small_problem((2, 4), (1, 2), (1, 0.5), EVEN, 12),
        ),
        Yardstick(
            "three-labels",
            "two features, prices 1 and 2, and three labels",
            small_problem((3, 3), (1, 2), (1, 1), (0.5, 0.3, 0.2), 8),
        ),
        Yardstick(
            "zero-one",
            "prices 1 and 4, a skewed label prior, judged by the 0/1 error",
            small_problem((2, 2), (1, 4), (1, 1), (0.6, 0.4), 14),
            loss="zero_one",
        ),
    )
}
"""Every yardstick by its name."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Comparison:
    """The optimum of a problem, and what policies make of the same money.

    Attributes
    ----------
    yardstick
        The problem.
    loss_now, optimal
        The loss before anything is bought, and the least that can be expected for the money.
    states
        Of the exact programme.
    played
        For each policy its exact result, or why there is none.

    Examples
    --------
    >>> found = compare(YARDSTICKS["costs-1-4"], ["greedy", "sfl"])
    >>> for name in found.played:
    ...     print(f"{name:>6}: {found.share(name):.2%} of the optimal reduction is lost")
    greedy: 4.84% of the optimal reduction is lost
       sfl: 0.22% of the optimal reduction is lost
    """

    yardstick: Yardstick
    loss_now: float
    optimal: float
    states: int
    played: dict[str, Played]

    @property
    def reduction(self) -> float:
        """By how much the optimum lowers the loss."""
        return self.loss_now - self.optimal

    def regret(self, name: str) -> float | None:
        """Return how much more loss than the optimum a policy is expected to have."""
        expected = self.played[name].expected
        return None if expected is None else expected - self.optimal

    def share(self, name: str) -> float | None:
        """Return the regret as a share of the optimal reduction; None where nothing can be won."""
        regret = self.regret(name)
        if regret is None or self.reduction <= _ROUNDING:
            return None
        return regret / self.reduction

    def to_plain(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        problem = self.yardstick.problem
        return {
            "name": self.yardstick.name,
            "about": self.yardstick.about,
            "loss": self.yardstick.loss,
            "budget": str(problem.budget),
            "costs": [str(price) for price in problem.feature_prices],
            "values": [len(feature.values) for feature in problem.features],
            "prior": list(problem.prior),
            "prior_counts": [feature.prior_counts for feature in problem.features],
            "states": self.states,
            "loss_now": self.loss_now,
            "optimal_loss": self.optimal,
            "policies": [
                {
                    "policy": name,
                    "expected_loss": each.expected,
                    "regret": self.regret(name),
                    "regret_share": self.share(name),
                    "situations": each.situations,
                    "why_not": each.why_not,
                }
                for name, each in self.played.items()
            ],
        }


def compare(
    yardstick: Yardstick,
    names: Sequence[str] = (),
    *,
    most_states: int = MOST_STATES,
    most_situations: int = MOST_SITUATIONS,
    before: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Solve a problem exactly and evaluate policies on it exactly.

    Parameters
    ----------
    yardstick
        The problem.
    names
        Of policies; all of them unless given. Those that take a loss get that of the yardstick.
    most_states, most_situations
        As for `solve` and `play`.
    before
        Called with what is about to be computed.
    """
    start = yardstick.start()
    chosen = {name: steered(name, yardstick.loss) for name in names or POLICIES}
    before("the optimum")
    solution: Solution = solve(start, yardstick.loss, most_states)
    played = {}
    for name, each in chosen.items():
        before(name)
        played[name] = play(each, start, yardstick.loss, most_situations)
    return Comparison(yardstick, solution.loss_now, solution.expected, solution.states, played)


def steered(name: str, loss: str) -> Policy:
    """Return the policy of that name, steered by a loss if it takes one.

    >>> steered("sfl", "entropy").loss
    'entropy'
    """
    takes = name in POLICIES and "loss" in parameter_names(POLICIES[name])
    return policy(name, loss=loss) if takes else policy(name)


def markdown(comparisons: Sequence[Comparison]) -> str:
    """Return the tables of many problems: what they are, and the regret of every policy."""
    lines = [
        "| problem | what it is | budget | states | loss now | optimal |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for each in comparisons:
        problem = each.yardstick
        lines.append(
            f"| `{problem.name}` | {problem.about} | {problem.problem.budget} | {each.states} "
            f"| {each.loss_now:.4f} | {each.optimal:.4f} |"
        )
    names = list(dict.fromkeys(name for each in comparisons for name in each.played))
    lines += [
        "",
        "| problem | " + " | ".join(f"`{name}`" for name in names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for each in comparisons:
        cells = [percent(each.share(name)) for name in names]
        lines.append(f"| `{each.yardstick.name}` | " + " | ".join(cells) + " |")
    worst = [percent(max(found, default=None)) for found in _shares(comparisons, names)]
    lines.append("| **largest** | " + " | ".join(worst) + " |")
    missing = _missing(comparisons, names)
    return "\n".join([*lines, *([""] if missing else []), *missing, ""])


def percent(share: float | None) -> str:
    """Return a share in words; rounding below nothing is nothing."""
    return "–" if share is None else f"{max(0.0, 100 * share):.2f} %"


def _shares(comparisons: Sequence[Comparison], names: Sequence[str]) -> Iterator[list[float]]:
    for name in names:
        found = (each.share(name) for each in comparisons)
        yield [share for share in found if share is not None]


def _missing(comparisons: Sequence[Comparison], names: Sequence[str]) -> list[str]:
    """For each policy without a result somewhere: where, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in names:
        for each in comparisons:
            if each.played[name].why_not:
                reasons.setdefault((name, each.played[name].why_not), []).append(
                    each.yardstick.name
                )
    return [
        f"- `{name}` not evaluated exactly on {', '.join(where)}: {why}."
        for (name, why), where in reasons.items()
    ]
