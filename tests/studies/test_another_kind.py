"""A second kind of feature, known by name at run time, goes through everything untouched."""

import csv
import io
import json
import re

import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Study
from budgeted.cli.main import main
from budgeted.errors import BudgetedError, ModelError, ObservationError
from budgeted.learners.model import Model
from budgeted.problem.feature_kinds import FEATURE_KINDS
from budgeted.studies.journal.rows import from_json, to_json
from tests import kinds, webs

STUDY = """
name = "flu"
budget = "40"
labels = ["well", "ill"]
[policy]
name = "round-robin"
[[features]]
name = "temperature"
kind = "measured"
unit = "°C"
cuts = [37.5, 39]
cost = "1.50"
[[features]]
name = "cough"
values = ["no", "yes"]
cost = "1"
"""
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(12))
TOLD = {"temperature": {"well": "36.60", "ill": "39.0"}, "cough": {"well": "no", "ill": "yes"}}


@pytest.fixture(autouse=True)
def measured():
    with kinds.registered():
        yield


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "cases.csv").write_text(CASES)

    def command(*words, code=0):
        result = CliRunner().invoke(main, ["study", *map(str, words)])
        assert result.exit_code == code, result.output
        return result

    command("new", "study.toml", "--cases", "cases.csv", "--as", "anna")
    return command


def asked(run, number):
    rows = json.loads(run("ask", "-n", number, "--json").stdout)["requests"]
    return [(each["number"], each["feature"], each["label"], each["case"]) for each in rows]


def test_on_the_command_line_from_the_file_to_predictions(run, tmp_path):
    pending = asked(run, 6)
    for number, feature, label, _ in pending:
        run("tell", number, TOLD[feature][label])
    number = next(number for number, feature, label, _ in pending
                  if (feature, label) == ("temperature", "well"))  # fmt: skip
    assert "takes a number in °C, got 'warm'" in run("correct", number, "warm", code=1).stderr
    run("correct", number, "37.20", "--why", "typo")
    used = {case for _, _, _, case in pending}
    free = [name for name in (f"P{at}" for at in range(12)) if name not in used]
    run("record", free[0], "temperature", "38.4")
    lines = f"{free[1]},36.4,no\n{free[2]},40,yes\n"
    (tmp_path / "values.csv").write_text(f"case,temperature,cough\n{lines}")
    run("import", "values.csv")
    assert "temperature" in run("status").stdout
    run("verify")
    rows = list(csv.DictReader(io.StringIO(run("export").stdout)))
    kept = {row["case"]: row["value"] for row in rows if row["feature"] == "temperature"}
    assert kept[free[0]] == "38.4"
    assert kept[free[2]] == "40"
    assert "37.20" in kept.values(), "the text is kept as it was told"
    (tmp_path / "model.json").write_text(run("model").stdout)
    model = Model.from_json((tmp_path / "model.json").read_text())
    assert model.features[0].kind == kinds.Measured((37.5, 39), "°C")
    assert model.features[0].values == ("< 37.5", "37.5 to 39", ">= 39")
    assert Model.from_json(model.to_json()) == model
    assert model.predict({"temperature": 39.5}) == model.predict({"temperature": "41"})
    assert model.predict({"temperature": 36})["well"] > model.predict({})["well"]
    with pytest.raises(ModelError, match="feature 'temperature' takes a number in °C, got 'hot'"):
        model.predict({"temperature": "hot"})
    (tmp_path / "new.csv").write_text("case,temperature,cough\nA,36.1,no\nB,41.5,\nC,?,yes\n")
    shown = run("predict", "new.csv").stdout
    assert [row["predicted"] for row in csv.DictReader(io.StringIO(shown))][:2] == ["well", "ill"]
    (tmp_path / "new.csv").write_text("temperature,cough\nhot,no\n")
    refused = run("predict", "new.csv", code=1).stderr
    assert "line 2: feature 'temperature' takes a number in °C, got 'hot'" in refused
    (tmp_path / "known.csv").write_text("temperature,cough,label\n36,no,well\n40,yes,ill\n")
    run("validate", "known.csv")
    (tmp_path / "known.csv").write_text("temperature,cough,label\nwarm,no,well\n")
    assert "line 2: feature 'temperature' takes" in run("validate", "known.csv", code=1).stderr


def test_the_journal_keeps_the_kind_with_its_parameters(run, tmp_path):
    with Study.open(str(tmp_path / "budgeted.db")) as study:
        feature = study.created.features[0]
        assert (feature.kind, feature.parameters) == (
            "measured", {"cuts": (37.5, 39), "unit": "°C"},
        )  # fmt: skip
        assert from_json(to_json(study.created)) == study.created


def test_without_the_kind_a_study_says_what_is_missing(run, tmp_path):
    FEATURE_KINDS.forget("measured")
    with pytest.raises(BudgetedError, match=r"not installed here.* no feature kind 'measured'"):
        Study.open(str(tmp_path / "budgeted.db"))


def test_in_python(tmp_path):
    problem = Problem(
        [Feature("temperature", kinds.Measured((37.5, 39.0), "°C"), "1.50")],
        ("well", "ill"), (0.5, 0.5), 20,
    )  # fmt: skip
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(4)]
    with Study.create(str(tmp_path / "a.db"), "flu", problem, cases, by="me") as study:
        (request,) = study.ask()
        study.tell(request.number, 38)
        assert study.request(request.number).value == "38"
        with pytest.raises(BudgetedError, match="takes a number in °C, got 'high'"):
            study.record([("P3", "temperature", "high")])
    assert problem.features[0].value_index("38") == 1
    with pytest.raises(ObservationError, match="a name or a position"):
        problem.features[0].value_index(2)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("cuts = [37.5, 39]", None),
        ("", "features[0].cuts: is missing"),
        ('cuts = ["warm"]', "features[0]: feature kind 'measured': cuts must be numbers"),
        ("cuts = [37.5, 39]\nvalues = ['a', 'b']", "features[0].values: there is no such key"),
        ('cuts = [37.5, 39]\nkind = "mesured"', "must be one of categorical, number, measured"),
    ],
)
def test_mistakes_in_the_file_have_their_place(run, tmp_path, line, says):
    text = STUDY.replace("cuts = [37.5, 39]", line)
    if line.count("kind"):
        text = text.replace('kind = "measured"\n', "")
    (tmp_path / "other.toml").write_text(text.replace('"flu"', '"other"'))
    done = run("new", "other.toml", "--cases", "cases.csv", code=0 if says is None else 1)
    assert says is None or says in done.stderr


def test_on_the_page(tmp_path):
    with webs.client(tmp_path) as page:

        def send(path, **fields):
            return page.post(path, data=fields, headers={"Accept": "text/html"})

        new = {"study": STUDY, "cases": CASES}
        assert page.post("/api/studies", json=new).status_code == 201
        api = "/api/studies/flu"
        requests = page.post(f"{api}/ask", json={"n": 2}).json()["requests"]
        warm = next(each for each in requests if each["feature"] == "temperature")
        assert (warm["values"], warm["expects"]) == ([], "a number in °C")
        shown = page.get("/studies/flu").text
        assert f'<input id="value-{warm["number"]}" name="value" type="text"' in shown
        assert "a number in °C" in page.get("/studies/flu/worklist").text
        at = f"/studies/flu/requests/{warm['number']}"
        refused = send(f"{at}/tell", value="warm").text
        assert "takes a number in °C, got" in refused
        send(f"{at}/tell", value="36.70")
        assert 'value="36.70"' in page.get(f"{at}/correct").text
        asked = send(f"{at}/correct", value="=", written="38.1", cost="1.50").text
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', asked))
        send(f"{at}/correct", **fields)
        send("/studies/flu/record", case="P7", what="0=", written="40.2")
        kept = page.get(f"{api}/history.csv").text
        assert "38.1 instead of 36.70" in kept
        assert "is 40.2" in kept
        answer = page.get("/studies/flu/model", params={"written-0": "41"}).text
        assert "temperature: 41" in answer
        wrong = page.get("/studies/flu/model", params={"written-0": "hot"})
        assert "takes a number in °C" in wrong.text
