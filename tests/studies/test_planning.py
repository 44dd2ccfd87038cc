"""A plan before the first purchase: where its models come from, what it says, what-ifs."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase, Soft
from budgeted.cli.main import main
from budgeted.errors import BudgetedError, PlanError
from budgeted.learners import Hierarchical
from budgeted.learners.imagined import ImaginedModel
from budgeted.studies.example import write_example
from budgeted.studies.planning import (
    AS_PLANNED,
    OWN,
    WHOLE_CASES,
    Assumptions,
    Curve,
    Source,
    Target,
    WhatIf,
    ask,
    changes,
    make_plan,
    making,
    pilot_values,
    plan_settings,
    read_designs,
)
from budgeted.studies.planning.assumptions import drawn_again, facts_of
from budgeted.studies.planning.runs import begin, for_design, play
from budgeted.studies.planning.sources import possible_models

NOW = "2026-01-05T09:30:00Z"
TESTS = tuple(Feature(name, ("no", "yes"), 1) for name in "abcdefgh")
PROBLEM = Problem(TESTS, ("well", "ill"), (0.6, 0.4), 40)
STUDY = """
labels = ["well", "ill"]
prior = [0.6, 0.4]
budget = "30"

[prices]
list = "tariff"
visit_fee = 2
[[prices.panels]]
name = "blood"
features = ["crp", "mcv"]
setup = 3

[[features]]
name = "crp"
values = ["normal", "raised"]
cost = "1.50"

[[features]]
name = "mcv"
kind = "number"
cuts = [80, 100]
cost = 1

[[features]]
name = "scan"
values = ["no", "yes"]
cost = 6
"""


@pytest.fixture
def study_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def designs(study_file):
    return read_designs(study_file, 60)


def plan_of(designs, **options):
    return make_plan(designs, Source(), NOW, **{"runs": 6, "up_to": Decimal(30)} | options)


def alone_by_hand(model, feature):
    """Share of right answers of who knows one test, summed value by value."""
    prior, sizes = model.problem.prior, [len(each.values) for each in model.problem.features]
    first = sum(sizes[:feature])
    return sum(
        max(prior[label] * model.parameters[label][first + at] for label in range(len(prior)))
        for at in range(sizes[feature])
    )


def test_what_is_assumed_is_what_the_models_have():
    said = Assumptions(matter=3, best_alone=0.8)
    found = possible_models(PROBLEM, Hierarchical(), 60, assumptions=said, seed=1)
    best = [max(alone_by_hand(each, at) for at in range(8)) for each in found.models]
    number = facts_of(found.models)[:, 0]
    assert facts_of(found.models)[:, 1] == pytest.approx(best)
    assert found.worth > 20
    assert abs(np.mean(best) - 0.8) < 0.02
    assert abs(np.mean(number) - 3) < 0.7
    plain = facts_of(possible_models(PROBLEM, Hierarchical(), 60, seed=1).models)
    assert np.std(best) < np.std(plain[:, 1]) / 2, "what is not assumed is not known"


def test_a_pilot_updates_what_is_assumed():
    """A large pilot with one perfect test speaks against a best test of 80 %, a small one less."""

    def best(cases):
        pilot = [
            Purchase(at, case % 2, (case % 2) if at == 0 else (case // 2) % 2, 0, case)
            for case in range(cases)
            for at in range(8)
        ]
        said = Assumptions(best_alone=0.8)
        found = possible_models(PROBLEM, Hierarchical(), 40, pilot=pilot, assumptions=said)
        return facts_of(found.models)[:, 1].mean()

    assert 0.78 < best(2) < best(12) < 0.97


def test_a_pilot_that_contradicts_the_assumptions_is_said():
    pilot = [
        Purchase(at, case % 2, case % 2 if at == 0 else (case // 2) % 2, 0, case)
        for case in range(400)
        for at in range(8)
    ]
    said = Assumptions(best_alone=0.65)
    with pytest.raises(PlanError, match="contradict each other"):
        possible_models(PROBLEM, Hierarchical(), 20, pilot=pilot, assumptions=said)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"matter": -1}, "matter: must be a number of tests from 0"),
        ({"matter": float("nan")}, "matter: must be a number"),
        ({"best_alone": 1}, "above 0 and below 1"),
        ({"matter": 9}, "there are 8 tests"),
        ({"best_alone": 0.5}, "always says 'well' gets 60% right"),
    ],
)
def test_assumptions_that_cannot_be_are_refused_in_words(said, words):
    with pytest.raises(PlanError, match=words):
        possible_models(PROBLEM, Hierarchical(), 5, assumptions=Assumptions(**said))


@given(
    st.lists(st.floats(-30, 0), min_size=1, max_size=20),
    st.integers(1, 50),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_models_are_drawn_again_as_often_as_they_weigh(logs, number, seed):
    weights = np.exp(logs) / np.exp(logs).sum()
    chosen, worth = drawn_again(np.array(logs), number, np.random.default_rng(seed))
    times = np.bincount(chosen, minlength=len(logs))
    assert len(chosen) == number
    assert (abs(times - number * weights) < 1 + 1e-9).all()
    assert 1 - 1e-9 <= worth <= len(logs) + 1e-9


def test_needed_money_is_where_the_runs_reach_the_target():
    """Against a search over a fine grid of the probabilities between the amounts."""
    rng = np.random.default_rng(3)
    errors = np.sort(rng.random((40, 5)), axis=1)[:, ::-1] * np.array([1, 0.9, 0.7, 0.5, 0.4])
    amounts = tuple(map(Decimal, (0, 10, 20, 30, 40)))
    curve = Curve("", OWN, amounts, errors, np.zeros(40))
    for wanted in (0.3, 0.5, 0.8):
        found = curve.needed(Target(0.25, wanted))
        fine = np.linspace(0, 40, 40_001)
        reached = np.interp(fine, np.arange(5) * 10, (errors <= 0.25).mean(axis=0)) >= wanted
        if not reached[-1]:
            assert found.money is None
            assert found.best == np.quantile(errors[:, -1], wanted, method="inverted_cdf")
        else:
            first = fine[len(fine) - np.argmin(reached[::-1])]
            assert float(found.money) == pytest.approx(first, abs=1)  # two figures, upwards
            assert float(found.money) >= first - 1e-3
    assert Curve("", OWN, amounts, errors, errors[:, -1]).needed(Target(0.01)).possible is False


def test_a_target_that_is_missed_by_chance_for_the_largest_amount_is_reached():
    """Of ten runs 8, 9 and 7 reach it: more money does not make it worse, so 8 of ten do."""
    reached = np.array([0, 8, 9, 7])
    errors = np.where(np.arange(10)[:, None] < reached, 0.1, 0.3)
    curve = Curve("", OWN, tuple(map(Decimal, (0, 10, 20, 30))), errors, np.zeros(10))
    found = curve.needed(Target(0.2, 0.8))
    assert found.money == 10
    assert found.best == 0.1
    assert curve.needed(Target(0.2, 0.81)).money is None
    assert curve.needed(Target(0.2, 0.81)).best == 0.3


def test_the_best_that_is_reached_is_never_worse_than_to_buy_nothing():
    errors = np.array([[0.4, 0.5], [0.4, 0.6], [0.4, 0.3]])
    curve = Curve("", OWN, (Decimal(0), Decimal(9)), errors, np.zeros(3))
    assert curve.needed(Target(0.2)).best == 0.4


def test_a_target_that_needs_no_purchase_gets_words(study_file):
    with pytest.raises(PlanError, match=r"always saying 'well' is wrong in 40.0 %.*no target"):
        ask(study_file, cases=60, target=0.4)
    assert ask(study_file, cases=60, target=0.39).target == Target(0.39)


def test_a_soft_budget_is_not_planned_beyond_its_limit(designs):
    soft = Soft(20, limit=30, point_worth=2, rate="0.2")
    study = designs[AS_PLANNED]
    softly = replace(study, problem=study.problem.but(budget=soft))
    made = plan_of({AS_PLANNED: softly}, up_to=None)
    assert made.curves[0].amounts[-1] == 30


def test_a_panel_can_cost_something_else(study_file):
    found = read_designs(study_file, 60, changes(costs={"blood": "1"}))
    assert found["blood for 1"].problem.prices.panels[0].setup == 1
    whole = STUDY.replace("setup = 3", "whole = true\nprice = 4")
    study_file.write_text(whole)
    found = read_designs(study_file, 60, changes(costs={"blood": "1"}))
    assert found["blood for 1"].problem.prices.panels[0].price == 1
    with pytest.raises(PlanError, match=r"no test 'urine'; .* and the panels 'blood'"):
        read_designs(study_file, 60, changes(costs={"urine": "1"}))
    with pytest.raises(PlanError, match=r"^times: must be a number of times above 0"):
        changes(times=0)


def test_a_plan_goes_on_the_next_day_with_the_prices_of_the_first(designs, tmp_path):
    kept = tmp_path / "runs.jsonl"
    made = plan_of(designs, keep=kept)
    again = make_plan(
        designs, Source(), "2026-01-06T09:30:00Z", runs=6, up_to=Decimal(30), keep=kept
    )
    assert again.to_plain() == made.to_plain()
    assert json.loads(kept.read_text().splitlines()[0])["at"] == NOW


def test_runs_of_other_code_are_not_gone_on_with(designs, tmp_path, monkeypatch):
    kept = tmp_path / "runs.jsonl"
    plan_of(designs, keep=kept)
    monkeypatch.setattr(making, "code", lambda: "other")
    with pytest.raises(PlanError, match="another version of the package"):
        plan_of(designs, keep=kept)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\n", b"[]\n", b'{"plan": 3}\n', b"name = 3\n"])
def test_a_file_that_holds_no_runs_is_refused_in_words_and_left_alone(designs, tmp_path, content):
    kept = tmp_path / "notes"
    kept.write_bytes(content)
    with pytest.raises(PlanError, match="take another file"):
        plan_of(designs, keep=kept)
    assert kept.read_bytes() == content
    with pytest.raises(PlanError, match="cannot be kept there"):
        plan_of(designs, keep=tmp_path / "none" / "runs")
    kept.write_bytes(b"")
    plan_of(designs, keep=kept)
    assert len(kept.read_text().splitlines()) == 13


def test_a_plan_starts_at_the_majority_and_knows_the_budget(designs):
    plan = plan_of(designs, target=Target(0.3))
    own, whole = plan.curves
    assert (own.who, whole.who) == (OWN, WHOLE_CASES)
    assert own.points[0].error == pytest.approx(0.4)
    assert Decimal(30) in own.amounts
    assert all(each.low <= each.error <= each.high for each in own.points)
    plain = json.loads(json.dumps(plan.to_plain()))
    assert Decimal(plain["curves"][0]["points"][-1]["money"]) == 30
    assert plain["words"].startswith("For 30")


def test_a_run_charges_what_the_study_would(designs):
    """Round robin over cases pays the fee, the panel and the prices; nothing crosses the budget."""
    projection = begin(designs[AS_PLANNED], NOW)
    model = possible_models(designs[AS_PLANNED].problem, Hierarchical(), 1).models[0]
    whole_case = Decimal("2") + 3 + Decimal("1.50") + 1 + 6
    amounts = (whole_case - Decimal("0.01"), whole_case, 2 * whole_case)
    errors = play(projection, WHOLE_CASES, model, amounts, 0, 0, NOW).errors
    few = play(projection, WHOLE_CASES, model, amounts[:1], 0, 0, NOW).errors
    assert few[0] == errors[0], "one cent below a whole case buys less than one"
    assert projection.state.spent == 0


def test_what_ifs_change_the_study_and_nothing_else(study_file):
    what_ifs = [
        WhatIf("no crp", without=("crp",)),
        WhatIf("cheap scan", costs={"scan": "1"}),
        WhatIf("cheap blood", prices={"panels": [{"name": "blood", "setup": 0}]}),
        WhatIf("twice", cases=2),
        WhatIf("half", cases=0.5),
    ]
    found = read_designs(study_file, 60, what_ifs)
    first = found[AS_PLANNED]
    assert [each.name for each in found["no crp"].problem.features] == ["mcv", "scan"]
    assert found["cheap scan"].problem.by_name["scan"].cost == 1
    assert found["cheap blood"].problem.prices.panels[0].setup == 0
    assert first.problem.prices.panels[0].setup == 3
    assert [len(found[name].cases) for name in (AS_PLANNED, "twice", "half")] == [60, 120, 30]
    assert found["twice"].problem == first.problem
    for bad, words in (
        (WhatIf("x", without=("lab",)), "there is no test 'lab'"),
        (WhatIf("x", prices={"panels": [{"name": "urine"}]}), "no panel 'urine'"),
        (WhatIf("x", costs={"scan": "-1"}), "what if 'x'"),
        (WhatIf("x", without=("crp", "mcv", "scan")), "what if 'x'"),
    ):
        with pytest.raises(PlanError, match=words):
            read_designs(study_file, 60, [bad])


def test_who_leaves_out_a_test_leaves_out_what_its_prices_say(study_file):
    """A panel of nothing else, a price from a day on, and one for some cases."""
    study_file.write_text(
        STUDY.replace(
            "visit_fee = 2",
            """visit_fee = 2
changes = [{day = 2027-01-01, feature = "scan", price = 9},
           {day = 2027-01-01, panel = "room", setup = 9},
           {day = 2027-01-01, feature = "crp", price = 2}]
exceptions = [{label = "ill", feature = "scan", price = 5}]
[[prices.panels]]
name = "room"
features = ["scan"]
setup = 4""",
        )
    )
    found = read_designs(study_file, 60, changes(["scan"]))["without scan"].problem.prices
    assert [each.name for each in found.panels] == ["blood"]
    assert len(found.changes) == 1
    assert not found.exceptions


def test_a_design_without_a_test_has_the_model_of_the_others():
    parameters = np.arange(32.0).reshape(2, 16)
    model = ImaginedModel(PROBLEM, parameters, 0.1)
    fewer = for_design(model, PROBLEM.but(features=[TESTS[7], TESTS[2]]))
    assert fewer.parameters.tolist() == parameters[:, [14, 15, 4, 5]].tolist()


def test_a_plan_is_the_same_wherever_and_however_often_it_is_made(designs, tmp_path):
    here = plan_of(designs)
    kept = tmp_path / "runs.jsonl"
    seen = []

    class Stopped(Exception):
        pass

    def stop(done, total):
        seen.append((done, total))
        if done == 5:
            raise Stopped

    with pytest.raises(Stopped):
        plan_of(designs, keep=kept, progress=stop)
    with kept.open("a") as file:
        file.write('[["as planned", "the')  # the machine went away in the middle of a line
    counted = []
    with ThreadPoolExecutor(2) as pool:
        again = plan_of(
            designs, keep=kept, pool=pool, workers=2, progress=lambda *each: counted.append(each)
        )
    assert counted[0] == (5, 12)
    assert counted[-1] == (12, 12)
    assert again.to_plain() == here.to_plain()
    assert plan_of(designs, keep=kept).to_plain() == here.to_plain()
    with pytest.raises(PlanError, match="another plan"):
        plan_of(designs, keep=kept, seed=1)


def test_a_pilot_table_is_read_as_the_study_reads_values(designs, tmp_path):
    problem = designs[AS_PLANNED].problem
    table = tmp_path / "old.csv"
    table.write_text("label;crp;mcv;age\nill;raised;79.5;33\nwell;?;100;\n")
    found = pilot_values(table, problem)
    assert [(each.feature, each.label, each.value, each.case) for each in found] == [
        (0, 1, 1, 2),
        (1, 1, 0, 2),
        (1, 0, 2, 3),
    ]
    table.write_text("label,crp\nsick,raised\nill,blue\n")
    with pytest.raises(PlanError) as error:
        pilot_values(table, problem)
    assert [each.partition(":")[0] for each in error.value.mistakes] == [
        "old.csv, line 2",
        "old.csv, line 3",
    ]
    table.write_text("label,crp,M_CV\nill,raised,79.5\n")
    with pytest.raises(
        PlanError, match="the column 'M_CV' is no test of the study; rename it to 'mcv'"
    ):
        pilot_values(table, problem)
    table.write_text("diagnosis,age\nill,3\n")
    with pytest.raises(PlanError, match=r"(?s)'label'.*no column is called like a test"):
        pilot_values(table, problem)


@pytest.mark.parametrize("number", [1, 10**9])
def test_a_number_of_cases_that_cannot_be_is_refused(study_file, number):
    with pytest.raises(BudgetedError):
        read_designs(study_file, number)


def test_the_command_prints_table_json_and_figure(tmp_path):
    study, cases, answers, _ = write_example(tmp_path)
    with open(study, "a", encoding="utf-8") as file:
        file.write('\n[plan]\nmatter = 2\n[[plan.what_if]]\nname = "lean"\nwithout = ["crp"]\n')
    assert plan_settings(study)["matter"] == 2
    run = CliRunner()
    options = ["plan", str(study), "--cases", str(cases), "--runs", "5", "--up-to", "40",
               "--workers", "1", "--keep", str(tmp_path / "kept")]  # fmt: skip
    found = run.invoke(main, [*options, "--target", "0.01", "--figure", str(tmp_path / "p.svg")])
    assert found.exit_code == 0, found.output
    assert "not reached" in found.output
    assert "lean" in found.output
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    found = run.invoke(main, [*options, "--json"])
    assert found.exit_code == 0, found.output
    plain = json.loads(found.stdout)
    assert [each["name"] for each in plain["curves"]][-1] == "lean"
    for wrong, words in (
        (["--target", "20"], "target_error: must be a share"),
        (["--probability", "0.9"], "give one with --target"),
        (["--up-to", "-3"], "up_to"),
        (["--table", str(answers)], "label"),
        (["--number", "9"], "--cases and --number: give one of them"),
        (["--cost", "crp=1", "--cost", "crp=2"], "crp is given twice"),
        (["--id", "who"], "there is no column 'who'"),
        (["--matter", "-1", "--best-alone", "2"], "there are mistakes:\n  matter: must be"),
    ):
        found = run.invoke(main, [*options, *wrong])
        assert found.exit_code != 0
        assert words in found.output


@pytest.mark.parametrize(
    ("keep", "words"),
    [(True, "are kept in"), (False, "nothing is kept; with --keep FILE it could go on")],
)
def test_who_stops_a_plan_is_told_whether_it_can_go_on(
    study_file, tmp_path, monkeypatch, keep, words
):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("budgeted.studies.planning.asked.make_plan", stop)
    options = ["--keep", str(tmp_path / "kept")] if keep else []
    found = CliRunner().invoke(main, ["plan", str(study_file), "--workers", "1", *options])
    assert found.exit_code == 130
    assert words in found.output
