"""Wishes for the next orders: who is here, what may be ordered, and what it may cost."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from budgeted import Feature, Problem, Study
from budgeted.errors import BudgetedError, StudyError
from budgeted.problem.prices.tariff import Tariff
from tests.sample_studies import check_everything, check_folded

NAMES = ("crp", "mcv", "ecg", "pulse")
TREADMILL = {"name": "treadmill", "features": ["ecg", "pulse"], "whole": True, "price": 30}
CASES = [(f"P{at:02}", "ill" if at % 2 else "well") for at in range(12)]


class Clock:
    """A clock that people set."""

    def __init__(self):
        self.day = date(2026, 3, 1)

    def __call__(self):
        return f"{self.day.isoformat()}T10:00:00.000000Z"


def problem(prices, budget=1_000):
    features = [Feature(name, ("low", "high"), 10) for name in NAMES]
    return Problem(features, ("well", "ill"), (0.5, 0.5), budget, prices)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    """The paper's clinic: 50 for the visit, 10 for each test, and a treadmill."""
    prices = Tariff(50, panels=[TREADMILL])
    made = problem(prices)
    with Study.create(
        str(tmp_path / "s.db"), "clinic", made, CASES, seed=3, by="me", clock=clock
    ) as begun:
        yield begun


def features(asked):
    return {each.feature for each in asked}


def test_visits_are_cases_whatever_is_ordered_of_them(study):
    asked = study.ask(visits=3)
    assert len({each.case for each in asked}) == 3
    assert len(asked) >= 9  # several values of each
    check_everything(study)
    check_folded(study)


def test_only_who_is_here_is_asked(study):
    asked = study.ask(case="P03")
    assert {each.case for each in asked} == {"P03"}
    more = study.ask(5, case="P03")
    assert {each.case for each in (*asked, *more)} == {"P03"}
    assert len(features((*asked, *more))) == len(asked) + len(more)  # nothing twice
    assert sum(each.cost for each in (*asked, *more)) == 50 + 10 * 2 + 30


def test_who_is_here_anyway_is_the_reason(study):
    study.ask(only=["crp"], case="P03")
    (asked,) = study.ask(only=["mcv"], case="P03")
    assert asked.cost == 10
    assert "P03 is here anyway: 'mcv' costs 10 instead of 60" in asked.why


@pytest.mark.parametrize("policy", ["auto", "sfl", "round-robin", "biased-robin", "exp3"])
def test_a_machine_that_is_broken_is_not_asked_for(tmp_path, policy):
    """Not even what would come along at no cost."""
    made = problem(Tariff(50, panels=[TREADMILL]))
    path = str(tmp_path / "s.db")
    with Study.create(path, "clinic", made, CASES, policy=policy, seed=3, by="me") as begun:
        assert features(begun.ask(6, without=["ecg", "crp"])) <= {"mcv", "pulse"}
        assert features(begun.ask(6, only=["crp"])) == {"crp"}
        assert features(begun.ask(2, only=["crp", "ecg"], without=["crp"])) == {"ecg"}


def test_no_more_than_this_weeks_money(study):
    asked = study.ask(10, at_most="165")
    assert 0 < sum(each.cost for each in asked) <= 165
    assert study.ask(10, at_most="9.99") == ()
    assert study.state.free == 1_000 - sum(each.cost for each in asked)


def test_a_price_for_each_feature_takes_wishes_too(tmp_path):
    with Study.create(str(tmp_path / "s.db"), "plain", problem(None), CASES, by="me") as begun:
        assert {each.case for each in begun.ask(4, case="P05")} == {"P05"}
        assert len(begun.ask(4, case="P05")) == 0
        assert sum(each.cost for each in begun.ask(10, at_most=35)) == 30
        assert len({each.case for each in begun.ask(visits=2)}) == 2


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"case": "P99"}, "P99"),
        ({"only": ["crpp"]}, "did you mean 'crp'"),
        ({"without": ["x"]}, "x"),
        ({"at_most": "-1"}, "at_most"),
        ({"at_most": "much"}, "at_most"),
        ({"visits": 0}, "visits: must be a whole number from 1"),
        ({"visits": 2, "n": 3}, "give one of them"),
        ({"only": "crp"}, "must be a list of features"),
    ],
)
def test_wishes_that_make_no_sense_are_refused_in_words(study, wish, words):
    with pytest.raises(BudgetedError, match=words):
        study.ask(**wish)
    assert study.events == 1


def test_a_withdrawn_case_is_not_here(study):
    study.withdraw("P03")
    with pytest.raises(StudyError, match="'P03' is withdrawn"):
        study.ask(case="P03")


SOUTH = [{"group": "south", "visit_fee": 20}, {"group": "far", "visit_fee": 200}]


def grouped(folder, groups, budget=1_000, **options):
    prices = Tariff(50, exceptions=SOUTH)
    return Study.create(
        str(folder / "s.db"), "clinic", problem(prices, budget), CASES, groups=groups, by="me",
        **options,
    )  # fmt: skip


def test_what_can_be_afforded_is_what_a_group_costs(tmp_path):
    """The fee of 50 is too much, that of the south is not."""
    with grouped(tmp_path, {"P02": "south", "P03": "south"}, budget=40) as begun:
        assert str(begun.state.price((0, 0))) == "30"
        (asked, *_) = begun.ask(case="P03", only=["crp"])
        assert (asked.case, asked.cost) == ("P03", 30)
        assert begun.ask(case="P05") == ()
        assert not begun.ask(only=["crp"])  # 10 are left, and a visit costs more everywhere
        check_folded(begun)


def test_the_reason_has_the_price_of_the_group(tmp_path):
    with grouped(tmp_path, dict.fromkeys(dict(CASES), "far"), policy="auto") as begun:
        asked = begun.ask(only=["crp"])
        assert [each.cost for each in asked] == [210]
        assert "the next 210" in asked[0].why
        assert begun.ask(only=["crp"], at_most=100) == ()


def test_fresh_cases_of_groups_are_counted(tmp_path):
    with grouped(tmp_path, {"P00": "south", "P02": "south", "P01": "far"}) as begun:

        def fresh():
            return {at: dict(each) for at, each in begun.state.fresh_groups.items()}

        assert fresh() == {0: {"south": 2, "": 4}, 1: {"far": 1, "": 5}}
        (first, *_) = begun.ask(case="P00", only=["crp"])
        assert fresh()[0] == {"south": 1, "": 4}
        begun.cancel(first.number)
        assert fresh()[0] == {"south": 2, "": 4}
        begun.withdraw("P02")
        begun.add_cases([("new", "well")])
        assert fresh()[0] == {"south": 1, "": 5}
        check_folded(begun)


def test_the_price_of_values_for_nothing_has_the_fee_once(tmp_path, study):
    from budgeted.studies.accounts import listed_price

    total = 0
    for name in NAMES:
        (free,) = study.record([("P05", name, "low")])
        (price,) = listed_price(study.state.problem, study.requests(), [free])
        total += price
    assert total == 50 + 10 + 10 + 30


def test_status_has_the_prices_of_the_day(tmp_path, clock):
    """What `status` says is what `ask` reserves, also after a price has changed."""
    later = clock.day + timedelta(days=10)
    prices = Tariff(50, changes=[{"day": later, "feature": "crp", "price": 15}])
    path = str(tmp_path / "s.db")
    with Study.create(path, "clinic", problem(prices), CASES, seed=3, clock=clock) as begun:

        def listed():
            (first, *_) = [each for each in begun.status().cells if each.feature == "crp"]
            return first.cost

        assert listed() == 60
        clock.day = later
        assert listed() == 65
        (asked,) = begun.ask(only=["crp"])
        assert asked.cost == 65
