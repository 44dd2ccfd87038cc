"""Orders and price lists in studies: asked, written down, told, shown, and read again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Study
from budgeted.cli.main import main
from budgeted.errors import PriceListError, StudyFileError
from budgeted.policies import Choice
from budgeted.problem.prices import PRICE_LISTS, NotInstalled
from budgeted.studies.events import Asked
from budgeted.studies.files import read_study
from budgeted.studies.journal.rows import from_json, to_json
from tests.price_lists import Panel, Visit, registered
from tests.sample_studies import answer, begin, check_every_event, check_everything, check_folded
from tests.webs import client

FEATURES = [Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate((1, "1.50", 2, 4))]


def problem(prices=None, budget=60):
    return Problem(FEATURES, ("well", "ill"), (0.5, 0.5), budget, prices)


@pytest.fixture
def panel(tmp_path):
    """A study whose policy orders three features of a case, with a fee for the visit."""
    with registered(Panel, Visit):
        path = tmp_path / "panel.db"
        with begin(str(path), policy="panel", problem=problem(Visit(Decimal(3)))) as study:
            yield study


def test_an_order_of_three_is_one_event_and_three_requests(panel):
    first = panel.ask()
    assert [(each.number, each.order, str(each.cost)) for each in first] == [
        (1, 1, "4"), (2, 1, "1.50"), (3, 1, "2.00"),
    ]  # fmt: skip
    assert len({each.case for each in first}) == 1
    assert [each.order for each in panel.ask()] == [4, 4, 4]
    event = panel.history()[1].event
    assert isinstance(event, Asked)
    assert [line.number for line in event.lines] == [1, 2, 3]
    assert from_json(to_json(event)) == event
    check_everything(panel)
    check_folded(panel)


def test_its_lines_go_their_own_ways(panel):
    one, two, three = panel.ask()
    panel.tell(two.number, answer(two))
    panel.fail(one.number, charged=True, why="the tube broke")
    panel.cancel(three.number)
    assert panel.state.spent == one.cost + two.cost
    undone = panel.undo(three.number)
    assert (undone.fate, undone.cost, undone.order) == ("pending", three.cost, 1)
    panel.tell(three.number, answer(three), cost="9")
    check_every_event(panel.history())
    assert panel.verify()


def test_what_recorded_values_would_have_cost_has_one_fee_for_each_case(tmp_path):
    with registered(Visit):
        path, values = str(tmp_path / "s.db"), tmp_path / "values.csv"
        begin(path, problem=problem(Visit())).release()
        values.write_text("case,f0,f2\ncase 0,yes,no\ncase 1,no,\n")
        run = CliRunner().invoke(main, ["study", "import", str(values), "--json", "--db", path])
        assert run.exit_code == 0, run.output
        assert json.loads(run.output)["not_charged"] == {"values": 3, "list_price": "9.00"}


def test_the_page_and_its_json_show_orders(panel, tmp_path):
    panel.ask()
    panel.release()
    with client(tmp_path, f"sqlite:///{tmp_path / 'panel.db'}") as page:
        shown = page.get("/api/studies/study").json()
        assert [(each["number"], each["order"]) for each in shown["pending"]] == [
            (1, 1), (2, 1), (3, 1)
        ]  # fmt: skip
        assert shown["pending"][1]["together"] == [1, 3]
        assert "ordered together with request 1, for the" in page.get("/studies/study").text
        said = page.get("/api/studies/study/history").json()
        assert any("requests 1 to 3" in each["event"]["words"] for each in said["lines"])


def test_a_study_whose_price_list_is_gone_is_read_told_and_verified_but_not_asked(tmp_path):
    path = str(tmp_path / "gone.db")
    with registered(Visit), begin(path, problem=problem(Visit(Decimal(3)))) as study:
        asked = study.ask(2)
        study.tell(asked[0].number, answer(asked[0]))
    assert "visit" not in PRICE_LISTS
    with Study.open(path) as again:
        assert again.state.problem.prices == NotInstalled("visit", {"fee": "3"})
        again.tell(asked[1].number, answer(asked[1]))
        again.record([("case 5", "f0", "yes")])
        assert again.verify().spent == asked[0].cost + asked[1].cost
        assert {cell.cost for cell in again.status().cells} == {None}
        assert again.model().to_json()
        says = "the price list 'visit' is not installed here, so nothing has a price; install the"
        with pytest.raises(PriceListError, match=says):
            again.ask()
        again.set_budget(99)
        assert again.state.problem.prices.name == "visit"
    shown = CliRunner().invoke(main, ["study", "status", "--db", path])
    assert shown.exit_code == 0, shown.output
    with client(tmp_path, f"sqlite:///{path}") as page:
        found = page.get("/api/studies/study").json()
        assert not found["can_ask"]
        assert "'visit' is not installed here" in found["why_not"]
        assert page.get("/studies/study").status_code == 200
    with registered(Visit), Study.open(path) as back:
        assert back.ask(), "with the package it goes on"


def test_a_list_that_cannot_be_used_any_more_says_so(tmp_path):
    path = str(tmp_path / "changed.db")
    with registered(Visit):
        begin(path, problem=problem(Visit())).release()

    class Visit2(Visit):
        def quote(self, order, case):
            raise PriceListError("the tariff has ended")

    says = r"'visit' cannot be used.*the tariff has ended"
    with registered(Visit2), Study.open(path) as again, pytest.raises(PriceListError, match=says):
        again.ask()


def test_a_list_that_nobody_could_find_again_is_refused(tmp_path):
    with pytest.raises(StudyFileError, match="'visit' is not a price list that is registered"):
        begin(str(tmp_path / "s.db"), problem=problem(Visit()))


FILE = """
budget = 10
[prices]
{prices}
[[features]]
name = "fever"
values = ["no", "yes"]
cost = "1.50"
"""


@pytest.fixture
def write(tmp_path):
    def written(prices):
        (tmp_path / "study.toml").write_text(FILE.format(prices=prices), encoding="utf-8")
        (tmp_path / "cases.csv").write_text("case,label\na,well\nb,ill\n", encoding="utf-8")
        return tmp_path / "study.toml", tmp_path / "cases.csv"

    return written


@pytest.mark.parametrize(
    ("prices", "says"),
    [
        ('list = "visits"', "prices: there is no price list 'visits'; did you mean 'visit'"),
        ('list = "visit"\nfe = 3', "prices: price list 'visit' has no parameter 'fe'; it takes"),
        ('list = "visit"\nfee = "three"', "prices: price list 'visit': must be an amount of money"),
        ("fee = 3", 'prices: must be a table with list = "…" and its parameters'),
        ('list = "visit"\nfeatures = []', "has no parameter 'features'"),
    ],
)
def test_mistakes_in_the_prices_are_named(write, prices, says):
    with registered(Visit), pytest.raises(StudyFileError) as caught:
        read_study(*write(prices))
    assert says in str(caught.value)


@dataclass(frozen=True)
class Stubborn:
    """Orders all that can be had of a label, whether one case can give it or not."""

    name: ClassVar[str] = "stubborn"
    summary: ClassVar[str] = "all at once"

    def choose(self, state, rng):
        cells = [each for each in state.affordable() if each.label == 0]
        if not cells:
            return None
        others = tuple(each.feature for each in cells[1:])
        return Choice(cells[0], reason="all of them", together=others)


def test_an_order_that_no_case_can_give_whole_is_made_smaller(tmp_path):
    """One case has f0 left and the other f1 and f2: what is wanted together is not to be had."""
    given = Problem(FEATURES[:3], ("well", "ill"), (0.5, 0.5), 60)
    place = str(tmp_path / "s.db")
    with (
        registered(Stubborn),
        begin(place, policy="stubborn", problem=given, per_label=2) as study,
    ):
        one, other = [case for case, label in study.created.cases if label == "well"]
        study.record([(one, "f1", "yes"), (one, "f2", "yes"), (other, "f0", "yes")])
        asked = study.ask(8)
        assert [(each.case, each.feature) for each in asked] == [
            (one, "f0"), (other, "f1"), (other, "f2"),
        ]  # fmt: skip
        assert [each.order for each in asked] == [4, 5, 5]
        check_everything(study)


def test_an_order_that_is_too_dear_is_shortened_and_the_last_one_ends_the_list(tmp_path):
    given = Problem(FEATURES[:2], ("well", "ill"), (0.5, 0.5), "6.50", Visit(Decimal(1)))
    with (
        registered(Stubborn, Visit),
        begin(str(tmp_path / "s.db"), policy="stubborn", problem=given) as study,
    ):
        asked = study.ask(3)
        assert [each.order for each in asked] == [1, 1, 3]
        assert [each.cost for each in asked] == [2, Decimal("1.50"), 2]
        assert study.state.free == 1
