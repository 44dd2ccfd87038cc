"""The paper's two synthetic problems, and repeated runs on them."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from budgeted.errors import WorldError
from budgeted.experiments.runs import Run, Runs, repeat, run_seed
from budgeted.learners import of_belief
from budgeted.policies import policy
from budgeted.simulation.synthetic import FIGURE_3B, Synthetic


def test_a_draw_has_the_sizes_of_the_paper():
    drawn = FIGURE_3B.draw(seed=1, budget=100)
    assert len(drawn.problem.features) == 10
    assert sum(drawn.world.cases) == 800
    assert len(drawn.validation.values) == 200
    assert len(drawn.discriminative) == 1


def test_the_same_seed_is_the_same_world_at_any_budget():
    first, second = FIGURE_3B.draw(1, budget=50), FIGURE_3B.draw(1, budget=300)
    assert (first.world.values == second.world.values).all()
    assert (first.validation.values == second.validation.values).all()
    assert (first.world.values != FIGURE_3B.draw(2, budget=50).world.values).any()


def shares_of_first_value(setting, seed=3):
    world = setting.draw(seed, budget=1).world
    return np.stack([(world.values[world.labels == j] == 0).mean(axis=0) for j in (0, 1)])


def test_only_the_discriminative_features_differ_between_labels():
    setting = Synthetic(features=8, discriminative=3, strength=0.8, cases=50_000)
    drawn = setting.draw(3, budget=1)
    shares = shares_of_first_value(setting)
    # Each share comes from about 20 000 cases: a standard error of at most 0.0036.
    for feature in range(8):
        if feature in drawn.discriminative:
            assert shares[:, feature] == pytest.approx([0.8, 0.2], abs=0.015)
        else:
            assert shares[0, feature] == pytest.approx(shares[1, feature], abs=0.02)
    assert len(drawn.discriminative) == 3


def test_perfect_strength_and_another_prior():
    setting = Synthetic(strength=1.0, class_prior=0.8, cases=20_000)
    drawn = setting.draw(5, budget=1)
    (feature,) = drawn.discriminative
    assert (drawn.world.values[:, feature] == drawn.world.labels).all()
    assert drawn.problem.prior == pytest.approx((0.8, 0.2))
    assert (drawn.world.labels == 0).mean() == pytest.approx(0.8, abs=0.015)
    assert drawn.truth.error(of_belief(drawn.world.complete_belief())) < 1e-9


def test_the_bayes_error_of_figure_3b_is_a_tenth():
    drawn = replace(FIGURE_3B, cases=100_000).draw(4, budget=1)
    assert drawn.truth.error(of_belief(drawn.world.complete_belief())) == pytest.approx(
        0.1, abs=1e-3
    )
    # 20 000 validation cases at a rate of 0.1: standard error 0.0021.
    assert drawn.complete_error() == pytest.approx(0.1, abs=0.009)


def test_many_features_have_no_exact_truth():
    assert Synthetic(features=30).draw(0, budget=1).truth is None


@pytest.mark.parametrize(
    ("knobs", "says"),
    [
        ({"features": 0}, "features: must be at least 1"),
        ({"discriminative": 11}, "discriminative: must be from 0 to the number of features"),
        ({"strength": 1.1}, "strength: must be from 0 to 1"),
        ({"class_prior": 0.0}, "class_prior: must be between 0 and 1"),
        ({"class_prior": float("nan")}, "class_prior: must be between 0 and 1"),
        ({"cases": 3}, "cases: must be at least 10"),
    ],
)
def test_wrong_knobs_are_explained(knobs, says):
    with pytest.raises(WorldError, match=says):
        Synthetic(**knobs)


def test_repeated_runs_are_summed_up():
    setting = Synthetic(features=3)
    calls = []
    runs = repeat(
        lambda seed: setting.draw(seed, budget=7),
        policy("round-robin"),
        runs=4,
        seed=1,
        after_run=lambda: calls.append(1),
    )
    assert len(calls) == 4
    assert runs.errors.shape == (4, 7)
    assert runs.purchases.sum(axis=1).tolist() == [7] * 4
    curve = runs.curve()
    assert [point["purchases"] for point in curve] == [1, 2, 3, 4, 5, 6, 7]
    assert curve[-1]["spent"] == 7
    assert curve[3]["mean_error"] == pytest.approx(runs.errors[:, 3].mean())
    assert curve[3]["standard_error"] == pytest.approx(runs.errors[:, 3].std(ddof=1) / 2)


def test_every_run_is_another_world_and_every_policy_meets_the_same_ones():
    setting, drawn = Synthetic(features=3), []

    def draw(seed):
        drawn.append(setting.draw(seed, budget=5))
        return drawn[-1]

    shopped = repeat(draw, policy("random-shopper"), runs=6, seed=1)
    repeat(draw, policy("round-robin"), runs=6, seed=1)
    repeat(draw, policy("round-robin"), runs=6, seed=2)
    worlds = [each.world.values.tobytes() for each in drawn]
    assert worlds[:6] == worlds[6:12]
    assert len(set(worlds)) == 12
    bought = {(*run.feature.tolist(), *run.label.tolist()) for run in shopped.runs}
    assert len(bought) == 6, "the policy has other draws in each run, too"


def test_seeds_do_not_share_runs():
    seeds = {run_seed(seed, run) for seed in range(20) for run in range(20)}
    assert len(seeds) == 400
    with pytest.raises(WorldError, match="runs: must be at least 1"):
        repeat(lambda seed: FIGURE_3B.draw(seed, 5), policy("greedy"), runs=0)


def test_runs_of_different_lengths_keep_their_last_error():
    """Where costs differ, a policy that buys dear things stops earlier."""
    short = Run(*(np.array([0, 1]),) * 3, (Decimal(2),) * 2, (Decimal(2), Decimal(4)),
                np.array([0.4, 0.1]), 0.0, 0.0)  # fmt: skip
    spent = tuple(map(Decimal, (1, 2, 3, 4)))
    long = Run(*(np.array([0, 1, 1, 0]),) * 3, (Decimal(1),) * 4, spent,
               np.array([0.5, 0.4, 0.3, 0.3]), 0.0, 0.0)  # fmt: skip
    runs = Runs(("f", "g"), (short, long))
    assert [point["mean_error"] for point in runs.curve()] == pytest.approx([0.45, 0.25, 0.2, 0.2])
    assert runs.final.value == pytest.approx(0.2)
    by_money = runs.curve_by_money([1, 2, 3, 4])
    assert [point["spent"] for point in by_money] == [2, 3, 4]
    assert [point["mean_error"] for point in by_money] == pytest.approx([0.4, 0.35, 0.2])


def test_of_one_run_the_standard_error_is_unknown():
    runs = repeat(lambda seed: FIGURE_3B.draw(seed, 3), policy("round-robin"), runs=1)
    assert runs.curve()[0]["standard_error"] is None
