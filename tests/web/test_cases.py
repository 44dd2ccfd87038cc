"""Pages of cases, of what concerns a study as a whole, and of what can be taken away."""

import csv
import html
import io
import re
from decimal import Decimal

import pytest

from budgeted import Feature, Number, Problem, Study
from budgeted.addresses import segment
from budgeted.problem.prices.tariff import Tariff
from budgeted.studies.tables import TABLES
from tests.sample_studies import CLOCK
from tests.webs import client

ODD = "a/b %2F ?#<b>é"
LABELS = ("well", "ill")


def make(folder, cases=40):
    """A study with numbers, a visit fee, a group, and a case of any name."""
    features = [
        Feature("fever", ("no", "yes"), "1.50"),
        Feature("chol", kind=Number(unit="mg/dl", cuts=[200, 240], least=50, most=600), cost="2"),
    ]
    problem = Problem(features, LABELS, (0.5, 0.5), "300.00", Tariff(visit_fee="3.25"))
    names = [ODD, *(f"P{at}" for at in range(1, cases))]
    listed = [(name, LABELS[at % 2]) for at, name in enumerate(names)]
    return Study.create(str(folder / "studies.db"), "flu", problem, listed, by="anna", seed=1,
                        clock=CLOCK, groups={"P3": "children"})  # fmt: skip


@pytest.fixture
def site(tmp_path):
    with make(tmp_path) as study:
        study.record([(ODD, "fever", "yes"), ("P3", "chol", "233")], charge=True)
        study.record([("P3", "fever", "no")])
        study.rule_out("P4", "chol", "pacemaker")
        study.ask(2)
    with client(tmp_path) as found:
        found.database = str(tmp_path / "studies.db")
        yield found


def form(site, path, **fields):
    """Send a form as a browser does."""
    headers = {"HX-Request": "true"}
    return site.post(f"/studies/flu/{path}", data=fields, headers=headers)


def words(answer):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def test_all_cases_are_found_sorted_and_paged(site):
    first = site.get("/api/studies/flu/cases").json()
    assert (first["total"], first["pages"], len(first["lines"])) == (40, 2, 25)
    last = site.get("/api/studies/flu/cases?page=9").json()
    assert (last["page"], len(last["lines"])) == (2, 15)

    def found(**wanted):
        return [each["case"] for each in site.get("/api/studies/flu/cases", params=wanted).json()[
            "lines"]]  # fmt: skip

    assert found(text="p39") == ["P39"]
    assert found(group="children") == ["P3"]
    assert found(sort="values")[0] == "P3"
    assert found(state="complete") == ["P3"]
    assert len(found(state="pending")) in (1, 2)
    assert found(label="well", text="P3") == ["P30", "P32", "P34", "P36", "P38"]
    assert found(sort="name", text="P")[:3] == ["P1", "P2", "P3"]
    assert found(sort="last")[0] in found(state="pending")
    page = site.get("/studies/flu/cases?state=complete")
    assert "1 case of 40" in words(page)
    assert 'href="/studies/flu/cases.csv?state=complete"' in page.text
    rows = list(csv.DictReader(io.StringIO(site.get("/studies/flu/cases.csv").text)))
    assert len(rows) == 40
    with Study.open(site.database, "flu") as study:
        assert sum(Decimal(row["spent"]) for row in rows) == study.state.spent
        assert sum(Decimal(row["reserved"]) for row in rows) == study.state.reserved


def test_a_case_of_any_name_has_its_page(site):
    listed = site.get("/studies/flu/cases").text
    address = f"/studies/flu/cases/{segment(ODD)}"
    assert f'href="{address}"' in listed
    page = site.get(address)
    assert page.status_code == 200
    assert f"Case {ODD}" in words(page)
    assert "<b>é" not in page.text
    shown = site.get(f"/api{address}").json()
    assert (shown["case"]["case"], shown["case"]["values"]) == (ODD, 1)
    assert shown["case"]["spent"] == "4.75"  # with the visit fee
    (fever,) = [each for each in shown["tests"] if each["feature"] == "fever"]
    assert (fever["kind"], fever["value"], fever["by"]) == ("known", "yes", "anna")
    assert site.get("/studies/flu/cases/nobody").status_code == 404


def test_what_the_rest_of_a_case_costs_is_what_an_order_would(site):
    fresh = site.get("/api/studies/flu/cases?state=untouched").json()["lines"]
    free = next(each["case"] for each in fresh if each["case"] != "P4")
    shown = site.get(f"/api/studies/flu/cases/{free}").json()
    assert (shown["left"], shown["left_cost"]) == (2, "6.75")  # 1.50 + 2 + one fee
    shown = site.get("/api/studies/flu/cases/P4").json()
    assert (shown["left"], shown["left_cost"]) == (1, "4.75")
    assert site.get("/api/studies/flu/cases/P3").json()["left"] == 0


def test_a_value_is_recorded_on_the_page_of_its_case(site):
    page = site.get("/studies/flu/cases/P7?test=chol").text
    assert "a number in mg/dl from 50 to 600" in page
    outside = form(site, "cases/P7/record", test="chol", value="2000")
    assert (outside.status_code, outside.headers["HX-Retarget"]) == (422, "#record-problem")
    assert 'tick "Right all the same"' in words(outside)
    done = form(site, "cases/P7/record", test="chol", value="199.5", charge="0.75")
    assert (done.status_code, done.headers["HX-Retarget"]) == (200, "#record-problem")
    shown = site.get("/api/studies/flu/cases/P7").json()
    (chol,) = [each for each in shown["tests"] if each["feature"] == "chol"]
    assert (chol["value"], chol["category"], shown["case"]["spent"]) == ("199.5", "< 200", "0.75")
    for missing in ({"test": "chol"}, {"value": "3"}):
        assert form(site, "cases/P8/record", **missing).status_code == 422


def test_a_test_is_ruled_out_and_allowed_again(site):
    assert form(site, "cases/P9/rule-out", test="fever", why="allergy").status_code == 200
    page = site.get("/studies/flu/cases/P9")
    assert "ruled out" in words(page)
    assert "allergy" in page.text
    assert form(site, "cases/P9/allow", test="fever").status_code == 200
    tests = site.get("/api/studies/flu/cases/P9").json()["tests"]
    assert {each["kind"] for each in tests} == {"open"}
    refused = form(site, "cases/P3/rule-out", test="chol")
    assert "is known already" in words(refused)


def test_withdrawing_says_first_what_it_does(site):
    asked = form(site, "withdraw", case="P3", forget="yes", key="k1")
    said = words(asked)
    assert "Withdraw case P3?" in said
    assert "Its 2 values are taken out of the classifier" in said
    assert "the 5.25 that they cost stay spent" in said
    digest = re.search('name="confirmed" value="([0-9a-f]+)"', asked.text)[1]
    done = form(site, "withdraw", case="P3", forget="yes", key="k1", confirmed=digest)
    assert (done.status_code, done.headers["HX-Retarget"]) == (200, "#withdraw-problem")
    page = words(site.get("/studies/flu/cases/P3"))
    assert "Its values are not shown any more" in page
    assert "233" not in page
    assert "233" not in site.get("/studies/flu/tables/wide.csv").text


LIST = ("case;label;group;chol;colour\nN1;ill;;210;red\nN2;well;children;;\nP1;ill;;;\n"
        "P2;ill;;;\nN3;sick;;;\nN1;ill;;;\nN4;ill;;9999;\n")  # fmt: skip


def test_a_list_of_cases_is_looked_over_and_what_fits_is_added(site):
    page = form(site, "add-cases/preview", pasted=LIST)
    said = words(page)
    assert "2 new cases, 1 that is there already, 1 known value; 4 rows are refused" in said
    reasons = ("is there already, with the label 'well'", "there is no label 'sick'",
               "is in the list twice, also on line 2", "9999 is outside 50–600 mg/dl")  # fmt: skip
    for wrong in reasons:
        assert wrong in said, wrong
    assert "Left alone: colour" in said
    assert site.get("/api/studies/flu/cases?text=N").json()["total"] == 0, "a preview adds nothing"
    pasted = html.unescape(re.search('name="pasted" value="([^"]*)"', page.text)[1])
    shown = re.search('name="shown" value="([0-9a-f]+)"', page.text)[1]
    sent = {"pasted": pasted, "shown": shown, "key": "0123456789abcdef"}
    stale = form(site, "add-cases", **{**sent, "shown": "other"})
    assert (stale.status_code, "look at the list once more" in words(stale)) == (422, True)
    assert form(site, "add-cases", **sent).status_code == 303
    found = site.get("/api/studies/flu/cases?text=N").json()["lines"]
    assert [(each["case"], each["group"], each["values"]) for each in found] == [
        ("N1", "", 1), ("N2", "children", 0)]  # fmt: skip
    events = site.get("/api/studies/flu").json()["seq"]
    assert form(site, "add-cases", **sent).status_code == 303
    assert site.get("/api/studies/flu").json()["seq"] == events, "it is not added twice"
    twin = site.post("/api/studies/flu/add-cases/preview", json={"text": LIST}).json()
    assert (twin["new"], twin["there"], twin["values"]) == (0, 3, 0)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "choose a file, or paste a list"),
        (b"name,label\nN1,ill\n", "there is no column 'case'"),
        (b"case,label,case\nN1,ill,N1\n", "give each column its own name"),
        (b"case,label\nN1,ill,3\n", "has 3 cells"),
        (b"\x00\xff\xfe\x01", ""),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_in_words(site, content, wrong):
    answer = site.post("/studies/flu/add-cases/preview",
                       files={"file": ("x.csv", content)})  # fmt: skip
    assert answer.status_code == 422
    assert wrong in words(answer)


def test_empty_cells_at_the_end_of_what_is_pasted_stay(site):
    page = form(site, "add-cases/preview", pasted="\ncase\tlabel\tchol\nN1\till\t\n")
    assert (page.status_code, "1 new case" in words(page)) == (200, True)


def test_an_old_spreadsheet_is_read(site):
    content = "case\tlabel\nMüller\till\n".encode("cp1252")
    answer = site.post("/studies/flu/add-cases/preview",
                       files={"file": ("x.csv", content)})  # fmt: skip
    assert "Müller" in words(answer)


def test_a_study_grows_and_ends_on_its_page(site):
    number = {"test": "crp", "kind": "number", "unit": "mg/l", "cuts": "5 10", "cost": "4"}
    assert form(site, "add-feature", **number).headers["HX-Retarget"] == "#feature-problem"
    assert form(site, "add-feature", test="age", values="young, old", cost="1").status_code == 200
    again = form(site, "add-feature", **number)
    assert "there is a feature 'crp' already" in words(again)
    wrong = form(site, "add-feature", test="x", kind="number", cuts="", cost="four")
    assert (wrong.status_code, wrong.headers["HX-Retarget"]) == (422, "#feature-problem")
    assert "Cost: " in words(wrong)
    assert "Cuts: " in words(wrong)
    assert form(site, "add-value", test="age", value="middle").status_code == 200
    assert form(site, "add-value", test="age", value="old").status_code == 422
    page = words(site.get("/studies/flu/manage?cuts=chol"))
    assert "cut at 200, 240" in page or "200" in page
    assert "terciles" in page
    changed = form(site, "cuts", test="chol", cuts="190 250", why="new rule")
    assert "Everything was computed anew" in words(changed)
    with Study.open(site.database, "flu") as study:
        names = [each.name for each in study.state.problem.features]
        assert names == ["fever", "chol", "crp", "age"]
        assert study.state.problem.features[3].values == ("young", "old", "middle")
        assert study.state.problem.features[1].kind.cuts == (190, 250)
        for each in study.requests("pending"):
            study.cancel(each.number)
    asked = form(site, "close", why="done")
    digest = re.search('name="confirmed" value="([0-9a-f]+)"', asked.text)[1]
    assert form(site, "close", why="done", confirmed=digest).status_code == 200
    assert "Reopen the study" in words(site.get("/studies/flu/manage"))
    assert form(site, "reopen", why=" ").status_code == 422
    assert form(site, "reopen", why="one more").status_code == 200
    assert "Close the study" in words(site.get("/studies/flu/manage"))


def test_the_terms_of_the_budget_are_changed_once_that_is_confirmed(site):
    wanted = {"terms": "soft", "budget": "100", "limit": "200", "rate": "0.2", "point_worth": "40"}
    asked = form(site, "terms", **wanted)
    assert "It becomes 100, soft up to 200 at a surcharge of 20 %" in words(asked)
    digest = re.search('name="confirmed" value="([0-9a-f]+)"', asked.text)[1]
    assert form(site, "terms", confirmed=digest, **wanted).status_code == 200
    assert "soft up to 200" in words(site.get("/studies/flu/manage"))
    view = site.get("/api/studies/flu/manage").json()
    assert (view["terms"]["kind"], view["terms"]["limit"]) == ("soft", "200")


def test_the_report_adds_up_and_says_what_proves_it(site):
    report = site.get("/api/studies/flu/report").json()
    with Study.open(site.database, "flu") as study:
        spent, events, digest = study.state.spent, study.events, study.head.digest
    for part in ("labels", "tests"):
        assert sum(Decimal(each["spent"]) for each in report[part]) == spent, part
    assert (report["seq"], report["digest"]) == (events, digest)
    assert report["prices"] == ["visit fee: 3.25"]
    text = words(site.get("/studies/flu/report"))
    for said in (digest, "anna", "visit fee: 3.25", "mg/dl", "300.00", str(spent), "seed 1"):
        assert said in text, said
    error = site.get("/api/studies/flu/report/error").json()
    assert error["outlook"]["low"] <= error["outlook"]["error"] <= error["outlook"]["high"]
    assert "Always saying" in words(site.get("/studies/flu/report/error"))


def test_everything_on_the_page_can_be_taken_away(site):
    listed = site.get("/api/studies/flu/report").json()["downloads"]
    assert len(listed) >= 7
    for each in listed:
        answer = site.get(f"/studies/flu/{each['path']}")
        assert answer.status_code == 200, each
        assert f'href="/studies/flu/{each["path"]}"' in site.get("/studies/flu/report").text
    with Study.open(site.database, "flu") as study:
        for name, table in TABLES.items():
            csv_text = table(study.snapshot(), True).to_csv()
            for root in ("", "/api"):
                assert site.get(f"{root}/studies/flu/tables/{name}.csv").text == csv_text
    for missing in ("tables/x.csv", "models/zip"):
        assert site.get(f"/studies/flu/{missing}").status_code == 404, missing


def test_the_history_has_columns(site):
    rows = list(csv.DictReader(io.StringIO(site.get("/studies/flu/history.csv").text)))
    (told,) = [row for row in rows if row["value"] == "233"]
    assert (told["case"], told["feature"], told["amount"]) == ("P3", "chol", "5.25")
    assert told["what"].startswith("recorded as 2")
    page = site.get("/studies/flu/history?case=P3").text
    assert '<a href="/studies/flu/cases/P3">P3</a>' in page
