"""Numbers on the page and in the API: an input with its unit, and words for what is refused."""

import pytest

from tests import webs

STUDY = """
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
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(12))
VALIDATION = "label,chol,crp\nwell,190,low\nwell,205,low\nill,235,high\nill,800,high\n"
API = "/api/studies/heart"


@pytest.fixture
def page(tmp_path):
    with webs.client(tmp_path) as client:
        body = {"study": STUDY, "cases": CASES, "validation": VALIDATION}
        assert client.post("/api/studies", json=body).status_code == 201
        yield client


@pytest.fixture
def send(page):

    def sending(path, **fields):
        data, headers = fields, {"HX-Request": "true"}
        return page.post(f"/studies/heart{path}", data=data, headers=headers)

    return sending


def asked(page, n=4):
    requests = page.post(f"{API}/ask", json={"n": n}).json()["requests"]
    assert "P1" not in {each["case"] for each in requests}
    return [each["number"] for each in requests if each["feature"] == "chol"]


def test_a_card_takes_a_number_shows_its_unit_and_a_box_to_insist(page, send):
    number, _ = asked(page)
    shown = page.get("/studies/heart").text
    assert f'<input id="value-{number}" name="value" type="text"' in shown
    assert "a number in mg/dl from 50 to 600" in shown
    assert 'name="force"' in shown
    refused = send(f"/requests/{number}/tell", value="2333").text
    assert "2333 is outside 50–600 mg/dl" in refused
    assert "tick &#34;Right all the same&#34;" in refused
    assert "--force" not in refused
    send(f"/requests/{number}/tell", value="2333", force="yes")
    assert page.get(f"{API}/requests/{number}").json()["value"] == "2333"


def test_the_api_takes_numbers_and_force(page):
    first, second = asked(page)
    at = f"{API}/requests/{first}/tell"
    assert page.post(at, json={"value": "2333"}).status_code == 422
    done = page.post(at, json={"value": 2333, "force": True}).json()
    assert done["requests"][0]["value"] == "2333"
    done = page.post(f"{API}/requests/{second}/tell", json={"value": 233.5}).json()
    assert done["requests"][0]["value"] == "233.5"
    record = {"values": [{"case": "P1", "feature": "chol", "value": 199}]}
    assert page.post(f"{API}/record", json=record).json()["requests"][0]["value"] == "199"


def test_cuts_are_changed_by_the_api_and_pages_charts_and_models_follow(page):
    for number in asked(page, 8):
        page.post(f"{API}/requests/{number}/tell", json={"value": 180 + 20 * number})
    before = page.get(f"{API}").json()
    assert before["measured"]["cases"] == 4
    error = page.get(f"{API}/charts/error").json()
    body = {"feature": "chol", "cuts": "195 210 300", "why": "a guideline"}
    assert page.post(f"{API}/cuts", json=body).status_code == 200
    after = page.get(f"{API}").json()
    assert after["features"][0]["values"] == ["< 195", "195 to < 210", "210 to < 300", "≥ 300"]
    assert after["features"][0]["scale"] == "mg/dl, cut at 195, 210, 300"
    assert after["features"][1]["scale"] == "low < normal < high"
    assert after["measured"]["cases"] == 4, "the validation file is read by the new cuts"
    belief = page.get(f"{API}/charts/belief").json()
    shown = [row["value"] for row in belief["data"]["values"]]
    assert shown[:4] == ["< 195", "195 to < 210", "210 to < 300", "≥ 300"]
    assert page.get(f"{API}/model.json").json()["features"][0]["parameters"]["cuts"] == [
        195, 210, 300,
    ]  # fmt: skip
    assert "changed from 200, 240 to 195, 210, 300" in page.get("/studies/heart/history").text
    assert "cuts_changed" in page.get("/studies/heart/history").text
    page.post(f"{API}/cuts", json={"feature": "chol", "cuts": "200, 240"})
    assert page.get(f"{API}/charts/error").json() == error
    wrong = page.post(f"{API}/cuts", json={"feature": "crp", "cuts": "1"})
    assert wrong.status_code == 409
    assert "has no cuts" in wrong.text


def test_the_model_form_takes_a_number_and_says_what_is_outside(page):
    answer = page.get("/studies/heart/model", params={"written-0": "233"}).text
    assert "chol: 233" in answer
    wrong = page.get("/studies/heart/model", params={"written-0": "2333"}).text
    assert "2333 is outside 50–600 mg/dl" in wrong
    forced = page.get("/studies/heart/model", params={"written-0": "2333", "force": "yes"}).text
    assert "chol: 2333" in forced
    at = f"{API}/predict"
    assert page.post(at, json={"case": {"chol": 233.5}}).json()["known"] == 1
    assert page.post(at, json={"case": {"chol": 2333}}).status_code == 422
    assert page.post(at, json={"case": {"chol": 2333}, "force": True}).json()["known"] == 1
    assert page.get(f"{API}/model", params={"known": "0=2333", "force": True}).status_code == 200
