"""Studies that grow while a server has them open: the API, the pages, and the cases to judge on."""

import pytest

from tests import webs


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
