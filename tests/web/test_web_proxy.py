"""Behind a real nginx with TLS, below a path: the very configuration of deploy/."""

import json
import re
import signal
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import trustme

from budgeted.errors import AccessError
from budgeted.web.auth.credentials import password_line, write_line
from budgeted.web.settings import Settings
from tests import system_packages
from tests.browsers import chromium
from tests.web.test_web_access import PASSWORD
from tests.webs import client, make_study, process

TEMPLATE = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf.template"
ROOT = "/lab"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def nginx(folder, upstream):
    """The proxy of deploy/ in front of a server, below a path; gives its port."""
    program = system_packages.require(system_packages.NGINX)
    port = free_port()
    text = TEMPLATE.read_text(encoding="utf-8")
    for old, new in (("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
                     ("/etc/ssl/budgeted", str(folder)), ("location / {", f"location {ROOT}/ {{"),
                     ("${BUDGETED_NAME}", "lab.example.org"),
                     ("${BUDGETED_UPSTREAM}", f"127.0.0.1:{upstream}")):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    temporary = "".join(f"{each}_temp_path {folder}/{each};\n" for each in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\n"
        f"events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n"
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
    """A folder with a study, a password and a certificate, and how to trust it."""
    system_packages.require(system_packages.NGINX)
    authority = trustme.CA()
    issued = authority.issue_cert("lab.example.org", "127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "certificate.pem"))
    issued.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    make_study(tmp_path / "studies.db").release()
    return tmp_path, trusting


@contextmanager
def behind(folder, trusting):
    """A server behind nginx; gives the server, and what makes a browser at an address."""
    given = {"password_file": folder / "passwords", "trusted_proxies": ("127.0.0.1",),
             "root_path": ROOT, "log": str(folder / "log.jsonl")}  # fmt: skip
    with ExitStack() as stack:
        inside = stack.enter_context(client(folder, **given))
        port = stack.enter_context(nginx(folder, inside.base_url.port))

        def browser(address="127.0.0.1"):
            transport = httpx.HTTPTransport(verify=trusting, local_address=address)
            base = f"https://127.0.0.1:{port}"
            return stack.enter_context(httpx.Client(base_url=base, transport=transport, timeout=30))

        yield inside, browser


def enter(browser, secret=PASSWORD, name="anna"):
    origin = {"origin": str(browser.base_url).rstrip("/")}
    return browser.post(f"{ROOT}/login", data={"name": name, "secret": secret}, headers=origin)


def test_behind_nginx_the_server_knows_who_the_browser_is(lab):
    """That of 127.0.0.2, whatever it says of itself: there is a limit of wrong passwords for it."""
    folder, trusting = lab
    with behind(folder, trusting) as (_, browser):
        anna = browser("127.0.0.2")
        assert anna.get(f"{ROOT}/").headers["location"] == f"{ROOT}/login?next=%2F"
        entered = enter(anna)
        assert entered.headers["location"] == f"{ROOT}/studies"
        (cookie,) = entered.headers.get_list("set-cookie")
        assert re.match(rf"__Secure-budgeted.*; Path={ROOT};.*; Secure", cookie)
        anna.post(f"{ROOT}/api/studies/flu/ask", json={"n": 1})
        with anna.stream("GET", f"{ROOT}/studies/flu/live?after=0") as stream:
            events = stream.iter_lines()
            assert next(each for each in events if each.startswith("event")) == "event: changed"
        anna.get(f"{ROOT}/health", headers={"x-forwarded-for": "6.6.6.6"})
        guesses = [enter(browser("127.0.0.9"), "a wrong password").status_code for _ in range(11)]
        assert guesses == [401] * 10 + [429]
        assert enter(browser("127.0.0.8")).status_code == 303
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert {each["client"] for each in lines if "client" in each} == {
        "127.0.0.2", "127.0.0.8", "127.0.0.9"}  # fmt: skip


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


@pytest.mark.thorough
def test_all_that_pages_name_is_below_the_path(lab):
    with behind(*lab) as (_, browser):
        anna = browser()
        enter(anna)
        anna.post(f"{ROOT}/api/studies/flu/ask", json={"n": 1})
        seen, waiting = set(), {f"{ROOT}/studies", f"{ROOT}/studies/flu"}
        while waiting:
            path = waiting.pop()
            seen.add(path)
            assert path.startswith(f"{ROOT}/"), path
            answer = anna.get(path)
            assert answer.status_code == 200, path
            if answer.headers["content-type"].startswith("text/html"):
                fetched, sent = addresses(answer)
                assert all(each.startswith(f"{ROOT}/") for each in sent), sent
                # A picture that stands in the page itself has no address.
                waiting |= {each for each in fetched if not each.startswith("data:")} - seen
        assert len(seen) > 25
        assert anna.get(f"{ROOT}/studies/").headers["location"] == f"{ROOT}/studies"
        document = anna.get(f"{ROOT}/api/openapi.json").json()
        assert document["servers"] == [{"url": ROOT}]


@pytest.mark.thorough
@pytest.mark.browser
def test_a_person_works_below_a_path(lab):
    """In a real browser, so that scripts, styles, htmx and the stream are all below it."""
    folder, _ = lab
    options = ("--password-file", str(folder / "passwords"), "--trusted-proxy", "127.0.0.1",
               "--root-path", ROOT)  # fmt: skip
    with (
        process(folder, *options) as (address, _),
        nginx(folder, urlsplit(address).port) as port,
        chromium() as program,
    ):
        context = program.new_context(ignore_https_errors=True)
        page = context.new_page()
        failed = []
        page.on("response", lambda each: each.status >= 400 and failed.append(each.url))
        page.goto(f"https://127.0.0.1:{port}{ROOT}/")
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


SLOW = (b"", b"GET /lab/health HTT", b"POST /lab/login HTTP/1.1\r\nHost: x\r\n"
        b"Content-Length: 90\r\n\r\nname=")  # fmt: skip


@pytest.mark.thorough
def test_slow_clients_and_floods_wait_in_nginx_and_keep_nobody_waiting(lab):
    """Four hundred of them, and a server that may open 256 files."""
    folder, trusting = lab
    options = ("--password-file", str(folder / "passwords"), "--trusted-proxy", "127.0.0.1",
               "--root-path", ROOT)  # fmt: skip
    hidden = partial(trusting.wrap_socket, server_hostname="127.0.0.1")
    with (
        process(folder, *options, handles=256) as (address, _),
        nginx(folder, urlsplit(address).port) as port,
        ExitStack() as stack,
    ):
        slow = []
        for at in range(400):
            place = (f"127.0.1.{at % 50 + 1}", 0)
            plain = socket.create_connection(("127.0.0.1", port), 20, source_address=place)
            slow.append(stack.enter_context(hidden(plain)))
            slow[-1].sendall(SLOW[at % 3])
        with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusting) as browser:
            for at in range(20):
                slow[at % 3 + 1].send(b"a")
                begun = time.monotonic()
                assert browser.get(f"{ROOT}/health").status_code == 200
                assert time.monotonic() - begun < 1
            large = {"x-large": "y" * 70_000}
            assert browser.get(f"{ROOT}/health", headers=large).status_code == 400
        slow[1].settimeout(30)
        while slow[1].recv(100):
            pass  # it was let go of: a head has ten seconds


def test_a_proxy_in_front_of_an_open_server_is_refused(tmp_path):
    """On loopback nobody logs in: through a proxy everybody would be in."""
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as local:
        for header in ("x-forwarded-for", "forwarded", "x-real-ip"):
            answer = local.get("/api/studies", headers={header: "192.0.2.7"})
            assert answer.status_code == 403
            assert "--trusted-proxy" in answer.json()["error"]


@pytest.mark.parametrize(("options", "words"), [
    ({"trusted_proxies": ("10.0.0.1",)}, "must log in"),
    ({"trusted_proxies": ("nginx",), "token_file": Path("t")}, "such as 10.0.0.5"),
    ({"root_path": "budgeted"}, "such as /budgeted"), ({"root_path": "/a b"}, "such as /budgeted"),
    ({"root_path": "//evil.example"}, "such as /budgeted"),
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(AccessError, match=words):
        Settings("studies.db", **options)
