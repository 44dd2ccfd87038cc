"""Studies with a soft budget: where they stop, why, and how the surcharge is shown."""

import json
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Purchase, Soft, State, Study
from budgeted.cli.main import main
from budgeted.errors import PurchaseError, StudyError
from budgeted.experiments.spec import parse
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.policies import POLICIES, policy
from budgeted.policies.stopping import Thrifty, weigh
from budgeted.problem import Tariff
from budgeted.simulation.simulator import simulate
from budgeted.simulation.worlds import ModelWorld
from budgeted.state.surcharges import surcharge_of
from budgeted.studies.case_lists import CaseList
from budgeted.studies.commands import Ask
from budgeted.studies.files import study_of
from budgeted.studies.log import purchases

FEATURES = [Feature("good", ("no", "yes"), "5.00"), Feature("other", ("no", "yes"), "5.00")]
CASES = tuple((f"case {at}", ("well", "ill")[at % 2]) for at in range(80))
TABLE = {"amount": "20.00", "rate": "0.2", "limit": "100.00", "point_worth": "0.01"}


def problem(point_worth="0.01", amount="20.00", limit="100.00"):
    soft = Soft(amount, limit, point_worth, "0.2")
    return Problem(FEATURES, ("well", "ill"), (0.5, 0.5), soft)


def answered(study, n=1):
    for each in study.ask(n):
        study.tell(each.number, "yes" if each.label == "ill" else "no")


@pytest.fixture
def study(tmp_path):
    with Study.create(f"{tmp_path}/s.db", "s", problem(), CASES, seed=3, by="me") as made:
        yield made


def test_nobody_goes_beyond_the_amount_if_a_point_is_worth_next_to_nothing(study):
    done = study.do(Ask(9))
    assert sum(each.cost for each in done.requests) == 20
    assert done.stopped.startswith("beyond 20.00 a purchase must be worth its price, and the next ")
    assert "surcharge" in done.stopped
    assert done.stopped.endswith(
        "raise the amount of the budget, or what a point is worth, to go on"
    )
    assert surcharge_of(study.state).to_come == 0


def test_raising_what_a_point_is_worth_goes_on_and_says_what_is_paid(study):
    answered(study, 4)
    assert not study.ask()
    study.set_budget("20.00", point_worth=1000)
    (asked,) = study.ask()
    assert asked.why.endswith("it pays 6.00: 5.00 and 1.00 surcharge")
    assert study.state.problem.soft.point_worth == 1000
    words = study.history()[-2].event.words()
    assert words.count("a percentage point of error is worth") == 2
    found = surcharge_of(study.state)
    assert (found.so_far, found.to_come) == (0, Decimal("1.00"))
    assert study.verify().spent == 20


def test_an_export_has_a_column_that_adds_up_to_the_surcharge(study):
    answered(study, 3)
    study.set_budget("12.50", point_worth=100_000)
    answered(study, 2)
    study.cancel(study.ask()[0].number)
    rows = purchases(study.history(), study.requests(), study.state.problem)
    added = [Decimal(row["surcharge"]) for row in rows]
    assert added == [0, 0, Decimal("0.50"), 1, 1, 0]
    assert sum(added) == surcharge_of(study.state).so_far
    assert "surcharge" not in purchases(study.history(), study.requests())[0]


def test_the_limit_is_never_crossed_however_much_a_point_is_worth(tmp_path):
    costly = problem(point_worth="1000000", limit="42.00")
    with Study.create(f"{tmp_path}/s.db", "s", costly, CASES) as study:
        done = study.do(Ask(50))
        assert sum(each.cost for each in done.requests) == 40
        assert study.state.free == 2


def test_what_is_left_of_the_amount_is_spent_on_what_it_pays_for(tmp_path):
    features = [FEATURES[0], Feature("cheap", ("no", "yes"), "1.00")]
    soft = Soft("7.00", "100.00", "0.01", "0.2")
    made = Problem(features, ("well", "ill"), (0.5, 0.5), soft)
    with Study.create(f"{tmp_path}/s.db", "s", made, CASES, policy="round-robin") as study:
        assert sum(each.cost for each in study.ask(20)) == 7


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_stops_in_simulations_as_well(name):
    """Sooner if a point is worth less; never beyond the limit; and below the amount never."""
    spent = []
    for point_worth in ("0.01", "100000"):
        made = problem(point_worth, limit="45.00")
        world = ModelWorld(made, [[0.9, 0.1, 0.5, 0.5], [0.2, 0.8, 0.5, 0.5]], seed=1)
        rows = list(simulate(made, policy(name), world, seed=1, loss=None))
        spent.append(rows[-1].spent)
    assert spent[0] == 20 < spent[1] <= 45


def test_the_stop_depends_on_what_is_known():
    """Two features that tell the labels apart for sure are not worth asking again."""
    made = problem(point_worth=20)
    unsure = State.start(made)
    sure = unsure
    for label in (0, 1):
        unsure = unsure.after(Purchase(0, label, label, "10.00"))
        for _ in range(20):
            sure = sure.after(Purchase(0, label, label, "0.50"))
            sure = sure.after(Purchase(1, label, label, "0"))
    for learner in (Hierarchical(), NaiveBayes()):
        assert weigh(unsure, learner).goes_on
        found = weigh(sure, learner)
        assert not found.goes_on
        assert found.worth < found.paid
        assert 0 <= found.saved < 0.01


def test_fees_and_panels_are_part_of_what_is_weighed():
    tariff = Tariff(visit_fee="10")
    soft = Soft("0", "400", "4", "0.2")
    made = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), soft, tariff)
    state = State.start(made)
    order = policy("auto").choose(state, np.random.default_rng(0)).order
    bundle = weigh(state, Hierarchical(), order)
    dear = weigh(state, Hierarchical())
    assert bundle.worth / float(bundle.paid) >= dear.worth / float(dear.paid)


def test_a_study_file_has_the_terms_as_a_table():
    plain = {
        "name": "s",
        "budget": TABLE,
        "features": [{"name": "good", "values": ["no", "yes"], "cost": 1}],
    }
    given = study_of(plain, CaseList(CASES), "file")
    assert given.problem.terms == Soft("20.00", "100.00", "0.01", "0.2")
    wrong = plain | {"budget": TABLE | {"limit": 5, "colour": "red"}}
    with pytest.raises(Exception, match=r"budget\.colour: there is no such term"):
        study_of(wrong, CaseList(CASES), "file")


def test_the_command_line_shows_the_surcharge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(
        'name = "s"\n[budget]\namount = "10.00"\nlimit = "60.00"\npoint_worth = 100000\n'
        'rate = "0.2"\n[[features]]\nname = "good"\nvalues = ["no", "yes"]\ncost = "5.00"\n'
    )
    lines = "\n".join(f"{case},{label}" for case, label in CASES)
    (tmp_path / "cases.csv").write_text(f"case,label\n{lines}\n")

    def run(*arguments):
        done = CliRunner().invoke(main, ["study", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    begun = run("new", "study.toml", "--cases", "cases.csv")
    assert "budget 10.00, soft up to 60.00 at a surcharge of 20 %" in begun
    asked = run("ask", "-n", "3")
    assert "it pays 6.00" in " ".join(asked.replace("│", " ").split())
    assert "surcharge 0.00, surcharge reserved 1.00" in asked
    shown = json.loads(run("status", "--json"))
    assert (shown["surcharge"], shown["surcharge_reserved"]) == ("0.00", "1.00")
    assert "Surcharge: 0.00 so far, 1.00 more with what is reserved." in run("status")
    said = run("budget", "10.00", "--point-worth", "0.01", "--step", "0:0.2", "--step", "20:0.5")
    assert "20 %, then 50 % from 30.00" in said
    assert "must be worth its price" in " ".join(run("ask").split())
    assert "The budget is 60 now." in run("budget", "60", "--firm")
    assert "Surcharge" not in run("status")


def test_terms_that_make_no_sense_are_refused(study):
    for given in ({"limit": 5}, {"rate": 0}, {"steps": ["1"]}, {"firm": True, "rate": 1}):
        with pytest.raises(StudyError):
            study.set_budget("20.00", **given)
    study.ask(3)
    with pytest.raises(PurchaseError, match="less than"):
        study.set_budget("1", limit="2")
    assert study.events == 5


def test_experiments_take_the_terms():
    document = {
        "budget": {"amount": 5, "limit": 30, "point_worth": "0.01", "rate": 1},
        "problem": {"synthetic": "figure-3b"},
        "policy": [{"name": "round-robin"}, {"label": "firm", "name": "round-robin", "budget": 8}],
    }
    made = parse(document, name="soft")
    stopped, firm = (made.play(each, 0).spent[-1] for each in made.contenders)
    assert (stopped, firm) == (5, 8)
    again = parse(json.loads(json.dumps(made.document())), name="soft")
    assert again.contenders == made.contenders
    with pytest.raises(Exception, match=r"budget\.rate"):
        parse(document | {"budget": {"amount": 5, "limit": 30, "point_worth": 1}}, name="soft")


def test_a_policy_is_not_asked_to_look_where_nothing_is_soft():
    """A firm budget never weighs anything."""
    made = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), 20)

    def never():
        raise AssertionError

    buyer = Thrifty(policy("round-robin"), never)
    assert buyer.choose(State.start(made), None) is not None


@pytest.mark.parametrize("name", ["random-shopper", "auto", "sfl"])
def test_what_is_free_beyond_the_amount_is_asked_for(tmp_path, name):
    """The rest of a panel that was paid for costs nothing more; nothing is divided by that."""
    panel = {"name": "p", "features": ["a", "b"], "whole": True, "price": 5}
    features = [Feature(each, ("no", "yes"), 1) for each in ("a", "b", "c")]
    soft = Soft(5, limit=30, point_worth="0.01", rate="0.5")
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), soft, Tariff(panels=[panel]))
    cases = [(f"P{at}", "ill" if at % 2 else "well") for at in range(6)]
    path = str(tmp_path / "s.db")
    with Study.create(path, "s", problem, cases, policy=name, seed=2, by="me") as study:
        (first, *others) = study.ask(only=["a", "b"], case="P0")
        for each in others:
            study.fail(each.number)  # not done, and may be asked again
        study.tell(first.number, "no")
        again = study.ask(case="P0", only=["a", "b"])
        assert [each.cost for each in again] == [0] * len(others)
        study.ask()
