"""Requests without an end, and too many at once: the server lets go of them and answers others."""

import socket
import threading
import time

import httpx
import pytest

from budgeted.web.settings import Limits
from tests.webs import client, make_study

HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = (b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
           b"Content-Type: application/x-www-form-urlencoded\r\n\r\n")  # fmt: skip
FLOODS = {
    "address": (b"GET /", b"a" * 65_536),
    "header": (HEAD + b"X: ", b"a" * 65_536),
    "headers": (HEAD, b"X: y\r\n" * 10_000),
    "trailer": (CHUNKED + b"0\r\nX: ", b"a" * 65_536),
    "trailers": (CHUNKED + b"0\r\n", b"X: y\r\n" * 10_000),
    "chunk extension": (CHUNKED + b"1;x=", b"a" * 65_536),
}
MEGABYTES = 100


@pytest.fixture
def local(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


def flood(base_url, begin, piece):
    """Send up to 100 MB; return how many bytes went out before the server hung up."""
    number = 0
    with socket.create_connection((base_url.host, base_url.port), timeout=20) as connection:
        try:
            connection.sendall(begin)
            while number < MEGABYTES * 1_000_000:
                connection.sendall(piece)
                number += len(piece)
        except OSError:
            pass
    return number


@pytest.mark.parametrize(("begin", "piece"), FLOODS.values(), ids=FLOODS)
def test_what_has_no_end_is_not_read_to_the_end(local, begin, piece):
    assert flood(local.base_url, begin, piece) < 20_000_000, "with all that sockets hold"
    assert local.get("/health").is_success


@pytest.mark.thorough
def test_nobody_waits_while_strangers_flood(local):
    going = [threading.Thread(target=flood, args=(local.base_url, *each), daemon=True)
             for each in FLOODS.values() for _ in range(3)]  # fmt: skip
    for each in going:
        each.start()
    longest = 0.0
    while any(each.is_alive() for each in going) or not longest:
        begun = time.monotonic()
        assert local.get("/health").is_success
        longest = max(longest, time.monotonic() - begun)
    assert longest < 1


def test_a_head_of_usual_size_is_fine(local):
    long = {"cookie": "a=" + "x" * 8_000, "x-long": "y" * 30_000}
    assert local.get("/health", headers=long).is_success


def test_what_stands_behind_a_body_is_no_header(local):
    text = (b"POST /api/studies/flu/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2\r\n{}\r\n0\r\nHost: evil.example\r\nOrigin: http://evil\r\n\r\n")  # fmt: skip
    where = (local.base_url.host, local.base_url.port)
    with socket.create_connection(where, timeout=20) as connection:
        connection.sendall(text)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")


def test_more_connections_than_the_server_takes_are_told_so(tmp_path):
    with client(tmp_path, limits=Limits(connections=5)) as local:
        for _ in range(20):
            assert local.get("/health").is_success
        others = [httpx.Client(base_url=local.base_url) for _ in range(6)]
        statuses = [each.get("/health").status_code for each in others]
        for each in others:
            each.close()
        assert statuses == [200] * 3 + [503] * 3
        deadline = time.monotonic() + 10
        while local.get("/health").status_code == 503:
            assert time.monotonic() < deadline


def test_pages_scripts_and_charts_are_packed_for_who_can_unpack(local):
    for path in ("/studies/flu", "/api/studies/flu/charts/worth", "/static/vendor/vega.min.js"):
        packed = local.get(path, headers={"accept-encoding": "gzip"})
        plain = local.get(path, headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert len(packed.content) == len(plain.content)
    known = {"if-none-match": local.get("/static/style.css").headers["etag"]}
    assert local.get("/static/style.css", headers=known).status_code == 304
