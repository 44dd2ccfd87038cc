"""The door: who gets in, route by route, and what is sent along."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.errors import AccessError
from budgeted.web.auth import credentials
from budgeted.web.auth.attempts import Attempts
from budgeted.web.auth.credentials import (
    NO_PASSWORD,
    Credentials,
    password_line,
    token_line,
    write_line,
)
from budgeted.web.auth.roles import Role
from budgeted.web.auth.sessions import Sessions
from budgeted.web.settings import Settings
from tests.webs import client, every_route, make_study

PASSWORD = "correct horse battery"
TOKEN = "t0ken-that-nobody-guesses-0123456789abcdef"
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def files(tmp_path):
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    write_line(tmp_path / "tokens", "robot", token_line(TOKEN))
    return {"password_file": tmp_path / "passwords", "token_file": tmp_path / "tokens"}


@pytest.fixture
def guarded(tmp_path, files):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path, **files) as found:
        yield found


def log_in(browser, name="anna", secret=PASSWORD, next_page="/studies"):
    given = {"name": name, "secret": secret, "next": next_page}
    return browser.post("/login", data=given)


def session_name(browser):
    return next(iter(browser.cookies), None)


PLACES = {"name": "flu", "number": "1", "id": "0", "which": "error", "case": "P1",
          "format": "json", "step": "tests", "file": "cases.csv", "kind": "svg"}  # fmt: skip
"""What stands for the placeholders of addresses."""


def filled(path):
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: PLACES[found[1]], path)


def test_without_credentials_nothing_is_readable_or_writable(guarded):
    """Every route there is, and every method on it; all but the log-in say that one must log in."""
    answered = set()
    paths = {path for _, path in every_route(guarded.app)}
    for path in sorted(paths | {"/docs", "/redoc", "/openapi.json", "/nothing", "/api/nothing"}):
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            response = guarded.request(method, filled(path), follow_redirects=False)
            if response.status_code == 303:
                assert response.headers["location"].startswith("/login?next=%2F")
                assert method in ("GET", "HEAD", "OPTIONS")
                assert not response.content
            elif response.status_code == 401:
                assert "flu" not in response.text
                assert "fever" not in response.text
            else:
                answered.add((method, path))
    assert {path for _, path in answered} == {"/login", "/health", "/ready"}
    assert len(paths) > 40
    assert paths >= set(guarded.app.openapi()["paths"]), "every route is found"
    assert guarded.get("/static/style.css").is_success, "what the log-in page looks like"
    assert guarded.get("/health").json() == {"alive": True}


@pytest.mark.parametrize("path", ["/static/../api/studies", "/static/%2e%2e/%2e%2e/settings.py",
                                  "/login/../api/studies", "//api/studies", "/api//studies",
                                  "/static/..%2f..%2fapp.py", "/LOGIN/../studies"])  # fmt: skip
def test_path_tricks_lead_nowhere(guarded, path):
    request = guarded.build_request("GET", "/")
    request.url = request.url.copy_with(raw_path=path.encode())
    response = guarded.send(request)
    assert response.status_code in (303, 401, 404, 400)
    assert "flu" not in response.text
    assert "import" not in response.text


@pytest.mark.parametrize("header", ["Bearer wrong", f"Basic {TOKEN}", "Bearer", f"bearer{TOKEN}",
                                    "Bearer \xff\xfe"])  # fmt: skip
def test_a_wrong_token_is_refused(guarded, header):
    given = {"authorization": header.encode("latin-1")}
    response = guarded.get("/api/studies", headers=given)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert ("nobody has this token" in response.text) == header.lower().startswith("bearer")


def test_a_person_logs_in_works_and_logs_out(guarded):
    assert log_in(guarded, secret="wrong password").status_code == 401
    assert guarded.get("/api/studies").status_code == 401
    entered = log_in(guarded, next_page="/studies/flu")
    assert (entered.status_code, entered.headers["location"]) == (303, "/studies/flu")
    cookie, name = entered.headers["set-cookie"].lower(), session_name(guarded)
    for word in ("httponly", "samesite=strict", f"max-age={7 * 24 * 3600}"):
        assert word in cookie
    before = guarded.cookies[name]
    log_in(guarded)
    assert guarded.cookies[name] != before, "a session from before must not be worth more"
    done = guarded.post("/api/studies/flu/ask", json={"n": 1})
    assert done.json()["requests"][0]["by"] == "anna"
    kept = guarded.cookies[name]
    assert guarded.post("/logout").status_code == 303
    assert guarded.get("/api/studies").status_code == 401
    guarded.cookies.set(name, kept)
    assert guarded.get("/api/studies").status_code == 401, "the session is over"


def test_a_token_opens_the_page_too(guarded):
    assert log_in(guarded, "robot", TOKEN).status_code == 303
    assert log_in(guarded, "anna", TOKEN).status_code == 401, "but only for whom it is"


def test_after_the_log_in_one_stays_here(guarded):
    for evil in ("https://evil.example", "//evil.example", "/\\evil.example", "javascript:1"):
        assert log_in(guarded, next_page=evil).headers["location"] == "/studies"


def test_passwords_cannot_be_tried_for_long(guarded):
    guarded.app.state.attempts = Attempts(clock=lambda: 0.0)
    given = {"name": "anna", "secret": "wrong password"}
    statuses = [guarded.post("/login", data=given).status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert log_in(guarded).status_code == 429, "the right one must wait, too"


def proxied(folder, files, **options):
    given = {"trusted_proxies": ("127.0.0.1",), "auth_header": "X-Remote-User"} | options
    return client(folder, **files, **given)


def test_a_trusted_proxy_names_whom_it_logged_in_and_the_file_says_what_he_may(tmp_path, files):
    write_line(tmp_path / "passwords", "Zoë", NO_PASSWORD, Role.ENTERS)
    make_study(tmp_path / "studies.db").release()
    with proxied(tmp_path, files) as browser:
        for name, role in (("anna", "manages"), ("Zoë", "enters")):
            said = browser.get("/session", headers={"x-remote-user": name.encode()}).json()
            assert (said["actor"], said["role"]) == (name, role)
        stranger = browser.get("/studies", headers={"x-remote-user": "ben"})
        assert stranger.status_code == 403
        assert "nobody said what you may do here" in stranger.text
        twice = [("x-remote-user", "anna"), ("x-remote-user", "ben")]
        assert browser.get("/session", headers=twice).status_code == 400
        assert browser.get("/session").status_code == 401
        assert log_in(browser, "Zoë", NO_PASSWORD).status_code == 401


@pytest.mark.parametrize("options", [{"trusted_proxies": ("192.0.2.1",)}, {"auth_header": ""}])
def test_a_name_that_somebody_else_forged_is_not_believed(tmp_path, files, options):
    """Nor what he says of his own address."""
    with proxied(tmp_path, files, **options) as browser:
        forged = {"x-remote-user": "anna", "x-forwarded-for": "192.0.2.1"}
        assert browser.get("/session", headers=forged).status_code == 401
        assert browser.get("/api/studies", headers=forged).status_code == 401


def test_a_header_is_believed_from_named_proxies_only(tmp_path, files):
    with pytest.raises(AccessError, match="--trusted-proxy"):
        Settings(str(tmp_path / "studies.db"), **files, auth_header="X-Remote-User")
    with pytest.raises(AccessError, match="such as X-Remote-User"):
        Settings("x.db", **files, auth_header="a b", trusted_proxies=("127.0.0.1",))


def test_a_password_that_was_hashed_with_less_is_hashed_anew_at_log_in(tmp_path, monkeypatch):
    path = tmp_path / "passwords"
    write_line(path, "anna", password_line(PASSWORD), Role.ENTERS)
    monkeypatch.setattr(credentials, "_COST", 2**11)
    with client(tmp_path, password_file=path) as browser:
        assert log_in(browser).status_code == 303
        assert path.read_text().startswith("anna:scrypt$2048$8$1$")
        assert browser.get("/session").json()["role"] == "enters"


def test_a_password_may_come_from_a_pipe_and_is_hashed_as_owasp_asks(tmp_path):
    file = tmp_path / "passwords"
    command = [sys.executable, "-m", "budgeted", "serve-password", "anna", "--file", str(file)]
    done = subprocess.run(
        command, input=f"{PASSWORD}\n", capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert file.read_text().startswith("anna:scrypt$131072$8$1$")
    assert Credentials.read(file, None).line_for("anna", PASSWORD)


def test_without_a_file_only_loopback_is_served(tmp_path):
    database = str(tmp_path / "studies.db")
    for host in ("0.0.0.0", "192.168.1.5", "example.org", "::", ""):
        with pytest.raises(AccessError, match="must log in"):
            Settings(database, host=host)
        done = CliRunner().invoke(main, ["serve", "--db", database, "--host", host])
        assert done.exit_code == 1
        assert "must log in" in done.output
    assert not (tmp_path / "studies.db").exists()


@pytest.mark.parametrize(("content", "words"), [
    ("", "nobody is in it"), ("# none\n", "nobody is in it"), ("anna:hunter2\n", "line 1 is not"),
    ("anna\n", "line 1 is not"),
])  # fmt: skip
def test_a_file_that_lets_nobody_in_is_refused(tmp_path, content, words):
    file = tmp_path / "passwords"
    file.write_text(content)
    with pytest.raises(AccessError, match=words) as caught:
        Credentials.read(file, None)
    assert "hunter2" not in str(caught.value)


def test_the_commands_write_files_that_hold_no_secret(tmp_path):
    file, tokens = tmp_path / "passwords", tmp_path / "tokens"
    words = ["serve-password", "anna", "--file", str(file), "--password", PASSWORD]
    assert CliRunner().invoke(main, words).exit_code == 0
    done = CliRunner().invoke(main, ["serve-token", "robot", "--file", str(tokens)])
    token = done.stdout.strip()
    assert PASSWORD not in file.read_text()
    assert token not in tokens.read_text()
    assert file.stat().st_mode & 0o077 == 0
    found = Credentials.read(file, tokens)
    assert found.line_for("anna", PASSWORD)
    assert not found.line_for("anna", PASSWORD + " ")
    assert not found.line_for("ben", PASSWORD)
    assert found.holder(token) == "robot"
    assert PASSWORD not in repr(found)
    short = ["serve-password", "anna", "--file", str(file), "--password", "short"]
    assert "at least 10" in CliRunner().invoke(main, short).output


@pytest.fixture
def local(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        yield found


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "",
    "[::1", "127.0.0.1@evil.example", "http://[", "http://127.0.0.1:-1", "\xff", "//",
])  # fmt: skip
def test_on_loopback_another_name_gets_nothing(local, host):
    """A site whose name points at 127.0.0.1 (DNS rebinding) reads and writes nothing."""
    for method, path in (("GET", "/api/studies"), ("POST", "/api/studies/flu/ask"), ("GET", "/")):
        response = local.request(method, path, headers={"host": host.encode("latin-1")})
        assert response.status_code == 400
        assert "flu" not in response.text


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]:80", "LOCALHOST:1"])
def test_on_loopback_its_own_names_are_known(local, host):
    assert local.get("/api/studies", headers={"host": host}).status_code == 200


OTHERS = [
    {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:1"},
    {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
]  # fmt: skip


def test_no_route_changes_anything_for_another_site(local):
    """Every one there is, found by introspection; a program that says nothing of a page may."""
    routes = [(method, path) for method, path in every_route(local.app)
              if method not in ("GET", "HEAD")]  # fmt: skip
    assert len(routes) >= 25
    before = local.get("/api/studies").json()
    for method, path in routes:
        given = {"n": "1", "value": "no", "name": "x", "budget": "5", "case": "P1"}
        body = {"json": given} if path.startswith("/api/") else {"data": given}
        for headers in OTHERS:
            response = local.request(method, filled(path), headers=headers, **body)
            assert response.status_code == 403, path
            assert "from the page of another site" in response.text
    assert local.get("/api/studies").json() == before
    own = {"origin": str(local.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert local.post("/studies/flu/ask", data={"n": "1"}, headers=own).status_code < 400


def test_simple_requests_of_a_foreign_page_are_no_json(local):
    """What a page may send without asking (plain text) is not taken for JSON."""
    response = local.post("/api/studies/flu/ask", content=b'{"n": 1}',
                          headers={"content-type": "text/plain"})  # fmt: skip
    assert response.status_code == 422
    assert "Content-Type: application/json" in response.json()["error"]


def test_on_loopback_a_name_can_be_chosen(local):
    assert local.post("/actor", data={"name": "Zoë"}).status_code == 303
    assert local.post("/api/studies/flu/ask", json={}).json()["requests"][0]["by"] == "Zoë"
    for bad in ("", "a\nb", "x" * 200, "a:b"):
        response = local.post("/actor", data={"name": bad})
        assert response.status_code in (403, 422)


def test_every_answer_has_the_headers_that_protect(local):
    for path in ("/studies", "/api/studies", "/static/style.css", "/nothing", "/health"):
        headers = local.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


def test_the_cookie_is_as_strict_as_it_can_be():
    sessions = Sessions(None)
    assert sessions.cookie_name(True, "").startswith("__Host-budgeted-")
    assert sessions.cookie_name(True, "/lab").startswith("__Secure-budgeted-")
    assert re.fullmatch(r"budgeted-[0-9a-f]{10}", sessions.cookie_name(False, ""))
