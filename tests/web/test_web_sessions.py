"""Sessions: nobody else can end them, restarts do not, and whoever ends one has ended it."""

import asyncio
import os
import re
import time
from itertools import cycle, islice

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.studies.journal import user
from budgeted.web.app import create_app
from budgeted.web.auth.credential_files import CredentialFiles, remove_line, write_line
from budgeted.web.auth.credentials import password_line
from budgeted.web.auth.sessions import HOURS, Sessions
from budgeted.web.auth.signing import Signer, kept_secret
from budgeted.web.settings import Settings
from tests.web.test_web_access import PASSWORD, log_in, session_name
from tests.webs import client, make_study

ANONYMOUS = int(os.environ.get("BUDGETED_TEST_ANONYMOUS", "20000"))


@pytest.fixture
def files(tmp_path):
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    make_study(tmp_path / "studies.db").release()
    return {"password_file": tmp_path / "passwords"}


def is_in(browser):
    return browser.get("/api/studies").status_code == 200


async def call(app, path, headers):
    """One request, straight into the application; returns its status."""
    found = []
    asked = False

    async def receive():
        nonlocal asked
        if asked:
            await asyncio.Event().wait()  # it stays until it is answered
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        found.append(message.get("status"))

    await app({"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
               "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
               "root_path": "", "headers": headers, "client": ("192.0.2.1", 1),
               "server": ("127.0.0.1", 80)}, receive, send)  # fmt: skip
    return found[0]


async def strangers(app, number):
    """Requests without a cookie."""
    paths = ("/health", "/studies", "/api/studies", "/nothing", "/api/x", "/studies/flu") * 10
    paths += ("/static/icon.svg", "/ready", "/login")
    headers = [(b"host", b"127.0.0.1")]
    return {await call(app, path, headers) for path in islice(cycle(paths), number)}


@pytest.mark.slow
def test_strangers_end_no_session(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser)
        loop = browser.app.state.workers._poll.get_loop()
        going = asyncio.run_coroutine_threadsafe(strangers(browser.app, ANONYMOUS), loop)
        assert going.result(300) == {200, 303, 401}
        for _ in range(50):
            httpx.get(f"{browser.base_url}/login")  # each is offered a session
        assert is_in(browser)
        assert browser.post("/studies/flu/ask", data={"n": "1"}).status_code == 303


def test_only_pages_begin_a_session(tmp_path, files):
    with client(tmp_path, **files) as browser:
        for path in ("/health", "/ready", "/static/style.css", "/api/studies", "/session",
                     "/metrics", "/studies"):  # fmt: skip
            assert "set-cookie" not in browser.get(path).headers, path
        assert "set-cookie" in browser.get("/login").headers


@pytest.mark.slow
def test_a_restart_ends_no_session(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser)
        kept = dict(browser.cookies)
    with client(tmp_path, **files) as browser:
        browser.cookies.update(kept)
        assert is_in(browser)
        asked = browser.post("/studies/flu/ask", data={"n": "1"})
        assert asked.status_code == 303, "the form that was open during the restart"
        assert browser.get("/api/studies/flu").json()["pending"][0]["by"] == "anna"


def test_the_chosen_name_outlives_restarts_and_nights(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as browser:
        asked = browser.post("/api/studies/flu/ask", json={}).json()["requests"][0]
        assert asked["by"] == user(), "who never chose a name is the user of the machine"
        browser.post("/actor", data={"name": "Zoë"})
        kept = dict(browser.cookies)
    with client(tmp_path) as browser:
        browser.cookies.update(kept)
        sessions = browser.app.state.sessions
        later = time.time() + 30 * 24 * 3600
        sessions._clock = lambda: later
        page = browser.get("/studies/flu")
        assert "Zoë" in page.text
        browser.post("/studies/flu/ask", data={"n": "1"})
        assert browser.get("/api/studies/flu").json()["pending"][-1]["by"] == "Zoë"


@pytest.mark.slow
def test_two_servers_on_one_host_live_side_by_side(tmp_path, files):
    """Browsers send the cookies of a host to all of its ports."""
    other = tmp_path / "other"
    other.mkdir()
    write_line(other / "passwords", "ben", password_line(PASSWORD))
    make_study(other / "studies.db").release()
    with (
        client(tmp_path, **files) as first,
        client(other, password_file=other / "passwords") as second,
        client(tmp_path) as third,  # of the same studies, but without a log-in
    ):
        second._cookies = third._cookies = first._cookies  # one jar: a browser has one
        log_in(first)
        log_in(second, "ben")
        third.get("/studies")
        third.post("/actor", data={"name": "Zoë"})
        for _ in range(2):
            for browser, name in ((first, "anna"), (second, "ben"), (third, "Zoë")):
                assert browser.get("/session").json()["actor"] == name
                assert f"<strong>{name}</strong>" in browser.get("/studies").text
    with client(tmp_path, **files) as again:  # on another port, even
        again.cookies.update(dict(first.cookies))
        assert is_in(again)


FOREIGN = [
    "a b=c", "a=b c", 'theme={"dark": true, "size": 12}', "a[0]=1", "a=[1, 2]", "a=(x)", "@=1",
    "a=b,c", '"a"="b', "a:b=c", "=", "novalue", "a={b;c}", "ä=ö", "a=\x80", "<a>=/\\", "a==;;",
]  # fmt: skip


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.slow
def test_foreign_cookies_do_not_hide_the_session(tmp_path, files, foreign):
    app = create_app(Settings(str(tmp_path / "studies.db"), **files))
    sessions = app.state.sessions = Sessions(None)
    name = sessions.cookie_name(False, "")
    line = CredentialFiles(files["password_file"], None).current.passwords["anna"]
    mine = f"{name}={sessions.text(sessions.begin('anna', proof=sessions.proof(line)))}"
    for text in (f"{foreign}; {mine}", f"{mine}; {foreign}", f"{foreign};{mine};{foreign}"):
        headers = [(b"host", b"x"), (b"cookie", text.encode("latin-1", errors="replace"))]
        assert asyncio.run(call(app, "/session", headers)) == 200, text


@given(before=st.text(), after=st.text(), other=st.text())
def test_whatever_stands_beside_it_the_session_is_found(before, after, other):
    sessions = Sessions(None)
    text = sessions.text(sessions.begin("anna", proof="x"))
    name = sessions.cookie_name(True, "")
    header = f"{before}; {name}={other.replace(';', '')}; {name}={text}; {after}"
    assert sessions.read_cookies([header], name).actor == "anna"


@given(text=st.text() | st.from_regex(r"[A-Za-z0-9_-]{0,40}\.[A-Za-z0-9_-]{0,50}"))
def test_what_was_not_signed_here_is_nothing(text):
    assert Signer(b"ours").read("session", text) is None
    signed = Signer(b"theirs").sign("session", [text])
    assert Signer(b"ours").read("session", signed) is None
    assert Signer(b"theirs").read("form", signed) is None
    assert Signer(b"theirs").read("session", signed) == [text]


@given(position=st.integers(0, 10_000), character=st.sampled_from("Aa0-_.="))
def test_a_session_that_was_changed_is_nothing(position, character):
    sessions = Sessions(None)
    text = sessions.text(sessions.begin("anna", proof="x"))
    at = position % len(text)
    changed = text[:at] + character + text[at + 1 :]
    assert changed == text or sessions.read(changed) is None or changed[:-1] == text[:-1]


def test_a_session_slides_but_not_for_ever():
    now = [1_000_000.0]
    sessions = Sessions(None, clock=lambda: now[0])
    session = sessions.begin("anna", proof="x")
    now[0] += HOURS * 3600 - 1
    assert sessions.read(sessions.text(session)) == session
    now[0] += 2
    assert sessions.read(sessions.text(session)) is None
    now[0] = session.begun
    for hour in range(1, 24 * 8):
        now[0] = session.begun + hour * 3600 + 1
        session = sessions.renewed(session) or session
        if sessions.read(sessions.text(session)) is None:
            break
    assert hour in (24 * 7 - 1, 24 * 7), "a week after the log-in it is over, however busy"


def test_pages_and_forms_keep_a_session_going_and_programs_do_not(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser)
        sessions = browser.app.state.sessions
        later = time.time() + 2 * 3600
        sessions._clock = lambda: later
        kept = browser.cookies[session_name(browser)]

        def moved(method, path, **options):
            cookie = {"cookie": f"{session_name(browser)}={kept}"}
            with httpx.stream(
                method, str(browser.base_url) + path, headers=cookie, **options
            ) as it:
                assert it.status_code < 400
                return "set-cookie" in it.headers

        assert moved("GET", "/studies/flu")
        assert moved("POST", "/studies/flu/ask", data={"n": "1"})
        assert not moved("GET", "/api/studies")
        assert not moved("POST", "/api/studies/flu/ask", json={})
        assert not moved("GET", "/session")
        assert moved("GET", "/studies/flu/live"), "a page begins it"


@pytest.mark.slow
def test_logging_out_ends_it_after_a_restart_too(tmp_path, files):
    with client(tmp_path, **files) as browser, client(tmp_path, **files) as beside:
        log_in(browser)
        kept = dict(browser.cookies)
        beside.cookies.update(kept)
        assert is_in(beside), "both servers have the same secret"
        assert browser.post("/logout").status_code == 303
        assert session_name(browser) is None
        browser.cookies.update(kept)
        assert not is_in(browser)
        assert not is_in(beside)
    with client(tmp_path, **files) as browser:
        browser.cookies.update(kept)
        assert not is_in(browser)


def test_who_is_taken_out_or_gets_another_password_is_out_at_once(tmp_path, files):
    path = files["password_file"]
    write_line(path, "ben", password_line(PASSWORD))
    with client(tmp_path, **files) as anna, httpx.Client(base_url=anna.base_url) as ben:
        log_in(anna)
        log_in(ben, "ben")
        write_line(path, "anna", password_line("another long password"))
        assert (is_in(anna), is_in(ben)) == (False, True)
        assert log_in(anna).status_code == 401
        assert log_in(anna, secret="another long password").status_code == 303
        path.write_text(path.read_text() + "gibberish\n")
        assert (is_in(anna), is_in(ben)) == (True, True), (
            "a file that makes no sense changes nothing"
        )
        path.write_text(path.read_text().replace("gibberish\n", ""))
        for name in ("ben", "anna"):
            remove_line(path, name)
        assert (is_in(anna), is_in(ben)) == (False, False)


@pytest.mark.parametrize("end", ["log out", "password"])
def test_a_stream_ends_with_the_session(tmp_path, files, end):
    with client(tmp_path, **files) as browser, httpx.Client(base_url=browser.base_url) as program:
        log_in(browser)
        program.cookies.update(dict(browser.cookies))
        with program.stream("GET", "/studies/flu/live") as stream:
            lines = stream.iter_lines()
            next(lines)
            if end == "log out":
                browser.post("/logout")
            else:
                write_line(files["password_file"], "anna", password_line("another password"))
            log_in(browser, secret=PASSWORD if end == "log out" else "another password")
            browser.post("/api/studies/flu/ask", json={})
            rest = list(lines)
        assert "event: logged-out" in rest
        assert "event: changed" not in rest
        assert program.get("/session").status_code == 401
        for headers in ({"accept": "text/event-stream"}, {"hx-request": "true"},
                        {"sec-fetch-mode": "cors"}):  # fmt: skip
            answer = program.get("/studies/flu/live", headers=headers)
            assert answer.status_code == 401
            assert "log in" in answer.json()["error"]


def test_the_secret_is_for_its_owner_only(tmp_path):
    path = tmp_path / "folder" / "secret"
    first = kept_secret(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert kept_secret(path) == first
    assert [each.name for each in path.parent.iterdir()] == ["secret"]
    path.chmod(0o644)
    assert kept_secret(path) != first, "others could have read it"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("damaged")
    assert len(kept_secret(path)) == 32
    (tmp_path / "file").write_text("")
    assert kept_secret(tmp_path / "file" / "secret") != kept_secret(tmp_path / "file" / "secret")


def test_the_cookie_is_as_strict_as_it_can_be():
    sessions = Sessions(None)
    assert sessions.cookie_name(True, "").startswith("__Host-budgeted-")
    assert sessions.cookie_name(True, "/lab").startswith("__Secure-budgeted-")
    assert re.fullmatch(r"budgeted-[0-9a-f]{10}", sessions.cookie_name(False, ""))
