"""Bodies that break off: what did not arrive whole is not carried out."""

import socket
import struct

import pytest

from tests.webs import client, make_study


@pytest.fixture
def local(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


def send_and_go(base_url, path, headers, body=b"", how="close"):
    """Send a request as it is, and go away without waiting for the answer."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{base_url.port}", *headers, "", ""]
    with socket.create_connection((base_url.host, base_url.port), timeout=10) as connection:
        connection.sendall("\r\n".join(lines).encode() + body)
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how == "half":  # the server may still answer
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass


JSON = "Content-Type: application/json"
FORM = "Content-Type: application/x-www-form-urlencoded"
CUT_OFF = {
    "nothing came": ([JSON, "Content-Length: 9"], b""),
    "the last byte is missing": ([JSON, "Content-Length: 9"], b'{"n": 1 '),
    "what came is JSON by itself": ([JSON, "Content-Length: 90"], b"{}"),
    "no type": (["Content-Length: 2"], b""),
    "a chunk too few": ([JSON, "Transfer-Encoding: chunked"], b"2\r\n{}\r\n"),
    "half a chunk": ([JSON, "Transfer-Encoding: chunked"], b"8\r\n{}"),
    "no chunk": ([JSON, "Transfer-Encoding: chunked"], b""),
}


@pytest.mark.parametrize("cut", CUT_OFF, ids=str)
@pytest.mark.slow
def test_a_body_that_breaks_off_changes_nothing(local, cut):
    headers, body = CUT_OFF[cut]
    local.post("/api/studies/flu/ask", json={"n": 1})
    before = local.get("/api/studies/flu").json()["seq"]
    for how in ("close", "reset", "half"):
        for path in ("ask", "requests/1/tell", "requests/1/fail", "requests/1/cancel", "close"):
            send_and_go(local.base_url, f"/api/studies/flu/{path}", headers, body, how)
    # A whole request behind them: the study goes on as if they had never been.
    after = local.post("/api/studies/flu/requests/1/tell", json={"value": "yes"})
    assert after.status_code == 200
    assert local.get("/api/studies/flu").json()["seq"] == before + 1


def test_a_form_that_breaks_off_changes_nothing(local):
    before = local.get("/api/studies/flu").json()["seq"]
    body = b"n=1&at_most=9"
    for how in ("close", "reset", "half"):
        headers = [FORM, f"Content-Length: {len(body) + 1}"]
        send_and_go(local.base_url, "/studies/flu/ask", headers, body, how)
    assert local.get("/api/studies/flu").json()["seq"] == before
    headers = [FORM, f"Content-Length: {len(body)}"]
    send_and_go(local.base_url, "/studies/flu/ask", headers, body, "half")
    assert local.get("/api/studies/flu").json()["seq"] == before + 1, "a whole one does"


@pytest.mark.parametrize("cost", ["9.50", "0", "2", "0.10"])
def test_a_cost_that_is_told_is_charged(local, cost):
    local.post("/api/studies/flu/ask", json={"n": 2})
    told = local.post("/api/studies/flu/requests/1/tell", json={"value": "yes", "cost": cost})
    assert told.json()["money"]["spent"] == cost
    assert told.json()["requests"][0]["cost"] == cost
    assert local.get("/api/studies/flu").json()["study"]["money"]["spent"] == cost
