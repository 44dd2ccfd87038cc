"""Headers that make no sense are refused or passed over; none of them breaks anything."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.test_web_sessions import call
from tests.webs import client, make_study

MALFORMED = ["http://[", "http://[::1", "http://]", "http://a:b", "http://a:99999999999", "[", "//",
             "http://\x00", "\xff", "http://127.0.0.1:-1", "http://[::1]]:80", ""]  # fmt: skip
NAMES = ["origin", "host", "cookie", "authorization", "content-type", "content-length", "accept",
         "sec-fetch-site", "sec-fetch-mode", "hx-request", "last-event-id",
         "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-prefix",
         "forwarded", "if-none-match", "if-modified-since", "range", "transfer-encoding",
         "idempotency-key", "accept-encoding", "upgrade", "expect", "referer"]  # fmt: skip


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("headers")
    make_study(folder / "studies.db").release()
    with client(folder) as found:
        yield found


@pytest.mark.parametrize("origin", MALFORMED)
def test_an_origin_that_is_none_is_refused(local, origin):
    before = local.get("/api/studies/flu").json()["seq"]
    headers = {"origin": origin.encode("latin-1")}
    if "\x00" not in origin:
        for path in ("/api/studies/flu/ask", "/studies/flu/ask", "/login"):
            assert local.post(path, headers=headers, json={}).status_code in (400, 403)
        for path in ("/studies", "/api/studies"):
            assert local.get(path, headers=headers).status_code == 200
    assert local.get("/api/studies/flu").json()["seq"] == before


@pytest.mark.parametrize("host", MALFORMED)
def test_a_host_that_is_none_is_refused(local, host):
    if "\x00" not in host:
        answer = local.get("/api/studies", headers={"host": host.encode("latin-1")})
        assert answer.status_code == 400


PATHS = ["/studies/flu", "/api/studies/flu", "/static/icon.svg", "/health", "/session", "/login",
         "/nothing", "/ready"]  # fmt: skip
text = st.binary(max_size=40) | st.text(max_size=30).map(
    lambda each: each.encode("latin-1", errors="replace")
)
odd = st.sampled_from([each.encode("latin-1") for each in MALFORMED]) | text
headers = st.lists(st.tuples(st.sampled_from(NAMES).map(str.encode) | text, odd), max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    given_headers=headers,
    path=st.sampled_from(PATHS),
)
def test_no_header_breaks_the_server(local, given_headers, path):
    """Straight into the application, so that what a parser would refuse comes through as well."""
    loop = local.app.state.workers._poll.get_loop()
    raw = [(b"host", b"127.0.0.1"), *((name.lower(), value) for name, value in given_headers)]
    status = asyncio.run_coroutine_threadsafe(call(local.app, path, raw), loop).result(60)
    assert status < 500, raw
