"""Studies that grow while a server has them open: the API, the pages, and the cases to judge on."""

import json

import pytest

from budgeted import Feature, Study
from tests import webs
from tests.web.test_page_forms import send


@pytest.fixture
def site(tmp_path):
    webs.make_study(tmp_path / "studies.db").release()
    with webs.client(tmp_path) as found:
        yield found


def post(site, operation, **body):
    answer = site.post(f"/api/studies/flu/{operation}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def grow(site):
    post(site, "ask", n=2)
    post(site, "add-cases", cases=[{"case": "Q1", "label": "ill"}, {"case": "P0", "label": "well"},
                                   {"case": "Q2", "label": "well", "group": "north"}],
         known=[{"case": "Q1", "feature": "fever", "value": "yes"}])  # fmt: skip
    post(site, "add-feature", feature={"name": "scan", "values": ["-", "+"], "cost": "2.50"})
    post(site, "add-value", feature="fever", value="high")
    post(site, "rule-out", case="Q2", feature="scan", why="pacemaker")


def test_every_operation_has_its_address(site):
    said = post(site, "add-cases", cases=[{"case": "Q1", "label": "ill"}],
                known=[{"case": "Q1", "feature": "fever", "value": "yes"}])  # fmt: skip
    assert said["events"][0] == "1 case added: Q1"
    assert [each["value"] for each in said["requests"]] == ["yes"]
    assert said["money"]["spent"] == "0"
    assert post(site, "add-cases", cases=[{"case": "Q1", "label": "ill"}])["events"] == []
    body = {"cases": [{"case": "Q2", "label": "ill"}]}
    for repeated in (False, True):
        address, headers = "/api/studies/flu/add-cases", {"Idempotency-Key": "k"}
        assert site.post(address, json=body, headers=headers).json()["repeated"] is repeated
    for wrong, words in (
        ([], "at least 1 item"),
        ([{"case": "Q1", "label": "well"}], "is there already, with the label 'ill'"),
        ([{"case": "Q9", "label": "dead"}], "there is no label 'dead'; there are 'well', 'ill'"),
    ):
        refused = site.post("/api/studies/flu/add-cases", json={"cases": wrong})
        assert refused.status_code in (409, 422)
        assert words in json.dumps(refused.json()).replace("\\u2019", "'")
    refused = site.post("/api/studies/flu/add-feature", json={"feature": {"name": "scan"}})
    assert "feature.values: is missing" in refused.text
    post(site, "rule-out", case="Q1", feature="cough")
    assert post(site, "allow", case="Q1", feature="cough")["events"] == [
        "cough of Q1 may be asked again"
    ]
    post(site, "close")
    assert site.post("/api/studies/flu/reopen", json={}).status_code == 409
    assert post(site, "reopen", why="a second wave")["events"] == ["reopened (a second wave)"]


def test_the_pages_of_a_grown_study(site):
    grow(site)
    card = site.get("/api/studies").json()["studies"][0]
    assert (card["features"], card["cases"], card["bought"]) == (3, 14, 1)
    view = site.get("/api/studies/flu").json()
    assert [each["name"] for each in view["features"]] == ["fever", "cough", "scan"]
    assert view["case_names"][-2:] == ["Q1", "Q2"]
    left = {(each["feature"], each["label"]): each["left"] for each in view["cells"]}
    assert left["scan", "well"] == 6  # of seven, one of which cannot
    for address in ("", "/history", "/history?kind=cases_added", "/model", "/worklist"):
        page = site.get(f"/studies/flu{address}")
        assert page.status_code == 200, address
        assert "flu" in page.text
    shown = site.get("/studies/flu/history?case=Q2").text
    assert "scan of Q2 ruled out (pacemaker)" in shown
    assert "2 cases added: Q1, Q2" in shown
    assert "cases added" in shown
    assert 'value="scan"' in shown
    log = site.get("/api/studies/flu/history", params={"feature": "scan"}).json()["lines"]
    assert [line["event"]["kind"] for line in log] == ["ruled_out", "feature_added"]
    for chart in ("error", "worth", "purchases", "belief"):
        assert site.get(f"/api/studies/flu/charts/{chart}").status_code == 200, chart
    tell = site.post("/api/studies/flu/requests/1/tell", json={"value": "no"})
    assert tell.status_code == 200


def test_the_page_withdraws_a_case_that_arrived(site):
    grow(site)
    asked = send(site, "withdraw", case="Q1", key="w")
    assert "Case Q1 is taken out for good" in asked.text


def test_cases_to_judge_on_are_still_there_when_the_study_has_grown(site, tmp_path):
    csv = {"csv": webs.VALIDATION}
    assert site.post("/api/studies/flu/validation", json=csv).status_code == 200
    grow(site)

    def measured(client):
        assert "measured" in client.get("/api/studies/flu/charts/error").text
        return client.get("/api/studies/flu").json()["measured"]

    before = measured(site)
    assert before["cases"] == 3
    with webs.client(tmp_path) as restarted:
        assert measured(restarted) == before


def test_another_program_makes_it_grow(site, tmp_path):
    assert site.get("/studies/flu").status_code == 200
    with Study.open(str(tmp_path / "studies.db")) as study:
        study.add_feature(Feature("swab", ("-", "+"), 3))
        study.add_cases([("Q7", "ill")])
    assert "swab" in site.get("/studies/flu").text


CASES = "case,label,fever,group\nP0,well,no,north\nP1,ill,,\nP2,ill,yes,\n"


def test_a_study_begins_with_known_values(tmp_path):
    with webs.client(tmp_path) as site:
        body = {"study": webs.STUDY, "cases": CASES}
        assert site.post("/api/studies", json=body).status_code == 201
        log = site.get("/api/studies/flu/history").json()["lines"]
        assert [line["event"]["kind"] for line in log] == ["recorded", "recorded", "created"]
        assert log[0]["request"]["cost"] == "0"
    with Study.open(str(tmp_path / "studies.db")) as study:
        assert study.groups == {"P0": "north"}


def test_a_known_value_that_makes_no_sense_is_said_in_its_row(tmp_path):
    with webs.client(tmp_path) as site:
        body = {"study": webs.STUDY, "cases": CASES.replace("yes", "maybe")}
        refused = site.post("/api/studies", json=body)
        assert "line 4 of the cases: feature 'fever' has no value 'maybe'" in refused.text
        twice = {"study": webs.STUDY, "cases": CASES.replace("group", "fever")}
        assert "the header has 'fever' 2 times" in site.post("/api/studies", json=twice).text
