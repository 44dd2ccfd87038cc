"""The commands about studies, as a person and as a script would use them."""

import csv
import io
import json

import click
import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.cli.studies import study as group


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def command(*words, code=0):
        result = CliRunner().invoke(main, ["study", *map(str, words)])
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return command


@pytest.fixture
def begun(run):
    run("example", ".")
    run("new", "study.toml", "--cases", "cases.csv", "--as", "anna")
    return run


def document(result):
    return json.loads(result.stdout)


def test_the_whole_story(begun):
    shown = begun("ask", "-n", 3).stdout
    assert "the best use of the next" in shown
    assert "spent 0.00, reserved 12.00, free 388.00" in shown
    assert "Request 1" in begun("tell", 1, "low").stdout
    begun("tell", 1, "low")
    assert "budgeted study correct 1 normal" in begun("tell", 1, "normal", code=1).stderr
    begun("fail", 2, "--charged", "--unusable", "--why", "tube broken", "--as", "ben")
    begun("correct", 1, "normal", "--why", "typo")
    begun("cancel", 3, "--why", "enough")
    shown = begun("history").stdout
    for words in ("anna", "ben", "tube broken", "normal instead of low", "enough"):
        assert words in shown
    shown = begun("status").stdout
    assert "90 % interval" in shown
    assert "ferritin" in shown
    assert "lower is better" in begun("why", 1).stdout
    begun("budget", 500)
    begun("withdraw", "P01", "--why", "moved")
    begun("record", "P02", "mcv", "low", "--charge", "1.25")
    assert "is there already" in begun("record", "P02", "mcv", "low").stdout
    begun("close")
    assert "closed" in begun("ask", code=1).stderr
    assert begun("list", "--closed").stdout == "anaemia\n"


def test_everything_speaks_json(begun):
    asked = document(begun("ask", "-n", 2, "--json"))
    assert [each["number"] for each in asked["requests"]] == [1, 2]
    request = asked["requests"][0]
    assert {"case", "feature", "label", "cost", "why", "scores", "at", "by"} <= set(request)
    assert asked["reserved"] == "8.00"
    assert document(begun("tell", 1, "low", "--json"))["request"]["value"] == "low"
    assert document(begun("fail", 2, "--json"))["request"]["fate"] == "failed"
    assert document(begun("correct", 1, "--no-value", "--json"))["request"]["value"] is None
    assert document(begun("status", "--json"))["spent"] == "4.00"
    log = document(begun("history", "--json"))
    kinds = ["created", "asked", "asked", "told", "failed", "corrected"]
    assert [each["event"]["kind"] for each in log] == kinds
    assert len(document(begun("history", "--last", 2, "--json"))) == 2
    assert document(begun("why", 1, "--json"))["policy"] == "auto"
    assert document(begun("model", "--json"))["format"] == "budgeted-model"
    assert document(begun("export", "--json"))[0]["fate"] == "told"
    assert document(begun("list", "--json")) == ["anaemia"]
    for words in (("withdraw", "P01"), ("budget", 600), ("record", "P02", "mcv", "low"),
                  ("record", "P02", "mcv", "low"), ("close",)):  # fmt: skip
        assert "free" in document(begun(*words, "--json"))
    assert document(begun("example", "more", "--json"))[0].endswith("study.toml")
    made = begun("new", "more/study.toml", "--cases", "more/cases.csv", "--db", "b.db", "--json")
    assert document(made)["cases"] == 60


def test_every_command_takes_json():
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert any(option.name == "as_json" for option in command.params), name


def test_values_from_a_file_answer_requests(begun):
    begun("ask", "-n", 4)
    done = document(begun("import", "answers.csv", "--json"))
    assert (done["told"], done["recorded"], done["known"]) == (4, 236, 0)
    assert done["reserved"] == "0.00"
    assert (
        "0 requests told, 0 values recorded, 240 were known"
        in begun("import", "answers.csv").stdout
    )
    assert "Nothing more can be bought" in begun("ask").stdout


def test_an_import_that_costs_too_much_changes_nothing(begun):
    before = begun("history", "--json").stdout
    assert "is more than the free" in begun("import", "answers.csv", "--charge", code=1).stderr
    assert begun("history", "--json").stdout == before


def test_predictions_of_new_cases(begun, tmp_path):
    begun("import", "answers.csv")
    (tmp_path / "new.csv").write_text("case,ferritin,mcv\n=7,low,\n8,,normal\n", encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(begun("predict", "new.csv").stdout)))
    assert rows[0]["case"] == "'=7"
    assert rows[0]["predicted"] == "iron-deficiency"
    assert float(rows[0]["P(iron-deficiency)"]) > 0.9
    begun("model", "--out", "model.json")
    prior = ("--prior", "iron-deficiency=0.01", "--prior", "chronic-disease=0.99")
    shown = document(begun("predict", "new.csv", "--model", "model.json", *prior, "--json"))
    assert shown[0]["predicted"] == "chronic-disease"
    assert "prior" in begun("predict", "new.csv", "--prior", "iron=1", code=2).stderr
    assert "LABEL=SHARE" in begun("predict", "new.csv", "--prior", "x", code=2).stderr


def test_exports_are_safe_for_spreadsheets(run, tmp_path):
    (tmp_path / "s.toml").write_text(
        'budget = 9\n[[features]]\nname = "=x"\nvalues = ["-1", "+1"]\ncost = 1\n',
        encoding="utf-8",
    )
    (tmp_path / "c.csv").write_text("case,label\n@a,u\n@b,v\n", encoding="utf-8")
    run("new", "s.toml", "--cases", "c.csv", "--as", "=cmd()")
    run("ask", "--as", "=cmd()")
    run("tell", 1, "--", "-1")
    run("export", "--out", "out.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert rows[0][:3] == ["number", "case", "label"]
    assert all(cell[:1] not in {"=", "+", "-", "@"} for row in rows for cell in row)
    assert "'-1" in rows[1]


def test_mistakes_end_in_words_and_change_nothing(run, tmp_path):
    assert "no such file" in run("status", code=1).stderr
    assert not (tmp_path / "budgeted.db").exists()
    run("example", ".")
    text = (tmp_path / "study.toml").read_text(encoding="utf-8")
    (tmp_path / "study.toml").write_text(text.replace("seed", "sed"), encoding="utf-8")
    said = run("new", "study.toml", "--cases", "cases.csv", code=1).stderr
    assert "sed: there is no such key; did you mean 'seed'?" in said
    assert not (tmp_path / "budgeted.db").exists()
    (tmp_path / "budgeted.db").write_text("this is no database, it is a letter" * 50)
    assert "is not a SQLite database" in run("status", code=1).stderr


def test_the_database_can_be_given_by_the_environment(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BUDGETED_DB", str(tmp_path / "team.db"))
    run("example", ".")
    run("new", "study.toml", "--cases", "cases.csv")
    assert (tmp_path / "team.db").exists()
    assert run("list").stdout == "anaemia\n"


def test_correct_wants_a_value_or_none(begun):
    begun("ask")
    begun("tell", 1, "low")
    assert "give the right VALUE, or --no-value" in begun("correct", 1, code=2).stderr
