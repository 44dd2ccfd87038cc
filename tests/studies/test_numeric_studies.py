"""Studies with numbers: the same as with categories, and cut anew as if it had always been so."""

import csv
import io
import json
from decimal import Decimal

import pytest

from budgeted import Categorical, Feature, Number, Problem, Study
from budgeted.errors import BudgetedError, StudyError, StudyFileError
from budgeted.hints import ForceIt
from budgeted.learners.model import Model
from budgeted.studies import commands as does
from budgeted.studies.growth import CutsChanged
from budgeted.studies.log import columns, purchases
from budgeted.studies.proposed_cuts import Found, proposals
from budgeted.web.curve import Curve
from tests.sample_studies import check_everything, check_folded

CASES = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(12)]
CHOLESTEROL = Number(unit="mg/dl", cuts=[200, 240], least=50, most=600)
ORDERED = Categorical(("low", "normal", "high"), ordered=True)


def problem_of(kind, budget=60, prior_counts=1.0):
    features = [
        Feature("chol", kind=kind, cost="1.50", prior_counts=prior_counts),
        Feature("crp", kind=ORDERED, cost=1),
    ]
    return Problem(features, ("well", "ill"), (0.5, 0.5), budget)


@pytest.fixture
def study(tmp_path):
    with Study.create(
        str(tmp_path / "a.db"), "heart", problem_of(CHOLESTEROL), CASES, seed=3, by="me"
    ) as begun:
        yield begun


def fill(study, seed=0):
    """Ask and tell until there are some of each feature and label."""
    for number, request in enumerate(study.ask(10)):
        level = 40 * (request.label == "ill") + 17 * ((number + seed) % 5)
        told = 180 + level if request.feature == "chol" else ("low", "high")[number % 2]
        study.tell(request.number, told)


@pytest.mark.parametrize("learner", ["hierarchical", "naive-bayes"])
@pytest.mark.parametrize("chooser", ["auto", "sfl", "round-robin"])
def test_numbers_and_their_categories_buy_the_same_and_deliver_the_same(tmp_path, chooser, learner):
    kinds = {"numbers": CHOLESTEROL, "names": Categorical(CHOLESTEROL.categories)}
    ends = {}
    for name, kind in kinds.items():
        with Study.create(
            str(tmp_path / "a.db"), name, problem_of(kind, 30), CASES, seed=3, by="me",
            policy=chooser, learner=learner,
        ) as study:  # fmt: skip
            asked = []
            for number in range(14):
                for request in study.ask(1 + number % 2):
                    told = str(170 + 13 * ((number * 5 + request.number) % 9))
                    if request.feature == "crp":
                        told = ("low", "normal", "high")[number % 3]
                    elif name == "names":
                        told = kind.values[CHOLESTEROL.category(told)]
                    study.tell(request.number, told)
                    asked.append((request.case, request.feature, request.label, request.cost))
            model = json.loads(study.model().to_json())
            ends[name] = (asked, study.state.spent, model["predictor"], study.status().outlook)
            belief = study.state.belief.observed.tolist()
            ends[name] += (belief,)
    assert ends["numbers"] == ends["names"]


def test_a_number_is_told_as_text_or_as_a_number_and_kept_as_told(study):
    first, second, third = [each for each in study.ask(14) if each.feature == "chol"][:3]
    assert study.tell(first.number, "233.0").value == "233.0"
    assert study.tell(second.number, 190).value == "190"
    assert study.tell(third.number, Decimal("241.50")).value == "241.50"
    events = study.events
    study.tell(first.number, "233")  # the same number
    assert study.events == events
    with pytest.raises(StudyError, match="nothing to correct"):
        study.correct(first.number, 233)
    with pytest.raises(StudyError, match="was told '233"):
        study.tell(first.number, "234")
    assert study.correct(first.number, "234", why="misread").value == "234"
    check_everything(study)
    check_folded(study)


def test_what_is_outside_the_range_needs_force(study):
    (request,) = [each for each in study.ask(8) if each.feature == "chol"][:1]
    with pytest.raises(BudgetedError, match="2333 is outside 50–600 mg/dl") as caught:
        study.tell(request.number, "2333")
    assert caught.value.hint == ForceIt()
    assert study.tell(request.number, "2333", force=True).value == "2333"
    study.tell(request.number, "2333")  # it is there, and was insisted on
    with pytest.raises(BudgetedError, match="is outside"):
        study.correct(request.number, "1")
    assert study.correct(request.number, "1", force=True).value == "1"
    case = next(name for name, _ in CASES if name not in {each.case for each in study.requests()})
    with pytest.raises(StudyFileError, match="is outside") as refused:
        study.record([(case, "chol", 9999)])
    assert refused.value.hints == (ForceIt(),)
    study.record([(case, "chol", 9999)], force=True)
    check_folded(study)


def test_changed_cuts_are_in_the_log_with_both_versions_and_a_reason(study):
    fill(study)
    study.do(does.SetCuts("chol", "190, 210, 250", "the new guideline"))
    event = study.history()[-1].event
    assert isinstance(event, CutsChanged)
    assert (event.old_cuts, event.cuts) == ((200, 240), (190, 210, 250))
    assert event.words() == (
        "cuts of chol changed from 200, 240 to 190, 210, 250 (the new guideline)"
    )
    assert study.state.problem.features[0].values == ("< 190", "190 to < 210", "210 to < 250",
                                                      "≥ 250")  # fmt: skip
    assert study.status().scales["chol"] == "mg/dl, cut at 190, 210, 250"


@pytest.mark.parametrize(
    ("feature", "cuts", "says"),
    [
        ("crp", "1", "feature 'crp' has no cuts: its values are no numbers; those with numbers"),
        ("chl", "1", "there is no feature 'chl'; did you mean 'chol'"),
        (
            "chol",
            "240 200",
            "cuts: must be strictly increasing, got 240, 200; or say one of median",
        ),
        ("chol", "", "at least one is needed"),
        ("chol", "[200, 240]", "the cuts of 'chol' are 200, 240 already"),
        ("chol", "40", "cuts: 40 is not above least"),
        ("chol", "tercile", "must be a number, got 'tercile'"),
        ("chol", "terciles", "what was bought so far has no different numbers, and terciles need"),
    ],
)
def test_cuts_that_make_no_sense_are_refused_in_words(study, feature, cuts, says):
    with pytest.raises(BudgetedError, match=says.replace("[", r"\[")):
        study.do(does.SetCuts(feature, cuts))
    assert study.events == 1


def test_prior_counts_for_each_category_need_as_many_cuts(tmp_path):
    problem = problem_of(CHOLESTEROL, prior_counts=(1, 2, 1))
    with Study.create(str(tmp_path / "a.db"), "heart", problem, CASES, by="me") as study:
        with pytest.raises(StudyError, match="as many cuts as before"):
            study.do(does.SetCuts("chol", "200"))
        study.do(does.SetCuts("chol", "190 250"))


def test_cuts_are_proposed_by_what_was_bought(study):
    fill(study)
    found = {
        each.how: each for each in proposals(study.snapshot(), "chol") if isinstance(each, Found)
    }
    told = sorted(Decimal(each.value) for each in study.requests("told") if each.feature == "chol")
    assert found["median"].cuts == (int(told[len(told) // 2]),)
    assert sum(found["terciles"].in_each) == len(told)
    assert "labels" in found
    before = study.events
    study.do(does.SetCuts("chol", "median"))
    assert study.events == before + 1
    kind = study.state.problem.features[0].kind
    assert kind.cuts == found["median"].cuts
    assert kind.source == f"median of what was bought so far, {len(told)} numbers"
    with pytest.raises(StudyError, match="there is no feature"):
        proposals(study.snapshot(), "age")
    with pytest.raises(StudyError, match="has no cuts"):
        proposals(study.snapshot(), "crp")


def test_nothing_bought_says_why_there_is_no_proposal(study):
    assert all(
        "what was bought so far has no" in each for each in proposals(study.snapshot(), "chol")
    )


def test_exports_have_the_number_its_category_and_the_scale(study):
    fill(study)
    study.do(does.SetCuts("chol", "210"))
    problem = study.state.problem
    rows = purchases(study.history(), study.requests(), problem)
    assert tuple(rows[0]) == columns(problem)
    for row in rows:
        if row["feature"] == "chol":
            assert row["category"] == ("≥ 210" if Decimal(row["value"]) >= 210 else "< 210")
            assert row["scale"] == "mg/dl, cut at 210"
        else:
            assert (row["category"], row["scale"]) == (row["value"], "low < normal < high")
    plain = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y"), (0.5, 0.5), 1)
    assert "category" not in columns(plain), "a study of names is exported as it was"


def test_the_model_has_the_cuts_and_takes_numbers(study):
    fill(study)
    study.do(does.SetCuts("chol", "205 230", "tidy"))
    model = Model.from_json(study.model().to_json())
    plain = json.loads(model.to_json())["features"]
    assert plain[0]["kind"] == "number"
    assert plain[0]["parameters"]["cuts"] == [205, 230]
    assert plain[1]["parameters"] == {"values": ["low", "normal", "high"], "ordered": True}
    same = [model.predict({"chol": each}) for each in ("204.99", 204.99, Decimal("60"))]
    assert same[0] == same[1] == same[2] != model.predict({"chol": 205})
    with pytest.raises(BudgetedError, match="2333 is outside 50–600 mg/dl"):
        model.predict({"chol": 2333})
    assert model.predict({"chol": 2333}, force=True) == model.predict({"chol": 300})


def test_the_error_on_the_way_is_that_of_the_cuts_of_today(study, tmp_path):
    fill(study)
    curve = Curve(study.created)
    curve.advance(study.state)
    before = curve.points
    study.do(does.SetCuts("chol", "185 190 195"))
    curve.advance(study.state)
    fresh = Curve(study.created)
    fresh.advance(study.state)
    assert curve.points == fresh.points != before
    study.do(does.SetCuts("chol", "200 240"))
    curve.advance(study.state)
    assert curve.points == before
    study.withdraw(study.requests("told")[0].case, forget=True)
    curve.advance(study.state)


def test_a_closed_study_keeps_its_cuts(study):
    study.close()
    with pytest.raises(StudyError, match="closed"):
        study.do(does.SetCuts("chol", "210"))


def test_on_the_command_line(tmp_path, run_study):
    run = run_study(
        'name = "heart"\nbudget = 60\ndecimal = "comma"\n[policy]\nname = "round-robin"\n'
        '[[features]]\nname = "chol"\nkind = "number"\nunit = "mg/dl"\ncuts = [200, 240.5]\n'
        'least = 50\nmost = 600\ncost = "1.50"\n'
        '[[features]]\nname = "crp"\nvalues = ["1", "2", "3"]\nordered = true\ncost = 1\n'
    )
    asked = json.loads(run("ask", "-n", 8, "--json").stdout)["requests"]
    chol = [each["number"] for each in asked if each["feature"] == "chol"]
    crp = [each["number"] for each in asked if each["feature"] == "crp"]
    refused = run("tell", chol[0], "2333", code=1).stderr
    assert "2333 is outside 50–600 mg/dl; if it is right all the same, say --force" in refused
    assert "decimals stand behind a comma" in run("tell", chol[0], "233.5", code=1).stderr
    run("tell", chol[0], "2333", "--force")
    run("tell", chol[1], "233,0")
    run("tell", chol[2], "190")
    assert "told, 3." in run("tell", crp[0], "3.0").stdout
    run("correct", chol[0], "233,3", "--why", "a digit too many")
    shown = run("status").stdout
    assert "chol: mg/dl, cut at 200; 240,5" in shown
    assert "crp: 1 < 2 < 3" in shown
    proposed = run("propose-cuts", "chol").stdout
    assert "chol is cut at 200; 240,5 now." in proposed
    assert "median" in proposed
    plain = json.loads(run("propose-cuts", "chol", "--json").stdout)
    assert plain["median"]["cuts"] == [233]
    assert "why_not" in plain["deciles"]
    done = run("cuts", "chol", "230,5; 250", "--why", "tidy").stdout
    assert "cuts of chol changed from 200; 240,5 to 230,5; 250 (tidy)" in done
    rows = list(csv.DictReader(io.StringIO(run("export").stdout)))
    kept = {row["number"]: (row["value"], row["category"]) for row in rows}
    assert kept[str(chol[1])] == ("233,0", "230,5 to < 250")
    assert kept[str(chol[2])] == ("190", "< 230,5")
    asked_of = {each["case"] for each in asked}
    free = next(case for case, _ in CASES if case not in asked_of)
    (tmp_path / "values.csv").write_text(f"case;chol;crp\n{free};700;2.0\n")
    assert "say --force" in run("import", "values.csv", code=1).stderr
    run("import", "values.csv", "--force")
    (tmp_path / "new.csv").write_text("case;chol;crp\nA;199,5;3.0\nB;900;\n")
    refused = run("predict", "new.csv", code=1).stderr
    assert "line 3: feature 'chol': 900 is outside 50–600 mg/dl; if it is right" in refused
    forced = run("predict", "new.csv", "--force")
    assert "column 'chol': 1 cells outside its range were taken" in forced.stderr
    (tmp_path / "known.csv").write_text("label;chol;crp\nwell;190;1\nill;900;3\n")
    run("validate", "known.csv")


@pytest.fixture
def run_study(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from budgeted.cli.main import main

    monkeypatch.chdir(tmp_path)

    def command(*words, code=0):
        result = CliRunner().invoke(main, ["study", *map(str, words)])
        assert result.exit_code == code, result.output
        return result

    def begin(toml):
        (tmp_path / "study.toml").write_text(toml)
        lines = "".join(f"{case},{label}\n" for case, label in CASES)
        (tmp_path / "cases.csv").write_text(f"case,label\n{lines}")
        command("new", "study.toml", "--cases", "cases.csv", "--as", "me")
        return command

    return begin
