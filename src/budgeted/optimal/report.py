"""How far every policy is from the optimum, as numbers, as rows and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief
from budgeted.optimal.blind import Blind
from budgeted.optimal.ends import Played
from budgeted.optimal.playing import MOST_SITUATIONS, play
from budgeted.optimal.programme import Solution, solve
from budgeted.optimal.steps import MOST_STATES
from budgeted.optimal.yardsticks import Yardstick
from budgeted.policies import POLICIES, Policy, parameter_names, policy
from budgeted.problem import money
from budgeted.problem.prices import parameters_of

_ROUNDING = 1e-12
_BLIND, _PLAIN = "blind ", "plain "


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
    >>> from budgeted.optimal.yardsticks import YARDSTICKS
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
            "prices": {"list": problem.prices.name, **parameters_of(problem.prices)},
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
        A name with ``blind`` before it is the policy that is shown no fees and no panels, one with
        ``plain`` a policy that buys by what a learner believes, with the belief of the optimum.
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

    >>> steered("blind sfl", "entropy").policy.loss
    'entropy'
    """
    if name.startswith(_BLIND):
        return Blind(steered(name.removeprefix(_BLIND), loss))
    if name.startswith(_PLAIN):
        other = steered(name.removeprefix(_PLAIN), loss)
        if not hasattr(other, "for_learner"):
            raise OptimalError(f"policy {other.name!r} has the belief of the optimum already")
        return cast("Policy", other.for_learner(_AsStated()))
    takes = name in POLICIES and "loss" in parameter_names(POLICIES[name])
    return policy(name, loss=loss) if takes else policy(name)


class _AsStated:
    """Believes what the optimum does: every feature is as the problem states."""

    def believed(self, belief: Belief) -> Belief:
        return belief


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


def one_table(comparisons: Sequence[Comparison]) -> str:
    """Return a single table of many problems, each a line: its size and the regret of policies."""
    names = list(dict.fromkeys(name for each in comparisons for name in each.played))
    lines = [
        "| problem | budget | states | reduction | "
        + " | ".join(f"`{name}`" for name in names)
        + " |",
        "| --- | ---: | ---: | ---: |" + " ---: |" * len(names),
    ]
    for each in comparisons:
        cells = [percent(each.share(name)) for name in names]
        lines.append(
            f"| `{each.yardstick.name}` | {money.show(each.yardstick.problem.budget)} "
            f"| {each.states} | {each.reduction:.4f} | {' | '.join(cells)} |"
        )
    shares = list(_shares(comparisons, names))
    mean = [percent(sum(found) / len(found) if found else None) for found in shares]
    worst = [percent(max(found, default=None)) for found in shares]
    lines.append("| **mean** | | | | " + " | ".join(mean) + " |")
    lines.append("| **largest** | | | | " + " | ".join(worst) + " |")
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
