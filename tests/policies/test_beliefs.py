"""Any policy under another belief, and the odds of each."""

from collections import Counter

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem, Purchase, State, Study, policy, simulate
from budgeted.errors import DrawError, ExperimentError, PolicyError, StudyFileError
from budgeted.experiments.spec import parse
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.loss import expected_loss, loss
from budgeted.policies import POLICIES, believing
from budgeted.simulation.worlds import ModelWorld
from budgeted.studies.beginning import policy_of
from tests.sample_studies import begin, make_cases, make_problem

VALUES = [(0, 0, 0), (0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0), (2, 0, 1), (0, 0, 0)]


def state_of(budget=12, costs=(1, 1, 1), waiting=True):
    """Some values of three features are there, and one more is under way."""
    features = [Feature(name, ("no", "yes"), cost) for name, cost in zip("abc", costs, strict=True)]
    state = State.start(Problem(features, ("well", "ill"), (0.6, 0.4), budget), cases=(9, 9))
    for feature, label, value in VALUES:
        state = state.after(Purchase(feature, label, value, costs[feature]))
    return state.reserve((1, 1)) if waiting else state


@pytest.mark.parametrize(("name", "ahead"), [("sfl", 4), ("greedy", 1)])
def test_a_policy_looks_ahead_by_what_another_learner_believes(name, ahead):
    """By brute force: each outcome of the purchases is observed, and its loss looked up."""
    state, chosen = state_of(), believing(policy(name), NaiveBayes, "default")
    believe = Hierarchical().believe

    def after(counts, left):
        """The expected loss after purchases, value by value."""
        if not left:
            return float(loss(believe(counts)))
        (feature, label), *others = left
        chances = believe(counts).mean(feature)[label]
        return sum(
            chance * after(counts.observe_at(feature, label, value), others)
            for value, chance in enumerate(chances)
        )

    choice = chosen.choose(state, np.random.default_rng(0))
    plain = policy(name).choose(state, np.random.default_rng(0))
    depths = np.minimum(state.depths(), ahead)
    for cell in state.affordable():
        believed = believe(state.belief)
        bought = Counter({(1, 1): 1})
        bought[cell] += int(depths[cell])
        assert choice.scores[cell] == pytest.approx(expected_loss(believed, bought), abs=1e-12)
        if cell[0] == 1:  # all outcomes are of one feature: they can be gone through one by one
            slow = after(state.belief, [(1, 1), *[tuple(cell)] * int(depths[cell])])
            assert choice.scores[cell] == pytest.approx(slow, abs=2e-3)
        assert choice.scores[cell] != pytest.approx(plain.scores[cell], abs=1e-4)
    best = min(choice.scores.values())
    assert choice.scores[choice.action] == pytest.approx(best, abs=1e-12)


def test_biased_robin_judges_by_the_other_belief_as_well():
    state = state_of(waiting=False)
    chosen = believing(policy("biased-robin"), NaiveBayes, "default")
    reason = chosen.choose(state, np.random.default_rng(0)).reason
    before = Hierarchical().believe(state.belief.retract_at(0, 0, 0))
    now = Hierarchical().believe(state.belief)
    assert f"from {loss(before):.4f} to {loss(now):.4f}" in reason


@pytest.mark.parametrize("name", ["sfl", "kg-star", "pair-lookahead", "seu", "rsfl", "abr2"])
def test_simulations_are_played_under_another_belief(name):
    problem = state_of().problem
    world = ModelWorld(problem, np.tile([[0.9, 0.1], [0.2, 0.8]], (1, 3)), seed=1)
    rows = list(simulate(problem, policy(name), world, seed=1, belief="default"))
    assert rows[-1].spent == 12


def test_only_who_says_what_it_believes_can_be_believed():
    with pytest.raises(PolicyError, match="belief: must be 'default' or a learner that says what"):
        believing(policy("sfl"), NaiveBayes, "naive-bayes")


def test_a_study_and_an_experiment_name_the_belief(tmp_path):
    place = str(tmp_path / "studies.db")
    with begin(place, policy="sfl", belief="default") as study:
        study.ask(2)
    with Study.open(place) as again:
        assert again.created.belief == "default"
        assert policy_of(again.created).believer == Hierarchical()
        assert again.verify()
    with pytest.raises(StudyFileError, match="belief: must be 'default' or a learner"):
        Study.create(place, "b", make_problem(), make_cases(make_problem()), belief="naive-bayes")
    document = {"budget": 4, "runs": 1, "problem": {"synthetic": "figure-3b", "cases": 20},
                "policy": [{"name": "sfl"},
                           {"name": "sfl", "label": "b", "belief": "default"}]}  # fmt: skip
    found = parse(document, name="x")
    plain, believed = (found.play(each, 0) for each in found.contenders)
    assert parse(found.document(), name="x").digest() == found.digest()
    assert len(plain.error) == len(believed.error) == 4
    document["policy"][1]["belief"] = "odd"
    with pytest.raises(ExperimentError, match=r"policy\[1\]: belief: there is no learner 'odd'"):
        parse(document, name="x")


DRAWN = {
    "random-shopper": {}, "round-robin": {"over": "cases"}, "biased-robin": {}, "greedy": {},
    "sfl": {}, "rsfl": {"best": 3}, "exp3": {"gamma": 0.4}, "exp3c": {"gamma": 0.4},
    "uniform-expenditure": {}, "seu": {"candidates": 6}, "auto": {},
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_odds_are_how_often_each_cell_is_bought(name):
    state, chosen = state_of(costs=(1, 2, 1), budget=20), policy(name, **DRAWN[name])
    odds, number = chosen.odds(state), 400
    assert sum(odds.values()) == pytest.approx(1)
    drawn = Counter(
        chosen.choose(state, np.random.default_rng(seed)).action for seed in range(number)
    )
    assert set(drawn) <= set(odds)
    for cell, chance in odds.items():
        spread = np.sqrt(number * chance * (1 - chance))
        assert abs(drawn[cell] - number * chance) <= 4 * spread


@pytest.mark.parametrize(("name", "parameters"), [("fel", {}), ("seu", {"candidates": 2})])
def test_odds_are_refused_where_something_is_drawn_before(name, parameters):
    with pytest.raises(DrawError, match="draws numbers, or cases, before it knows the chances"):
        policy(name, **parameters).odds(state_of())


def test_odds_are_refused_where_cases_are_drawn():
    features = [Feature(f"f{at}", tuple("abcd"), 1) for at in range(9)]
    state = State.start(Problem(features, tuple("xyz"), (0.3, 0.3, 0.4), 9))
    with pytest.raises(DrawError):
        policy("greedy").odds(state)
    assert policy("greedy").choose(state, np.random.default_rng(0)) is not None


@pytest.mark.parametrize("name", POLICIES)
def test_nothing_has_odds_where_nothing_can_be_bought(name):
    problem = Problem([Feature("f", ("a", "b"), 1)], ("x", "y"), (0.5, 0.5), 0)
    assert policy(name).odds(State.start(problem, belief=Belief.prior(problem))) == {}
