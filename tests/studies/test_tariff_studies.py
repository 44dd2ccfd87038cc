"""A study with a tariff: its file, its journal, its mistakes, and an upload to the page."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from budgeted import Study
from budgeted.errors import StudyFileError
from budgeted.problem import CaseSoFar, Order, Tariff
from budgeted.studies.files import read_study
from tests.price_lists import Panel, registered

HEAD = """
name = "clinic"
budget = 1000
labels = ["well", "ill"]
"""
FEATURES = """
[[features]]
name = "glucose"
values = ["normal", "high"]
cost = "17.61"
[[features]]
name = "insulin"
values = ["normal", "high"]
cost = "22.78"
[[features]]
name = "bike"
values = ["short", "long"]
cost = 3
[[features]]
name = "pulse"
values = ["slow", "fast"]
cost = 3
"""
PRICES = """
[prices]
list = "tariff"
visit_fee = "50.00"
visit_days = 30

[[prices.panels]]
name = "blood sample"
features = ["glucose", "insulin"]
shared = "2.10"

[[prices.panels]]
name = "treadmill"
features = ["bike", "pulse"]
whole = true
price = "30"

[[prices.changes]]
day = 2027-01-01
visit_fee = "55.00"

[[prices.exceptions]]
label = "well"
panel = "treadmill"
price = "24.00"
"""
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(12))
BUYS_TWO = '[policy]\nname = "panel"\nmost = 2\n'


@pytest.fixture
def write(tmp_path):
    def written(*parts):
        (tmp_path / "study.toml").write_text(HEAD + "".join(parts), encoding="utf-8")
        (tmp_path / "cases.csv").write_text(CASES, encoding="utf-8")
        return tmp_path / "study.toml", tmp_path / "cases.csv"

    return written


def begin(given, database):
    return Study.create(
        str(database), given.name, given.problem, given.cases, policy=given.policy,
        parameters=given.parameters,
    )  # fmt: skip


def test_the_file_is_read_and_the_journal_keeps_it(write, tmp_path):
    with registered(Panel):
        given = read_study(*write(BUYS_TWO, PRICES, FEATURES))
        with begin(given, tmp_path / "s.db") as study:
            asked = study.ask(1)
            study.tell(asked[0].number, "normal")
            assert [each.feature for each in asked] == ["glucose", "insulin"]
            assert [str(each.cost) for each in asked] == ["67.61", "20.68"]
        with Study.open(str(tmp_path / "s.db")) as again:
            prices = again.state.problem.prices
            assert prices == given.problem.prices
            assert again.verify().events
            kept = again.created.price_parameters
    assert kept["changes"] == [{"day": "2027-01-01", "visit_fee": "55.00"}]
    assert Tariff(**kept) == prices
    well, ill = (prices.quote(Order((2, 3), at), CaseSoFar(label=at)) for at in (0, 1))
    assert (well, ill) == (Decimal("74.00"), Decimal("80.00"))
    later = Order((0,), 1, day=date(2027, 1, 1))
    assert prices.quote(later, CaseSoFar(label=1)) == Decimal("72.61")


def test_every_mistake_of_the_prices_is_named_beside_those_of_the_rest(write):
    wrong = PRICES.replace("whole = true", "").replace('"insulin"]', '"insuline"]')
    wrong = wrong.replace('label = "well"', 'label = "wel"').replace('"50.00"', '"50,00"')
    with pytest.raises(StudyFileError) as error:
        read_study(*write("seed = -1\n", wrong, FEATURES))
    for expected in (
        "prices: visit_fee: must be an amount of money such as 12 or \"1.50\", got '50,00'",
        "prices: panels[0].features: there is no feature 'insuline'; did you mean 'insulin'?",
        "prices: panels[1].price: the price of a whole panel goes with whole = true",
        "prices: exceptions[0].label: there is no label 'wel'; did you mean 'well'?",
        "seed: must be a whole number from 0, got -1",
    ):
        assert expected in error.value.mistakes


def test_a_feature_with_a_mistake_of_its_own_is_not_called_unknown(write):
    with pytest.raises(StudyFileError) as error:
        read_study(*write(PRICES, FEATURES.replace('"17.61"', '"17,61"')))
    (only,) = error.value.mistakes
    assert only.startswith("features[0].cost: must be an amount of money")
