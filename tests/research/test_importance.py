"""The paper's sampled scores: right on average, and on the same cases or on fresh ones."""

from pathlib import Path

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem
from budgeted.experiments.spec import parse
from research.paper import importance
from tests import oracles


@pytest.mark.parametrize("labels", [2, 3])
def test_scores_are_right_on_average(labels):
    features = [Feature("f0", ("a", "b", "c"), 1), Feature("f1", ("a", "b"), 1)]
    prior = (0.5, 0.3, 0.2) if labels == 3 else (0.6, 0.4)
    problem = Problem(features, [f"l{at}" for at in range(labels)], prior, 100)
    belief = Belief.prior(problem).observe("f0", "l0", "a", 2).observe("f1", "l1", "b")
    values = importance._draw(belief, 40_000, np.random.default_rng(1))
    for cell, depth in (((0, 0), 3), ((1, 1), 2)):
        model = oracles.counts_of(belief)
        truth = oracles.brute_expected_loss(model, prior, {cell: depth}, "gini")
        assert importance.score(belief, values, *cell, depth) == pytest.approx(truth, abs=0.01)


@pytest.mark.slow
def test_fresh_cases_destroy_selectivity():
    """One feature of ten matters; on fresh cases it is bought hardly more often than by chance."""
    policies = [
        {"name": "sampled-lookahead", "max_depth": 10, "label": label, "samples": 50,
         "shared": label == "shared"} for label in ("shared", "fresh")
    ]  # fmt: skip
    folder = Path(importance.__file__).parent
    document = {"budget": 60, "modules": ["importance.py"], "policy": policies,
                "problem": {"synthetic": "figure-3b", "case_rule": "per cell"}}  # fmt: skip
    experiment = parse(document, "selectivity", folder=folder)
    bought = {}
    for contender in experiment.contenders:
        runs = [experiment.play(contender, run) for run in range(5)]
        matters = [np.isin(each.feature, each.discriminative).sum() for each in runs]
        bought[contender.label] = np.mean(matters)
    assert bought["shared"] > 1.3 * bought["fresh"]
