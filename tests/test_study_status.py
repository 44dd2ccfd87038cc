"""The numbers of the status against brute force."""

import math
from itertools import product

import numpy as np
import pytest

from budgeted import Belief, Feature, Model, Problem
from budgeted.expectation import expected_loss, loss
from budgeted.guard import Delivered
from budgeted.study import status as module
from budgeted.study.status import outlook
from tests import studies


def a_belief(sizes, seed=0, most=12):
    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        ("a", "b"), (0.4, 0.6), 10,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    return Belief(problem, rng.integers(0, most, problem.prior_counts.shape))


def error_of(belief, parameters):
    """How often the classifier of a belief is wrong where these parameters are the truth."""
    problem, wrong = belief.problem, 0.0
    for x in product(*(range(size) for size in problem.sizes)):
        guess = int(belief.posterior(dict(enumerate(x))).argmax())
        for label, share in enumerate(problem.prior):
            if label != guess:
                columns = [problem.offsets[i] + value for i, value in enumerate(x)]
                wrong += share * float(np.prod(parameters[label, columns]))
    return wrong


@pytest.mark.parametrize("few", [True, False])
def test_the_interval_covers_nine_of_ten_models(monkeypatch, few):
    if not few:
        monkeypatch.setattr(module, "_FEW_CASES", 0)
    belief = a_belief((2, 3, 2))
    now = outlook(belief)
    assert now.error == pytest.approx(float(loss(belief, "zero_one")))
    rng = np.random.default_rng(99)
    errors = [error_of(belief, belief.sample(rng)) for _ in range(300)]
    assert np.mean(errors) == pytest.approx(now.error, abs=0.015)
    covered = np.mean([now.low <= error <= now.high for error in errors])
    # 0.9 ± 4 standard deviations of 300 draws here and 200 there
    assert 0.81 <= covered <= 0.98


@pytest.mark.parametrize("few", [True, False])
def test_the_error_is_that_of_the_classifier_that_is_delivered(monkeypatch, few):
    """By its model, on every case there is; drawn cases within 4 of their standard errors."""
    if not few:
        monkeypatch.setattr(module, "_FEW_CASES", 0)
    belief = a_belief((2, 3, 2), most=3)
    delivered = Delivered(a_belief((2, 3, 2), seed=1), np.array([1.0, 0.3, 0.0]))
    model, problem = Model.from_belief(*delivered), belief.problem
    error = 1.0
    for x in product(*(range(size) for size in problem.sizes)):
        chances = model.predict({f"f{at}": str(value) for at, value in enumerate(x)})
        label = problem.label_index(max(chances, key=chances.get))
        columns = [problem.offsets[at] + value for at, value in enumerate(x)]
        error -= problem.prior[label] * float(np.prod(belief.means[label, columns]))
    found = outlook(belief, delivered)
    drawn = 4 * math.sqrt(sum(each**2 for each in problem.prior) / 4 / module._CASES_PER_DRAW)
    assert found.error == pytest.approx(error, abs=1e-12 if few else drawn)
    assert found.error != pytest.approx(float(loss(belief, "zero_one")), abs=0.02)
    assert found.low < found.error < found.high


def test_more_data_narrows_the_interval():
    few, many = (outlook(a_belief((2, 2), most=most)) for most in (5, 500))
    assert many.high - many.low < few.high - few.low


def test_a_study_says_how_it_is_doing(tmp_path):
    problem = studies.make_problem(("1", "2"), budget="20")
    with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
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
        under_way = study.state.under_way()
        base = expected_loss(study.state.belief, under_way, "gini")
        for cell in now.cells:
            key = (problem.feature_index(cell.feature), problem.label_index(cell.label))
            more = dict(under_way)
            more[key] = more.get(key, 0) + 1
            after = expected_loss(study.state.belief, more, "gini")
            assert cell.saves == pytest.approx(float(base) - float(after), abs=1e-10)
            assert cell.saves_per_money == pytest.approx(cell.saves / float(cell.cost))
        plain = now.to_plain()
        assert plain["spent"] == str(now.spent)
        assert plain["recent"][0]["event"]["kind"] == "told"


def test_what_cannot_be_bought_has_no_worth(tmp_path):
    problem = studies.make_problem(budget="0.5")
    with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
        assert all(cell.saves is None for cell in study.status().cells)


def test_three_labels(tmp_path):
    problem = studies.make_problem(("1", "1"), labels=3)
    with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
        study.ask(4)
        now = study.status()
        assert 0 < now.outlook.error < 1
        assert len(now.cells) == 6
