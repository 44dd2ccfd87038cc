"""What a study will come to: runs that write nothing, the same ones anywhere, and honest ones."""

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase, Study
from budgeted.cli.main import main
from budgeted.errors import LearnerError, StudyError
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.learners.imagined import ImaginedModel
from budgeted.problem import Soft
from budgeted.problem.prices import Panel, Tariff
from budgeted.problem.values import Number
from budgeted.studies.forecast import forecast
from budgeted.studies.forecast.runs import amounts, run
from budgeted.studies.projection import fold
from tests.thorough import sized

NOW = "2026-01-05T09:30:00Z"
FEATURES = (
    Feature("fever", ("no", "yes"), "1.50"),
    Feature("cough", ("no", "yes"), 1),
    Feature("chol", kind=Number(unit="mg/dl", cuts=(200, 240)), cost=2),
)


def a_study(folder, budget="30", prices=None, name="flu", **options):
    problem = Problem(FEATURES, ("well", "ill"), (0.6, 0.4), budget, prices)
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(40)]
    return Study.create(str(folder / "studies.db"), name, problem, cases, seed=1, **options)


def a_projection(study):
    return fold(None, study.history(), "test")


@pytest.mark.parametrize(
    "prices", [None, Tariff(visit_fee=2, panels=[Panel("both", ("fever", "cough"), setup="0.50")])]
)
def test_a_run_spends_no_more_than_there_is_and_writes_nothing(tmp_path, prices):
    with a_study(tmp_path, prices=prices) as study:
        study.ask(n=3)
        study.record([("P0", "chol", 251.5)], charge=True)
        before, digest = study.events, study.snapshot().digest
        projection = a_projection(study)
        state = projection.state
        for number in range(2):
            found = run(projection, 0, number, NOW)
            assert projection.state is state
            assert len(found.errors) == len(amounts(projection))
            assert all(0 <= each <= 1 for each in found.errors)
            left = state.problem.budget - state.spent
            assert Decimal(0) < sum(found.paid.values()) <= left
            assert set(found.bought) == set(found.paid) <= {each.name for each in FEATURES}
        assert (study.events, study.snapshot().digest) == (before, digest)


def test_a_forecast_is_the_same_wherever_its_runs_are_made(tmp_path):
    with a_study(tmp_path, budget="9") as study:
        study.ask(n=2)
        told = []
        here = forecast(study.history(), NOW, seconds=0, least=4, progress=told.append)
        with ThreadPoolExecutor(2) as pool:
            there = forecast(study.history(), NOW, least=4, most=4, pool=pool, workers=2)
        assert here.runs == 4
        assert here == there
        assert forecast(study.history(), NOW, seconds=0, least=4, seed=1) != here
        assert told == list(range(1, 5))


def test_it_begins_with_what_is_expected_now(tmp_path):
    """The first point of many runs is the outlook, which is found another way."""
    with a_study(tmp_path, budget="46") as study:
        answers = [("no", "no", 180), ("yes", "yes", 260)]
        for at in range(10):
            fever, cough, chol = answers[at % 2]
            study.record(
                [(f"P{at}", "fever", fever), (f"P{at}", "cough", cough), (f"P{at}", "chol", chol)],
                charge=True,
            )
        projection = a_projection(study)
        assert projection.state.free == 1
        first = np.array(
            [run(projection, 0, number, NOW).errors[0] for number in range(sized(30, 60))]
        )
        expected = study.snapshot().outlook
        error = first.std(ddof=1) / len(first) ** 0.5
        assert abs(first.mean() - expected.error) <= 4 * error + 0.01
        assert expected.low < 0.25


def test_more_money_is_expected_to_help_where_something_can_be_learned(tmp_path):
    with a_study(tmp_path, budget="40") as study:
        said = forecast(study.history(), NOW, seconds=0, least=25)
        now, end = said.points[0], said.end
        assert end.error < now.error - 0.02
        assert end.money == 40
        assert said.less.money == 32
        assert said.more.money == 48
        assert [each.money for each in said.points] == sorted(each.money for each in said.points)
        assert all(each.low <= each.error <= each.high for each in said.points)
        assert sum(share for _, share in said.features.values()) == pytest.approx(1)
        plain = json.loads(json.dumps(said.to_plain()))
        assert plain["end"]["money"] == "40"
        assert all(len(each["money"].partition(".")[2]) <= 2 for each in plain["points"])


def test_where_nothing_is_left_to_buy_it_stays_as_it_is(tmp_path):
    with a_study(tmp_path, budget="1") as study:
        study.ask()
        study.tell(1, "yes" if study.request(1).feature != "chol" else 250)
        said = forecast(study.history(), NOW, seconds=0, least=3)
        assert said.points[0].error == said.end.error
        assert said.less is None


def test_soft_budgets_stop_where_it_is_not_worth_going_on(tmp_path):
    terms = Soft(amount=4, rate="0.5", limit=60, point_worth="0.01")
    with a_study(tmp_path, budget=terms) as study:
        said = forecast(study.history(), NOW, seconds=0, least=5)
        assert said.more is None
        assert sum(values for values, _ in said.features.values()) <= 4


def test_who_cannot_imagine_models_says_so_and_a_closed_study_too(tmp_path):
    with a_study(tmp_path) as study:
        study.close()
        with pytest.raises(StudyError, match="closed"):
            forecast(study.history(), NOW)
    with a_study(tmp_path, name="other") as study:
        projection = a_projection(study)
        projection.__dict__["predictor"] = _Silent
        with pytest.raises(LearnerError, match="'silent' has none"):
            run(projection, 0, 0, NOW)


class _Silent:
    learner = "silent"


def test_the_command_says_it_in_words_and_json(tmp_path):
    with a_study(tmp_path, budget="6"):
        pass
    given_ = ["study", "forecast", "--db", str(tmp_path / "studies.db"), "--seconds", "0",
              "--runs", "3", "--workers", "1"]  # fmt: skip
    shown = CliRunner().invoke(main, given_)
    assert shown.exit_code == 0, shown.output
    assert "When the money is spent" in shown.stdout
    assert "6.00 (the budget)" in shown.stdout
    plain = json.loads(CliRunner().invoke(main, [*given_, "--json"]).stdout)
    assert plain["runs"] == 3


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.4, 0.9]))
@settings(max_examples=15, deadline=None)
def test_imagined_cases_have_the_shares_of_their_model(seed, correlation):
    """Within five standard errors, whether drawn together or value by value."""
    rng = np.random.default_rng(seed)
    problem = Problem(FEATURES, ("well", "ill"), (0.6, 0.4), 10)
    parameters = np.concatenate(
        [rng.dirichlet(np.ones(len(each.values)), size=2) for each in FEATURES], axis=1
    )
    model = ImaginedModel(problem, parameters, correlation)
    number = 3_000
    label = seed % 2
    together = model.cases(label, number, rng)
    singly = np.array([
        [model.value(label, at, model.typical(label, {}, z), e) for at in range(3)
         for z, e in [rng.standard_normal(2)]]
        for _ in range(number // 4)
    ])  # fmt: skip
    begin = 0
    for at, feature in enumerate(FEATURES):
        shares = parameters[label, begin : begin + len(feature.values)]
        begin += len(feature.values)
        for cases in (together, singly):
            seen = np.bincount(cases[:, at], minlength=len(shares)) / len(cases)
            error = np.sqrt(shares * (1 - shares) / len(cases))
            assert (np.abs(seen - shares) <= 5 * error + 1e-3).all()


def test_known_values_say_how_typical_a_case_is():
    problem = Problem(FEATURES[:2], ("well", "ill"), (0.5, 0.5), 10)
    parameters = np.array([[0.7, 0.3, 0.7, 0.3], [0.3, 0.7, 0.3, 0.7]])
    rng = np.random.default_rng(4)
    for correlation, apart in ((0.0, False), (0.6, True)):
        model = ImaginedModel(problem, parameters, correlation)
        typical, strange = (
            np.mean([
                model.value(1, 1, model.typical(1, {0: value}, z), e)
                for z, e in rng.standard_normal((2_000, 2))
            ])
            for value in (1, 0)
        )  # fmt: skip
        assert (typical - strange > 0.15) == apart
        # On average over the first value the second has its own share.
        assert 0.7 * typical + 0.3 * strange == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("learner", [NaiveBayes(), Hierarchical()])
def test_learners_of_the_package_imagine_models(learner):
    problem = Problem(FEATURES, ("well", "ill"), (0.6, 0.4), 10)
    made = learner.fit(problem, [Purchase(0, 1, 1, 1, "P1")])
    model = made.imagine(np.random.default_rng(1))
    assert model.parameters.shape == made.means.shape
    assert 0 <= model.correlation < 1
