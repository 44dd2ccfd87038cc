"""Roles: what who looks, enters values or manages may do, route by route, and since when."""

import contextlib

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.errors import AccessError
from budgeted.studies.commands import COMMANDS
from budgeted.web.auth.access import OPEN
from budgeted.web.auth.credentials import (
    Credentials,
    change_role,
    password_line,
    token_line,
    write_line,
)
from budgeted.web.auth.roles import Role, declared, sighted
from tests.web.test_web_access import PASSWORD, filled, log_in
from tests.webs import client, every_endpoint, make_study

ROLES = {"lou": Role.LOOKS, "eva": Role.ENTERS, "max": Role.MANAGES}
LINE = password_line(PASSWORD)


def token_of(name):
    return f"{name}-t0ken-that-nobody-guesses-0123456789"


def bearer(name):
    return {"authorization": f"Bearer {token_of(name)}"}


@contextlib.contextmanager
def open_to_all_roles(folder):
    for name, role in ROLES.items():
        write_line(folder / "passwords", name, LINE, role)
        write_line(folder / "tokens", name, token_line(token_of(name)), role)
    files = {"password_file": folder / "passwords", "token_file": folder / "tokens"}
    with client(folder, **files) as found:
        yield found


@pytest.fixture
def guarded(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with open_to_all_roles(tmp_path) as found:
        yield found


def test_every_route_that_changes_something_says_who_may(guarded):
    """Else it is only for those who manage, and nobody knows whether that was meant."""
    silent = [
        (method, path)
        for method, path, dependencies in every_endpoint(guarded.app)
        if method not in ("GET", "HEAD") and declared(dependencies) is None
    ]
    assert not silent


def test_a_route_that_does_not_say_who_may_is_closed(guarded):
    from fastapi import APIRouter

    from budgeted.web.pages import routes

    forgotten = APIRouter(prefix="/api", dependencies=routes.router.dependencies[1:])
    forgotten.add_api_route("/forgotten", lambda: {"done": True}, methods=["GET", "POST"])
    guarded.app.include_router(forgotten)
    for name, role in ROLES.items():
        assert guarded.get("/api/forgotten", headers=bearer(name)).status_code == 200
        status = guarded.post("/api/forgotten", headers=bearer(name)).status_code
        assert status == (200 if role is Role.MANAGES else 403)


@pytest.mark.parametrize("who", ROLES)
def test_every_route_answers_as_the_role_may(guarded, who):
    """By what each route declares; of a study that is not there, so that nothing changes."""
    refused = allowed = 0
    for method, path, dependencies in every_endpoint(guarded.app):
        if path.startswith("/static") or path in (*OPEN, "/actor"):  # a name is that of the log-in
            continue
        address = filled(path.replace("{name}", "nobody"))
        answer = guarded.request(method, address, headers=bearer(who), follow_redirects=False)
        blind = who == "eva" and any(each.dependency is sighted for each in dependencies)
        if ROLES[who] < (declared(dependencies) or Role.LOOKS) or blind:
            refused += 1
            assert answer.status_code == 403, (method, path)
            if method != "HEAD":
                assert "do this" in answer.text or "not shown to who enters" in answer.text, path
        else:
            allowed += 1
            assert answer.status_code not in (401, 403), (method, path, answer.text)
    assert (refused > 15) == (who in ("lou", "eva"))
    assert allowed > 30
    assert guarded.get("/api/studies/flu", headers=bearer("max")).json()["study"]["events"] == 1


def test_what_writes_values_is_for_who_enters_them(guarded):
    entering = {kind.name for kind in COMMANDS.values() if kind.enters}
    assert entering >= {"tell", "fail", "correct", "undo", "record"}
    assert not entering & {"ask", "cancel", "budget", "withdraw", "close", "reopen", "add-cases",
                           "add-feature", "add-value", "rule-out", "allow", "cuts"}  # fmt: skip
    api = "/api/studies/flu"
    assert guarded.post(f"{api}/ask", headers=bearer("eva")).status_code == 403
    asked = guarded.post(f"{api}/ask", headers=bearer("max"), json={"n": 2})
    assert asked.status_code == 200, asked.text
    told = f"{api}/requests/1/tell"
    assert guarded.post(told, headers=bearer("lou"), json={"value": "yes"}).status_code == 403
    answer = guarded.post(told, headers=bearer("eva"), json={"value": "yes"}).json()
    assert answer["requests"][0]["value"] == "yes"
    log = guarded.get(f"{api}/history", headers=bearer("lou")).json()
    assert log["lines"][0]["event"]["by"] == "eva"


def test_nobody_can_say_that_somebody_else_did_it(guarded):
    guarded.post("/api/studies/flu/ask", headers=bearer("max"))
    address, value = "/api/studies/flu/requests/1/tell", {"value": "no"}
    for name in ("by", "actor", "at", "role"):
        forged = guarded.post(address, headers=bearer("eva"), json=value | {name: "max"})
        assert forged.status_code == 422
    extra = {"x-actor": "max", "x-forwarded-user": "max", "from": "max", "remote-user": "max"}
    told = guarded.post(f"{address}?by=max&actor=max", headers=bearer("eva") | extra, json=value)
    assert told.status_code == 200
    last = guarded.get("/api/studies/flu/history", headers=bearer("max")).json()["lines"][0]
    assert (last["event"]["kind"], last["event"]["by"]) == ("told", "eva")


def test_a_session_follows_a_change_of_role_at_once(guarded, tmp_path):
    log_in(guarded, "max")
    page = guarded.get("/studies/flu").text
    assert 'You are <strong>max</strong><span class="role">, manages</span>' in page
    assert "Ask what to measure" in page
    change_role(tmp_path / "passwords", "max", Role.LOOKS)
    assert guarded.get("/session").json()["role"] == "looks"
    page = guarded.get("/studies/flu").text
    assert '<span class="role">, looks</span>' in page
    for button in ("Ask what to measure", "Close the study", "Record a value", "Delete"):
        assert button not in page
    refused = guarded.post("/studies/flu/ask", data={"n": "1"})
    assert refused.status_code == 403
    assert "only somebody who manages studies may do this" in refused.text


def test_a_stream_ends_when_its_reader_gets_another_role(guarded, tmp_path):
    guarded.post("/api/studies/flu/ask", headers=bearer("max"))
    with guarded.stream("GET", "/studies/flu/live?after=0", headers=bearer("lou")) as stream:
        lines = stream.iter_lines()
        assert any("ill" in line or "well" in line for line in until_request_1(lines))
        change_role(tmp_path / "tokens", "lou", Role.ENTERS)
        guarded.post("/api/studies/flu/ask", headers=bearer("max"))
        assert not any("request 2" in line for line in lines)


def until_request_1(lines):
    """The lines of a stream up to the event that tells of request 1."""
    for line in lines:
        yield line
        if "request 1" in line:
            return


def test_on_loopback_without_credentials_everybody_manages(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as browser:
        assert browser.get("/session").json()["role"] == "manages"
        page = browser.get("/studies/flu").text
        assert "Ask what to measure" in page
        assert 'class="role"' not in page


def test_a_line_without_a_role_manages(tmp_path):
    write_line(tmp_path / "old", "anna", LINE)
    assert (tmp_path / "old").read_text() == f"anna:{LINE}\n"
    found = Credentials.read(tmp_path / "old", None)
    assert found.proofs_of("anna") == ((LINE, Role.MANAGES),)
    (tmp_path / "old").write_text(f"anna:{LINE}:boss\n")
    with pytest.raises(AccessError, match="line 1: there is no role 'boss'; there are looks, ent"):
        Credentials.read(tmp_path / "old", None)


def test_a_new_password_makes_nobody_more(tmp_path):
    path = str(tmp_path / "passwords")

    def run(*words):
        return CliRunner().invoke(main, ["serve-password", "ben", "--file", path, *words])

    assert "ben is in" in run("--password", PASSWORD, "--role", "enters").output
    assert ", and enters values;" in run("--password", "another battery staple").output
    before = Credentials.read(tmp_path / "passwords", None)
    assert before.password_roles == {"ben": Role.ENTERS}
    assert run("--keep", "--role", "looks").exit_code == 0
    after = Credentials.read(tmp_path / "passwords", None)
    assert (after.password_roles, after.passwords) == ({"ben": Role.LOOKS}, before.passwords)
    assert "give --role as well" in run("--keep").output
    assert run("--password", PASSWORD, "--role", "boss").exit_code == 2


def test_a_token_has_a_role(tmp_path):
    path = str(tmp_path / "tokens")
    made = CliRunner().invoke(main, ["serve-token", "robot", "--file", path, "--role", "looks"])
    assert made.exit_code == 0
    assert Credentials.read(None, tmp_path / "tokens").token_roles == {"robot": Role.LOOKS}
    kept = ["serve-token", "robot", "--file", path, "--role", "enters", "--keep"]
    assert CliRunner().invoke(main, kept).exit_code == 0
    assert Credentials.read(None, tmp_path / "tokens").token_roles == {"robot": Role.ENTERS}
