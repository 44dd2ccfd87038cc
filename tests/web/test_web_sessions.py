"""Sessions: nobody else can end them, restarts do not, and whoever ends one has ended it."""

import asyncio
import time

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.studies.journal import user
from budgeted.web.auth.credentials import password_line, remove_line, write_line
from budgeted.web.auth.sessions import HOURS, Sessions
from tests.web.test_web_access import PASSWORD, log_in
from tests.webs import client, make_study


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


def test_strangers_begin_no_session(tmp_path, files):
    with client(tmp_path, **files) as browser:
        for path in ("/health", "/login", "/static/style.css", "/api/studies", "/studies"):
            assert "set-cookie" not in browser.get(path).headers, path
        log_in(browser, secret="a wrong password")
        table = browser.app.state.sessions._table
        assert table.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_a_restart_ends_no_session_and_logging_out_does_for_good(tmp_path, files):
    with client(tmp_path, **files) as browser, client(tmp_path, **files) as beside:
        log_in(browser)
        kept = dict(browser.cookies)
        beside.cookies.update(kept)
        assert is_in(beside), "both servers have the same table"
    with client(tmp_path, **files) as browser, client(tmp_path, **files) as beside:
        for each in (browser, beside):
            each.cookies.update(kept)
            assert is_in(each)
        left = browser.post("/logout")
        assert left.status_code == 303
        assert "; Max-Age=0" in left.headers["set-cookie"]
        browser.cookies.update(kept)
        assert (is_in(browser), is_in(beside)) == (False, False)
    with client(tmp_path, **files) as browser:
        browser.cookies.update(kept)
        assert not is_in(browser)


def test_the_table_is_for_its_owner_and_holds_nothing_to_log_in_with(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser)
        (kept,) = browser.cookies.values()
    table = tmp_path / "web" / "sessions.db"
    assert table.stat().st_mode & 0o077 == 0
    assert kept.encode() not in table.read_bytes()


def test_a_folder_that_cannot_be_written_keeps_sessions_in_memory(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    sessions = Sessions(tmp_path / "file")
    assert sessions.find(sessions.begin("anna")[0]).actor == "anna"
    assert "cannot be kept there" in caplog.text


def test_the_chosen_name_outlives_restarts_and_nights(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as browser:
        asked = browser.post("/api/studies/flu/ask", json={}).json()["requests"][0]
        assert asked["by"] == user(), "who never chose a name is the user of the machine"
        browser.post("/actor", data={"name": "Zoë"})
        kept = dict(browser.cookies)
    with client(tmp_path) as browser:
        browser.cookies.update(kept)
        later = time.time() + 30 * 24 * 3600
        browser.app.state.sessions._clock = lambda: later
        assert "Zoë" in browser.get("/studies/flu").text
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
        third.post("/actor", data={"name": "Zoë"})
        for _ in range(2):
            for browser, name in ((first, "anna"), (second, "ben"), (third, "Zoë")):
                assert browser.get("/session").json()["actor"] == name
                assert f"<strong>{name}</strong>" in browser.get("/studies").text


@given(before=st.text(), after=st.text(), other=st.text())
def test_whatever_stands_beside_it_the_session_is_found(before, after, other):
    sessions = Sessions(None)
    text, _ = sessions.begin("anna", proof="x")
    name = sessions.cookie_name(True, "")
    header = f"{before}; {name}={other.replace(';', '')}; {name}={text}; {after}"
    assert sessions.find_in_cookies([header], name).actor == "anna"
    assert sessions.find_in_cookies([header.replace(text, text[:-1])], name) is None


def test_a_session_slides_but_not_for_ever():
    now = [1_000_000.0]
    sessions = Sessions(None, clock=lambda: now[0])
    text, session = sessions.begin("anna", proof="x")
    now[0] += HOURS * 3600 - 1
    assert sessions.find(text) == session
    now[0] += 2
    assert sessions.find(text) is None
    now[0] = session.begun
    for hour in range(1, 24 * 8):
        now[0] = session.begun + hour * 3600 + 1
        found = sessions.find(text)
        if found is None:
            break
        sessions.renewed(found)
    assert hour in (24 * 7 - 1, 24 * 7), "a week after the log-in it is over, however busy"


def test_pages_and_forms_keep_a_session_going_and_programs_do_not(tmp_path, files):
    with client(tmp_path, **files) as browser:
        log_in(browser)
        sessions, begun = browser.app.state.sessions, time.time()

        def until():
            return browser.get("/session").json()["until"]

        for hours, (method, path, moves) in enumerate((
            ("GET", "/api/studies", False), ("POST", "/api/studies/flu/ask", False),
            ("GET", "/session", False), ("GET", "/studies/flu", True),
            ("POST", "/studies/flu/ask", True),
        ), start=1):  # fmt: skip
            later = begun + hours * 2 * 3600
            sessions._clock = lambda later=later: later
            before = until()
            form = {"data": {"n": "1"}} if path == "/studies/flu/ask" else {}
            assert browser.request(method, path, **form).status_code < 400
            assert (until() != before) == moves, path


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
