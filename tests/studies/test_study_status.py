"""The numbers of the status against brute force."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from budgeted import Belief, Feature, Model, Problem, Purchase
from budgeted.learners import LEARNERS, Outlook, learner, of_belief, prospect
from budgeted.learners.dependence import CORRELATIONS
from budgeted.learners.layout import layout_of
from budgeted.policies.auto import Auto
from budgeted.value import expected_loss, loss
from tests import sample_studies as studies


def a_belief(sizes, seed=0, most=12):
    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        ("a", "b"), (0.4, 0.6), 10,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    return Belief(problem, rng.integers(0, most, layout_of(problem).shape))


def error_by_its_file(model, problem, parameters, added):
    """How often a model is wrong on all cases of some parameters; what it says scatters more.

    By what another case of the label says, less its mean: all pairs of cases are gone through.
    """
    cases = list(product(*(range(size) for size in layout_of(problem).sizes)))
    said = [
        [math.log(chance) for chance in model.predict(
            {f"f{at}": str(value) for at, value in enumerate(x)}).values()]
        for x in cases
    ]  # fmt: skip
    error = 1.0
    for label, share in enumerate(problem.prior):
        chances = [
            math.prod(
                parameters[label, layout_of(problem).offsets[at] + value]
                for at, value in enumerate(x)
            )
            for x in cases
        ]
        # Only differences between labels matter, so what a case adds to all of them does not.
        lead = [row[label] - row[1 - label] for row in said]
        centre = math.fsum(c * each for c, each in zip(chances, lead, strict=True))
        for (chance, own), (other, said_there) in product(
            zip(chances, lead, strict=True), repeat=2
        ):
            if own + added * (said_there - centre) > 0:
                error -= share * chance * other
    return error


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("rho", [0, 0.25])
def test_the_error_is_that_of_the_classifier_that_is_delivered(monkeypatch, few, rho):
    """By its model, on every case of the same models; drawn cases within 4 standard errors.

    The classifier is not the one of the belief: two members of their own, with a correlation.
    """
    belief, others = a_belief((2, 3, 2), most=3), [a_belief((2, 3, 2), seed=at) for at in (1, 2)]
    committee = replace(
        of_belief(belief),
        weights=np.array([0.7, 0.3]),
        members=np.stack([each.means for each in others]),
        correlations=np.outer((0.5, 0.5), rho == CORRELATIONS),
    )
    rng = np.random.default_rng(5)
    models = [belief.sample(rng) for _ in range(prospect.MODELS)]
    coming = iter(models)
    monkeypatch.setattr(prospect, "draw_model", lambda *_: next(coming))
    if not few:
        monkeypatch.setattr(prospect, "FEW_CASES", 0)
        monkeypatch.setattr(prospect, "_CASES", 2_000)
    found = committee.outlook()
    counts = committee.feature_weights(np.ones((1, 3), dtype=bool))[0]
    spreads = (prospect.spreads(belief.problem, committee.means) * counts).tolist()
    number = sum(spreads) ** 2 / sum(each**2 for each in spreads)
    added, model = math.sqrt(rho * (number - 1)), Model.of(committee)
    errors = [error_by_its_file(model, belief.problem, each, added) for each in models]
    drawn = 4 * math.sqrt(sum(each**2 for each in belief.problem.prior) / 4 / 2_000)
    of_all = drawn / math.sqrt(len(models))
    assert found.error == pytest.approx(np.mean(errors), abs=1e-12 if few else of_all)
    low, high = np.quantile(errors, [0.05, 0.95])
    assert found.low == pytest.approx(low, abs=1e-12 if few else drawn)
    assert found.high == pytest.approx(high, abs=1e-12 if few else drawn)
    assert found.error != pytest.approx(float(loss(belief, "zero_one")), abs=0.02)
    assert found.low < found.error < found.high


@pytest.mark.parametrize("name", LEARNERS)
def test_more_of_the_same_narrows_the_interval(name):
    """Two features of which four values in five are like the label."""
    problem = a_belief((2, 2)).problem
    once = [Purchase(feature, label, label if at else 1 - label, 1)
            for feature in (0, 1) for label in (0, 1) for at in range(5)]  # fmt: skip
    few, many = (learner(name).fit(problem, once * times).outlook() for times in (2, 50))
    # Not all the way: nothing shows whether the features repeat each other.
    assert prospect.FINEST * 2 < many.high - many.low < 0.7 * (few.high - few.low)


def saved_by_one(state):
    """By how much less naive Bayes expects to lose for the money of one more value."""
    problem, under_way = state.problem, state.under_way()
    base = float(expected_loss(state.belief, under_way))
    result = np.empty(state.cases_left.shape)
    for cell in problem.actions:
        after = expected_loss(state.belief, under_way | {cell: under_way.get(cell, 0) + 1})
        result[cell] = (base - float(after)) / float(problem.features[cell.feature].cost)
    return result


@pytest.mark.parametrize(("name", "weigh"), [("auto", Auto().worth), ("sfl", saved_by_one)])
def test_a_study_says_how_it_is_doing(tmp_path, name, weigh):
    """Values are worth what its policy expects of them, if it says so."""
    problem = studies.make_problem(("1", "2"), budget="20")
    with studies.begin(str(tmp_path / "a.db"), problem=problem, policy=name) as study:
        study.ask(5)
        for number in (1, 2, 3):
            study.tell(number, "yes")
        study.fail(4, charged=True, usable=False)
        now = study.status(recent=3)
        assert now.spent + now.reserved + now.free == now.budget
        assert [each.seq for each in now.recent] == [8, 9, 10]
        assert sum(cell.bought for cell in now.cells) == 3
        assert sum(cell.pending for cell in now.cells) == 1
        assert sum(cell.failed for cell in now.cells) == 1
        assert len(now.pending) == 1
        expected = weigh(study.state)
        for cell in now.cells:
            key = (problem.feature_index(cell.feature), problem.label_index(cell.label))
            assert cell.worth == pytest.approx(expected[key] / expected.max(), abs=1e-8)
        assert max(cell.worth for cell in now.cells) == 1
        assert now.outlook == study.predictor().outlook()
        plain = now.to_plain()
        assert plain["spent"] == str(now.spent)
        assert plain["outlook"] == vars(now.outlook)
        assert plain["recent"][0]["event"]["kind"] == "told"


def test_what_cannot_be_bought_has_no_worth(tmp_path):
    problem = studies.make_problem(budget="0.5")
    with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
        assert all(cell.worth is None for cell in study.status().cells)


def test_it_says_what_the_most_frequent_label_alone_would_do(tmp_path):
    """Before anything is known no classifier does better, and after a few good values it does."""
    problem = Problem(
        [Feature("f0", ("no", "yes"), 1)], ("rare", "often", "too"), (0.2, 0.4, 0.4), 100
    )
    with studies.begin(str(tmp_path / "a.db"), problem=problem, per_label=12) as study:
        first = study.status()
        assert (first.majority, first.majority_error) == ("often", pytest.approx(0.6))
        assert first.outlook.error == pytest.approx(0.6)
        assert not first.separates
        told = [
            (case, "f0", "yes" if label == "too" else "no") for case, label in study.created.cases
        ]
        study.record(told, charge=False)
        now = study.status()
        assert now.outlook.error < 0.3
        assert now.separates
        # Less than what an interval is wide at least is not worth a word.
        close = replace(now, outlook=Outlook(now.majority_error - 0.004, 0, 1))
        assert not close.separates
        assert replace(now, outlook=Outlook(now.majority_error - 0.006, 0, 1)).separates
