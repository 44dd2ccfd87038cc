"""The page and the API of studies that grow, and of ones with numbers, terms, or rules to stop."""

import pytest

from budgeted.studies import weighing
from tests import webs
from tests.forms import forms_in

NUMBERS = """
name = "heart"
budget = "40"
labels = ["well", "ill"]
[policy]
name = "round-robin"
[[features]]
name = "chol"
kind = "number"
unit = "mg/dl"
cuts = [200, 240]
least = 50
most = 600
cost = "1.50"
[[features]]
name = "crp"
values = ["low", "normal", "high"]
ordered = true
cost = "1"
"""
VALIDATION = "label,chol,crp\nwell,190,low\nwell,205,low\nill,235,high\nill,800,high\n"
API, HTMX = "/api/studies/heart", {"HX-Request": "true"}


@pytest.fixture
def heart(tmp_path):
    """A server with a study of numbers, and its requests for one."""
    with webs.client(tmp_path) as client:
        body = {"study": NUMBERS, "cases": webs.CASES, "validation": VALIDATION}
        assert client.post("/api/studies", json=body).status_code == 201
        asked = client.post(f"{API}/ask", json={"n": 4}).json()["requests"]
        client.asked = [each["number"] for each in asked if each["feature"] == "chol"]
        yield client


@pytest.fixture
def flu(tmp_path, monkeypatch):
    monkeypatch.setattr(weighing, "RUNS", 4)
    webs.make_study(tmp_path / "studies.db").release()
    with webs.client(tmp_path) as client:
        yield client


def post(site, operation, **body):
    answer = site.post(f"/api/studies/flu/{operation}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_card_takes_a_number_shows_its_unit_and_a_box_to_insist(heart):
    number = heart.asked[0]
    shown = heart.get("/studies/heart").text
    assert f'<input id="value-{number}" name="value" type="text"' in shown
    assert "a number in mg/dl from 50 to 600" in shown
    assert 'name="force"' in shown
    at, sent = f"/studies/heart/requests/{number}/tell", {"value": "2333"}
    refused = heart.post(at, data=sent, headers=HTMX).text
    assert "2333 is outside 50–600 mg/dl" in refused
    assert "tick &#34;Right all the same&#34;" in refused
    assert "--force" not in refused
    heart.post(at, data=sent | {"force": "yes"}, headers=HTMX)
    assert heart.get(f"{API}/requests/{number}").json()["value"] == "2333"


def test_the_api_takes_numbers_and_force(heart):
    first, second = (f"{API}/requests/{each}/tell" for each in heart.asked)
    assert heart.post(first, json={"value": "2333"}).status_code == 422
    for at, body, value in ((first, {"value": 2333, "force": True}, "2333"),
                            (second, {"value": 233.5}, "233.5")):  # fmt: skip
        assert heart.post(at, json=body).json()["requests"][0]["value"] == value
    assert heart.post(f"{API}/predict", json={"case": {"chol": 2333}}).status_code == 422
    forced = heart.post(f"{API}/predict", json={"case": {"chol": 2333}, "force": True})
    assert forced.json()["known"] == 1


def test_the_model_form_takes_a_number_and_says_what_is_outside(heart):
    for query, words in (
        ({"written-0": "233"}, "chol: 233"),
        ({"written-0": "2333"}, "2333 is outside 50–600 mg/dl"),
        ({"written-0": "2333", "force": "yes"}, "chol: 2333"),
    ):
        assert words in heart.get("/studies/heart/model", params=query).text


def test_pages_charts_and_models_follow_changed_cuts(heart):
    for number in heart.asked:
        heart.post(f"{API}/requests/{number}/tell", json={"value": 180 + 20 * number})
    error = heart.get(f"{API}/charts/error").json()
    body = {"feature": "chol", "cuts": "195 210 300", "why": "a guideline"}
    assert heart.post(f"{API}/cuts", json=body).status_code == 200
    after, values = heart.get(API).json(), ["< 195", "195 to < 210", "210 to < 300", "≥ 300"]
    assert after["features"][0]["values"] == values
    assert after["features"][0]["scale"] == "mg/dl, cut at 195, 210, 300"
    assert after["measured"]["cases"] == 4, "the validation file is read by the new cuts"
    belief = heart.get(f"{API}/charts/belief").json()["data"]["values"]
    assert [row["value"] for row in belief][:4] == values
    model = heart.get(f"{API}/model.json").json()
    assert model["features"][0]["parameters"]["cuts"] == [195, 210, 300]
    assert "changed from 200, 240 to 195, 210, 300" in heart.get("/studies/heart/history").text
    heart.post(f"{API}/cuts", json={"feature": "chol", "cuts": "200, 240"})
    assert heart.get(f"{API}/charts/error").json() == error
    wrong = heart.post(f"{API}/cuts", json={"feature": "crp", "cuts": "1"})
    assert (wrong.status_code, "has no cuts" in wrong.text) == (409, True)


def test_a_study_that_grows_is_seen_grown_and_judged_on_the_same_cases(flu, tmp_path):
    post(flu, "validation", csv=webs.VALIDATION)
    post(flu, "ask", n=2)
    post(flu, "add-cases", cases=[{"case": "Q1", "label": "ill"}, {"case": "P0", "label": "well"},
                                  {"case": "Q2", "label": "well", "group": "north"}],
         known=[{"case": "Q1", "feature": "fever", "value": "yes"}])  # fmt: skip
    post(flu, "add-feature", feature={"name": "scan", "values": ["-", "+"], "cost": "2.50"})
    post(flu, "add-value", feature="fever", value="high")
    post(flu, "rule-out", case="Q2", feature="scan", why="pacemaker")
    (card,) = flu.get("/api/studies").json()["studies"]
    assert (card["features"], card["cases"], card["bought"]) == (3, 14, 1)
    view = flu.get("/api/studies/flu").json()
    left = {(each["feature"], each["label"]): each["left"] for each in view["cells"]}
    assert left["scan", "well"] == 6  # of seven, one of which cannot
    for page in ("", "/history?kind=cases_added", "/model", "/worklist"):
        assert flu.get(f"/studies/flu{page}").status_code == 200, page
    shown = flu.get("/studies/flu/history?case=Q2").text
    for said in ("scan of Q2 ruled out (pacemaker)", "2 cases added: Q1, Q2", 'value="scan"'):
        assert said in shown
    assert view["measured"]["cases"] == 3
    with webs.client(tmp_path) as restarted:
        assert restarted.get("/api/studies/flu").json()["measured"] == view["measured"]


def test_the_terms_of_a_budget_change_by_the_api_and_show_on_the_page(tmp_path):
    with webs.make_study(tmp_path / "studies.db") as study:
        study.set_budget("5.00", limit="40.00", point_worth="0.01", rate="0.2")
    with webs.client(tmp_path) as found:
        for page in ("", "/manage"):
            assert (
                "soft up to 40.00 at a surcharge of 20 %" in found.get(f"/studies/flu{page}").text
            )
        post(found, "ask", n=4)
        changed = post(found, "budget", budget="5.00", point_worth="100000")
        assert changed["money"]["terms"].endswith("is worth 100000")
        assert float(post(found, "ask", n=4)["money"]["surcharge_reserved"]) > 0
        assert "before: 5.00, soft up to 40.00" in found.get("/studies/flu/history").text
        assert post(found, "budget", budget="40", firm=True)["money"]["terms"] == ""
        wrong = {"budget": "10", "rate": "0.2"}
        refused = found.post("/api/studies/flu/budget", json=wrong)
        assert (refused.status_code, "budget.limit: is missing" in refused.text) == (409, True)


def fields_of(page, action):
    """What a form of a page sends if nobody changes it."""
    return next(fields for where, fields in forms_in(page) if where == action)


def test_the_page_states_rules_and_says_whether_to_stop_and_why(flu):
    manage = flu.get("/studies/flu/manage").text
    assert "Nothing says when to stop." in manage
    fields = fields_of(manage, "/studies/flu/stop-rules")
    sent = fields | {"least_gain": "0,5", "binding": "yes"}
    answer = flu.post("/studies/flu/stop-rules", data=sent, headers=HTMX)
    assert answer.status_code == 200, answer.text
    assert "Rules for stopping: stop when nothing left is expected" in answer.text
    manage = flu.get("/studies/flu/manage").text
    assert "lower the error by more than 50 points: a rule that asking follows." in manage
    assert fields_of(manage, "/studies/flu/stop-rules")["least_gain"] == "0.5"
    page = flu.get("/studies/flu/classifier").text
    assert "A rule of the study says to stop: nothing left is expected to lower" in page
    study = flu.get("/studies/flu").text
    assert "Ask though a rule of the study says to stop" in study
    ask = fields_of(study, "/studies/flu/ask") | {"n": "1"}
    asked = flu.post("/studies/flu/ask", data=ask, headers=HTMX)
    assert "Nothing new: a rule of the study says to stop" in asked.headers["HX-Trigger"]
    anyway = flu.post("/studies/flu/ask", data=ask | {"anyway": "yes", "key": "2"}, headers=HTMX)
    assert "1 new request" in anyway.headers["HX-Trigger"]
    for shown in (manage, study, str(asked.headers)):
        assert "least-gain" not in shown
        assert "budgeted study" not in shown


def test_the_api_follows_rules_and_says_why(flu):
    post(flu, "stop-rules", least_gain=0.9, target_error=0.2, force=True, binding=True)
    assert flu.get("/api/studies/flu").json()["stop"]["stops"]
    for _ in range(2):  # the second time nothing is new to the log
        asked = post(flu, "ask", n=1)
        assert asked["requests"] == []
        assert asked["stopped"].startswith("a rule of the study says to stop: nothing")
    assert len(post(flu, "ask", n=1, anyway=True)["requests"]) == 1
    manage = flu.get("/studies/flu/manage").text
    assert "Stop as soon as one of these holds (a rule that asking follows):" in manage


@pytest.mark.parametrize(("given", "words"), [
    ({"least_gain": "little"}, "Least gain: must be a number, got"),
    ({"least_gain": "-1"}, "Least gain: must be a number above 0 and below 1"),
    ({"probability": "0.9"}, "Probability: belongs to Target error"),
    ({"target_error": "0.6"}, "Target error: always saying"),
    ({"binding": "yes"}, "no rules that could be binding"),
])  # fmt: skip
def test_bad_rules_get_words_on_the_page(flu, given, words):
    fields = fields_of(flu.get("/studies/flu/manage").text, "/studies/flu/stop-rules")
    answer = flu.post("/studies/flu/stop-rules", data=fields | given, headers=HTMX)
    assert answer.status_code != 200
    assert words in answer.text
