"""A tariff, rule by rule: prices, visit fees, panels, changes and exceptions."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from budgeted import Feature, Problem, State
from budgeted.errors import ObservationError, PriceListError, ProblemError
from budgeted.problem import CaseSoFar, Order, PerFeature, Tariff
from budgeted.problem.orders import Visit
from budgeted.problem.prices import (
    PRICE_LISTS,
    Panel,
    Statement,
    for_sale,
    from_table,
    lines,
    parameters_of,
)
from tests.tariffs import FEATURES, LABELS, problem

GLUCOSE, INSULIN, LDL, HDL, AGE = range(5)
BLOOD = {"name": "blood", "features": ["glucose", "insulin"], "shared": "2.10"}
LIPIDS = {"name": "lipids", "features": ["ldl", "hdl"], "whole": True, "price": "12.50"}
JANUARY, FEBRUARY, MARCH = (date(2027, month, 1) for month in (1, 2, 3))


def cost(tariff, *features, label=0, day=None, visits=(), group=""):
    """What features of a case cost of which this was paid for: (features, day)."""
    prices = problem(tariff).prices
    past = tuple(Visit(frozenset(had), when) for had, when in visits)
    case = CaseSoFar(frozenset().union(*(had for had, _ in visits)), label, None, past, group)
    return str(prices.quote(Order(features, label, day=day), case))


def test_without_parameters_it_is_a_price_for_each_feature():
    assert cost(Tariff(), GLUCOSE, AGE) == cost(PerFeature(), GLUCOSE, AGE) == "18.61"
    assert Tariff().separable
    assert PRICE_LISTS["tariff"] is Tariff


def test_turneys_prices_of_blood_tests_are_written_as_he_states_them():
    """Turney (1995): 17.61 and 22.78, of which 2.10 is shared when both are drawn at once."""
    prices = Tariff(panels=[BLOOD])
    assert cost(prices, GLUCOSE) == "17.61"
    assert cost(prices, INSULIN) == "22.78"
    assert cost(prices, GLUCOSE, INSULIN) == "38.29"
    assert cost(prices, INSULIN, visits=[({GLUCOSE}, None)]) == "20.68"
    assert cost(prices, INSULIN, AGE) == "23.78"


def test_the_papers_clinic():
    """Lizotte, Madani and Greiner (2003), 5.1: 50 to come in, after which each test costs 10."""
    tests = [Feature(name, ("no", "yes"), 10) for name in "abc"]
    clinic = Problem(tests, LABELS, (0.5, 0.5), 1000, Tariff(visit_fee=50))
    quotes = [clinic.prices.quote(Order(tuple(range(n)), 0), CaseSoFar()) for n in (1, 2, 3)]
    assert quotes == [60, 70, 80]
    assert clinic.prices.quote(Order((2,), 0), CaseSoFar(frozenset({0}))) == 10
    assert lines(clinic.prices, Order((2, 0), 0), CaseSoFar()) == (60, 10)


@pytest.mark.parametrize(
    ("days", "day", "expected"),
    [
        (None, date(2040, 1, 1), "1.00"),
        (0, JANUARY, "1.00"),
        (0, date(2027, 1, 2), "51.00"),
        (30, date(2027, 1, 31), "1.00"),
        (30, FEBRUARY, "51.00"),
    ],
)
def test_the_visit_fee_covers_the_days_that_follow(days, day, expected):
    prices = Tariff(visit_fee="50", visit_days=days)
    assert cost(prices, AGE, day=day, visits=[({LDL}, JANUARY)]) == expected


def test_prices_change_on_a_day():
    prices = Tariff(
        visit_fee=50,
        panels=[LIPIDS],
        changes=[
            {"day": FEBRUARY, "feature": "age", "price": "2"},
            {"day": "2027-03-01", "feature": "age", "price": "0.50"},
            {"day": FEBRUARY, "visit_fee": 60},
            {"day": FEBRUARY, "panel": "lipids", "price": 15},
        ],
    )
    assert cost(prices, AGE) == cost(prices, AGE, day=date(2027, 1, 31)) == "51.00"
    assert cost(prices, AGE, day=FEBRUARY) == "62"
    assert cost(prices, AGE, day=MARCH) == "60.50"
    assert cost(prices, LDL, day=JANUARY) == "62.50"
    assert cost(prices, LDL, day=MARCH) == "75"


def test_labels_and_groups_have_prices_of_their_own():
    prices = Tariff(
        visit_fee=50,
        exceptions=[
            {"label": "ill", "feature": "age", "price": 3},
            {"group": "children", "feature": "age", "price": 4},
            {"group": "children", "label": "ill", "feature": "age", "price": 5},
            {"group": "children", "visit_fee": 0},
        ],
        changes=[{"day": FEBRUARY, "feature": "age", "price": 9}],
    )
    assert cost(prices, AGE, label=0) == "51.00"
    assert cost(prices, AGE, label=1) == "53"
    assert cost(prices, AGE, label=0, group="children") == "4"
    assert cost(prices, AGE, label=1, group="children") == "5"
    assert cost(prices, AGE, label=0, group="adults") == "51.00"
    assert cost(prices, AGE, label=0, day=FEBRUARY) == "59"
    assert cost(prices, AGE, label=1, day=FEBRUARY) == "53", "an exception stands until it changes"
    assert problem(prices).fresh_prices[AGE] == (Decimal("51.00"), Decimal(53))


def test_prices_by_label_alone_are_separable_and_nothing_else_is():
    own = {"feature": "age", "price": 3}
    assert Tariff(exceptions=[{"label": "ill", **own}]).separable
    for other in (
        Tariff(exceptions=[{"group": "children", **own}]),
        Tariff(exceptions=[{"label": "ill", "visit_fee": 3}]),
        Tariff(changes=[{"day": MARCH, **own}]),
        Tariff(visit_fee=1),
        Tariff(panels=[BLOOD]),
    ):
        assert other.separable is False


def test_objects_say_the_same_as_tables():
    made = Tariff(
        panels=[Panel("blood", ("glucose", "insulin"), shared=Decimal("2.10"))],
        changes=[Statement(day=MARCH, feature="age", price=Decimal(2))],
    )
    change = {"day": MARCH, "feature": "age", "price": "2"}
    assert made == Tariff(panels=[BLOOD], changes=[change])
    assert made != Tariff(panels=[BLOOD])


def test_a_study_file_and_the_journal_say_the_same():
    text = """
    list = "tariff"
    visit_fee = 50
    panels = [{name = "blood", features = ["glucose", "insulin"], shared = 2.1, days = 7}]
    changes = [{day = 2027-02-01, feature = "age", price = "11.00"}]
    [[exceptions]]
    group = "children"
    visit_fee = "0"
    """
    made = from_table(tomllib.loads(text))
    assert parameters_of(made) == {
        "visit_fee": "50",
        "visit_days": None,
        "panels": [
            {"name": "blood", "features": ["glucose", "insulin"], "shared": "2.1", "days": 7}
        ],
        "changes": [{"day": "2027-02-01", "feature": "age", "price": "11.00"}],
        "exceptions": [{"group": "children", "visit_fee": "0"}],
    }


def test_a_feature_that_comes_later_is_for_sale_too():
    made = problem(Tariff(visit_fee=50, panels=[BLOOD])).prices
    more = for_sale(made, (*FEATURES, Feature("crp", ("low", "high"), 7)))
    assert more == made
    assert more.quote(Order((5, GLUCOSE), 1), CaseSoFar()) == Decimal("74.61")
    assert more.labels == LABELS


def test_it_can_be_used_by_a_state():
    state = State.start(problem(Tariff(visit_fee=50, panels=[BLOOD]), budget=100))
    asked = state.reserve(Order((GLUCOSE, INSULIN), 1))
    assert [str(each.cost) for each in asked.pending] == ["67.61", "20.68"]


@pytest.mark.parametrize("at", [5, -1])
def test_a_feature_that_is_not_there_is_refused_in_words(at):
    with pytest.raises(ObservationError, match=rf"there is no feature number {at}; positions go"):
        problem(Tariff()).prices.quote(Order((at,), 0), CaseSoFar())


EVERYTHING_WRONG = {
    "visit_fee": "fifty",
    "visit_days": 1.5,
    "panels": [
        {"name": "blood", "features": ["glucos", "insulin"], "setup": 1, "shared": 2},
        {"name": "", "features": [], "setup": -1, "day": 3},
        {"name": "a", "features": ["age", "age"], "price": "3"},
        {"name": "b", "features": ["age"], "whole": True, "setup": 3},
        {"name": "c", "features": ["ldl"], "whole": "yes", "price": 0, "days": 3},
        7,
    ],
    "changes": [
        {"feature": "agee", "price": 3},
        {"day": "2027-13-01", "visit_fee": 3},
        {"day": MARCH, "feature": "age", "panel": "c", "price": 3},
        {"day": MARCH, "panel": "bloot", "setup": 3, "shared": 1},
    ],
    "exceptions": [
        {"feature": "age", "price": 0},
        {"label": "sick", "group": 3, "feature": "age"},
    ],
}


def test_all_mistakes_are_said_at_once_with_their_places():
    with pytest.raises(PriceListError) as error:
        from_table({"list": "tariff", **EVERYTHING_WRONG}, FEATURES, LABELS)
    said = "\n".join(error.value.mistakes)
    one_of = "must have one of 'setup' (on top of the prices of its features), 'shared' (a part"
    for expected in (
        "visit_fee: must be an amount of money",
        "visit_days: must be a whole number of days from 0 to 100000, got 1.5",
        "panels[0].features: there is no feature 'glucos'; did you mean 'glucose'?",
        f"panels[0]: {one_of}",
        "it has 'setup' and 'shared'",
        "panels[1].day: there is no such key; did you mean 'days'?",
        "panels[1].name: must be text that is not blank, got ''",
        "panels[1].features: must be a list of names, got ",
        "panels[1].setup: must be 0 or more, got -1",
        "panels[2].features: 'age' appears twice",
        "panels[2].price: the price of a whole panel goes with whole = true",
        "panels[3].whole: a panel that is sold whole has one 'price'",
        "panels[4].whole: must be true or false, got 'yes'",
        "panels[4].price: must be above 0, got 0",
        "panels[5]: must be a table with name, features,",
        "changes[0].feature: there is no feature 'agee'; did you mean 'age'?",
        "changes[0]: must have 'day'",
        "changes[1].day: must be a day such as 2027-01-31, got '2027-13-01'",
        "changes[2]: must be about one 'feature', one 'panel' or the 'visit_fee'",
        "changes[3].panel: there is no panel 'bloot'; did you mean 'blood'?",
        "changes[3]: must say its 'setup', 'shared' or 'price'",
        "exceptions[0].price: must be above 0, got 0",
        "exceptions[0]: must have 'label' or 'group'",
        "exceptions[1].label: there is no label 'sick'; there are 'well', 'ill'",
        "exceptions[1].group: must be text that is not blank, got 3",
        "exceptions[1]: must say its 'price'",
    ):
        assert expected in said


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"visit_days": 3}, "visit_days: there is no visit_fee that could be due again"),
        ({"panels": [BLOOD, BLOOD]}, r"panels\[1\].name: panels\[0\] is called 'blood' already"),
        (
            {"panels": [LIPIDS, {**LIPIDS, "name": "more", "features": ["hdl", "age"]}]},
            r"panels\[1\].features: 'hdl' is sold with the panel 'lipids', which is sold whole",
        ),
        (
            {"panels": [{**BLOOD, "features": ["ldl", "age"]}, LIPIDS]},
            r"panels\[0\].features: has 'ldl' and not 'hdl' of the panel 'lipids'",
        ),
        (
            {"panels": [{**BLOOD, "features": ["age", "ldl"]}]},
            r"panels\[0\].shared: is more than the price of 'age', which it is a part of$",
        ),
        (
            {"panels": [BLOOD], "exceptions": [
                {"group": "x", "label": "ill", "day": MARCH, "feature": "insulin", "price": 1}]},
            "of 'insulin', which it is a part of, for cases of the label 'ill' and of the group "
            "'x', from 2027-03-01 on",
        ),
        (
            {"panels": [{**BLOOD, "features": ["ldl", "hdl"], "shared": "20"}, LIPIDS]},
            "is more than the price of the panel 'lipids'",
        ),
        (
            {"panels": [LIPIDS], "changes": [{"day": MARCH, "panel": "lipids", "setup": 3}]},
            r"changes\[0\]: the panel 'lipids' has a 'price'; state that",
        ),
        (
            {"panels": [LIPIDS], "changes": [{"day": MARCH, "feature": "ldl", "price": 3}]},
            r"changes\[0\].feature: 'ldl' is sold with the whole panel 'lipids'; state the price",
        ),
        (
            {"changes": [{"day": MARCH, "label": "ill", "visit_fee": 3}],
             "exceptions": [{"day": MARCH, "label": "ill", "visit_fee": 4}]},
            r"exceptions\[0\]: changes\[0\] is about the same, for the same cases and day",
        ),
        ({"changes": [{"day": MARCH, "visit_fee": 3, "price": 3}]}, "the fee and no other price"),
        ({"panels": {"name": "blood"}}, r"panels: must be a list of tables, each under \[\[prices"),
        ({"fee": 3}, "price list 'tariff' has no parameter 'fee'; it takes visit_fee, visit_days"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(parameters, says):
    with pytest.raises(PriceListError, match=says):
        from_table({"list": "tariff", **parameters}, FEATURES, LABELS)


def test_names_that_are_not_there_are_refused_by_the_problem():
    unknown = Tariff(panels=[{**BLOOD, "features": ["glucos"]}], exceptions=[
        {"label": "sick", "visit_fee": 3}])  # fmt: skip
    with pytest.raises(ProblemError) as error:
        problem(unknown)
    assert error.value.mistakes == (
        "prices: panels[0].features: there is no feature 'glucos'; did you mean 'glucose'?",
        "prices: exceptions[0].label: there is no label 'sick'; there are 'well', 'ill'",
    )


def test_a_copy_with_another_fee_keeps_the_rest():
    made = problem(Tariff(visit_fee=50, panels=[BLOOD])).prices
    assert replace(made, visit_fee=5).quote(Order((AGE,), 0), CaseSoFar()) == Decimal("6.00")
