"""Rules for stopping: when each says so, and why; bad ones get words."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase, State
from budgeted.errors import StopRuleError, StudyFileError
from budgeted.learners import NaiveBayes, Outlook
from budgeted.problem import Soft
from budgeted.studies.files import read_study
from budgeted.studies.forecast import Forecast, Point
from budgeted.studies.stop_rules import (
    STOP_RULES,
    Judged,
    Situation,
    StopRules,
    Verdict,
    from_table,
    read_again,
    weighed,
)
from budgeted.studies.stop_rules.cases_per_label import CasesPerLabel
from budgeted.studies.stop_rules.least_gain import LeastGain
from budgeted.studies.stop_rules.point_worth import PointWorth
from budgeted.studies.stop_rules.target_error import TargetError

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


def test_a_point_costs_no_more_than_is_spent_for_it():
    """All that is left to buy costs 10 of the remaining 100: ten points for that are worth it."""
    curve = replace(a_forecast(0.30, 0.20, 0.20, runs=2), spent=(Decimal(10), Decimal(12)))
    said = PointWorth(2).weigh(a_situation(curve))
    assert not said.stops
    assert (said.figures["paid"], said.figures["worth"]) == ("11.00", "20.00")
    assert "the next 11.00 are expected to lower it" in said.words
    assert PointWorth("1.05").weigh(a_situation(curve)).stops
    assert PointWorth(2).clearly_goes_on(a_situation(curve))
    nothing = replace(curve, spent=(Decimal(0), Decimal(0)))
    assert "there is nothing left to buy" in PointWorth(2).weigh(a_situation(nothing)).words


def test_what_brings_nothing_but_beyond_the_budget_does_not_count():
    points = tuple(
        Point(Decimal(at), error, 0.0, 1.0) for at, error in ((0, 0.2), (100, 0.195), (120, 0.1))
    )
    errors = np.array([[each.error for each in points]])
    beyond = Forecast(0, 1, points, points[1], None, points[2], {}, errors)
    assert LeastGain(0.01).weigh(a_situation(beyond)).stops
    assert PointWorth(1).weigh(a_situation(beyond)).stops


def test_a_few_runs_are_enough_to_go_on_only_if_they_agree():
    agree = a_forecast(*[(0.3, 0.2), (0.3, 0.21)] * 3)
    differ = a_forecast(*[(0.3, 0.3)] * 5, (0.3, 0.2))
    rules = from_table({"least_gain": 0.01, "point_worth": 20})
    assert rules.clearly_go_on(a_situation(agree))
    assert not rules.clearly_go_on(a_situation(differ))
    assert not LeastGain(0.01).weigh(a_situation(differ)).stops  # on average it is enough
    dear = from_table({"least_gain": 0.01, "point_worth": 2})
    assert not dear.clearly_go_on(a_situation(agree))


@pytest.mark.parametrize(
    ("worth", "stops"),
    [(4, True), (6, False)],  # the first 50 lower the error by 10 points: 5 each
)
def test_a_point_of_error_is_worth_what_it_costs_or_not(worth, stops):
    said = PointWorth(worth).weigh(a_situation(a_forecast(0.30, 0.20, 0.19)))
    assert said.stops == stops
    if not stops:
        assert (said.figures["paid"], said.figures["worth"]) == ("50", "60.00")
        assert "the next 50 are expected to lower it from 30.0 % to 20.0 %" in said.words


def test_the_surcharge_of_a_soft_budget_is_part_of_what_a_point_costs():
    soft = PROBLEM.but(
        budget=Soft(50, limit=100, point_worth=1, rate=1)
    )  # beyond 50, everything costs twice
    curve = a_forecast(0.30, 0.30, 0.20)
    assert not PointWorth(11).weigh(a_situation(curve)).stops
    said = PointWorth(11).weigh(a_situation(curve, problem=soft))
    assert said.stops
    assert said.figures["paid"] == "150"


def test_money_that_is_gone_buys_no_point():
    said = PointWorth(5).weigh(a_situation(_spent()))
    assert said.stops
    assert "no money left" in said.words


def _spent():
    point = Point(Decimal(100), 0.2, 0.1, 0.3)
    return Forecast(0, 1, (point,), point, None, None, {}, np.array([[0.2]]))


def test_enough_of_each_label_counts_cases_and_what_is_under_way():
    state = State.start(PROBLEM)
    for feature, label, value, case in ((0, 0, 1, 0), (1, 0, 1, 0), (0, 0, 0, 1), (0, 1, 1, 5)):
        state = state.after(Purchase(feature, label, value, 1, case))
    situation = Situation(state, judged(0.2))
    assert situation.measured() == [2, 1]
    said = CasesPerLabel(2).weigh(situation)
    assert not said.stops
    assert "there are fewer: ill 1" in said.words
    assert CasesPerLabel(1).weigh(situation).stops
    assert "20.0 % wrong answers are expected now" in said.words
    assert "96 left" in said.words
    assert "ill" not in said.without_labels().words
    assert said.without_labels().figures == {}


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
        ({"point_worth": 0}, "stop.point_worth:"),
        ({"point_worth": "much"}, "stop.point_worth:"),
        ({"cases_per_label": 2.5}, "stop.cases_per_label: must be a whole number from 1, got 2.5"),
        ({"cases_per_label": 0}, "stop.cases_per_label: must be a whole number from 1, got 0"),
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
        from_table({"least_gain": -1, "point_worth": -1, "sooner": 1, "probability": 0.9})
    assert len(refused.value.mistakes) == 4


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"target_error": 0.1},
        {"target_error": 0.1, "probability": 0.8, "binding": True},
        {"least_gain": 0.01, "point_worth": "2.5", "cases_per_label": 30},
    ],
)
def test_rules_are_written_as_they_are_read(table):
    rules = from_table(table)
    assert rules.to_table() == table
    assert from_table(rules.to_table()) == rules == read_again(table)


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


def test_a_rule_that_fails_stops_nothing_and_says_so():
    @dataclass(frozen=True)
    class Broken:
        name: ClassVar[str] = "broken"
        summary: ClassVar[str] = "never works"

        def weigh(self, situation):
            raise ZeroDivisionError("no")

        def words(self):
            return "never"

    (said,) = weighed(StopRules((Broken(),)), a_situation())
    assert said == Verdict("broken", False, "it cannot be weighed: ZeroDivisionError: no")


def test_every_rule_has_words_and_a_line_for_lists():
    values = {"target_error": 0.1, "least_gain": 0.01, "point_worth": 3, "cases_per_label": 5}
    said = from_table(values)
    assert [each.name for each in said.rules] == list(STOP_RULES)
    for rule in said.rules:
        assert len(rule.summary) < 80
        assert rule.words() in said.words()
    assert said.words().endswith("advice")
    assert from_table(values | {"binding": True}).words().endswith("a rule that asking follows")


def test_a_rule_that_looks_ahead_says_when_it_will():
    for rule in (LeastGain(0.01), PointWorth(3)):
        said = rule.weigh(a_situation())
        assert (said.stops, said.words) == (False, "it is weighed when something is asked next")
        why = Situation(State.start(PROBLEM), judged(0.2), None, "the learner has none")
        assert rule.weigh(why).words == "it cannot be weighed: the learner has none"
