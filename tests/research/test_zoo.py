"""The zoo: its worlds are as stated, its judge is right, and its summary adds up."""

import json
from dataclasses import replace
from decimal import Decimal
from math import sqrt

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Purchase
from budgeted.errors import RunnerError
from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes
from budgeted.policies import POLICIES, policy
from budgeted.simulation.worlds import TableWorld
from budgeted.statistics import Mean
from research.quality.zoo import plays
from research.quality.zoo.__main__ import main
from research.quality.zoo.entries import ENTRIES, PAPER, PARTICLES, Entry, chosen
from research.quality.zoo.model import Model
from research.quality.zoo.plays import LOOKS, judge, path_of, play, within
from research.quality.zoo.results import Results
from research.quality.zoo.summary import (
    above_majority,
    by_stratum,
    overall,
)
from research.quality.zoo.summary import main as summarise
from research.quality.zoo.traits import (
    Traits,
    draw_traits,
)
from research.quality.zoo.worlds import ZooWorld, draw

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
