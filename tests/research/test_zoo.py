"""The zoo: its worlds are as stated, its judge is right, and its summary adds up."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from math import log, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import integrate, stats

from budgeted import Feature, Problem, Purchase
from budgeted.errors import RunnerError
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.learners.layout import layout_of
from budgeted.policies import POLICIES, policy
from budgeted.simulation.simulator import simulate
from budgeted.simulation.worlds import TableWorld
from budgeted.statistics import Mean
from research.quality.former.buying import FormerDefault
from research.quality.zoo import judged, plays
from research.quality.zoo.__main__ import main
from research.quality.zoo.entries import ENTRIES, NOT_PLAYED, PAPER, PARTICLES, Entry, chosen
from research.quality.zoo.judged import WorldFile
from research.quality.zoo.learners import LEARNERS
from research.quality.zoo.model import GROUP_SIZES, REPEATED, Model
from research.quality.zoo.plays import path_of
from research.quality.zoo.results import Results
from research.quality.zoo.runs import LOOKS, judge, play, within
from research.quality.zoo.seeds import CONFIRMATION_SEED, SEEDS, SELECTION_SEED
from research.quality.zoo.summary import (
    Calibration,
    above_majority,
    by_stratum,
    calibration,
    overall,
)
from research.quality.zoo.summary import main as summarise
from research.quality.zoo.traits import (
    BUDGETS,
    DEPENDENCE,
    FEATURES,
    HARD,
    HARD_SHARE,
    LABELS,
    LARGEST_SHARE,
    MOST_WORK,
    PRICES,
    PRIORS,
    RELEVANT,
    SIZES,
    STRATA,
    VALUES,
    Traits,
    draw_traits,
)
from research.quality.zoo.whole_cases import WholeCases
from research.quality.zoo.worlds import FEWEST_OF_A_LABEL, TEST_CASES, ZooWorld, draw, in_shares

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


def test_selection_and_confirmation_are_apart():
    assert SELECTION_SEED != CONFIRMATION_SEED
    assert SEEDS == {"selection": SELECTION_SEED, "confirmation": CONFIRMATION_SEED}
    assert draw_traits(SELECTION_SEED, 0) != draw_traits(CONFIRMATION_SEED, 0)


def root(share, labels):
    """The number u whose square gives the most frequent label this share."""
    return sqrt((share - 1 / labels) / (LARGEST_SHARE - 1 / labels))


def stated_chances():
    """The chance of every stratum, worked out from the stated distribution."""
    chances = dict.fromkeys(STRATA, 0.0)
    for name in VALUES:
        chances[name] = 1 / 3
    for name in ("weak", "moderate", "strong"):
        chances[name] = 1 / 3
    for table in (RELEVANT, DEPENDENCE, PRICES):
        chances |= table
    chances["two labels"], chances["three to six labels"] = 0.6, 0.4
    for labels, chance in LABELS.items():
        low = 1 / labels
        for name, bound in PRIORS.items():
            high = min(bound, LARGEST_SHARE)
            chances[name] += chance * (root(high, labels) - root(low, labels))
            low = high
    joint = joint_sizes()
    chances |= {name: joint[:, at].sum() for at, name in enumerate(SIZES)}
    chances |= {name: joint[at].sum() for at, name in enumerate(BUDGETS)}
    hard = {"Boolean", "some relevant", "weak", "two labels", "prior below .65", "independent",
            "equal prices", "32–100 features"}  # fmt: skip
    rest = 1 - HARD_SHARE
    whole = {*VALUES, *RELEVANT, *DEPENDENCE, *PRICES, *PRIORS, *SIZES, "weak", "moderate",
             "strong", "two labels", "three to six labels"}  # fmt: skip
    for name in whole:
        chances[name] = rest * chances[name] + HARD_SHARE * (name in hard)
    alone = [log(min(bound, MOST_WORK / 60)) for bound in (1, *BUDGETS.values())]
    for at, name in enumerate(BUDGETS):
        of_hard = (alone[at + 1] - alone[at]) / alone[-1]
        chances[name] = rest * chances[name] + HARD_SHARE * of_hard
    chances[HARD] = HARD_SHARE
    chances["complete"], chances["missing cells"] = 0.7, 0.3
    for name in ("skewed values", "ordinary values", "even values"):
        chances[name] = 1 / 3
    return chances


def joint_sizes():
    """Chances of budget × size, of worlds that are not too much work."""
    joint = np.zeros((3, 3))
    for features in range(FEATURES[0], FEATURES[1] + 1):
        size = np.searchsorted(list(SIZES.values()), features)
        bounds = [log(min(bound, MOST_WORK / features)) for bound in (1, *BUDGETS.values())]
        joint[:, size] += log((features + 1) / features) * np.diff(bounds)
    return joint / joint.sum()


def test_every_trait_occurs_as_often_as_stated():
    counts = Counter(name for traits in TRAITS for name in traits.strata)
    chances = stated_chances()
    assert set(counts) == set(STRATA) == set(chances)
    off = {name: (counts[name], DRAWN * chance) for name, chance in chances.items()
           if not in_band(counts[name], DRAWN, chance, tail=1e-4)}  # fmt: skip
    assert not off


def test_each_world_has_one_stratum_of_each_kind():
    assert {len(each.strata) for each in TRAITS if not each.hard} == {11}
    assert {len(each.strata) for each in TRAITS if each.hard} == {12}


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


def test_the_share_of_the_most_frequent_label_is_as_stated():
    # Also with many labels, where without care another one could get more than that share.
    shares = [each.shares for number in range(3_000) if not (each := draw_traits(12, number)).hard]
    for several in (False, True):
        found = [root(max(*each, 1 / len(each)), len(each)) for each in shares
                 if (len(each) > 2) == several]  # fmt: skip
        assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_the_hard_kind_is_as_named():
    hard = [each for each in TRAITS if each.hard]
    assert hard
    for each in hard:
        assert (each.features, each.relevant, sorted(each.shares)) == (60, 5, [0.4, 0.6])
        assert {"Boolean", "weak", "independent", "equal prices"} < set(each.strata)
    world = draw(SEED, numbers_with(HARD)[0])
    assert (world.model.worths > 1e-12).sum() == 5
    assert set(layout_of(world.problem).sizes) == {2}


@pytest.mark.parametrize("kind", list(PRICES))
def test_prices_are_as_stated(kind):
    world = draw(SEED, numbers_with(kind, "some relevant", "10–31 features")[0])
    prices = [each.cost for each in world.problem.features]
    assert all(price.as_tuple().exponent == -2 and 1 <= price <= 20 for price in prices)
    budget = Decimal(world.traits.multiple) * sum(prices)
    assert abs(world.problem.budget - budget) <= Decimal("0.005")
    by_worth = [prices[at] for at in world.model.worths.argsort()]
    if kind == "equal prices":
        assert set(prices) == {Decimal(1)}
    else:
        assert max(prices) > 2 * min(prices)
        saying = [price for price, worth in zip(by_worth, sorted(world.model.worths), strict=True)
                  if worth > 1e-12]  # fmt: skip
        assert (saying == sorted(saying)) == (kind == "prices rise with worth")


def test_copies_repeat_the_first_of_their_group():
    model = draw(SEED, numbers_with("copies", "2–4 values", "10–31 features")[0]).model
    labels = np.repeat(np.arange(len(model.shares)), 3_000)
    values = model.cases(labels, np.random.default_rng(1))
    pairs = 0
    for first, *others in model.groups:
        for other in others:
            assert model.tables[first].shape == model.tables[other].shape
            for label in range(len(model.shares)):
                mine = values[labels == label]
                by_chance = (model.tables[first][label] * model.tables[other][label]).sum()
                chance = REPEATED + (1 - REPEATED) * by_chance
                assert in_band((mine[:, first] == mine[:, other]).sum(), 3_000, chance)
                pairs += 1
    assert pairs > 10


def test_correlated_features_share_a_variable_with_their_group_alone():
    even, loading = np.full((2, 2), 0.5), np.array([1.0, -1.0])
    model = Model((0.5, 0.5), (even,) * 3, "correlated groups", ((0, 1), (2,)), (loading,) * 3)
    values = model.cases(np.zeros(20_000, dtype=np.int64), np.random.default_rng(2))

    def both(u):  # the logit of the first value is 3u
        return stats.norm.pdf(u) / (1 + np.exp(-3 * u)) ** 2

    chance, _ = integrate.quad(both, -12, 12)
    assert chance > 0.35  # a quarter if they were independent
    assert in_band((values[:, :2] == 0).all(axis=1).sum(), 20_000, chance)
    assert in_band((values[:, 1:] == 0).all(axis=1).sum(), 20_000, 0.25)


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


def test_there_are_enough_training_cases_of_each_label():
    for number in (*numbers_with("prior above .8", "three to six labels")[:4], 0, 1):
        world = draw(SEED, number)
        cases, traits = world.world.cases, world.traits
        assert sum(cases) == max(200, int(np.ceil(3 * traits.multiple)) * len(traits.shares))
        assert min(cases) >= FEWEST_OF_A_LABEL
        assert world.problem.prior == pytest.approx(traits.shares)


def test_whole_numbers_in_shares_are_the_nearest():
    assert in_shares(4, (0.5, 0.25, 0.25)).tolist() == [2, 1, 1]
    assert in_shares(7, (1 / 3, 1 / 3, 1 / 3)).sum() == 7


SMALL = numbers_with("prices by chance", "missing cells", most=60)[0]


@pytest.mark.parametrize("name", ["round-robin", "sfl", "random-shopper"])
def test_play_buys_what_a_simulation_buys(name):
    world = draw(SEED, SMALL)
    bought = play(world, policy(name), "fresh", 3)
    rows = list(simulate(world.problem, policy(name), replace(world.world, seed=3), seed=3,
                         loss=None))  # fmt: skip
    assert [(each.feature, each.label, each.value, each.case) for each in bought] == [
        (row.feature, row.label, row.value, row.case) for row in rows
    ]
    assert any(each.value is None for each in bought)


@pytest.mark.parametrize("rule", ["fresh", "settle"])
def test_the_budget_is_spent_and_never_crossed(rule):
    world = draw(SEED, SMALL)
    bought = play(world, policy("random-shopper"), rule, 1)
    left = world.problem.budget - sum(each.cost for each in bought)
    assert 0 <= left < min(each.cost for each in world.problem.features)


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
    bought = play(world, WholeCases(), "overlap", 5)
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


@dataclass(frozen=True)
class Confident:
    """Naive Bayes that says how wrong it is, always the same."""

    name: str = "confident"
    error: float = 0.2
    low: float = 0.1
    high: float = 0.3

    def fit(self, problem, purchases):
        self.__dict__["log_scores"] = NaiveBayes().fit(problem, purchases).log_scores
        return self

    def outlook(self):
        return self


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
    confident = judge(tiny_world(), bought, [Confident()])
    assert [row.look for row in plain] == [1 / 8, 1 / 4, 1 / 2, 3 / 4, 1]
    assert [row.purchases for row in plain] == [0, 1, 2, 3, 3]
    assert [row.error for row in plain] == [0.5, 0.25, 0.5, 0.75, 0.75]
    assert {row[-3:] for row in plain} == {(None, None, None)}
    assert [row.error for row in confident] == [row.error for row in plain]
    assert {row[-3:] for row in confident} == {(0.2, 0.1, 0.3)}
    lost = judge(tiny_world(), [Purchase(0, 1, None, 1)], [NaiveBayes()])
    assert {row.error for row in lost} == {0.5}  # paid for, and nothing came


def test_every_registered_policy_is_an_entry_and_can_be_made():
    labels = [each.label for each in ENTRIES]
    assert sorted(labels) == sorted(
        {*(set(POLICIES) - set(NOT_PLAYED)), WholeCases.name, FormerDefault.name}
    )
    for each in ENTRIES:
        assert each.make().name == each.policy
        assert set(each.learners) <= set(LEARNERS)
        assert json.loads(json.dumps(each.choices())) == each.choices()
        assert getattr(each.make(), "particles", PARTICLES) == PARTICLES
    rules = {each.label: each.cases for each in ENTRIES if each.cases != "fresh"}
    assert rules == {"auto": "settle", "former": "settle", "whole-cases": "overlap"}
    assert set(PAPER) < set(labels)
    assert [each.label for each in chosen(["sfl", "auto"])] == ["auto", "sfl"]
    assert chosen([]) == ENTRIES
    with pytest.raises(ValueError, match="there is no entry slf; there are auto"):
        chosen(["slf"])


@pytest.fixture
def in_the_tiny_world(monkeypatch):
    for module in (plays, judged):
        monkeypatch.setattr(module, "world_of", lambda source, number: tiny_world())


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
    assert complete(ONE, TWO) == 0, "other code may choose the same, see `differing`"
    with pytest.raises(RunnerError, match="was changed while this ran"):
        complete(ONE, code="as it was before")


@pytest.mark.usefixtures("in_the_tiny_world")
def test_what_would_be_bought_otherwise_today_is_noticed(tmp_path):
    for number in (0, 1):
        plays.complete(tmp_path, "selection", number, [ONE, TWO])
    assert list(plays.differing(tmp_path, "selection", range(3), [ONE, TWO])) == []
    path = path_of(tmp_path, "selection", 1)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["bought"] = lines[1]["bought"][:-1]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert list(plays.differing(tmp_path, "selection", [0, 1], [ONE, TWO])) == [(1, "two")]
    assert list(plays.differing(tmp_path, "selection", [0, 1], [ONE])) == []


@pytest.mark.usefixtures("in_the_tiny_world")
def test_what_was_judged_is_not_judged_again(tmp_path, monkeypatch):
    bought, into = tmp_path / "bought", tmp_path

    def complete(*entries):
        return judged.complete(bought, into, "selection", 0, entries)

    def rows():
        return judged.read(path_of(into, "selection", 0)).rows

    assert complete(ONE) == 0, "nobody has played"
    assert judged.read(path_of(into, "selection", 0)) is None
    plays.complete(bought, "selection", 0, [ONE, TWO])
    assert complete(ONE) == 1
    assert complete(ONE) == 0
    before = rows()
    assert complete(ONE, TWO) == 1  # the other one is kept
    assert rows()[: len(before)] == before
    assert [row["entry"] for row in rows()] == ["one"] * 10 + ["two"] * 10
    assert [row["learner"] for row in before[:2]] == list(ONE.learners)
    plain = replace(ONE, learners=(NaiveBayes.name,))
    assert complete(plain) == 1
    assert [row["entry"] for row in rows()] == ["two"] * 10 + ["one"] * 5
    other = replace(TWO, policy="round-robin")
    plays.complete(bought, "selection", 0, [other])
    assert complete(plain, other) == 1
    by_entry = {
        label: [row["error"] for row in rows() if row["entry"] == label and
                row["learner"] == NaiveBayes.name] for label in ("one", "two")
    }  # fmt: skip
    assert by_entry["one"] == by_entry["two"]
    facts = judged.read(path_of(into, "selection", 0)).facts
    assert facts["entries"]["two"]["policy"] == "round-robin"
    assert (facts["source"], facts["number"], facts["majority_error"]) == ("selection", 0, 0.25)
    monkeypatch.setattr(judged, "fingerprint", lambda: "other")
    assert complete(plain) == 1
    assert {row["entry"] for row in rows()} == {"one"}


@pytest.mark.parametrize("kind", [plays, judged])
def test_a_damaged_file_is_refused(tmp_path, kind):
    path = tmp_path / "00000.jsonl"
    path.write_text('{"entry": "one"}\n{"ent')
    with pytest.raises(RunnerError, match="is damaged, or was not written by this program"):
        kind.read(path)


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
    same = run("check", "--every", "1", *names)
    assert (same.exit_code, same.output) == (0, "2 worlds, 2 entries: 0 differ\n")
    path = path_of(tmp_path / "bought", "selection", 1)
    kept = plays.read(path)["round-robin"]
    path.write_text(json.dumps(kept._replace(bought=[])._asdict()) + "\n")
    differs = run("check", "--every", "1", "round-robin")
    assert differs.exit_code == 1
    assert "world 1: round-robin would buy something else" in differs.output
    assert "there is no entry nobody" in run("play", "nobody").output


def made_up(errors, strata, majority=0.4, entry="auto", interval=(None, None, None)):
    """A file per world with the errors at two looks, and what the predictor says at both."""
    predicted, low, high = interval
    return [
        WorldFile(
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
    return [WorldFile(one.facts, one.rows + two.rows) for one, two in zip(base, other, strict=True)]


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


def test_a_margin_in_a_stratum_is_wider_than_overall():
    # In each stratum the differences are .011 and .031: .021 ± .010, beyond 2 standard errors, but
    # of two strata that takes 2.28. As a whole it is .021 ± .006, and one comparison.
    base = made_up([(0.1, 0.1)] * 4, STRATA_OF)
    other = made_up([(0.1, 0.111), (0.1, 0.131)] * 2, STRATA_OF, entry="sfl")
    found = [WorldFile(a.facts, a.rows + b.rows) for a, b in zip(base, other, strict=True)]
    results = Results.of(found)
    assert "+0.021 ± 0.006 ▲" in overall(results, "auto / naive")
    told = by_stratum(results, "auto / naive", ["sfl / naive"], way=False)
    assert told.count("+0.021 ± 0.010") == 2
    assert "▲" not in told


def test_a_little_above_the_majority_class_is_no_harm():
    found = made_up([(0.39, 0.41), (0.42, 0.43)], STRATA_OF[:2])
    results = Results.of(found)
    assert above_majority(results.looks["auto / naive"], results.majority) == 1 / 4


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


def test_only_worlds_that_all_have_are_compared(tmp_path):
    whole, half = two_entries()[:3], two_entries()[3]
    results = Results.of([*whole, WorldFile(half.facts, half.rows[:2])])
    assert (len(results.majority), results.left_out) == (3, 1)
    alone = Results.of([*whole, WorldFile(half.facts, half.rows[:2])], ["auto"])
    assert (len(alone.majority), alone.left_out) == (4, 0)
    with pytest.raises(RunnerError, match="no world has rows"):
        Results.of(whole, ["nobody"])
    for number, code in enumerate(("a", "b")):
        facts = {**half.facts, "fingerprint": code}
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(facts) + "\n")
    with pytest.raises(RunnerError, match="different code \\(a, b\\)"):
        Results.read(tmp_path)
