"""Hostile, odd and broken requests: refused or passed over, and none is done by halves."""

import asyncio
import socket
import struct

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.test_web_sessions import call
from tests.webs import CASES, STUDY, client, make_study, process

ODD = ["http://[", "http://[::1", "http://]", "http://a:b", "http://a:99999999999", "[", "//",
       "http://\x00", "\xff", "http://127.0.0.1:-1", "http://[::1]]:80", ""]  # fmt: skip
NAMES = ["origin", "host", "cookie", "authorization", "content-type", "content-length", "accept",
         "sec-fetch-site", "sec-fetch-mode", "hx-request", "last-event-id",
         "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-prefix",
         "forwarded", "if-none-match", "if-modified-since", "range", "transfer-encoding",
         "idempotency-key", "accept-encoding", "upgrade", "expect", "referer"]  # fmt: skip
PATHS = ["/studies/flu", "/api/studies/flu", "/static/icon.svg", "/health", "/session", "/login",
         "/nothing", "/ready"]  # fmt: skip


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    make_study(folder / "studies.db").release()
    with client(folder) as found:
        yield found


def events(local):
    return local.get("/api/studies/flu").json()["seq"]


text = st.binary(max_size=40) | st.text(max_size=30).map(
    lambda each: each.encode("latin-1", errors="replace")
)
odd = st.sampled_from([each.encode("latin-1") for each in ODD]) | text
headers = st.lists(st.tuples(st.sampled_from(NAMES).map(str.encode) | text, odd), max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(given_headers=headers, path=st.sampled_from(PATHS))
def test_no_header_breaks_the_server(local, given_headers, path):
    """Straight into the application, so that what a parser would refuse comes through as well."""
    loop = local.app.state.workers._poll.get_loop()
    raw = [(b"host", b"127.0.0.1"), *((name.lower(), value) for name, value in given_headers)]
    status = asyncio.run_coroutine_threadsafe(call(local.app, path, raw), loop).result(60)
    assert status < 500, raw


@pytest.mark.parametrize("origin", [each for each in ODD if "\x00" not in each])
def test_an_origin_that_is_none_is_refused(local, origin):
    before, given = events(local), {"origin": origin.encode("latin-1")}
    for path in ("/api/studies/flu/ask", "/studies/flu/ask", "/login"):
        assert local.post(path, headers=given, json={}).status_code in (400, 403)
    assert local.get("/studies", headers=given).status_code == 200
    assert events(local) == before


def send(base_url, text, how="answer"):
    """Send bytes as they are, and go away in some way; return the status if it is waited for."""
    with socket.create_connection((base_url.host, base_url.port), timeout=10) as connection:
        connection.sendall(text)
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how == "half":  # the server may still answer
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        elif how == "answer":
            return int(connection.recv(65536).split(b" ", 2)[1])
    return None


HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize("headers", [
    HOST + b"Host: evil.example\r\n",
    HOST + b"Content-Length: 2\r\nContent-Length: 3\r\n",
    HOST + b"Content-Type: application/json\r\nContent-Type: text/plain\r\n",
    HOST + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
    HOST + b"Content-Length: -1\r\n",
    HOST + b"Content-Length: 2\r\nTransfer-Encoding: chunked, x\r\n",
])  # fmt: skip
def test_headers_that_contradict_each_other_are_refused(local, headers):
    before = events(local)
    text = b"POST /api/studies/flu/ask HTTP/1.1\r\n" + headers + b"\r\n{}"
    status = send(local.base_url, text)
    assert 400 <= status < 500 or status == 501
    assert events(local) == before


JSON = HOST + b"Content-Type: application/json\r\n"
FORM = HOST + b"Content-Type: application/x-www-form-urlencoded\r\n"
CUT_OFF = {
    "nothing came": JSON + b"Content-Length: 9\r\n\r\n",
    "the last byte is missing": JSON + b'Content-Length: 9\r\n\r\n{"n": 1 ',
    "what came is JSON by itself": JSON + b"Content-Length: 90\r\n\r\n{}",
    "no type": HOST + b"Content-Length: 2\r\n\r\n",
    "a chunk too few": JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "half a chunk": JSON + b"Transfer-Encoding: chunked\r\n\r\n8\r\n{}",
    "no chunk": JSON + b"Transfer-Encoding: chunked\r\n\r\n",
    "a form": FORM + b"Content-Length: 14\r\n\r\nn=1&at_most=9",
}


@pytest.mark.parametrize("cut", CUT_OFF)
def test_a_body_that_breaks_off_changes_nothing(local, cut):
    """And a whole request behind it does: the study goes on as if it had never been."""
    asked = local.post("/api/studies/flu/ask", json={"n": 1}).json()["requests"][0]["number"]
    before, api = events(local), "/studies/flu" if cut == "a form" else "/api/studies/flu"
    for how in ("close", "reset", "half"):
        for path in ("ask", f"requests/{asked}/tell", f"requests/{asked}/cancel", "close"):
            head = f"POST {api}/{path} HTTP/1.1\r\n".encode()
            send(local.base_url, head + CUT_OFF[cut], how)
    told = local.post(f"/api/studies/flu/requests/{asked}/tell", json={"value": "yes"})
    assert told.status_code == 200
    assert events(local) == before + 1


@pytest.mark.parametrize("path", ["/api/studies/%00", "/studies/%00", "/api/studies/flu%00/ask",
                                  "/static/%00"])  # fmt: skip
def test_nul_in_an_address_is_refused(local, path):
    assert local.get(path).status_code in (400, 404, 405)


def test_nul_in_files_and_names_is_refused(local):
    for study, cases in ((STUDY, CASES + "P\0,ill\n"), (STUDY.replace("flu", "f\\u0000lu"), CASES)):
        response = local.post("/api/studies", json={"study": study, "cases": cases})
        assert response.status_code == 422, response.text
    record = {"values": [{"case": "P0", "feature": "fever", "value": "\0"}]}
    assert local.post("/api/studies/flu/record", json=record).status_code == 422


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\x", "/etc/passwd", "C:\\x", "a\nb"])
def test_names_of_uploaded_files_do_not_matter(tmp_path, name):
    with client(tmp_path) as server:
        assert server.post("/new", files={"cases": (name, CASES)}).status_code == 303
    kept = {each for each in tmp_path.rglob("*") if each.is_file() and ".db" not in each.name}
    assert kept
    assert {each.suffix for each in kept} <= {"", ".json"}
    assert all(each.is_relative_to(tmp_path / "web" / "preparations") for each in kept)


@pytest.mark.parametrize("path", ["/api/studies", "/new", "/api/studies/flu/ask",
                                  "/plans", "/login", "/studies/flu/results/file"])  # fmt: skip
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
