"""The API: a whole study by a program, and what it says to nonsense."""

import csv
import io
import json
import threading
import time
from decimal import Decimal

import pytest

from budgeted import Model, Study
from budgeted.web.settings import Settings
from tests.sample_studies import check_everything
from tests.webs import CASES, STUDY, VALIDATION, client, make_study


@pytest.fixture
def empty(database, tmp_path):
    """A server with an empty database, of each kind."""
    with client(tmp_path, database) as found:
        yield found


@pytest.fixture
def local(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


def test_the_validation_file_of_a_lost_database_judges_no_new_study(tmp_path):
    new = {"study": STUDY, "cases": CASES}
    with client(tmp_path) as first:
        assert first.post("/api/studies", json=new | {"validation": VALIDATION}).status_code == 201
        assert first.get("/api/studies/flu").json()["validated"]
    for file in tmp_path.glob("studies.db*"):
        if file.is_file():
            file.unlink()
    with client(tmp_path) as second:
        assert second.post("/api/studies", json=new).status_code == 201
        assert not second.get("/api/studies/flu").json()["validated"]
    with client(tmp_path) as third:
        assert not third.get("/api/studies/flu").json()["validated"]


def test_databases_of_a_server_have_folders_of_their_own_that_tell_no_password():
    urls = [f"postgresql://ann:{word}@db/{name}" for word, name in
            (("rose", "one"), ("tulip", "one"), ("rose", "two"))]  # fmt: skip
    first, other_password, other_database = (Settings(url).data_folder for url in urls)
    assert first == other_password != other_database
    assert first.parent.name == "budgeted-web"
    assert "rose" not in str(first)


def test_a_whole_study(empty, database):
    new, base = {"study": STUDY, "cases": CASES, "validation": VALIDATION}, "/api/studies/flu"

    def post(path, **body):
        answer = empty.post(f"{base}/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert empty.post("/api/studies", json=new).status_code == 201
    assert empty.post("/api/studies", json=new).status_code == 409
    asked = post("ask", n=4)
    assert [each["number"] for each in asked["requests"]] == [1, 2, 3, 4]
    reserved = sum(Decimal(each["cost"]) for each in asked["requests"])
    assert Decimal(asked["money"]["reserved"]) == reserved
    for _ in range(2):
        assert post("requests/1/tell", value="yes")["requests"][0]["value"] == "yes"
    assert empty.post(f"{base}/requests/1/tell", json={"value": "no"}).status_code == 409
    assert post("requests/2/fail", charged=True)["requests"][0]["fate"] == "failed"
    post("requests/3/cancel")
    assert post("requests/1/correct", value="no", why="a slip")["requests"][0]["value"] == "no"
    assert post("budget", budget="25.50")["money"]["budget"] == "25.50"
    free = [f"P{at}" for at in range(12) if f"P{at}" not in {e["case"] for e in asked["requests"]}]
    post("record", values=[{"case": free[0], "feature": "fever", "value": "no"}])
    post("withdraw", case=free[1])
    page = empty.get(base).json()
    measured = page["measured"]
    assert 0 <= measured["low"] <= measured["error"] <= measured["high"] <= 1
    assert page["study"]["money"]["budget"] == "25.50"
    assert {each["number"] for each in page["pending"]} == {4}
    for chart in ("error", "worth", "belief", "purchases"):
        assert "$schema" in empty.get(f"{base}/charts/{chart}").json()
    post("requests/4/tell", value="yes")
    post("close", why="enough")
    assert empty.post(f"{base}/ask", json={}).status_code == 409
    with Study.open(database, "flu") as study:
        check_everything(study)
        assert study.closed


def test_the_model_is_that_of_the_study(local, tmp_path):
    with Study.open(str(tmp_path / "studies.db"), "flu") as study:
        study.record([("P0", "fever", "no"), ("P1", "fever", "yes"), ("P3", "cough", "yes")])
        expected = study.model()
    assert Model.from_json(local.get("/api/studies/flu/model.json").text) == expected
    case = {"fever": "yes"}
    found = local.post("/api/studies/flu/predict", json={"case": case}).json()
    chances = {each["name"]: each["probability"] for each in found["labels"]}
    assert chances == pytest.approx(expected.predict(case))
    other = {"well": 0.9, "ill": 0.1}
    found = local.post("/api/studies/flu/predict", json={"case": case, "prior": other}).json()
    chances = {each["name"]: each["probability"] for each in found["labels"]}
    assert chances == pytest.approx(expected.with_prior(other).predict(case))
    query = {"known": ["0=yes", ""], "prior": [9, 1]}
    found = local.get("/api/studies/flu/model", params=query).json()
    assert {each["name"]: each["probability"] for each in found["labels"]} == pytest.approx(chances)
    moved = next(each for each in found["features"] if each["name"] == "fever")["contributions"]
    assert sum(moved) == pytest.approx(0)
    assert moved[1] == pytest.approx(chances["ill"] - 0.1)


def test_the_log_can_be_filtered_and_opened_in_a_spreadsheet(local):
    local.post("/api/studies/flu/ask", json={"n": 2})
    local.post("/api/studies/flu/requests/1/cancel", json={"why": '=HYPERLINK("http://x")'})
    local.post("/api/studies/flu/requests/2/fail", json={"why": "@SUM(A1)"})
    page = local.get("/api/studies/flu/history").json()
    assert [line["event"]["seq"] for line in page["lines"]] == [5, 4, 3, 2, 1]
    only = local.get("/api/studies/flu/history", params={"kind": "failed"}).json()
    assert [line["event"]["kind"] for line in only["lines"]] == ["failed"]
    case = page["lines"][0]["request"]["case"]
    about = local.get("/api/studies/flu/history", params={"case": case}).json()
    assert {line["event"]["kind"] for line in about["lines"]} == {"asked", "failed"}
    response = local.get("/api/studies/flu/history.csv")
    assert response.headers["content-disposition"] == 'attachment; filename="history.csv"'
    cells = [cell for row in csv.reader(io.StringIO(response.text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@pytest.mark.parametrize(("path", "given", "status"), [
    ("/api/studies/none/ask", {}, 404),
    ("/api/studies/flu/requests/99/tell", {"value": "yes"}, 404),
    ("/api/studies/flu/ask", {"n": 0}, 422),
    ("/api/studies/flu/ask", {"n": 201}, 409),
    ("/api/studies/flu/budget", {"budget": "-1"}, 409),
    ("/api/studies/flu/withdraw", {"case": "nobody"}, 404),
    ("/api/studies/flu/predict", {"case": {"fever": "purple"}}, 422),
    ("/api/studies/flu/close", {"why": "\ud800"}, 422),
    ("/api/studies", {"study": STUDY, "cases": ""}, 422),
])  # fmt: skip
def test_nonsense_is_refused_in_words(local, path, given, status):
    before = local.get("/api/studies/flu").json()["seq"]
    response = local.post(path, content=json.dumps(given).encode(),
                          headers={"content-type": "application/json"})  # fmt: skip
    assert response.status_code == status, response.text
    assert len(response.json()["error"]) > 10
    assert local.get("/api/studies/flu").json()["seq"] == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b'{"value": 1}', b'{"value": "\\u0000"}']
)
def test_the_short_way_refuses_as_the_long_way_does(local, body):
    local.post("/api/studies/flu/ask", json={})
    response = local.post("/api/studies/flu/requests/1/tell", content=body,
                          headers={"content-type": "application/json"})  # fmt: skip
    assert response.status_code in (400, 422)
    assert response.json()["error"]


def test_a_study_that_cannot_begin_says_all_that_is_wrong(local):
    wrong = {"study": "budget = -1\ncolour = 3\n", "cases": "x,y\n1,2\n"}
    answer = local.post("/api/studies", json=wrong)
    assert answer.status_code == 422
    mistakes = answer.json()["mistakes"]
    assert any("colour" in each for each in mistakes)
    assert sum("there is no column" in each for each in mistakes) == 2
    assert local.get("/api/studies").json()["total"] == 1


def test_what_another_program_writes_is_seen(local, tmp_path):
    local.get("/api/studies/flu")
    with Study.open(str(tmp_path / "studies.db"), "flu", by="ben") as study:
        study.ask(2)
    assert local.get("/api/studies/flu").json()["seq"] == 3
    assert local.post("/api/studies/flu/ask", json={}).json()["requests"][0]["number"] == 3


def test_many_at_once_lose_nothing(local, tmp_path):
    """Threads ask and tell; the journal has each value once, by whom it was told."""
    told, errors = {}, []

    def work(who):
        for _ in range(3):
            for request in local.post("/api/studies/flu/ask", json={}).json()["requests"]:
                path = f"/api/studies/flu/requests/{request['number']}/tell"
                response = local.post(path, json={"value": "yes"})
                (told.__setitem__(request["number"], request["case"]) if response.is_success
                 else errors.append(response.text))  # fmt: skip

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with Study.open(str(tmp_path / "studies.db"), "flu") as study:
        check_everything(study)
        assert {each.number: each.case for each in study.requests("told")} == told
        assert len(told) >= 12


def read_events(response, number):
    found = []
    for line in response.iter_lines():
        if line.startswith("data:"):
            found.append(json.loads(line[5:]))
            if len(found) == number:
                return found
    return found


def test_what_another_program_writes_is_told_to_those_who_watch(empty, database):
    empty.post("/api/studies", json={"study": STUDY, "cases": CASES})
    with empty.stream("GET", "/studies/flu/live?after=1") as response:
        with Study.open(database, "flu", by="ben") as study:
            study.ask()
        assert [(each["seq"], each["by"]) for each in read_events(response, 1)] == [(2, "ben")]


def test_a_stream_leaves_nothing_out(local, tmp_path):
    local.post("/api/studies/flu/ask", json={"n": 3})
    with local.stream("GET", "/studies/flu/live", headers={"last-event-id": "2"}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert [each["seq"] for each in read_events(response, 2)] == [3, 4]
    with local.stream("GET", "/studies/flu/live?after=4") as response:
        with Study.open(str(tmp_path / "studies.db"), "flu", by="ben") as study:
            study.tell(1, "yes")
            study.tell(2, "no")
        found = read_events(response, 2)
        assert [(each["seq"], each["by"]) for each in found] == [(5, "ben"), (6, "ben")]
        assert "told: yes" in found[0]["words"]
    for nonsense in ("-1", "x", "9" * 30, "²"):
        given = {"last-event-id": nonsense.encode()}
        with local.stream("GET", "/studies/flu/live", headers=given) as response:
            assert response.status_code == 200


def test_streams_are_limited(tmp_path):
    from budgeted.web.settings import Limits

    make_study(tmp_path / "studies.db").release()
    with client(tmp_path, limits=Limits(streams=1)) as found:
        with found.stream("GET", "/studies/flu/live") as response:
            lines = response.iter_lines()  # kept: without it the stream would be closed
            next(lines)
            assert found.get("/studies/flu/live").status_code == 429
        for _ in range(200):
            if found.app.state.streams.open == 0:
                break
            time.sleep(0.02)
        assert found.app.state.streams.open == 0
