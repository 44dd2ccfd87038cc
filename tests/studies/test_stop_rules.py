"""Rules for stopping: when each says so, and why; bad ones get words."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest

from budgeted import Feature, Problem, State
from budgeted.errors import StopRuleError, StudyFileError
from budgeted.learners import NaiveBayes, Outlook
from budgeted.studies.files import read_study
from budgeted.studies.forecast import Forecast, Point
from budgeted.studies.stop_rules import Judged, LeastGain, Situation, TargetError, from_table

PROBLEM = Problem(
    [Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ("well", "ill"),
    (0.6, 0.4),
    100,
)


@dataclass
class Sure:
    """A classifier that knows its error under each possible model."""

    possible: tuple[float, ...]
    learner: str = "sure"

    def errors(self, models=200):
        return np.array(self.possible)

    def outlook(self, models=200):
        raise AssertionError("the errors say more")


@dataclass
class Interval:
    """A classifier that gives an interval, and nothing else."""

    learner: str = "interval"

    def outlook(self, models=200):
        return Outlook(0.2, 0.1, 0.3)


def judged(*errors):
    return Judged(lambda: Sure(errors))


def a_forecast(*curve, runs=1):
    """Errors of each run at 0, 50 and 100 of money; one curve, or one for each run."""
    errors = np.array(curve if np.ndim(curve) == 2 else [curve] * runs)
    amounts = [Decimal(100) * at / (errors.shape[1] - 1) for at in range(errors.shape[1])]
    points = tuple(
        Point(amount, float(error), 0.0, 1.0)
        for amount, error in zip(amounts, errors.mean(axis=0), strict=True)
    )
    return Forecast(0, len(errors), points, points[-1], None, None, {}, errors)


def a_situation(forecast=None, errors=(0.2,), problem=PROBLEM):
    return Situation(State.start(problem), judged(*errors), forecast)


def test_a_target_is_reached_if_enough_possible_models_have_it():
    nine_of_ten = (0.05,) * 9 + (0.3,)
    rule = TargetError(0.1, 0.85)
    said = rule.weigh(a_situation(errors=nine_of_ten))
    assert said.stops
    assert (said.figures["chance"], said.figures["rest"]) == (0.9, "100")
    assert "10.0 % is reached with a probability of 90 %" in said.words
    assert "100 left" in said.words
    assert not TargetError(0.1, 0.95).weigh(a_situation(errors=nine_of_ten)).stops
    assert not TargetError(0.04, 0.85).weigh(a_situation(errors=nine_of_ten)).stops


def test_a_target_that_is_not_reached_yet_says_whether_it_will_be():
    forecast = a_forecast((0.3, 0.1), (0.3, 0.1), (0.3, 0.1), (0.3, 0.25))
    said = TargetError(0.12).weigh(a_situation(forecast, errors=(0.3,)))
    assert not said.stops
    assert said.figures["end_chance"] == 0.75
    assert "With all the money 13.8 % is expected" in said.words


def test_a_classifier_that_gives_an_interval_is_as_sure_as_that_is():
    """Half of it lies below what is expected, and 95 % below the upper end of a 90 % interval."""
    found = Judged(Interval)
    assert found.error == 0.2
    assert found.chance(0.2) == pytest.approx(0.5)
    assert found.chance(0.3) == pytest.approx(0.95)
    assert found.chance(0.1) == pytest.approx(0.05)


def test_the_possible_errors_are_those_of_the_outlook():
    predictor = NaiveBayes().fit(PROBLEM, [])
    outlook = predictor.outlook()
    errors = predictor.errors()
    assert errors.mean() == pytest.approx(outlook.error)
    within = ((errors >= outlook.low) & (errors <= outlook.high)).mean()
    assert within >= 0.9


@pytest.mark.parametrize(
    ("curve", "stops"),
    [
        ((0.200, 0.195, 0.191), True),
        ((0.200, 0.195, 0.185), False),
        ((0.200, 0.185, 0.195), False),  # what is best comes before all is spent
        ((0.200, 0.210, 0.220), True),
        ((0.200, 0.300, 0.100), False),  # it gets worse before it gets better
    ],
)
def test_nothing_left_is_worth_it_if_no_amount_lowers_the_error_enough(curve, stops):
    said = LeastGain(0.01).weigh(a_situation(a_forecast(*curve)))
    assert said.stops == stops
    assert said.figures["gain"] == pytest.approx(0.2 - min(curve))
    assert "remaining 100" in said.words
    assert "20.0 %" in said.words


def test_what_brings_nothing_but_beyond_the_budget_does_not_count():
    points = tuple(
        Point(Decimal(at), error, 0.0, 1.0) for at, error in ((0, 0.2), (100, 0.195), (120, 0.1))
    )
    errors = np.array([[each.error for each in points]])
    beyond = Forecast(0, 1, points, points[1], None, points[2], {}, errors)
    assert LeastGain(0.01).weigh(a_situation(beyond)).stops


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"target_error": 0.1, "probability": 1.5}, "stop.probability: must be a number above 0.5"),
        ({"target_error": 0.1, "probability": 0.3}, "stop.probability: must be a number above 0.5"),
        ({"target_error": 0}, "stop.target_error: must be a number above 0 and below 1, got 0"),
        ({"target_error": "low"}, "stop.target_error: must be a number"),
        ({"probability": 0.9}, "stop.probability: belongs to target_error, which is missing"),
        ({"least_gain": -0.01}, "stop.least_gain: must be a number above 0 and below 1, got -0.01"),
        ({"least_gain": float("nan")}, "stop.least_gain: must be a number"),
        ({"least_gain": True}, "stop.least_gain: must be a number"),
        (
            {"least_gains": 0.01},
            "stop.least_gains: there is no such key; did you mean 'least_gain'",
        ),
        ({"least_gain": 0.01, "binding": "yes"}, "stop.binding: must be true or false, got 'yes'"),
        (["least_gain"], "stop: must be a table"),
    ],
)
def test_rules_that_make_no_sense_get_words(table, words):
    with pytest.raises(StopRuleError) as refused:
        from_table(table)
    assert words in str(refused.value)


def test_all_that_is_wrong_with_a_table_is_said_at_once():
    with pytest.raises(StopRuleError) as refused:
        from_table({"least_gain": -1, "binding": 1, "sooner": 1, "probability": 0.9})
    assert len(refused.value.mistakes) == 4


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"target_error": 0.1},
        {"target_error": 0.1, "probability": 0.8, "binding": True},
        {"target_error": 0.1, "least_gain": 0.01},
    ],
)
def test_rules_are_written_as_they_are_read(table):
    rules = from_table(table)
    assert rules.to_table() == table
    assert from_table(rules.to_table()) == rules


def test_a_study_file_with_bad_rules_says_so_with_all_else_that_is_wrong(tmp_path):
    text = """
        name = "flu"
        labels = ["well", "ill"]
        prior = [0.7, 0.3]
        budget = -5
        [[features]]
        name = "fever"
        values = ["no", "yes"]
        cost = 1
        [stop]
        least_gain = 2
        """
    (tmp_path / "flu.toml").write_text(text)
    (tmp_path / "cases.csv").write_text("case,label\nP1,well\nP2,ill\n")
    with pytest.raises(StudyFileError) as refused:
        read_study(tmp_path / "flu.toml", tmp_path / "cases.csv")
    assert "stop.least_gain: must be a number above 0 and below 1, got 2" in str(refused.value)
    assert "budget" in str(refused.value)


def test_a_target_that_needs_no_purchase_is_none():
    unfit = from_table({"target_error": 0.4}).unfit(PROBLEM)
    assert unfit == [
        "stop.target_error: always saying 'well' is wrong in 40.0 % of cases, so that 40.0 % is no "
        "target; give a lower one"
    ]
    assert not from_table({"target_error": 0.39}).unfit(PROBLEM)


def test_a_target_below_the_floor_says_what_the_best_is():
    forecast = a_forecast((0.4, 0.2, 0.25), (0.4, 0.3, 0.25))
    said = TargetError(0.15).out_of_reach(forecast)
    assert "stop.target_error: 15.0 % is below what all the money can be expected to bring" in said
    assert "at best 25.0 %" in said
    assert "the best has 20.0 %" in said
    assert TargetError(0.2).out_of_reach(forecast) == ""


def test_every_rule_has_words():
    values = {"target_error": 0.1, "least_gain": 0.01}
    said = from_table(values)
    for rule in said.rules:
        assert rule.words() in said.words()
    assert said.words().endswith("advice")
    assert from_table(values | {"binding": True}).words().endswith("a rule that asking follows")


def test_a_rule_that_looks_ahead_says_when_it_will():
    said = LeastGain(0.01).weigh(a_situation())
    assert (said.stops, said.words) == (False, "it is weighed when something is asked next")
    why = Situation(State.start(PROBLEM), judged(0.2), None, "the learner has none")
    assert LeastGain(0.01).weigh(why).words == "it cannot be weighed: the learner has none"
