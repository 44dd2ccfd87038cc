"""Studies that grow, by commands."""

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


def test_a_feature_and_a_value_are_added(begun):  # noqa: F811
    given = ("b12", "--value", "low", "--value", "normal", "--cost", "21.50", "--key", "f")
    for said in ("Feature b12 added, categorical, for 21.50.", "It had been added before."):
        assert begun("add-feature", *given).stdout.startswith(f"{said}\n")
    assert begun("add-value", "mcv", "huge").stdout.startswith("value huge added to feature mcv\n")
    begun("add-feature", "sex", "--set", 'values=["f", "m"]', "--cost", 1)
    wrong = begun("add-feature", "x", "--value", "a", "--cost", "much", code=1).stderr
    assert "feature.values: at least two are needed" in wrong
    assert "feature.cost: must be" in wrong
    refused = begun("add-feature", "y", "--set", "x", "--cost", 1, code=2)
    assert "must be KEY=VALUE" in refused.stderr
    values = {each["name"]: each["values"] for each in document(begun("model"))["features"]}
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
