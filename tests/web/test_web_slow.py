"""Clients that send too much, too slowly or nothing at all do not keep others out."""

import socket
import ssl
import sys
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest
import trustme

from budgeted.web import protocol
from tests.webs import client, make_study, process

pytestmark = pytest.mark.slow  # real servers

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs ulimit, which Windows lacks")


@pytest.fixture
def local(tmp_path, monkeypatch):
    """A server that loses patience soon."""
    for name, seconds in (("HEAD_SECONDS", 0.3), ("BODY_SECONDS", 0.3), ("STALLED_SECONDS", 0.3)):
        monkeypatch.setattr(protocol, name, seconds)
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


@contextmanager
def connected(base_url):
    with socket.create_connection((base_url.host, base_url.port), timeout=20) as found:
        yield found


def rest(connection):
    """All that comes until the other side ends the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def sent(connection, pieces):
    """Send until the other side has enough; return how many bytes went out."""
    number = 0
    try:
        for piece in pieces:
            connection.sendall(piece)
            number += len(piece)
    except OSError:
        pass
    return number


def dropped(local, cause):
    lines = local.get("/metrics").text.splitlines()
    found = [line for line in lines if f'dropped_total{{cause="{cause}"}}' in line]
    return int(found[0].split()[-1]) if found else 0


@pytest.mark.parametrize("begin", [b"GET /health HTTP/1.1\r\nHost: x\r\nX: ", b"GET /",
                                   b"GET /health HTTP/1.1\r\nHost: x\r\n"])  # fmt: skip
def test_a_head_has_a_size(local, begin):
    """Of one header, of the address, and of all headers together."""
    piece = b"a: b\r\n" * 10_000 if begin.endswith(b"\r\n") else b"a" * 60_000
    with connected(local.base_url) as connection:
        sent(connection, [begin])
        number = sent(connection, (piece for _ in range(500)))
        answer = rest(connection)
    assert number < 30_000_000, "nobody reads it to the end"
    assert answer[:12] in (b"HTTP/1.1 431", b""), "a client that still sends may miss the answer"
    assert dropped(local, "large head") + dropped(local, "many headers") == 1
    assert local.get("/health").status_code == 200


@pytest.mark.parametrize(("number", "status"), [(90, b"200"), (101, b"431")])
def test_headers_have_a_number(local, number, status):
    lines = [b"GET /health HTTP/1.1", b"Host: 127.0.0.1", b"Connection: close",
             *(b"X-%d: 1" % at for at in range(number)), b"", b""]  # fmt: skip
    with connected(local.base_url) as connection:
        connection.sendall(b"\r\n".join(lines))
        assert rest(connection).split(b" ")[1] == status


def test_a_head_of_usual_size_is_fine(local):
    long = {"cookie": "a=" + "x" * 8_000, "x-long": "y" * 30_000}
    assert local.get("/health", headers=long).status_code == 200


def test_what_stands_behind_a_body_is_no_header(local):
    text = (b"POST /api/studies/flu/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2\r\n{}\r\n0\r\nHost: evil.example\r\nOrigin: http://evil\r\n\r\n")  # fmt: skip
    with connected(local.base_url) as connection:
        connection.sendall(text)
        assert rest(connection).startswith(b"HTTP/1.1 200")


POST = (
    b"POST /api/studies/flu/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
)


@pytest.mark.parametrize(("begin", "drip"), [
    (b"", b""), (b"", b"\r\n"), (b"GET /health HTTP/1.1\r\n", b"X: y\r\n"), (b"GET /", b"a"),
    (POST + b"Content-Length: 90\r\n\r\n", b" "),
    (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\r\n"),
])  # fmt: skip
def test_who_sends_too_slowly_is_let_go(local, begin, drip):
    """A byte now and then does not help."""
    with connected(local.base_url) as connection:
        connection.sendall(begin)
        connection.settimeout(0.05)
        answer, until = b"", time.monotonic() + 30
        while time.monotonic() < until:
            try:
                connection.sendall(drip)
                part = connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
            if not part:
                break
            answer += part
        else:
            pytest.fail("it waits for ever")
    assert answer.rpartition(b"HTTP/1.1 ")[2][:3] in (b"408", b"")
    assert local.get("/api/studies/flu").json()["seq"] == 1


def test_who_does_not_read_is_let_go(local):
    ask = b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connected(local.base_url) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        until = time.monotonic() + 30
        while time.monotonic() < until and not dropped(local, "does not read"):
            sent(connection, [ask] * 20)
            time.sleep(0.1)
    assert dropped(local, "does not read") == 1


def test_a_long_answer_is_not_a_slow_client(local):
    """A stream that sends nothing for longer than a head may take stays."""
    with local.stream("GET", "/api/studies/flu/live") as stream:
        lines = stream.iter_lines()
        next(lines)
        time.sleep(0.8)
        local.post("/api/studies/flu/ask", json={})
        assert next(line for line in lines if line.startswith("event:")) == "event: changed"


@posix
def test_many_slow_clients_keep_nobody_out(tmp_path):
    """Three hundred of them, and a server that may open 256 files."""
    make_study(tmp_path / "studies.db").release()
    with process(tmp_path, handles=256) as (address, _), ExitStack() as stack:
        base_url = httpx.URL(address)
        for at in range(300):
            slow = stack.enter_context(connected(base_url))
            sent(slow, [(b"", b"GET /health HTT", POST + b"Content-Length: 9\r\n\r\n{")[at % 3]])
        for _ in range(5):
            for path in ("/health", "/studies/flu", "/api/studies/flu"):
                assert httpx.get(address + path, timeout=30).status_code == 200


@posix
def test_many_who_never_agree_on_keys_keep_nobody_out(tmp_path):
    """The same over TLS: three hundred handshakes that stop before they begin."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "certificate.pem"))
    issued.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    make_study(tmp_path / "studies.db").release()
    options = ("--tls-certificate", str(tmp_path / "certificate.pem"),
               "--tls-key", str(tmp_path / "key.pem"))  # fmt: skip
    with process(tmp_path, *options, handles=256) as (address, _), ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(connected(httpx.URL(address)))
        for _ in range(3):
            answer = httpx.get(f"{address}/studies/flu", verify=trusting, timeout=30)
            assert answer.status_code == 200
