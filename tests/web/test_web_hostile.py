"""Hostile input: refused, or shown harmlessly."""

import csv
import html
import io
import socket

import httpx
import pytest

from tests.webs import CASES, STUDY, client, make_study, process

EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">'
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0")


@pytest.fixture
def local(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


def evil_study():
    features = [{"name": EVIL, "values": [EVIL, "=1+1"], "cost": "1"},
                {"name": "=2+2", "values": ["a", "b"], "cost": "1"}]  # fmt: skip
    return {"name": f"x{EVIL}", "budget": "50", "features": features}


def test_html_in_names_and_values_is_shown_as_it_is(local):
    cases = io.StringIO()
    csv.writer(cases).writerows([("case", "label"), (EVIL, "<b>ill</b>"), ("=1+1", "well")])
    new = {"study": evil_study(), "cases": cases.getvalue()}
    made = local.post("/api/studies", json=new)
    assert made.status_code == 201, made.text
    base = f"/studies/{made.json()['quoted']}"
    local.post(f"/api{base}/ask", json={"n": 4})
    local.post(f"/api{base}/requests/1/cancel", json={"why": EVIL})
    for path in ("", "/history", "/model", "/diagnose", "/worklist"):
        page = local.get(base + path)
        assert page.status_code == 200, path
        assert EVIL not in page.text
        assert "<b>ill" not in page.text
        assert html.escape(EVIL) in page.text.replace("&#34;", "&quot;")
    assert EVIL not in local.get("/studies").text
    for file in ("history.csv", "worklist.csv"):
        text = local.get(f"/api{base}/{file}").text
        for row in csv.reader(io.StringIO(text)):
            assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))], row


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.slow
def test_formulas_in_reasons_are_harmless_in_the_csv(local, formula):
    local.post("/api/studies/flu/ask", json={"n": 1})
    local.post("/api/studies/flu/requests/1/cancel", json={"why": formula})
    rows = list(csv.reader(io.StringIO(local.get("/api/studies/flu/history.csv").text)))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize("path", ["/api/studies/%00", "/studies/%00", "/api/studies/flu%00/ask",
                                  "/static/%00"])  # fmt: skip
def test_nul_in_an_address_is_refused(local, path):
    assert local.get(path).status_code in (400, 404, 405)


def test_nul_in_files_and_names_is_refused(local):
    for study, cases in ((STUDY, CASES + "P\0,ill\n"), (STUDY.replace("flu", "f\\u0000lu"), CASES)):
        response = local.post("/api/studies", json={"study": study, "cases": cases})
        assert response.status_code == 422, response.text
    local.post("/api/studies/flu/ask", json={"n": 1})
    response = local.post("/api/studies/flu/requests/1/tell", json={"value": "\0"})
    assert response.status_code == 422


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\x", "/etc/passwd", "C:\\x", "a\nb"])
def test_names_of_uploaded_files_do_not_matter(local, tmp_path, name):

    def files():
        return {each for each in tmp_path.rglob("*") if "studies.db" not in each.name}

    before = files()
    response = local.post("/new", files={"cases": (name, CASES)})
    assert response.status_code == 303
    assert {each.suffix for each in files() - before} <= {"", ".json"}
    assert all(each.is_relative_to(tmp_path / "web" / "preparations") for each in files() - before)


@pytest.mark.parametrize("path", ["/api/studies", "/new", "/api/studies/flu/ask",
                                  "/plans", "/login"])  # fmt: skip
def test_a_large_upload_is_refused(local, path):
    """50 MB, announced by its length, and in pieces without saying how many."""
    piece = b"x" * 500_000
    for content in (piece * 100, (piece for _ in range(100))):
        with httpx.Client(base_url=local.base_url, timeout=60) as fresh:
            try:
                response = fresh.post(path, content=content,
                                      headers={"content-type": "application/json"})  # fmt: skip
            except (httpx.WriteError, httpx.ReadError):
                continue  # it hung up, which is a refusal, too
            assert 400 <= response.status_code < 500, response.text[:200]
    assert local.get("/api/studies/flu").is_success


def raw(base_url, text):
    """Send bytes as they are; return the status."""
    with socket.create_connection((base_url.host, base_url.port), timeout=10) as connection:
        connection.sendall(text)
        answer = connection.recv(65536)
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("headers", [
    b"Host: 127.0.0.1\r\nHost: evil.example\r\n",
    b"Host: 127.0.0.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
    b"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\n",
    b"Host: 127.0.0.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n",
    b"Host: 127.0.0.1\r\nContent-Length: -1\r\n",
    b"Host: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked, x\r\n",
])  # fmt: skip
def test_duplicate_and_odd_headers_are_refused(local, headers):
    text = b"POST /api/studies/flu/ask HTTP/1.1\r\n" + headers + b"\r\n{}"
    status = raw(local.base_url, text)
    assert 400 <= status < 500 or status == 501
    assert local.get("/api/studies/flu").json()["seq"] == 1


@pytest.mark.slow
def test_the_server_ends_cleanly_while_people_watch(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with process(tmp_path) as (address, server), httpx.Client(base_url=address) as browser:
        with browser.stream("GET", "/studies/flu/live") as response:
            lines = response.iter_lines()
            next(lines)
            server.send_signal(2)
            assert list(lines) is not None  # it ends, without an error
        assert server.wait(15) == 0
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
