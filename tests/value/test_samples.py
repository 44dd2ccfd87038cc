"""The paper's sampled scores: right on average, and on the same cases or on fresh ones."""

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem
from budgeted.errors import EngineError
from budgeted.experiments.spec import parse
from budgeted.value import brute_force, lookahead, loss
from budgeted.value.loss import LOSSES


def a_belief(labels):
    features = [Feature("f0", ("a", "b", "c"), 1), Feature("f1", ("a", "b"), 1),
                Feature("f2", ("a", "b"), 1)]  # fmt: skip
    prior = [0.5, 0.3, 0.2][:labels] if labels == 3 else [0.6, 0.4]
    problem = Problem(features, [f"l{at}" for at in range(labels)], prior, 100)
    belief = Belief.prior(problem)
    for cell in (("f0", "l0", "a"), ("f0", "l1", "c"), ("f0", "l0", "a"), ("f1", "l1", "b")):
        belief = belief.observe(*cell)
    return belief


@pytest.mark.parametrize("engine", ["samples", "fresh-samples"])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("kind", list(LOSSES))
def test_scores_are_right_on_average_and_their_errors_honest(kind, labels, engine):
    """Against the sum over all outcomes and all cases: 40 means of 100 cases."""
    belief, depths = a_belief(labels), np.zeros((3, labels), dtype=int)
    depths[0, 0], depths[1, 1] = 3, 2
    truth = np.full(depths.shape, np.nan)
    for cell in ((0, 0), (1, 1)):
        alone = np.zeros_like(depths)
        alone[cell] = depths[cell]
        truth[cell] = brute_force.expected_loss(belief, alone, LOSSES[kind])
    found = [
        lookahead(belief, depths, kind, engine=engine, particles=100, rng=seed)
        for seed in range(40)
    ]
    off = np.array([each.values - truth for each in found])[:, depths > 0]
    stated = np.array([each.standard_errors for each in found])[:, depths > 0]
    assert (np.abs(off.mean(axis=0)) < 4 * stated.mean(axis=0) / np.sqrt(40)).all()
    assert np.sqrt((off**2).mean(axis=0)) == pytest.approx(stated.mean(axis=0), rel=0.5)


def test_purchases_under_way_count_as_bought():
    belief, depths = a_belief(2), np.zeros((3, 2), dtype=int)
    depths[0, 0] = 2
    given = {("f0", "l0"): 1, ("f1", "l0"): 2, ("f1", "l1"): 1}
    together = np.array([[3, 0], [2, 1], [0, 0]])
    truth = brute_force.expected_loss(belief, together, LOSSES["gini"])
    found = lookahead(belief, depths, given=given, engine="samples", particles=40_000)
    assert abs(found.values[0, 0] - truth) < 4 * found.standard_errors[0, 0] < 0.01


def test_shared_cases_keep_the_order_of_scores_and_fresh_ones_lose_it():
    """Two cells that differ little: on the same cases their difference is seen, on others not."""
    belief, depths = a_belief(2), np.zeros((3, 2), dtype=int)
    depths[1, 0], depths[2, 0] = 5, 5

    def differences(engine):
        found = [
            lookahead(belief, depths, engine=engine, particles=100, rng=seed).values[:, 0]
            for seed in range(60)
        ]
        return np.array([each[1] - each[2] for each in found])

    shared, fresh = differences("samples"), differences("fresh-samples")
    assert shared.std() < 0.5 * fresh.std()


@pytest.mark.slow
def test_fresh_cases_destroy_selectivity():
    """One feature of ten matters; on fresh cases it is bought hardly more often than by chance."""
    experiment = parse(
        {"budget": 60, "problem": {"synthetic": "figure-3b", "case_rule": "per cell"},
         "policy": [{"name": "sfl", "max_depth": 10, "label": engine, "engine": engine,
                     "particles": 50} for engine in ("samples", "fresh-samples")]}, "selectivity"
    )  # fmt: skip
    bought = {}
    for contender in experiment.contenders:
        runs = [experiment.play(contender, run) for run in range(5)]
        bought[contender.label] = np.mean([np.isin(each.feature, each.discriminative).sum()
                                           for each in runs])  # fmt: skip
    assert bought["samples"] > 1.3 * bought["fresh-samples"]


def test_it_is_for_those_who_ask_for_it_by_name():
    belief = a_belief(3)
    assert lookahead(belief, np.ones((3, 3), dtype=int)).engine == "enumeration"
    with pytest.raises(EngineError, match="samples engine does not answer this; use enumeration"):
        loss(belief, engine="samples")
