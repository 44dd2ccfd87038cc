"""What every policy must do, whatever it thinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from budgeted.errors import BudgetedError
from budgeted.policies.base import Choice, Policy
from budgeted.problem import Action, CaseSoFar, Feature, Order, PriceList, Problem, money
from budgeted.problem.orders import Purchase
from budgeted.problem.prices import Tariff
from budgeted.simulation.worlds import TableWorld
from budgeted.state import State
from budgeted.testing.words import in_words

_MOST_STEPS = 10_000
_RESOLUTION = 1e-6
"""What differs by less may be a tie, though a choice says nothing of its resolution."""
_SAME = 1e-12


def check_policy(policy: Policy) -> None:
    """Raise an error in words unless a policy keeps the contract of all policies.

    A policy is a pure function of the state and the generator; it buys only what can be bought, as
    a whole order where it wants several features of a case, gives a reason that its scores bear out
    (the best one is bought, and of equals the cheapest, unless it says that it draws), and stops
    when, and only when, nothing can be bought any more. So it is with equal and unequal costs,
    decimal money, no money, cases that run out, labels without cases, three labels, requests under
    way that come back in any order, or never, and where a visit has a fee and features share a
    panel.

    Parameters
    ----------
    policy
        With the parameters that it is to be tried with.

    Examples
    --------
    >>> from budgeted.policies import policy
    >>> check_policy(policy("greedy", loss="entropy"))
    """
    assert not isinstance(policy, type), f"give an object, such as {policy!r}(), not its class"
    for what in ("name", "summary"):
        assert isinstance(getattr(policy, what, None), str), f"it must have a {what}"
    for check in CHECKS:
        with in_words("choose"):
            check(policy)


def make_problem(
    costs: Sequence[str],
    *,
    labels: int = 2,
    budget: str = "10",
    values: int = 2,
    prices: PriceList | None = None,
) -> Problem:
    """Return a problem with a feature for each cost, and that cost is its price unless told."""
    names = [str(value) for value in range(values)]
    return Problem(
        features=[Feature(f"f{at}", names, cost) for at, cost in enumerate(costs)],
        labels=[f"label {at}" for at in range(labels)],
        prior=[1 / labels] * labels,
        budget=budget,
        prices=prices,
    )


def make_world(problem: Problem, cases_per_label: Sequence[int], seed: int) -> TableWorld:
    """Return a world whose first feature tells the labels apart; one cell in ten is missing."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(problem.labels)), cases_per_label)
    size = len(problem.features[0].values)
    values = rng.integers(0, size, (len(labels), len(problem.features)))
    values[:, 0] = labels % size
    values[rng.random(values.shape) < 0.1] = -1
    return TableWorld(problem, values, labels, seed)


def play(policy: Policy, problem: Problem, cases_per_label: Sequence[int], seed: int = 0) -> State:
    """Spend everything, checking each step; return the final state."""
    world = make_world(problem, cases_per_label, seed)
    stock, state = world.open(), State.start(problem, world.cases)
    for step in range(_MOST_STEPS):
        choice = policy.choose(state, np.random.default_rng([seed, step]))
        again = policy.choose(state, np.random.default_rng([seed, step]))
        scores = choice.scores.values() if isinstance(choice, Choice) else ()
        assert all(map(np.isfinite, scores)), "a score is no number"
        assert choice == again, "same state and seed, and another choice: it must be a function"
        assert choice is None or isinstance(choice, Choice), (
            f"choose must return a Choice or None, got {choice!r}"
        )
        can_be_bought = state.affordable()
        if choice is None:
            assert not can_be_bought, f"it stops although {can_be_bought[0]} can be bought"
            return state
        assert isinstance(choice.action, Action), (
            f"a choice must have an Action(feature, label), got {choice.action!r}"
        )
        assert choice.action in can_be_bought, f"{choice.action} cannot be bought"
        others = set(choice.scores) - set(can_be_bought)
        assert not others, f"scores of cells that cannot be bought: {sorted(others)}"
        assert not choice.scores or choice.action in choice.scores, "no score of what it chose"
        assert choice.reason, "it gives no reason"
        if choice.scores and not getattr(policy, "draws", False):
            _check_scores(choice, state, getattr(policy, "takes_turns", False))
        _reserved(state, choice)
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)
        assert state.spent + state.reserved + state.free == problem.budget, "money does not add up"
    raise AssertionError("it never stops")


def _reserved(state: State, choice: Choice) -> State:
    """Return the state with the order under way, which must be one that can be."""
    order = choice.order
    assert len(set(order.features)) == len(order.features), (
        f"it asks for a feature twice in one order: {order}"
    )
    try:
        return state.reserve(order)
    except BudgetedError as error:
        raise AssertionError(f"it asks for an order that cannot be: {error} ({order})") from error


def _check_scores(choice: Choice, state: State, turns: bool) -> None:
    """What is chosen has the best score; of those that cannot be told apart it is the cheapest."""
    own, best = choice.scores[choice.action], min(choice.scores.values())
    unsure = max(choice.resolution, _RESOLUTION * max(1.0, abs(best)))
    assert own <= best + unsure, (
        f"it chooses a score of {own:g} although the best is {best:g}, and lower is better; one "
        "that draws what it buys must say so: draws = True"
    )
    same = best + _SAME * max(1.0, abs(best))
    # Of the same label: which label is bought of a feature may be decided by something else.
    tied = [cell for cell, score in choice.scores.items()
            if score <= same and cell.label == choice.action.label]  # fmt: skip
    cheapest = min(map(state.price, tied), default=None)
    assert turns or own > same or state.price(choice.action) == cheapest, (
        f"of features with the same score it must buy one of the cheapest, at {cheapest}, not at "
        f"{state.price(choice.action)}; one in which they take turns must say so: takes_turns = "
        "True"
    )


def _check_spending(policy: Policy) -> None:
    """What can be bought is bought, whatever the prices and the supply; `play` looks closer."""
    for costs, budget, cases, labels in _SITUATIONS:
        play(policy, make_problem(costs, budget=budget, labels=labels, values=labels), cases)


_SITUATIONS = (
    (("1", "1", "1"), "17", (50, 50), 2),
    (("0.1", "0.1"), "0.3", (50, 50), 2),
    (("0.7", "3", "1.1"), "20.05", (50, 50), 2),
    (("5", "6"), "4.99", (50, 50), 2),
    (("1",), "0", (50, 50), 2),
    (("1", "1", "1"), "1000", (4, 3), 2),
    (("1", "1"), "9", (6, 0), 2),
    (("1", "1"), "8", (9, 9, 9), 3),
)
"""Prices of features, budget, cases of each label, and labels: equal and unequal costs, exact
decimals, no money, more money than cases, labels without cases, three labels.
"""


def _check_pending(policy: Policy) -> None:
    """Requests under way are spent money, and their cases are gone."""
    for budget in ("31", "13"):  # where the cases run out, and where the money does
        problem = make_problem(["2", "3"], budget=budget)
        state = State.start(problem, cases=(2, 3))
        for step in range(100):
            choice = policy.choose(state, np.random.default_rng(step))
            if choice is None:
                break
            state = _reserved(state, choice)
        assert not state.affordable(), "it stops although more could be asked for"
        for action, number in state.under_way().items():
            assert number <= (2, 3)[action.label], "more requests than cases"
        assert state.reserved + state.free == problem.budget, "money does not add up"


def _check_pending_then_told(policy: Policy) -> None:
    """Answers that come back in another order leave nothing undone."""
    problem = make_problem(["1"] * 3, budget="12")
    state, rng = State.start(problem, cases=(9, 9)), np.random.default_rng(3)
    while True:
        while len(state.pending) < 3:
            choice = policy.choose(state, np.random.default_rng(state.next_number))
            if choice is None:
                break
            state = _reserved(state, choice)
        if not state.pending:
            break
        request = state.pending[int(rng.integers(len(state.pending)))]
        if rng.random() < 0.2:
            state = state.release(request.number)
            continue
        told = Purchase(*request.action, int(rng.integers(2)), request.cost, number=request.number)
        state = state.after(told)
    assert len(state.history) == 12, "answers in another order leave money unspent"


def _check_visited_cases(policy: Policy) -> None:
    """When no fresh case can be paid any more, those that were visited go on, one at a time."""
    problem = make_problem(["1", "1"], budget="8.40", prices=Tariff(visit_fee="2.20"))
    state = State.start(problem)
    for feature, case in ((0, "first"), (1, "second")):
        state = state.after(Purchase(feature, 0, 0, "3.20", case))
    choice = policy.choose(state, np.random.default_rng(0))
    assert choice is not None, "it stops although a visited case could give more"
    after = _reserved(state, choice)
    assert after.reserved == 1, "a value of a visited case costs no fee"


def _check_visits(policy: Policy) -> None:
    """With a fee for a visit, and features that share a set-up or are sold whole."""
    shared: Sequence[Mapping[str, object]] = (
        {},
        {"name": "drawn", "features": ["f0", "f1"], "setup": "1.35"},
        {"name": "whole", "features": ["f0", "f1"], "price": "2.60", "whole": True},
    )
    for panel in shared:
        prices = Tariff(visit_fee="1.10", panels=[panel] if panel else [])
        for budget, cases in (("23.45", (9, 9)), ("1000", (3, 2))):
            problem = make_problem(["1", "2.50", "0.75"], budget=budget, prices=prices)
            _check_cases(play(policy, problem, cases))


def _check_pending_orders(policy: Policy) -> None:
    """What is asked for of a case makes its next value cheaper while it is still under way."""
    panel = {"name": "drawn", "features": ["f0", "f1"], "setup": "1.35"}
    prices = Tariff(visit_fee="2.20", panels=[panel])
    state = State.start(make_problem(["1", "2", "3"], budget="29", prices=prices), cases=(4, 4))
    while (choice := policy.choose(state, np.random.default_rng(state.next_number))) is not None:
        state = _reserved(state, choice)
        assert state.reserved + state.free == state.problem.budget, "money does not add up"
    assert not state.affordable(), "it stops although more could be asked for"
    asked = [(each.case, each.feature) for each in state.pending]
    assert len(set(asked)) == len(asked), "a feature was asked for twice of one case"


def _check_cases(state: State) -> None:
    """Each case costs what all that was bought of it costs."""
    bought: dict[object, list[Purchase]] = {}
    for each in state.history:
        bought.setdefault(each.case, []).append(each)
    due = []
    for those in bought.values():
        features = tuple(each.feature for each in those)
        assert len(set(features)) == len(features), "a feature was bought twice of one case"
        order = Order(features, those[0].label)
        due.append(state.problem.prices.quote(order, CaseSoFar(label=order.label)))
    assert state.spent == money.total(due), "what was paid is not what the price list says"


CHECKS = (
    _check_spending, _check_pending, _check_pending_then_told, _check_visits,
    _check_visited_cases, _check_pending_orders,
)  # fmt: skip
"""Each takes a policy."""
