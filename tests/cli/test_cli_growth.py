"""Studies that grow, by commands."""

import json
from pathlib import Path

import pytest

from tests.cli.test_cli_study import begun, document, run  # noqa: F401 (fixtures)


@pytest.fixture
def write(tmp_path):
    def put(text, name="more.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return put


def test_cases_arrive_from_a_file(begun, write):  # noqa: F811
    lines = Path("cases.csv").read_text(encoding="utf-8").splitlines()
    known = dict(line.split(",") for line in lines)["P01"]
    more = write("case;label;mcv;group\nP61;chronic-disease;low;ward 3\n"
                 f"P01;{known};;\nP62;iron-deficiency;;\n")  # fmt: skip
    first = document(begun("status", "--json"))["cases"]
    said = begun("add-cases", more, "--as", "ben", "--key", "once").stdout
    assert said.splitlines() == [
        "2 cases added, 1 were there already; 1 known value recorded.",
        "budget 400.00, spent 0.00, reserved 0, free 400.00",
    ]
    again = document(begun("add-cases", more, "--as", "ben", "--key", "once", "--json"))
    assert (again["added"], again["there"]) == (["P61", "P62"], 1)
    assert [each["value"] for each in again["known"]] == ["low"]
    assert document(begun("status", "--json"))["cases"] == first + 2
    assert "2 cases added: P61, P62" in begun("history").stdout
    assert "P61" in begun("export").stdout
    wrong = write("case,label,mcv\nP01,well,\nP99,iron-deficiency,tall\n")
    said = begun("add-cases", wrong, code=1).stderr
    assert "more.csv, line 2: there is no label 'well'" in said
    assert "more.csv, line 3: feature 'mcv' has no value 'tall'" in said
    begun("verify")


def test_a_study_begins_with_what_is_known(run, write):  # noqa: F811
    run("example", ".")
    lines = Path("cases.csv").read_text(encoding="utf-8").splitlines()
    write("\n".join([lines[0] + ",mcv", lines[1] + ",low", *(each + "," for each in lines[2:])]),
          "known.csv")  # fmt: skip
    said = run("new", "study.toml", "--cases", "known.csv").stdout
    assert "60 cases, 1 known value, budget 400.00" in said
    assert "recorded as 1: mcv of P01" in run("history").stdout
    assert "spent 0" in run("status").stdout


def test_a_feature_and_a_value_are_added(begun):  # noqa: F811
    said = begun("add-feature", "b12", "--value", "low", "--value", "normal", "--cost", "21.50",
                 "--key", "f").stdout  # fmt: skip
    assert said.startswith("Feature b12 added, categorical, for 21.50.\n")
    begun("add-feature", "b12", "--value", "low", "--value", "normal", "--cost", "21.50", "--key",
          "f")  # fmt: skip
    assert begun("add-value", "mcv", "huge").stdout.startswith("value huge added to feature mcv\n")
    assert "b12" in begun("status").stdout
    assert "there is a feature 'b12' already" in begun(
        "add-feature", "b12", "--value", "a", "--value", "b", "--cost", 1, code=1
    ).stderr  # fmt: skip
    said = begun("add-feature", "x", "--value", "a", "--cost", "much", code=1).stderr
    assert "feature.values: at least two are needed" in said
    assert "feature.cost: must be" in said
    by_set = begun("add-feature", "sex", "--set", 'values=["f", "m"]', "--cost", 1)
    assert "Feature sex added" in by_set.stdout
    assert (
        "must be KEY=VALUE" in begun("add-feature", "y", "--set", "x", "--cost", 1, code=2).stderr
    )
    model = json.loads(begun("model").stdout)
    values = {each["name"]: each["values"] for each in model["features"]}
    assert values["sex"] == ["f", "m"]
    assert values["mcv"][-1] == "huge"
    begun("verify")


def test_a_test_is_ruled_out_and_a_study_reopened(begun):  # noqa: F811
    said = begun("rule-out", "P01", "crp", "--why", "no blood drawn").stdout
    assert said.startswith("crp of P01 ruled out (no blood drawn)\n")
    assert "Nothing was to be done" in begun("rule-out", "P01", "crp").stdout
    assert "crp of P01 may be asked again" in begun("allow", "P01", "crp").stdout
    begun("close")
    assert "is closed" in begun("rule-out", "P01", "crp", code=1).stderr
    assert "why: say for what reason" in begun("reopen", code=1).stderr
    assert "reopened (new money)" in begun("reopen", "--why", "new money").stdout
    begun("ask")
