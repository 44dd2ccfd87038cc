"""The tables as worlds, the problems with bars, and the claims and the page made of the results."""

import json
import lzma
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from decimal import Decimal
from itertools import pairwise
from math import log, nan
from xml.etree import ElementTree

import altair
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from budgeted.errors import RunnerError
from budgeted.simulation.datasets import load, partition
from budgeted.simulation.tables.coding import Coding
from budgeted.statistics import threshold
from budgeted.studies import example
from research.quality import fixed, report
from research.quality.fixed import BARS, example_study
from research.quality.pictures import on_the_way, predicted_and_true
from research.quality.verdicts import (
    BEFORE,
    OURS,
    PLAIN,
    TAUGHT,
    Kept,
    margins,
    noisy_coverage,
    strata,
    verdicts,
)
from research.quality.zoo import tables
from research.quality.zoo.entries import CHALLENGERS, ENTRIES, PAPER, SLOW
from research.quality.zoo.results import Looks, Results, keep, kept
from research.quality.zoo.runs import LOOKS
from research.quality.zoo.sources import SOURCES, world_of
from research.quality.zoo.tables import MULTIPLE, RUNS, TABLES
from research.quality.zoo.traits import PRICES, STRATA


def trials_of(table):
    """A trial of a table with each pattern of prices."""
    first = TABLES.index(table) * RUNS
    return [tables.draw(first + at) for at in range(len(PRICES))]


def test_a_trial_is_a_function_of_its_number():
    number = TABLES.index("votes") * RUNS + 4
    one, other, again = (world_of("tables", each) for each in (number, number + 3, number))
    assert (one.problem, one.seed, one.strata, one.facts) == (
        again.problem, again.seed, again.strata, again.facts
    )  # fmt: skip
    assert one.world.seed == one.seed == again.world.seed
    for name in ("test_values", "test_labels"):
        np.testing.assert_array_equal(getattr(one, name), getattr(again, name))
    for name in ("values", "labels"):
        np.testing.assert_array_equal(getattr(one.world, name), getattr(again.world, name))
    assert one.strata == other.strata
    assert one.seed != other.seed
    assert one.problem != other.problem


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_those_of_the_table_in_another_order(name):
    table = load(name)
    orders = []
    for trial in trials_of(name):
        training, test = partition(table, trial.seed)
        missing = "own value" if name == "mushroom" else "no value"
        coding = Coding.learn(table, training, missing=missing)
        names = [each.name for each in trial.problem.features]
        assert sorted(names) == sorted(table.features)
        order = [table.features.index(each) for each in names]
        assert [each.values for each in trial.problem.features] == [
            coding.scales[at].values for at in order
        ]
        np.testing.assert_array_equal(trial.world.values, coding.encode(training)[:, order])
        np.testing.assert_array_equal(trial.test_values, coding.encode(test)[:, order])
        orders.append(order)
    assert len({tuple(each) for each in (*orders, range(len(order)))}) == len(orders) + 1


@pytest.mark.parametrize("name", TABLES)
def test_rows_to_buy_from_and_rows_to_be_judged_by_add_up_to_the_table(name):
    table = load(name)
    for trial in trials_of(name):
        labels = [*trial.world.labels.tolist(), *trial.test_labels.tolist()]
        assert Counter(labels) == Counter(table.row_labels)
        assert trial.problem.labels == table.labels
        assert len(trial.test_labels) == pytest.approx(len(table) / 5, abs=len(table.labels))
        assert len(trial.test_values) == len(trial.test_labels)


@pytest.mark.parametrize("name", TABLES)
def test_the_majority_error_of_a_trial_by_hand(name):
    trial = trials_of(name)[0]
    ((most, _),) = Counter(trial.world.labels.tolist()).most_common(1)
    wrong = sum(label != most for label in trial.test_labels.tolist())
    assert trial.majority_error == pytest.approx(wrong / len(trial.test_labels))


def information(column, labels):
    """Mutual information as a difference of entropies, over the rows that have a value."""
    rows = [pair for pair in zip(column.tolist(), labels.tolist(), strict=True) if pair[0] >= 0]
    values, there = zip(*rows, strict=True)
    of_values, of_labels, of_both = (
        stats.entropy(list(Counter(each).values())) for each in (values, there, rows)
    )
    return of_values + of_labels - of_both


@pytest.mark.parametrize("name", TABLES)
def test_prices_of_a_trial_follow_their_pattern(name):
    equal, chance, rising = trials_of(name)
    assert [trial.strata for trial in (equal, chance, rising)] == [
        (name, "equal prices"), (name, "prices by chance"), (name, "prices rise with worth")
    ]  # fmt: skip
    prices = {
        trial.strata[1]: [each.cost for each in trial.problem.features]
        for trial in (equal, chance, rising)
    }
    assert set(prices["equal prices"]) == {Decimal("1.00")}
    for pattern in ("prices by chance", "prices rise with worth"):
        assert all(1 <= price <= 20 for price in prices[pattern])
        assert {price.as_tuple().exponent for price in prices[pattern]} == {-2}
        assert len(set(prices[pattern])) > len(prices[pattern]) / 2
    worths = [information(column, rising.world.labels) for column in rising.world.values.T]
    by_worth = sorted(zip(worths, prices["prices rise with worth"], strict=True))
    for (less, cheaper), (more, dearer) in pairwise(by_worth):
        assert cheaper <= dearer or more - less < 1e-9
    for trial in (equal, chance, rising):
        assert trial.problem.budget == 5 * sum(prices[trial.strata[1]])
    assert MULTIPLE == 5


@pytest.mark.slow
def test_each_table_has_as_many_trials_of_each_pattern(monkeypatch):
    loaded, small = [], load("breast-ljubljana")

    def load_small(name):
        loaded.append(name)
        return small

    monkeypatch.setattr(tables, "load", load_small)
    trials = [tables.draw(number) for number in range(SOURCES["tables"])]
    assert Counter(trial.strata for trial in trials) == {
        (name, pattern): 14 for name in TABLES for pattern in PRICES
    }
    assert loaded == [trial.strata[0] for trial in trials]
    assert trials[-1].facts == {"table": TABLES[-1], "prices": trials[-1].strata[1]}
    assert len({trial.seed for trial in trials}) == len(trials)
    prices = [
        log(each.cost) / log(20)
        for trial in trials if trial.strata[1] == "prices by chance"
        for each in trial.problem.features
    ]  # fmt: skip
    assert stats.kstest(prices, "uniform").pvalue > 1e-3


def test_the_example_study_is_the_one_of_the_demo():
    study = example_study(3)
    problem = study.problem
    assert {each.name: each.values for each in problem.features} == {
        name: values for name, (values, _) in example.SHARES.items()
    }
    assert [each.name for each in problem.features] == list(example.SHARES)
    assert [str(each.cost) for each in problem.features] == ["18.00", "14.50", "9.50", "4.00"]
    assert (problem.labels, problem.prior, problem.budget) == (example.LABELS, (0.6, 0.4), 400)
    assert study.world.values.shape == (60, 4)
    masses = study.truth.masses
    assert masses.sum() == pytest.approx(1)
    for feature, (values, shares) in enumerate(example.SHARES.values()):
        for at in range(len(values)):
            there = masses[study.truth.values[:, feature] == at].sum(axis=0)
            assert there == pytest.approx([0.6 * shares[0][at], 0.4 * shares[1][at]])


@pytest.mark.slow
def test_patients_of_the_example_study_have_the_stated_shares():
    worlds = [example_study(seed).world for seed in range(150)]
    labels = np.concatenate([each.labels for each in worlds])
    values = np.concatenate([each.values for each in worlds])
    assert stats.binomtest(int((labels == 0).sum()), len(labels), 0.6).pvalue > 1e-3
    for column, (_, shares) in zip(values.T, example.SHARES.values(), strict=True):
        for label, row in enumerate(shares):
            counts = np.bincount(column[labels == label], minlength=len(row))
            expected = np.array(row) * counts.sum()
            assert stats.chisquare(counts, expected).pvalue > 1e-3


def test_the_same_seed_is_the_same_example_study():
    one, again, other = (example_study(seed).world for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.values, again.values)
    np.testing.assert_array_equal(one.labels, again.labels)
    assert (one.values != other.values).any()


def test_every_bar_can_be_missed_and_has_enough_runs():
    for bar in BARS.values():
        assert bar.most is not None or bar.above is not None
        assert bar.runs >= 40
        assert bar.looks[-1] == 1
        assert list(bar.looks) == sorted(bar.looks)


@pytest.mark.slow
def test_bars_are_over_the_problems_that_they_name():
    drawn = {name: bar.draw(7).problem for name, bar in BARS.items()}
    said = {
        name: (len(problem.features), problem.budget, max(problem.prior))
        for name, problem in drawn.items() if name.startswith("figure")
    }  # fmt: skip
    assert said == {
        "figure-3a": (10, 100, 0.8), "figure-3b-60": (10, 60, 0.5),
        "figure-3b-150": (10, 150, 0.5), "figure-3b-30": (30, 150, 0.5),
    }  # fmt: skip
    assert (len(drawn["mushroom"].features), drawn["mushroom"].budget) == (22, 300)
    assert "(missing)" in {value for each in drawn["mushroom"].features for value in each.values}


@pytest.mark.slow
def test_a_run_has_errors_and_is_the_same_again():
    found = fixed.run("figure-3b-60", 0)
    assert found == fixed.run("figure-3b-60", 0) != fixed.run("figure-3b-60", 1)
    (look,) = found
    assert set(look) == {TAUGHT, PLAIN}
    assert all(0 <= error <= 1 for error in look.values())


@pytest.mark.slow
def test_a_run_of_the_example_study_is_judged_on_the_way_too():
    early, late = fixed.run("example", 1)
    assert early != late
    judge = example_study(1).truth
    best = 1 - judge.masses.max(axis=1).sum()
    assert all(best - 1e-12 <= error <= 0.5 for look in (early, late) for error in look.values())


def test_runs_are_kept_with_those_of_other_problems(monkeypatch, tmp_path):
    path = tmp_path / "results" / "fixed.json.xz"
    monkeypatch.setattr(fixed, "RESULTS", path)
    monkeypatch.setattr(fixed.executors, "processes", lambda workers: ThreadPoolExecutor(1))
    monkeypatch.setattr(fixed, "fingerprint", lambda: "c0ffee")
    errors = {TAUGHT: 0.1234567, PLAIN: 0.25}
    monkeypatch.setattr(fixed, "run", lambda name, number: [errors] * len(BARS[name].looks))

    def command(*arguments):
        result = CliRunner().invoke(fixed.main, arguments)
        assert result.exit_code == 0, result.output
        return result.output

    told = command("--runs", "2", "example")
    assert "60% of the money: 0.1235 ± 0.0000; naive Bayes 0.2500, apart -0.1265" in told
    assert not path.exists()
    command("mushroom")
    command("example")
    found = fixed.read()
    rounded = {TAUGHT: 0.123457, PLAIN: 0.25}
    assert {name: each["runs"] for name, each in found.items()} == {
        "mushroom": [[rounded]] * 40, "example": [[rounded] * 2] * 100
    }  # fmt: skip
    assert {(each["code"], each["seed"]) for each in found.values()} == {("c0ffee", fixed.SEED)}


HALVES = [("weak",), ("strong",)] * 10


def names_in(file):
    """Who is in a file of results, with each learner."""
    _, labels = report.KEPT[file]
    return [f"{each.label} / {learner}" for each in ENTRIES if each.label in labels
            for learner in each.learners]  # fmt: skip


def made_up(
    strata=HALVES, errors=None, majority=0.4, predicted=0.22, missed=(0, 1), file="confirmation"
):
    """Results of worlds in which the default errs by .2 and everybody else by .3.

    Parameters
    ----------
    strata
        Of each world.
    errors
        Who errs otherwise, "entry / learner" → errors that can be broadcast to worlds × looks.
    majority
        Error of the most frequent label, of all worlds or of each.
    predicted
        What the default expects, give or take .1.
    missed
        Worlds in which it says ± .01 instead, and so is wrong.
    file
        Everybody of which file of results takes part.
    """
    shape = (len(strata), len(LOOKS))
    nothing = np.full(shape, nan)
    looks = {}
    for name in names_in(file):
        error = np.broadcast_to({OURS: 0.2, **(errors or {})}.get(name, 0.3), shape)
        looks[name] = Looks(error, nothing, nothing, nothing, np.full(shape, 2.5))
    said, width = np.full(shape, predicted), np.full(shape, 0.1)
    width[list(missed)] = 0.01
    looks[OURS] = replace(looks[OURS], predicted=said, low=said - width, high=said + width)
    share = np.broadcast_to(majority, len(strata)).astype(float)
    return Results(share, tuple(strata), looks, code="c0ffee")


TRIALS = [(name, pattern) for name in TABLES for pattern in PRICES]


def trials(errors=None, missed=(0, 1), strata_of=TRIALS):
    return made_up(strata_of, errors, missed=missed, file="tables")


def everything(zoo=None, challengers=None, slow=None, on_tables=None):
    """All results of which the page is made; those that are not given are good."""
    few = {name: made_up(HALVES[:4], file=name) for name in SLOW}
    return Kept(
        zoo or made_up(),
        challengers or made_up(file="challengers"),
        {**few, **(slow or {})},
        on_tables or trials(),
    )


def otherwise(who, errors):
    """All results, in which one has other errors."""
    name = who.split(" / ")[0]
    if name in SLOW:
        return everything(slow={name: made_up(errors={who: errors}, file=name)})
    if name in CHALLENGERS:
        return everything(challengers=made_up(errors={who: errors}, file="challengers"))
    return everything(made_up(errors={who: errors}))


def runs(changed=None):
    """Three runs of each bar in which both learners err by .04, but for ours at some looks."""
    return {
        name: {
            "runs": [
                [{TAUGHT: (changed or {}).get((name, at), 0.04), PLAIN: 0.04}
                 for at in range(len(bar.looks))]
            ] * 3
        }
        for name, bar in BARS.items()
    }  # fmt: skip


def judged(results=None, played=None, rows=10**6):
    results = results or everything()
    return verdicts(results, played or runs(), np.full(len(results.tables.majority), rows))


def failing(*results, **more):
    """Return the claims that do not hold."""
    return [each.claim for each in judged(*results, **more) if not each.holds]


def seen(claim, results):
    """Return what was seen of a claim."""
    (found,) = [each.seen for each in judged(results) if claim in each.claim]
    return found


def test_all_claims_can_hold():
    assert failing() == []
    found = judged()
    assert len({each.claim for each in found}) == len(found) == 10 + 7


WOBBLE = np.array([0.05, 0.05, -0.05, -0.05] * 5)[:, None]
"""World by world; nothing on average, overall and in each half."""


@pytest.mark.parametrize(
    ("claim", "who"),
    [
        *(("below each of the paper's policies", f"{name} / {PLAIN}") for name in PAPER),
        *(("below each challenger", f"{name} / {PLAIN}") for name in CHALLENGERS),
        ("below the default before", BEFORE),
        *(("with the hierarchical learner", f"{name} / {TAUGHT}") for name in PAPER),
    ],
)
def test_the_default_must_be_below_everybody_at_the_end_and_on_the_way(claim, who):
    for errors, holds in (
        ((0.21, 0.21, 0.21, 0.21, 0.21), True),
        ((0.10, 0.10, 0.50, 0.50, 0.21), True),
        ((0.30, 0.30, 0.30, 0.30, 0.19), False),
        ((0.17, 0.17, 0.17, 0.17, 0.30), False),
        ((0.20, 0.20, 0.20, 0.20, 0.20), False),
    ):
        found = failing(otherwise(who, np.array(errors) + WOBBLE))
        assert len(found) == (0 if holds else 1)
        assert all(claim in each for each in found)


def test_challengers_meet_the_default_in_their_own_worlds():
    worse = {OURS: 0.4}
    for results in (
        everything(challengers=made_up(errors=worse, file="challengers")),
        *(everything(slow={name: made_up(errors=worse, file=name)}) for name in SLOW),
    ):
        (claim,) = failing(results)
        assert claim.endswith("below each challenger with naive Bayes")


def test_the_closest_challenger_is_named_wherever_it_plays():
    who = f"{SLOW[-1]} / {PLAIN}"
    assert seen("each challenger", otherwise(who, 0.21)) == (
        f"closest: {SLOW[-1]}: -0.0100 ± 0.0000 at the end, -0.0100 ± 0.0000 on the way"
    )
    results = everything(
        challengers=made_up(errors={f"exp3 / {PLAIN}": 0.199}, file="challengers"),
        slow={SLOW[0]: made_up(errors={f"{SLOW[0]} / {PLAIN}": 0.21}, file=SLOW[0])},
    )
    assert seen("each challenger", results).startswith("closest: exp3: +0.0010 ± 0.0000 at the end")


def test_margins_name_the_closest_first():
    errors = {f"sfl / {PLAIN}": 0.27, f"greedy / {PLAIN}": np.array([0.3, 0.3, 0.3, 0.3, 0.24])}
    first, second, *_ = margins(made_up(errors=errors), PAPER, PLAIN)
    assert (first.name, second.name) == ("greedy", "sfl")
    assert first.end == pytest.approx((-0.04, 0))
    assert first.way == pytest.approx((-0.088, 0))
    assert str(first) == "greedy: -0.0400 ± 0.0000 at the end, -0.0880 ± 0.0000 on the way"


def close_in_the_weak(standard_errors, looks=slice(None)):
    """Errors of a policy that is so many standard errors of .01 better, in weak worlds alone."""
    rows = np.full((20, 5), 0.3)
    # Ten worlds ± .03: a standard deviation of .03 √(10/9), and a standard error of .01.
    rows[::2, looks] = 0.2 - 0.01 * standard_errors - 0.03 * np.array([[1], [-1]] * 5)
    return rows


@pytest.mark.parametrize("looks", [slice(None), slice(4, 5)], ids=["all looks", "the end"])
def test_more_strata_need_a_wider_margin(looks):
    assert threshold(2) == pytest.approx(2.28, abs=0.005)
    who = f"sfl / {PLAIN}"
    below, beyond = (close_in_the_weak(each, looks) for each in (2.25, 2.31))
    assert failing(otherwise(who, below)) == []
    (claim,) = failing(otherwise(who, beyond))
    assert claim.startswith("in no stratum above the paper's best there by more than 2.28 ")
    assert claim.endswith("corrected for 2 strata)")
    assert seen(claim, otherwise(who, beyond)).startswith("weak: +0.0231 ± 0.0100 at the end, ")
    alone = [("weak",), ("moderate",)] + [("weak",), ()] * 9
    (claim,) = failing(everything(made_up(alone, {who: below})))
    assert "by more than 2.00 standard errors (2, corrected for 1 strata)" in claim


def test_a_stratum_is_compared_with_the_best_there():
    errors = {f"sfl / {PLAIN}": np.where(WOBBLE > 0, 0.21, 0.5),
              f"greedy / {PLAIN}": np.array([0.22, 0.22, 0.22, 0.22, 0.4])}  # fmt: skip
    found = made_up([("weak",) if wobble > 0 else ("strong",) for wobble in WOBBLE], errors=errors)
    weak, strong = sorted(strata(found), key=lambda each: each.stratum, reverse=True)
    assert (weak.stratum, weak.worlds, weak.error) == ("weak", 10, pytest.approx(0.2))
    assert (weak.best_end, weak.best_way) == ("sfl", "sfl")
    assert (strong.best_way, strong.way.value) == ("greedy", pytest.approx(0.2 - 0.256))
    assert strong.best_end not in ("sfl", "greedy")
    assert strong.end.value == pytest.approx(-0.1)
    assert not weak.beyond
    assert not strong.beyond


@pytest.mark.parametrize(
    ("missed", "holds"),
    [((), False), ((0,), True), ((0, 1), True), ((0, 1, 2), True), ((0, 1, 2, 3), False)],
)
def test_the_interval_holds_neither_too_often_nor_too_rarely(missed, holds):
    results = everything(made_up(missed=missed))
    found = failing(results)
    assert [each.startswith("the 90 % interval holds") for each in found] == [True] * (not holds)
    assert seen("90 % interval", results) == f"{1 - len(missed) / 20:.1%}"


def test_no_stratum_may_be_covered_rarely():
    assert failing(everything(made_up(missed=(0, 1, 2)))) == []
    weak_alone = everything(made_up(missed=(0, 2, 4)))
    (claim,) = failing(weak_alone)
    assert claim == "in at least 75% in each stratum"
    assert seen(claim, weak_alone) == "least: 70.0% (weak)"


@pytest.mark.parametrize(
    ("predicted", "holds"), [(0.229, True), (0.231, False), (0.171, True), (0.169, False)]
)
def test_the_expected_error_must_not_be_off(predicted, holds):
    found = failing(everything(made_up(predicted=predicted)))
    assert [each.startswith("predicted minus true") for each in found] == [True] * (not holds)


def test_the_interval_must_hold_on_tables_but_for_the_noise_of_their_rows():
    assert len(TRIALS) == 21
    assert failing(everything(on_tables=trials(missed=range(5)))) == []
    often = everything(on_tables=trials(missed=range(6)))
    (claim,) = failing(often)
    assert claim.startswith("on the tables in at least 75%")
    assert failing(often, rows=100) == []


def test_the_default_may_be_worse_than_the_most_frequent_label_in_a_twentieth():
    majority = np.full(20, 0.4)
    majority[3] = 0.17
    majority[5:] = 0.18
    assert failing(everything(made_up(majority=majority))) == []
    majority[4] = 0.179
    (claim,) = failing(everything(made_up(majority=majority)))
    assert claim == "more than 0.02 above the majority class in at most 5% of looks"


@pytest.mark.parametrize(
    ("name", "at"), [(name, at) for name, bar in BARS.items() for at in range(len(bar.looks))]
)
def test_a_bar_holds_up_to_its_height(name, at):
    bar = BARS[name]
    height = 0.04 + bar.above if bar.most is None else bar.most
    assert failing(played=runs({(name, at): height - 1e-4})) == []
    (claim,) = failing(played=runs({(name, at): height + 1e-4}))
    assert claim.startswith(bar.title)
    assert ("above naive Bayes" in claim) == (bar.most is None)
    assert (f", {bar.looks[at]:.0%} of the money" in claim) == (len(bar.looks) > 1)


def test_the_noise_of_test_rows_by_hand():
    # Said .2, from .15 to .24. Of 100 rows the noise is 1.645² × .26 × .74 / 100 = .0052 at an
    # error of .26, and √(.04² + .0052) = .082 is more than .06; at an error of .13 it is .0031,
    # and √(.05² + .0031) = .075 is more than .07. Of 200 rows they are .065 and .063.
    error = np.array([[0.26, 0.13]])
    said, low, high = (np.full((1, 2), each) for each in (0.2, 0.15, 0.24))
    looks = Looks(error, said, low, high, said)
    assert noisy_coverage(looks, np.array([100])).tolist() == [[True, True]]
    assert noisy_coverage(looks, np.array([200])).tolist() == [[True, False]]
    assert noisy_coverage(looks, np.array([10_000])).tolist() == [[False, False]]
    inside = replace(looks, error=np.array([[0.239, 0.151]]))
    assert noisy_coverage(inside, np.array([10**9])).tolist() == [[True, True]]


def test_results_come_back_to_five_digits(tmp_path):
    rng = np.random.default_rng(8)
    errors = {name: rng.random((20, 5)) for name in names_in("confirmation")}
    whole = made_up(errors=errors, majority=rng.random(20))
    path = tmp_path / "new" / "zoo.json.xz"
    keep(whole, path, "confirmation", "c0ffee")
    again = kept(path)
    assert list(again.looks) == list(whole.looks)
    assert (again.strata, again.code) == (whole.strata, "c0ffee")
    assert again.majority == pytest.approx(whole.majority, abs=5.1e-6)
    for name, looks in whole.looks.items():
        for each in fields(Looks):
            one, other = getattr(looks, each.name), getattr(again.looks[name], each.name)
            np.testing.assert_allclose(one, other, rtol=0, atol=5.1e-6, equal_nan=True)
    assert np.isnan(again.looks[BEFORE].low).all()
    assert not np.isnan(again.looks[OURS].low).any()
    document = json.loads(lzma.decompress(path.read_bytes()))
    assert document["source"] == "confirmation"
    digits = [str(each)[2:] for row in document["looks"][OURS]["error"] for each in row]
    assert max(map(len, digits)) <= 5


def test_the_same_results_are_the_same_bytes(tmp_path, monkeypatch):
    one, other, third = (tmp_path / f"{number}.xz" for number in range(3))
    keep(made_up(), one, "confirmation", "c0ffee")
    monkeypatch.setattr("time.time", lambda: 1e9)
    keep(made_up(), other, "confirmation", "c0ffee")
    keep(kept(one), third, "confirmation", "c0ffee")
    assert one.read_bytes() == other.read_bytes() == third.read_bytes()


def test_results_that_are_not_there_are_named(tmp_path):
    with pytest.raises(RunnerError, match=r"none\.json\.xz: cannot be read"):
        kept(tmp_path / "none.json.xz")
    (tmp_path / "plain").write_text("[]")
    with pytest.raises(RunnerError, match="plain: cannot be read"):
        kept(tmp_path / "plain")


WHOLE = [(name,) for name in STRATA] * 4
HEADINGS = (
    "# The default against all others",
    "## The zoo as a whole",
    "## By stratum",
    "## The tables of the package",
    "## Can the error be believed?",
    "## What comes from where",
    "## Losses",
    "## Cost",
)


def good(**more):
    """All results, with worlds of all strata, of which all claims hold."""
    challengers = made_up(WHOLE, file="challengers")
    return everything(made_up(WHOLE, missed=range(13)), challengers, **more)


def text_of(results, played):
    """Return the page, once it has been seen to be whole."""
    rows = np.full(len(results.tables.majority), 100)
    text = report.page(results, played, rows)
    for one in verdicts(results, played, rows):
        says = "holds" if one.holds else "**does not hold**"
        assert f"| {one.claim} | {one.seen} | {says} |\n" in text
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("#")] == list(HEADINGS)
    assert "nan" not in text.lower()
    assert len(lines) <= 220
    return text


def test_the_page_of_good_results():
    text = text_of(good(), runs())
    assert "does not hold" not in text
    assert "▲" not in text.split("## By stratum")[1].split("▲ marks", 1)[1]
    assert "132 worlds that nobody had seen before" in text
    assert "Judged by code `c0ffee` (tables: `c0ffee`)" in text
    assert "| weak | 4 | 0.200 | -0.1000 ± 0.0000 (round-robin) |" in text
    assert "| mushroom | 0.400 | 0.200 ± 0.000 | 0.200 | -0.1000 ± 0.0000 (round-robin) |" in text
    assert "More than 0.02 above the most frequent label in 0.0% of looks" in text
    assert "Above the paper's best" not in text
    for each in ENTRIES:
        assert f"{each.label} " in text.split("## Cost")[1]
    for name in (*PAPER, *CHALLENGERS):
        assert f"\n| {name} (" in text or f"\n| {name} |" in text
    assert f"| {SLOW[-1]} (4 worlds with two labels) |" in text
    assert f"| {SLOW[0]} (4 worlds) |" in text


def test_the_page_of_bad_results_says_so():
    errors = {name: 0.1 for file in report.KEPT for name in names_in(file) if name != OURS}
    changed = {(name, at): 0.9 for name, bar in BARS.items() for at in range(len(bar.looks))}
    results = Kept(
        made_up(WHOLE, errors, majority=0.1, predicted=0.3, missed=range(132)),
        made_up(WHOLE, errors, file="challengers"),
        {name: made_up(HALVES, errors, file=name) for name in SLOW},
        trials(errors, missed=range(21)),
    )
    text = text_of(results, runs(changed))
    assert text.count("| **does not hold** |") == 10 + 7 - 1, "all but the tables, of few rows"
    assert text.count(" ▲ |") == 2 * len(STRATA), "at the end and on the way"
    assert f"in {len(STRATA)} of {len(STRATA)} strata: 4–9 features (+0.1000 ± 0.0000" in text
    assert "- chess: +0.1000 ± 0.0000 above sfl at the end." in text
    assert "- chess: +0.1000 ± 0.0000 above former at the end." in text


def test_one_bad_result_is_one_claim_that_does_not_hold():
    text = text_of(good(), runs({("mushroom", 0): 0.06}))
    assert text.count("does not hold") == 1
    assert "| mushroom, 300 purchases: error at most 0.05 | 0.060 ± 0.000 (3 runs) |" in text


@pytest.mark.slow
def test_the_page_and_its_figures_are_written_from_what_is_kept(tmp_path):
    docs, folder = tmp_path / "docs", tmp_path / "results"
    docs.mkdir()
    all_trials = [(name, list(PRICES)[at % 3]) for name in TABLES for at in range(RUNS)]
    results = good(on_tables=trials(strata_of=all_trials))
    files = {"confirmation": results.zoo, "challengers": results.challengers, **results.slow,
             "tables": results.tables}  # fmt: skip
    assert set(files) == set(report.KEPT)
    for name, each in files.items():
        keep(each, folder / f"{name}.json.xz", "anywhere", "c0ffee")
    (folder / "fixed.json.xz").write_bytes(lzma.compress(json.dumps(runs()).encode()))
    assert report.write(docs, folder) == docs / "benchmark.md"
    text = (docs / "benchmark.md").read_text(encoding="utf-8")
    assert text == report.page(results, runs(), report.rows_of_tables())
    written = {path.relative_to(docs).as_posix() for path in docs.rglob("*") if path.is_file()}
    assert written == {"benchmark.md", "benchmark/on-the-way.svg", "benchmark/calibration.svg"}
    for figure in ("on-the-way", "calibration"):
        assert f"](benchmark/{figure}.svg)" in text
        image = ElementTree.fromstring((docs / "benchmark" / f"{figure}.svg").read_text())
        assert image.tag.endswith("svg")
    words = (docs / "benchmark" / "on-the-way.svg").read_text(encoding="utf-8")
    for name in ("auto", "the default before", "sfl, naive Bayes", "spent of the budget"):
        assert name in words


def test_each_trial_is_judged_on_its_own_rows():
    rows = report.rows_of_tables()
    assert len(rows) == SOURCES["tables"]
    for number in (41, 42, 150, 293):
        assert rows[number] == len(tables.draw(number).test_labels)


def judged_worlds(folder, lacking):
    """Files of worlds as they are judged, each without some entries."""
    numbers = {"error": 0.25, "predicted": None, "low": None, "high": None, "seconds": 1.0}
    facts = {"majority_error": 0.4, "strata": ["weak"], "fingerprint": "c0ffee"}
    for source in ("confirmation", "tables"):
        (folder / source).mkdir()
        for number, without in enumerate(lacking):
            rows = [
                {"entry": each.label, "learner": learner, **numbers}
                for each in ENTRIES if each.label not in without
                for learner in each.learners for _ in LOOKS
            ]  # fmt: skip
            (folder / source / f"{number}.jsonl").write_text(
                "".join(json.dumps(line) + "\n" for line in (facts, *rows))
            )


@pytest.fixture
def packing(tmp_path, monkeypatch):
    (tmp_path / "fixed.json.xz").write_bytes(b"")
    monkeypatch.setattr(report, "HERE", tmp_path / "kept")
    monkeypatch.setattr(fixed, "RESULTS", tmp_path / "fixed.json.xz")
    monkeypatch.setattr(report, "write", lambda: tmp_path / "benchmark.md")
    return tmp_path


def test_results_are_packed_before_the_page_is_written(packing):
    """Two worlds: with everybody, and without the slow ones."""
    judged_worlds(packing, ((), SLOW))
    result = CliRunner().invoke(report.main, ["--keep", str(packing)])
    assert result.exit_code == 0, result.output
    expected = {"confirmation": 2, "challengers": 2, **dict.fromkeys(SLOW, 1), "tables": 2}
    assert result.output.splitlines() == [
        *(f"{name}: {worlds} worlds, {2 - worlds} left out" for name, worlds in expected.items()),
        f"wrote {packing / 'benchmark.md'}",
    ]
    for name, worlds in expected.items():
        found = kept(packing / "kept" / f"{name}.json.xz")
        assert (list(found.looks), found.code) == (names_in(name), "c0ffee")
        assert found.looks[OURS].error.tolist() == [[0.25] * 5] * worlds


def test_a_page_of_half_a_run_is_refused(packing):
    judged_worlds(packing, ((), ("sfl",)))
    result = CliRunner().invoke(report.main, ["--keep", str(packing)])
    assert result.exit_code == 1
    assert "confirmation: 1 worlds are not judged yet" in result.output


def test_the_figures_are_valid_and_show_the_means():
    errors = np.linspace(0.1, 0.5, 100).reshape(20, 5)
    ours = replace(made_up().looks[OURS], error=errors, predicted=errors + 0.02)
    figure = on_the_way({"auto": ours, "sfl": made_up().looks[BEFORE]}, 0.4)
    altair.Chart.from_dict(figure)
    points = figure["data"]["values"]
    assert [each["spent"] for each in points] == [*LOOKS, *LOOKS]
    assert [each["error"] for each in points[:5]] == pytest.approx(errors.mean(axis=0).tolist())
    assert [each["error"] for each in points[5:]] == pytest.approx([0.3] * 5)
    figure = predicted_and_true(ours)
    altair.Chart.from_dict(figure)
    groups = figure["data"]["values"]
    assert len(groups) == 12
    for each in groups:
        assert each["expected"] == pytest.approx(each["true"] + 0.02)
        assert each["low"] <= each["true"] <= each["high"]
    first = np.sort(errors, axis=None)[:9]
    assert groups[0]["true"] == pytest.approx(first.mean())
    assert groups[0]["low"] == pytest.approx(np.quantile(first, 0.05))


@pytest.mark.slow
def test_the_committed_page_is_what_the_committed_results_say(tmp_path):
    path = report.write(tmp_path, report.HERE)
    committed = (report.DOCS / "benchmark.md").read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8") == committed
    for figure in (tmp_path / "benchmark").iterdir():
        assert (report.DOCS / "benchmark" / figure.name).exists()
