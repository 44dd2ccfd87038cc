"""What the server says about itself: its log, its metrics, whether it is ready, its document."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from budgeted.addresses import segment
from budgeted.web.app import create_app
from budgeted.web.auth.credentials import password_line, token_line, write_line
from budgeted.web.settings import Settings
from tests.web.test_web_access import PASSWORD, TOKEN, log_in, session_name
from tests.webs import client, make_study


@pytest.fixture
def files(tmp_path):
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    write_line(tmp_path / "tokens", "robot", token_line(TOKEN))
    make_study(tmp_path / "studies.db").release()
    return {"password_file": tmp_path / "passwords", "token_file": tmp_path / "tokens",
            "log": str(tmp_path / "log.jsonl")}  # fmt: skip


def lines(tmp_path):
    return [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]


def test_the_log_tells_who_did_what(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser, secret="a wrong password")
        log_in(browser, PASSWORD, PASSWORD)  # in the wrong field
        log_in(browser)
        browser.post("/api/studies/flu/ask", json={"n": 2})
        browser.post("/studies/flu/requests/1/tell", data={"value": "yes"})
        told = browser.post("/api/studies/flu/requests/2/tell", json={"value": "perhaps"})
        browser.post("/studies/flu/ask", headers={"origin": "https://evil.example"})
        browser.post("/logout")
        browser.get("/api/studies/flu")
    found = lines(tmp_path)
    logins = [(each["actor"], each["result"]) for each in found if each["event"] == "log-in"]
    assert logins == [("anna", "wrong"), ("nobody known", "wrong"), ("anna", "right")]
    changes = [each for each in found if each["event"] == "change"]
    assert {(each["study"], each["actor"]) for each in changes} == {("flu", "anna")}
    made = [(each["operation"], each["requests"]) for each in changes]
    assert made == [("ask", [1, 2]), ("tell", [1])]
    refused = {each["id"]: each for each in found if each["status"] >= 400}
    line = refused[told.headers["x-request-id"]]
    assert (line["status"], line["operation"], line["request"]) == (422, "tell", 2)
    assert line["error"] == "ObservationError"
    assert {401, 403, 422} <= {each["status"] for each in refused.values()}
    assert [each["event"] for each in found if each["event"] == "log-out"] == ["log-out"]
    assert {each["client"] for each in found} == {"127.0.0.1"}
    assert all(each["time"].endswith("Z") and each["ms"] >= 0 for each in found)


def test_the_log_calls_a_study_by_its_name(tmp_path, files):
    make_study(tmp_path / "studies.db", "a/b 5%").release()
    with client(tmp_path, **files) as browser:
        log_in(browser)
        address = f"/studies/{segment('a/b 5%')}"
        asked = browser.post(f"/api{address}/ask", headers={"Idempotency-Key": "k"})
        again = browser.post(f"/api{address}/ask", headers={"Idempotency-Key": "k"})
        browser.post(f"{address}/requests/1/cancel")
    assert asked.json()["requests"] == again.json()["requests"]
    changes = [each for each in lines(tmp_path) if each["event"] == "change"]
    assert [each["operation"] for each in changes] == ["ask", "ask", "cancel"]
    assert {(each["study"], *each["requests"]) for each in changes} == {("a/b 5%", 1)}
    assert [each["repeated"] for each in changes] == [False, True, False]


def test_the_log_holds_nothing_that_people_typed(tmp_path, files):
    secrets = ["s3cret-" + word for word in ("query", "why", "value", "case", "name", "password")]
    query, why, value, case, name, password = secrets
    with client(tmp_path, **files) as browser:
        log_in(browser, name, password)
        log_in(browser)
        browser.get("/studies/flu/history", params={"text": query, "token": TOKEN})
        browser.get("/studies/flu/model", params={"known": query})
        browser.get("/login", params={"next": f"/studies?{query}"})
        browser.post("/api/studies/flu/ask", json={"n": 2})
        browser.post("/api/studies/flu/requests/1/tell", json={"value": value})
        browser.post("/api/studies/flu/requests/1/cancel", json={"why": why})
        browser.post("/api/studies/flu/withdraw", json={"case": case})
        recorded = {"case": case, "feature": "fever", "value": value}
        browser.post("/api/studies/flu/record", json={"values": [recorded]})
        browser.get("/api/studies", headers={"authorization": f"Bearer {TOKEN}"})
        browser.get("/api/studies", headers={"authorization": f"Bearer {TOKEN}x"})
        kept = browser.cookies[session_name(browser)]
    text = (tmp_path / "log.jsonl").read_text()
    assert len(text.splitlines()) >= 12
    for secret in (*secrets, PASSWORD, TOKEN, kept):
        assert secret not in text


def test_a_log_that_is_moved_away_is_begun_anew(tmp_path, files):
    with client(tmp_path, **files) as browser:
        browser.get("/health")
        os.rename(tmp_path / "log.jsonl", tmp_path / "log.1")
        browser.get("/ready")
    assert [each["path"] for each in lines(tmp_path)] == ["/ready"]
    assert (tmp_path / "log.jsonl").stat().st_mode & 0o007 == 0


def test_without_a_log_only_what_is_worth_a_look_is_said(tmp_path, capfd):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as browser:
        browser.get("/studies/flu")
        browser.post("/api/studies/flu/ask", json={})
        assert capfd.readouterr().err == ""
        address, evil = "/api/studies/flu/ask?token=s3cret", {"origin": "https://evil.example"}
        browser.post(address, headers=evil, json={"case": "s3cret"})
    said = capfd.readouterr().err
    assert "path=/api/studies/flu/ask status=403" in said
    assert "s3cret" not in said


def test_what_breaks_is_logged_without_its_message(tmp_path, files, monkeypatch):
    async def broken(*_):
        raise RuntimeError("holds s3cret")

    with client(tmp_path, **files) as browser:
        log_in(browser)
        monkeypatch.setattr("budgeted.web.queries.studies_page", broken)
        page = browser.get("/studies")
        assert page.status_code == 500
        assert "Something broke" in page.text
        assert "content-security-policy" in page.headers
    line = lines(tmp_path)[-1]
    assert (line["status"], line["error"]) == (500, "RuntimeError")
    assert "in broken" in line["trace"]


def test_ready_and_the_log_tell_that_the_database_is_gone(tmp_path, files, monkeypatch):
    with client(tmp_path, **files) as browser:
        assert browser.get("/ready").json() == {"ready": True}
        log_in(browser)
        monkeypatch.setattr("budgeted.web.probes._FRESH", 0.0)
        for path in tmp_path.glob("studies.db*"):
            if path.is_file():
                path.unlink()
        (tmp_path / "studies.db").write_bytes(b"no database" * 1000)
        ready = browser.get("/ready")
        assert (ready.status_code, ready.json()["ready"]) == (503, False)
        assert browser.get("/health").status_code == 200
        listed = browser.get("/api/studies")
        assert listed.status_code == 503
        for answer in (ready, listed):
            assert "studies.db" not in answer.text
            assert str(tmp_path) not in answer.text
    line = next(each for each in lines(tmp_path) if each["path"] == "/api/studies")
    assert line["status"] == 503
    assert "studies.db" in line["cause"]
    line = next(each for each in lines(tmp_path)[::-1] if each["path"] == "/ready")
    assert line["status"] == 503
    assert "studies.db" in line["cause"]


def test_a_database_that_is_locked_is_not_ready(tmp_path, files, monkeypatch):
    monkeypatch.setattr("budgeted.web.probes._PATIENCE", 0.2)
    monkeypatch.setattr("budgeted.web.probes._FRESH", 0.0)
    other = sqlite3.connect(tmp_path / "studies.db", isolation_level=None)
    with closing(other), client(tmp_path, **files) as browser:
        other.execute("BEGIN IMMEDIATE")
        assert browser.get("/ready").status_code == 503
        assert browser.get("/health").status_code == 200
        other.execute("ROLLBACK")
        deadline = time.monotonic() + 20
        while browser.get("/ready").status_code != 200:
            assert time.monotonic() < deadline


def families(text):
    return {each.name: each for each in text_string_to_metric_families(text)}


def test_metrics_are_what_prometheus_reads(tmp_path, files):
    with client(tmp_path, **files) as browser:
        assert browser.get("/metrics").status_code == 401
        log_in(browser, secret="wrong password")
        log_in(browser)
        for _ in range(3):
            browser.post("/api/studies/flu/ask", json={})
        for odd in range(20):
            browser.request("PROPFIND", f"/nothing/{odd}")
        browser.get("/studies/flu")
        given = {"authorization": f"Bearer {TOKEN}"}
        answer = httpx.get(f"{browser.base_url}/metrics", headers=given)
        assert answer.headers["content-type"].startswith("text/plain; version=")
        found = families(answer.text)
    counted = {tuple(sorted(each.labels.items())): each.value
               for each in found["budgeted_http_requests"].samples}  # fmt: skip
    ask = (("method", "POST"), ("route", "/api/studies/{name}/ask"), ("status", "200"))
    assert counted[ask] == 3
    assert sum(value for labels, value in counted.items() if ("method", "other") in labels) == 20
    assert len([labels for labels in counted if ("method", "other") in labels]) <= 2
    results = {each.labels["result"]: each.value for each in found["budgeted_logins"].samples}
    assert results == {"wrong": 1, "right": 1}
    [changes] = found["budgeted_changes"].samples
    assert (changes.labels["operation"], changes.value) == ("ask", 3)
    times = found["budgeted_http_request_duration_seconds"].samples
    mine = [each for each in times if each.labels["route"] == "/api/studies/{name}/ask"]
    buckets = [each.value for each in mine if each.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 3
    assert found["budgeted_connections"].samples[0].value >= 1


def test_metrics_can_be_made_public(tmp_path, files):
    with client(tmp_path, **files, public_metrics=True) as browser:
        assert browser.get("/metrics").status_code == 200
        assert browser.get("/api/studies").status_code == 401


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.slow
def test_the_document_says_how_to_be_let_in(tmp_path, files, guarded):
    options = files if guarded else {}
    with client(tmp_path, **options) as browser:
        headers = {"authorization": f"Bearer {TOKEN}"} if guarded else {}
        document = browser.get("/api/openapi.json", headers=headers).json()
        schemes = document["components"]["securitySchemes"]
        assert (schemes["token"]["type"], schemes["token"]["scheme"]) == ("http", "bearer")
        log_in(browser) if guarded else browser.post("/actor", data={"name": "Zoë"})
        assert schemes["session"]["name"] == session_name(browser)
        wanted = [{"token": []}, {"session": []}] if guarded else []
        operations = [each for methods in document["paths"].values() for each in methods.values()]
        assert len(operations) > 20
        assert all(each["security"] == wanted for each in operations)


@pytest.mark.slow
def test_a_log_that_cannot_be_written_is_said_at_the_start(tmp_path):
    command = [sys.executable, "-m", "budgeted", "serve", "--db", str(tmp_path / "studies.db"),
               "--port", "0", "--log", str(tmp_path / "none" / "log")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "--log" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_application_that_is_only_described_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert create_app(Settings("none.db")).openapi()["paths"]
    assert list(tmp_path.iterdir()) == []
