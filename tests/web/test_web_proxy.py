"""Behind a real nginx with TLS, below a path: the very configuration of docs/web.md."""

import json
import re
import signal
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import trustme

from budgeted.errors import AccessError
from budgeted.web.auth.credential_files import write_line
from budgeted.web.auth.credentials import password_line, token_line
from budgeted.web.settings import Settings
from tests import system_packages
from tests.browsers import chromium
from tests.web.test_web_access import PASSWORD, TOKEN
from tests.webs import client, make_study, process

pytestmark = pytest.mark.slow  # real servers

DOCS = Path(__file__).resolve().parents[2] / "docs" / "web.md"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def nginx(folder, upstream):
    """The proxy of docs/web.md in front of a server; gives its port."""
    program = system_packages.require(system_packages.NGINX)
    port = free_port()
    text = re.search(r"```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)[1]
    for old, new in (("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
                     ("/etc/ssl/lab.pem", str(folder / "lab.pem")),
                     ("/etc/ssl/lab.key", str(folder / "lab.key")),
                     ("http://127.0.0.1:8000", f"http://127.0.0.1:{upstream}")):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    temporary = "".join(f"{each}_temp_path {folder}/{each};\n" for each in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n"
    )
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"),
               "-e", str(folder / "nginx.log")]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        try:
            for _ in range(400):
                assert running.poll() is None, running.stderr.read()
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield port
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait(20)


@pytest.fixture
def lab(tmp_path):
    """nginx with TLS, a server behind it, and how to trust them."""
    system_packages.require(system_packages.NGINX)
    authority = trustme.CA()
    issued = authority.issue_cert("lab.example.org", "127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "lab.pem"))
    issued.private_key_pem.write_to_path(str(tmp_path / "lab.key"))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    write_line(tmp_path / "tokens", "robot", token_line(TOKEN))
    make_study(tmp_path / "studies.db").release()
    return tmp_path, trusting


def served(folder, **options):
    """A server on a thread that trusts the proxy."""
    given = {"password_file": folder / "passwords", "token_file": folder / "tokens",
             "trusted_proxies": ("127.0.0.1",), "allowed_hosts": ("lab.example.org",),
             "log": str(folder / "log.jsonl")}  # fmt: skip
    return client(folder, **given, **options)


def served_by_command(folder, *options):
    given = ("--password-file", str(folder / "passwords"), "--token-file", str(folder / "tokens"),
             "--trusted-proxy", "127.0.0.1", "--allowed-host", "lab.example.org",
             "--log", str(folder / "log.jsonl"), *options)  # fmt: skip
    return process(folder, *given)


def browser_at(port, trusting, address="127.0.0.1"):
    transport = httpx.HTTPTransport(verify=trusting, local_address=address)
    return httpx.Client(base_url=f"https://127.0.0.1:{port}", transport=transport, timeout=30)


def enter(browser):
    given = {"name": "anna", "secret": PASSWORD}
    origin = {"origin": str(browser.base_url).rstrip("/")}
    return browser.post("/budgeted/login", data=given, headers=origin)


def addresses(page):
    """Every address in a page: those that a browser fetches or follows, and those of forms."""
    fetched, sent = (
        {
            urlsplit(each.replace("&amp;", "&"))._replace(query="").geturl()
            for each in re.findall(rf'(?:{names})="([^"#][^"]*)"', page.text)
        }
        for names in ("href|src|hx-get|data-chart", "action|hx-post|data-live")
    )
    return fetched, sent


def lines(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs 127.0.0.2, which Linux has")
@pytest.mark.parametrize("options", [{"root_path": "/budgeted"}, {}], ids=["option", "header"])
def test_behind_nginx_everything_is_as_the_browser_sees_it(lab, options):
    folder, trusting = lab
    with (
        served(folder, **options) as inside,
        nginx(folder, inside.base_url.port) as port,
        browser_at(port, trusting, "127.0.0.2") as browser,
    ):
        first = browser.get("/budgeted/")
        assert first.headers["location"].startswith("/budgeted/login?next=%2F")
        entered = enter(browser)
        assert entered.status_code == 303, entered.text
        assert entered.headers["location"] == "/budgeted/studies"
        for cookie in entered.headers.get_list("set-cookie"):
            assert cookie.startswith("__Secure-budgeted-")
            assert "; Secure" in cookie
            assert "; Path=/budgeted;" in cookie
        browser.post("/budgeted/api/studies/flu/ask", json={"n": 1})
        seen, waiting = set(), {"/budgeted/studies", "/budgeted/studies/flu"}
        while waiting:
            path = waiting.pop()
            seen.add(path)
            assert path.startswith("/budgeted/"), path
            answer = browser.get(path)
            assert answer.status_code == 200, path
            if answer.headers["content-type"].startswith("text/html"):
                fetched, sent = addresses(answer)
                assert all(each.startswith("/budgeted/") for each in sent), sent
                # A picture that stands in the page itself has no address.
                waiting |= {each for each in fetched if not each.startswith("data:")} - seen
        assert len(seen) > 25
        slash = browser.get("/budgeted/studies/")
        assert slash.headers["location"] == "/budgeted/studies"
        with browser.stream("GET", "/budgeted/studies/flu/live?after=0") as stream:
            events = stream.iter_lines()
            assert next(each for each in events if each.startswith("event")) == "event: changed"
        form = {"value": "yes"}
        told = browser.post("/budgeted/studies/flu/requests/1/tell", data=form)
        assert told.headers["location"].startswith("/budgeted/studies/flu")
        document = browser.get("/budgeted/api/openapi.json").json()
        assert document["servers"] == [{"url": "/budgeted"}]
        # Addresses that somebody made up are not believed, here or past the proxy.
        browser.get("/budgeted/health", headers={"x-forwarded-for": "6.6.6.6"})
        transport = httpx.HTTPTransport(local_address="127.0.0.3")
        with httpx.Client(base_url=inside.base_url, transport=transport) as direct:
            direct.get(
                "/health", headers={"x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "https"}
            )
        evil = browser.get("/budgeted/login", headers={"host": "evil.example"})
        assert evil.status_code == 400
    found = lines(folder)
    assert {each["client"] for each in found if "client" in each} == {"127.0.0.2", "127.0.0.3"}
    [change] = [each for each in found if each.get("operation") == "tell"]
    assert (change["client"], change["actor"], change["path"]) == (
        "127.0.0.2", "anna", "/studies/flu/requests/1/tell")  # fmt: skip


def test_wrong_passwords_behind_a_proxy_lock_out_nobody_else(lab):
    folder, trusting = lab
    with served(folder) as inside, nginx(folder, inside.base_url.port) as port:
        with browser_at(port, trusting, "127.0.0.9") as attacker:
            for at in range(15):
                given = {"name": f"nobody {at}", "secret": "wrong password"}
                last = attacker.post("/budgeted/login", data=given)
            assert last.status_code == 429
        with browser_at(port, trusting, "127.0.0.8") as browser:
            assert enter(browser).status_code == 303


def test_a_restart_behind_the_proxy_ends_no_session(lab):
    folder, trusting = lab
    port = free_port()
    with nginx(folder, port) as outside, browser_at(outside, trusting) as browser:
        for _ in range(2):
            with served(folder, port=port):
                if not browser.cookies:
                    assert enter(browser).status_code == 303
                assert browser.get("/budgeted/session").json()["actor"] == "anna"


@pytest.mark.browser
def test_a_person_works_below_a_path(lab):
    """In a real browser, so that scripts, styles, htmx and the stream are all below it."""
    folder, _ = lab
    with (
        served_by_command(folder, "--root-path", "/budgeted") as (address, _),
        nginx(folder, urlsplit(address).port) as port,
        chromium() as program,
    ):
        context = program.new_context(ignore_https_errors=True)
        page = context.new_page()
        failed = []
        page.on("response", lambda each: each.status >= 400 and failed.append(each.url))
        page.goto(f"https://127.0.0.1:{port}/budgeted/")
        page.get_by_label("Your name").fill("anna")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="flu").first.click()
        page.locator("#live-state", has_text="Live").wait_for(timeout=20_000)
        page.get_by_role("button", name="Ask what to measure").click()
        page.locator(".card").first.wait_for(timeout=20_000)
        page.locator("#chart-purchases").scroll_into_view_if_needed()
        page.locator("#chart-purchases svg, #chart-purchases canvas").wait_for(timeout=20_000)
        context.close()
        assert failed == []


def test_a_proxy_in_front_of_an_open_server_is_refused(tmp_path):
    """On loopback nobody logs in: through a proxy everybody would be in."""
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as local:
        for header in ("x-forwarded-for", "forwarded", "x-real-ip"):
            answer = local.get("/api/studies", headers={header: "192.0.2.7"})
            assert answer.status_code == 403
            assert "--trusted-proxy" in answer.json()["error"]


def forwarding_warnings(caplog):
    return [each.getMessage() for each in caplog.records if "--trusted-proxy" in each.getMessage()]


def test_a_proxy_that_was_not_named_is_said_once(lab, caplog):
    """People behind it share one address, and the limit of wrong passwords with it."""
    folder, _ = lab
    passwords = {"password_file": folder / "passwords"}
    with client(folder, **passwords, trusted_proxies=("192.0.2.1",)) as inside:
        inside.get("/login")
        assert forwarding_warnings(caplog) == []
        for header in ("x-forwarded-for", "forwarded", "x-real-ip"):
            inside.get("/login", headers={header: "198.51.100.7"})
    (said,) = forwarding_warnings(caplog)
    assert said.endswith("start the server with --trusted-proxy 127.0.0.1")
    assert "198.51.100.7" not in said, "that may be made up"


def test_a_proxy_that_was_named_is_not_warned_of(lab, caplog):
    folder, _ = lab
    with served(folder) as inside:
        inside.get("/login", headers={"x-forwarded-for": "198.51.100.7"})
    assert forwarding_warnings(caplog) == []


@pytest.mark.parametrize(("options", "words"), [
    ({"trusted_proxies": ("10.0.0.1",)}, "must log in"),
    ({"trusted_proxies": ("nginx",), "token_file": Path("t")}, "such as 10.0.0.5"),
    ({"root_path": "budgeted"}, "such as /budgeted"), ({"root_path": "/a b"}, "such as /budgeted"),
    ({"root_path": "//evil.example"}, "such as /budgeted"),
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(AccessError, match=words):
        Settings("studies.db", **options)
