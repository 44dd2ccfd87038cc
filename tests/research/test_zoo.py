"""The zoo: its worlds are as stated, its judge is right, and its summary adds up."""

import json
from dataclasses import replace
from decimal import Decimal
from math import sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from budgeted import Feature, Problem, Purchase
from budgeted.errors import RunnerError
from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes
from budgeted.policies import POLICIES, policy
from budgeted.simulation.worlds import TableWorld
from budgeted.statistics import Mean
from research.quality.zoo import plays
from research.quality.zoo.__main__ import main
from research.quality.zoo.entries import ENTRIES, PAPER, PARTICLES, Entry, chosen
from research.quality.zoo.model import GROUP_SIZES, Model
from research.quality.zoo.plays import LOOKS, judge, path_of, play, within
from research.quality.zoo.results import Results
from research.quality.zoo.summary import (
    Calibration,
    above_majority,
    by_stratum,
    calibration,
    overall,
)
from research.quality.zoo.summary import main as summarise
from research.quality.zoo.traits import (
    LABELS,
    LARGEST_SHARE,
    MOST_WORK,
    Traits,
    draw_traits,
)
from research.quality.zoo.worlds import TEST_CASES, ZooWorld, draw

SEED = 11
"""Neither of those that choose or report."""
DRAWN = 400
TRAITS = [draw_traits(SEED, number) for number in range(DRAWN)]


def numbers_with(*names, most=1e9):
    """Numbers of the worlds in these strata whose budget does not take long to spend."""
    return [
        number
        for number, traits in enumerate(TRAITS)
        if set(names) <= set(traits.strata) and traits.features * traits.multiple <= most
    ]


def in_band(count, number, chance, tail=1e-6):
    """Whether a count is one that chance would give, but for once in a million times."""
    low, high = stats.binom.ppf(tail, number, chance), stats.binom.isf(tail, number, chance)
    return low <= count <= high


def test_a_world_is_a_function_of_seed_and_number():
    number = numbers_with("copies", "missing cells")[0]
    one, _, again = (draw(SEED, each) for each in (number, number + 1, number))
    assert one.traits == again.traits == TRAITS[number]
    assert (one.problem, one.seed) == (again.problem, again.seed)
    for name in ("test_values", "test_labels"):
        assert np.array_equal(getattr(one, name), getattr(again, name))
    assert np.array_equal(one.world.values, again.world.values)
    other = draw(SEED + 1, number)
    assert other.traits != one.traits
    assert other.seed != one.seed


def test_traits_are_within_their_bounds():
    for each in TRAITS:
        low, high = {"none relevant": (0, 0), "one to three relevant": (1, 3),
                     "some relevant": (1, each.features),
                     "all relevant": (each.features, each.features)}[each.relevance]  # fmt: skip
        assert low <= each.relevant <= high
        assert 4 <= each.features <= 100
        assert 1 <= each.multiple <= 30
        assert each.features * each.multiple <= MOST_WORK
        assert sum(each.shares) == pytest.approx(1)
        assert 1 / len(each.shares) - 1e-9 <= max(each.shares) <= LARGEST_SHARE
        assert each.missing == 0 or 0.05 <= each.missing <= 0.3
    assert {len(each.shares) for each in TRAITS} == set(LABELS)
    first = sum(each.shares[0] > 0.5 for each in TRAITS if len(each.shares) == 2)
    assert in_band(first, sum(len(each.shares) == 2 for each in TRAITS), 0.5)  # no favoured place


@pytest.mark.parametrize("dependence", list(GROUP_SIZES))
def test_the_test_table_is_complete_and_as_the_model_says(dependence):
    world = draw(SEED, numbers_with(dependence, "missing cells", "4–9 features")[0])
    assert sorted(feature for group in world.model.groups for feature in group) == list(
        range(world.traits.features)
    )
    counts = np.bincount(world.test_labels)
    assert counts.sum() == TEST_CASES
    assert np.abs(counts - TEST_CASES * np.array(world.traits.shares)).max() < 1
    assert world.majority_error == pytest.approx(1 - counts.max() / TEST_CASES)
    assert world.test_values.min() >= 0
    for feature, table in enumerate(world.model.marginals):
        for (label, value), chance in np.ndenumerate(table):
            seen = world.test_values[world.test_labels == label, feature] == value
            assert in_band(seen.sum(), len(seen), chance)
    empty = world.world.values < 0
    assert in_band(empty.sum(), empty.size, world.traits.missing)


SMALL = numbers_with("prices by chance", "missing cells", most=60)[0]


def test_a_look_has_all_purchases_within_its_share_and_none_beyond():
    world = draw(SEED, SMALL)
    bought = play(world, policy("random-shopper"), "fresh", 2)
    for look, row in zip(LOOKS, judge(world, bought, [NaiveBayes()]), strict=True):
        money = world.problem.budget * Decimal(look)
        assert row.look == look
        assert within(bought, money) == bought[: row.purchases]
        assert sum(each.cost for each in bought[: row.purchases]) <= money
        more = bought[: row.purchases + 1]
        assert more == bought or sum(each.cost for each in more) > money
    assert row.purchases == len(bought)


def test_whole_cases_completes_a_case_before_it_begins_another():
    world = draw(SEED, numbers_with("prices by chance", "10–30 values a feature", most=200)[0])
    features = world.traits.features
    bought = play(world, policy("round-robin", over="cases"), "fresh", 5)
    dearest = max(each.cost for each in world.problem.features)
    early = within(bought, world.problem.budget - features * dearest)
    whole = len(early) // features
    assert whole >= 2
    for at in range(whole):
        case = early[at * features : (at + 1) * features]
        assert [each.feature for each in case] == list(range(features))
        assert len({each.case for each in case}) == 1
    assert len({each.case for each in early[: whole * features]}) == whole


def tiny_world():
    """One Boolean feature, four test cases: everything can be worked out by hand."""
    problem = Problem([Feature("x", ("a", "b"), 1)], ("y", "z"), prior=(0.5, 0.5), budget=4)
    traits = Traits(1, "Boolean", "all relevant", 1, "weak", "even values", (0.5, 0.5),
                    "independent", 0.0, "equal prices", 4.0, hard=False)  # fmt: skip
    table = TableWorld(problem, np.array([[0], [1]]), np.array([0, 1]))
    model = Model((0.5, 0.5), (np.full((2, 2), 0.5),), "independent", ((0,),), (np.zeros(2),))
    values, labels = np.array([[0], [0], [1], [1]]), np.array([0, 1, 1, 1])
    return ZooWorld(0, traits, model, problem, table, values, labels, 0.25, 0)


def test_a_tiny_example_is_judged_as_by_hand():
    # Half of 1 is no purchase: both labels tie, and a guess is wrong half of the time. After b of
    # label z: a → y, b → z, so one of four is wrong. After b of y as well they tie again; after
    # another b of y it is a → z, b → y, which is right for one case only. The last 1 is not spent.
    bought = [Purchase(0, 1, 1, 1), Purchase(0, 0, 1, 1), Purchase(0, 0, 1, 1)]
    plain = judge(tiny_world(), bought, [NaiveBayes()], outlooks=False)
    assert plain == [
        row._replace(predicted=None, low=None, high=None)
        for row in judge(tiny_world(), bought, [NaiveBayes()])
    ]
    assert [row.look for row in plain] == [1 / 8, 1 / 4, 1 / 2, 3 / 4, 1]
    assert [row.purchases for row in plain] == [0, 1, 2, 3, 3]
    assert [row.error for row in plain] == [0.5, 0.25, 0.5, 0.75, 0.75]
    assert {row[-3:] for row in plain} == {(None, None, None)}
    lost = judge(tiny_world(), [Purchase(0, 1, None, 1)], [NaiveBayes()])
    assert {row.error for row in lost} == {0.5}  # paid for, and nothing came


def test_every_registered_policy_is_an_entry_and_can_be_made():
    labels = [each.label for each in ENTRIES]
    assert sorted(labels) == sorted({*POLICIES, "whole-cases"})
    for each in ENTRIES:
        assert each.make().name == each.policy
        assert set(each.learners) <= set(LEARNERS)
        assert json.loads(json.dumps(each.choices())) == each.choices()
        assert getattr(each.make(), "particles", PARTICLES) == PARTICLES
    rules = {each.label: each.cases for each in ENTRIES if each.cases != "fresh"}
    assert rules == {"auto": "settle"}
    assert set(PAPER) < set(labels)
    assert [each.label for each in chosen(["sfl", "auto"])] == ["auto", "sfl"]
    assert chosen([]) == ENTRIES
    with pytest.raises(ValueError, match="there is no entry slf; there are auto"):
        chosen(["slf"])


@pytest.fixture
def in_the_tiny_world(monkeypatch):
    monkeypatch.setattr(plays, "world_of", lambda source, number: tiny_world())


BOTH = (NaiveBayes.name, Hierarchical.name)
ONE, TWO = Entry("one", "round-robin", learners=BOTH), Entry("two", "random-shopper", learners=BOTH)


@pytest.mark.usefixtures("in_the_tiny_world")
def test_what_was_played_is_not_played_again(tmp_path, monkeypatch):
    def complete(*entries, code=""):
        return plays.complete(tmp_path, "selection", 0, entries, code)

    def kept():
        return plays.read(path_of(tmp_path, "selection", 0))

    assert kept() == {}
    assert complete(ONE) == 1
    assert complete(ONE) == 0
    first = kept()["one"]
    assert complete(ONE, TWO) == 1
    assert (list(kept()), kept()["one"]) == (["one", "two"], first)
    world = tiny_world()
    for entry in (ONE, TWO):
        bought = play(world, entry.make(), entry.cases, world.seed)
        assert kept()[entry.label].purchases(world.problem) == bought
    assert complete(replace(ONE, learners=(NaiveBayes.name,), outlooks=True)) == 0
    assert complete(replace(ONE, cases="settle"), TWO) == 1
    assert kept()["one"].choices["cases"] == "settle"
    assert complete(ONE) == 1
    monkeypatch.setattr(plays, "fingerprint", lambda: "other")
    assert complete(ONE, TWO) == 0, "other code may choose the same"
    with pytest.raises(RunnerError, match="was changed while this ran"):
        complete(ONE, code="as it was before")


@pytest.mark.slow
def test_the_commands_play_judge_and_compare(tmp_path):
    def run(command, *arguments):
        given = ["--worlds", "2", "--results", str(tmp_path), *arguments]
        return CliRunner().invoke(main, [command, *given])

    names = ("round-robin", "random-shopper")
    played = run("play", "--workers", "1", *names)
    assert played.exit_code == 0, played.output
    assert "2 worlds to do" in played.output
    assert "0 worlds to do" in run("play", "round-robin").output
    done = run("judge", "--workers", "1", *names)
    assert done.exit_code == 0, done.output
    told = CliRunner().invoke(summarise, ["--results", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert "2 worlds (selection); reference: round-robin / naive" in told.output
    assert "there is no entry nobody" in run("play", "nobody").output


def made_up(errors, strata, majority=0.4, entry="auto", interval=(None, None, None)):
    """A file per world with the errors at two looks, and what the predictor says at both."""
    predicted, low, high = interval
    return [
        plays.WorldFile(
            {"majority_error": majority, "strata": names},
            [{"entry": entry, "learner": "naive", "error": error, "predicted": predicted,
              "low": low, "high": high, "seconds": 1.0} for error in pair],
        )
        for pair, names in zip(errors, strata, strict=True)
    ]  # fmt: skip


STRATA_OF = [("weak",), ("weak",), ("strong",), ("strong",)]


def two_entries():
    base = made_up([(0.30, 0.10), (0.30, 0.20), (0.30, 0.30), (0.30, 0.40)], STRATA_OF,
                   interval=(0.25, 0.10, 0.30))  # fmt: skip
    other = made_up([(0.30, 0.11), (0.30, 0.21), (0.50, 0.33), (0.50, 0.45)], STRATA_OF,
                    entry="sfl")  # fmt: skip
    return [
        plays.WorldFile(one.facts, one.rows + two.rows)
        for one, two in zip(base, other, strict=True)
    ]


def test_a_summary_of_made_up_rows_is_as_by_hand():
    results = Results.of(two_entries())
    auto, sfl = results.looks["auto / naive"], results.looks["sfl / naive"]
    assert Mean.of(auto.end).value == pytest.approx(0.25)
    assert auto.on_the_way == pytest.approx([0.20, 0.25, 0.30, 0.35])
    # Differences at the end .01 .01 .03 .05: mean .025, standard deviation .0191, of 4 worlds.
    deviation = sqrt((0.015**2 * 2 + 0.005**2 + 0.025**2) / 3)
    cell = f"+0.025 ± {deviation / 2:.3f} ▲"
    assert deviation / 2 == pytest.approx(0.00957, abs=1e-5)
    assert cell in overall(results, "auto / naive")
    assert "0.250 ± 0.065" in overall(results, "auto / naive")
    lines = by_stratum(results, "auto / naive", ["sfl / naive"], way=False).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["weak", "2", "0.150", "+0.010", "±", "0.000", "▲"],
        ["strong", "2", "0.350", "+0.040", "±", "0.010", "▲"],
    ]
    lines = by_stratum(results, "auto / naive", ["sfl / naive"], way=True).splitlines()
    assert lines[1].split()[3:] == ["+0.005", "±", "0.000", "▲"]
    # More than .02 above .4: sfl at the first look of two worlds and the last of one, of 8.
    assert above_majority(sfl, results.majority) == pytest.approx(3 / 8)
    assert above_majority(auto, results.majority) == 0


def test_calibration_of_made_up_rows_is_as_by_hand():
    results = Results.of(two_entries())
    # Within .1 and .3: all looks but the last one (.4). Predicted .25, true mean .275.
    found = Calibration.of(results.looks["auto / naive"])
    assert found.coverage == pytest.approx(7 / 8)
    assert found.bias == pytest.approx(0.25 - 0.275)
    assert Calibration.of(results.looks["sfl / naive"]) is None
    lines = [line.split() for line in calibration(results).splitlines()]
    assert lines[1:] == [["all", "worlds", "87.5%", "-0.025"], ["weak", "100.0%", "+0.025"],
                         ["strong", "75.0%", "-0.075"]]  # fmt: skip
