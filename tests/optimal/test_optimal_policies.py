"""Policies evaluated exactly: against brute force, against simulation, and what they promise."""

import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted import Belief, Problem, Purchase, State, simulate
from budgeted.cli.main import main
from budgeted.errors import DrawError, EngineError
from budgeted.learners.layout import cell_at, layout_of, position_in
from budgeted.optimal import YARDSTICKS, compare, odds, play, solve
from budgeted.optimal.draws import Branch
from budgeted.optimal.playing import MOST_SITUATIONS
from budgeted.optimal.programme import losses
from budgeted.optimal.report import Comparison, markdown, percent, steered
from budgeted.optimal.steps import MOST_STATES
from budgeted.optimal.tallies import KINDS, exchanges
from budgeted.optimal.yardsticks import small_problem
from budgeted.policies import POLICIES, Choice, policy
from budgeted.policies.base import alike, looks_back
from budgeted.simulation.worlds import ModelWorld
from budgeted.value import lookahead
from budgeted.value.loss import named
from tests.beliefs import Doubtful

VARIANTS = {
    **{name: (name, {}) for name in POLICIES},
    "biased-robin-cells": ("biased-robin", {"over": "cells"}),
    "sfl-2": ("sfl", {"max_depth": 2}),
}
TINY = {
    "equal": small_problem((2, 2), (1, 1), (1, 1), (0.5, 0.5), 4),
    "unequal": small_problem((2, 3), (1, 2), (1, 0.5), (0.7, 0.3), 4),
}


def made(variant):
    name, parameters = VARIANTS[variant]
    return policy(name, **parameters)


def with_budget(problem, budget):
    return Problem(problem.features, problem.labels, problem.prior, budget)


def brute_value(chosen, state, kind):
    """Over raw histories: nothing merged, nothing remembered."""
    terms = []
    for action, share in odds(chosen, state).items():
        if action is None:
            return float(losses(state.belief, np.zeros((1, state.belief.observed.size), int),
                                named(kind))[0])  # fmt: skip
        cost = state.problem.features[action.feature].cost
        for value, chance in enumerate(state.belief.mean(action.feature)[action.label]):
            after = state.after(Purchase(*action, value, cost))
            terms.append(share * chance * brute_value(chosen, after, kind))
    return math.fsum(terms)


@pytest.mark.parametrize("belief", [Belief.prior, Doubtful.prior], ids=["plain", "doubtful"])
@pytest.mark.parametrize("problem", TINY.values(), ids=TINY.keys())
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.slow
def test_the_exact_value_is_that_of_all_histories(variant, problem, belief):
    start, chosen = belief(problem), made(variant)
    try:
        found = play(chosen, start)
    except EngineError:  # no engine looks ahead in a belief of another form
        if belief == Doubtful.prior:
            return
        raise
    if found.expected is None:
        assert found.why_not
        return
    slow = brute_value(chosen, State.start(problem, belief=start), "gini")
    assert found.expected == pytest.approx(slow, abs=1e-12)


CONTINUOUS = {"fel", "retraining", "top-two-thompson"}
"""Their draws have no finite tree."""
MANY_BRANCHES = {"exp3", "exp3c"}
"""With unequal priors they meet more than 3 000 situations, and elsewhere too many to wait for."""


@pytest.mark.parametrize("yardstick", YARDSTICKS.values(), ids=YARDSTICKS.keys())
@pytest.mark.slow
def test_no_policy_beats_the_optimum(yardstick):
    start = yardstick.start()
    shorter = type(start).prior(with_budget(start.problem, 5))
    best = solve(shorter, yardstick.loss)
    assert best.expected < best.loss_now
    beyond = MANY_BRANCHES if yardstick.name == "unequal-priors" else set()
    for name in POLICIES:
        most = 100 if name in beyond else 3_000
        found = play(steered(name, yardstick.loss), shorter, yardstick.loss, most)
        if found.why_not:
            assert name in CONTINUOUS | beyond, f"{name}: {found.why_not}"
            continue
        assert best.expected - 1e-12 <= found.expected <= best.loss_now + 1e-12


class Optimal:
    """What the exact programme says, as a policy."""

    looks_back, alike = 0, KINDS

    def __init__(self, solution):
        self.solution = solution

    def odds(self, state):
        scores = self.solution.scores(state.belief)
        return {min(scores, key=scores.get): 1.0} if scores else {None: 1.0}


@pytest.mark.parametrize("name", ["costs-1-4", "mixed-values", "zero-one"])
def test_following_the_optimum_gives_its_value(name):
    yardstick = YARDSTICKS[name]
    solution = solve(yardstick.start(), yardstick.loss)
    played = play(Optimal(solution), yardstick.start(), yardstick.loss)
    assert played.expected == pytest.approx(solution.expected, abs=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.slow
def test_simulation_agrees_within_its_error(variant):
    budget = 6 if variant in MANY_BRANCHES else 8
    problem = small_problem((2, 2), (1, 3), (1, ((3, 1), (1, 3))), (0.6, 0.4), budget)
    start, chosen = Belief.prior(problem), made(variant)
    exact = play(chosen, start).expected
    if exact is None:
        return
    final = []
    for seed in range(400):
        model = start.sample(np.random.default_rng([seed, 99]))
        *_, last = simulate(problem, chosen, ModelWorld(problem, model, seed), seed=seed)
        final.append(float(last.loss))
    error = np.std(final, ddof=1) / math.sqrt(len(final))
    assert error < 0.01
    assert abs(np.mean(final) - exact) <= 4 * error


def random_history(problem, rng, purchases):
    history = []
    for _ in range(purchases):
        feature, label = problem.actions[rng.integers(len(problem.actions))]
        history.append((feature, label, int(rng.integers(layout_of(problem).sizes[feature]))))
    return history


def state_after(problem, history):
    state = State.start(problem)
    for feature, label, value in history:
        state = state.after(Purchase(feature, label, value, problem.features[feature].cost))
    return state


def what_it_does(chosen, state):
    """Its odds; for policies that draw continuous numbers, what it does with some generators."""
    try:
        return odds(chosen, state)
    except DrawError:
        return [chosen.choose(state, np.random.default_rng(seed)).action for seed in range(10)]


PROBLEMS = {
    "equal": small_problem((2, 2, 2), (1, 1, 1), (1, 1, 1), (0.5, 0.5), 30),
    "unequal": small_problem((2, 3), (1, 2), (1, 1), (0.7, 0.3), 30),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_policy_looks_back_no_further_than_it_says(variant, problem):
    """Earlier purchases in another order leave everything as it was."""
    chosen, rng = made(variant), np.random.default_rng(5)
    back = looks_back(chosen)
    if back is None:
        return
    for purchases in (back + 2, back + 5, back + 9):
        for _ in range(4):
            history = random_history(problem, rng, purchases)
            kept = history[purchases - back :]
            earlier = [history[at] for at in rng.permutation(purchases - back)]
            one, other = (
                what_it_does(chosen, state_after(problem, each))
                for each in (history, [*earlier, *kept])
            )
            assert one == pytest.approx(other) if isinstance(one, dict) else one == other


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_policy_treats_alike_what_it_says(variant, problem):
    """After exchanging interchangeable things it does the same, exchanged."""
    chosen, rng = made(variant), np.random.default_rng(6)
    group = exchanges(Belief.prior(problem), alike(chosen))
    for _ in range(12):
        moves = np.argsort(group[rng.integers(len(group))])
        history = random_history(problem, rng, int(rng.integers(0, 8)))
        moved = [cell_at(problem, int(moves[position_in(problem, *each)])) for each in history]
        try:
            before = odds(chosen, state_after(problem, history))
        except DrawError:
            return
        after = odds(chosen, state_after(problem, moved))
        expected = {
            cell_at(problem, int(moves[position_in(problem, *action, 0)]))[:2]: chance
            for action, chance in before.items()
        }
        assert {tuple(action): chance for action, chance in after.items()} == pytest.approx(
            expected
        )


class Forgetful:
    """Says that it looks at nothing but the belief, and looks at the last purchase."""

    looks_back, alike = 0, ()

    def choose(self, state, rng):
        affordable = state.affordable()
        stay = state.last_action is not None and state.last_action.feature == 0
        return Choice(affordable[0 if stay else -1]) if affordable else None


def test_a_false_promise_is_found_out():
    VARIANTS["forgetful"] = None
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(globals(), "made", lambda _: Forgetful())
            with pytest.raises(AssertionError):
                test_a_policy_looks_back_no_further_than_it_says("forgetful", PROBLEMS["equal"])
    finally:
        del VARIANTS["forgetful"]


def outcomes(draw):
    """Every outcome of what is drawn, with its probability."""
    found, scripts = {}, [()]
    while scripts:
        branch = Branch(scripts.pop())
        drawn = draw(branch)
        key = tuple(drawn.tolist()) if isinstance(drawn, np.ndarray) else drawn
        found[key] = found.get(key, 0) + branch.chance
        scripts.extend(branch.others())
    assert math.fsum(found.values()) == pytest.approx(1)
    return found


def test_every_outcome_of_discrete_draws_is_visited():
    assert outcomes(lambda rng: rng.integers(2, 5)) == pytest.approx(
        dict.fromkeys((2, 3, 4), 1 / 3)
    )
    assert outcomes(lambda rng: rng.integers(1, 2, endpoint=True)) == {1: 0.5, 2: 0.5}
    assert len(outcomes(lambda rng: rng.integers(3, size=(2,)))) == 9
    assert outcomes(lambda rng: rng.choice(3, p=[0.2, 0, 0.8])) == {0: 0.2, 2: 0.8}
    assert outcomes(lambda rng: str(rng.choice(["a", "b"]))) == {"a": 0.5, "b": 0.5}
    orders = outcomes(lambda rng: rng.permutation(3))
    assert len(orders) == 6
    assert set(np.round(list(orders.values()), 12)) == {round(1 / 6, 12)}
    pairs = outcomes(lambda rng: rng.choice(3, size=2, replace=False, p=[0.5, 0.25, 0.25]))
    assert pairs[0, 1] == pytest.approx(0.25)
    assert pairs[1, 0] == pytest.approx(0.25 * 0.5 / 0.75)
    assert len(pairs) == 6

    def shuffled(rng):
        things = [1, 2, 3]
        rng.shuffle(things)
        return tuple(things)

    assert len(outcomes(shuffled)) == 6

    def twice(rng):  # the second draw depends on the first
        return (first := rng.integers(2), 0 if first else rng.integers(2))

    assert outcomes(twice) == {(0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.5}


@pytest.mark.parametrize("name", ["random", "normal", "dirichlet", "beta", "bit_generator"])
def test_continuous_draws_are_refused(name):
    with pytest.raises(DrawError, match=f"continuous numbers .{name}"):
        getattr(Branch(()), name)


@pytest.mark.slow
def test_what_cannot_be_evaluated_says_why():
    start = Belief.prior(TINY["equal"])
    sampled = play(policy("greedy", engine="particles", particles=50), start)
    assert sampled.expected is None
    assert "draws continuous numbers" in sampled.why_not
    crowded = play(policy("random-shopper"), start, most_situations=3)
    assert (crowded.expected, crowded.situations) == (None, 3)
    assert crowded.why_not == "more than 3 situations"

    class Seeded:
        def choose(self, state, rng):
            rng.integers(2**63)
            return Choice(state.affordable()[0], engine="particles")

    assert play(Seeded(), start).why_not == "samples losses"

    class Shuffler:
        def choose(self, state, rng):
            return Choice(state.affordable()[0], reason=str(rng.permutation(12)))

    assert "outcomes" in play(Shuffler(), start).why_not
    found = Comparison(YARDSTICKS["two-flat"], 0.5, 0.4, 9, {"seeded": play(Seeded(), start)})
    assert found.share("seeded") is None
    assert "`seeded` not evaluated exactly on two-flat: samples losses" in markdown([found])


def test_a_policy_that_looks_at_everything_is_followed_through_all_histories():
    class Historian:
        """Goes on with the feature of the first purchase that brought its second value."""

        def choose(self, state, rng):
            affordable = state.affordable()
            hits = [each for each in state.history if each.value == 1]
            wanted = hits[0].action if hits else affordable and affordable[0]
            if not affordable:
                return None
            return Choice(wanted if wanted in affordable else affordable[-1])

    problem = TINY["unequal"]
    found = play(Historian(), Belief.prior(problem))
    slow = brute_value(Historian(), State.start(problem), "gini")
    assert found.expected == pytest.approx(slow, abs=1e-12)


class CostBlindGreedy:
    """Greedy that picks among tied cells whatever they cost."""

    looks_back, alike = 0, KINDS

    def choose(self, state, rng):
        found = lookahead(state.belief, state.depths(at_most=1))
        tied = [cell for cell in state.affordable() if found.best()[cell]]
        return Choice(tied[int(rng.integers(len(tied)))]) if tied else None


def test_the_figures_that_were_known_before():
    """With prices 1 and 4 and budget 14; and round robin where everybody is nearly optimal."""
    yardstick = YARDSTICKS["costs-1-4"]
    found = compare(yardstick, ["sfl", "greedy"])
    assert found.share("sfl") == pytest.approx(0.002, abs=0.0005)
    assert found.share("greedy") == pytest.approx(0.048, abs=0.0005)
    blind = play(CostBlindGreedy(), yardstick.start()).expected
    assert (blind - found.optimal) / found.reduction == pytest.approx(0.099, abs=0.0005)
    for costs, budget in (((1, 1), 8), ((1, 1), 12), ((1, 1, 1), 6), ((1, 1, 1), 12)):
        number = len(costs)
        problem = small_problem([2] * number, costs, [1] * number, (0.5, 0.5), budget)
        best = solve(Belief.prior(problem))
        robin = play(policy("round-robin"), Belief.prior(problem)).expected
        assert (robin - best.expected) / (best.loss_now - best.expected) < 0.0031


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["optimal", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_the_command_prints_a_table_and_the_same_as_json():
    shown = run("--features", 2, "--budget", 4).stdout
    assert "gini loss now 0.500000; optimal after spending 4" in shown
    for name in POLICIES:
        assert name in shown
    document = json.loads(run("--features", 2, "--budget", 4, "--json").stdout)
    assert f"{document['optimal_loss']:.6f}" in shown
    assert [each["policy"] for each in document["policies"]] == list(POLICIES)
    for each in document["policies"]:
        if each["expected_loss"] is not None:
            assert f"{each['expected_loss']:.6f}" in shown
            assert each["regret"] >= -1e-12


def test_the_command_takes_any_small_problem():
    document = json.loads(
        run("--values", "2,3", "--costs", "1,1.5", "--prior", "0.5,0.3,0.2", "--budget", 3,
            "--prior-counts", "1,2; 1,1,1/2,2,2/3,3,3", "--loss", "entropy", "--policy", "sfl",
            "--json").stdout
    )  # fmt: skip
    assert document["values"] == [2, 3]
    assert document["prior_counts"] == [[1, 2], [[1] * 3, [2] * 3, [3] * 3]]
    assert document["loss"] == "entropy"
    assert [each["policy"] for each in document["policies"]] == ["sfl"]


def test_the_command_knows_the_yardsticks():
    shown = run("--yardstick", "costs-1-4", "--policy", "sfl").stdout
    assert "0.22 %" in shown
    assert "costs-1-4" in run("--yardstick", "none", code=2).output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--features", 3, "--budget", 40), "would fit"),
        (("--features", 3, "--costs", "1,2"), "one for each of 3 features"),
        (("--prior", "a,b"), "must be numbers"),
        (("--policy", "slf"), "did you mean"),
        (("--prior", "0.5,0.4"), "must sum to 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(arguments, words):
    result = CliRunner().invoke(main, ["optimal", *map(str, arguments)])
    assert result.exit_code in (1, 2)
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_the_suite_is_markdown():
    lines = run("--suite", "--policy", "round-robin").stdout.splitlines()
    assert lines[0].startswith("| problem | what it is |")
    assert f"| `costs-1-4` | {percent(0.0092)} |" in lines
    assert sum(line.startswith("| `") for line in lines) == 2 * len(YARDSTICKS)


def test_the_defaults_of_the_command_are_those_of_the_package():
    import budgeted.cli.optimal as cli_optimal

    assert cli_optimal._MOST_STATES == MOST_STATES
    assert cli_optimal._MOST_SITUATIONS == MOST_SITUATIONS


@pytest.mark.parametrize("name", ["costs-1-4", "costs-1-2-3"])
def test_the_table_in_the_docs_is_current(name):
    """The quickest rows of it."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
    from write_optimal import SHOWN

    page = (Path(__file__).parents[2] / "docs" / "optimal.md").read_text(encoding="utf-8")
    rows = [
        line for line in markdown([compare(YARDSTICKS[name], SHOWN)]).splitlines() if name in line
    ]
    assert len(rows) == 2
    for row in rows:
        assert row in page, "run tools/write_optimal.py"
    heads = re.findall(r"^\| problem \| (`.*) \|$", page, re.MULTILINE)
    assert heads == [" | ".join(f"`{each}`" for each in SHOWN)]
