"""The server as a process: over HTTPS, and with its database on a server too."""

import ssl

import httpx
import pytest
import trustme
from click.testing import CliRunner

from budgeted.cli.main import main
from tests.webs import client, make_study, process


@pytest.fixture
def certified(tmp_path):
    """An authority of our own, and the files of a certificate that it gave to this machine."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(str(files[0]))
    issued.private_key_pem.write_to_path(str(files[1]))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    return trusting, files


@pytest.mark.slow
def test_https(tmp_path, certified):
    trusting, (certificate, key) = certified
    make_study(tmp_path / "studies.db").release()
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with process(tmp_path, *options) as (address, _):
        assert address.startswith("https://")
        with httpx.Client(base_url=address, verify=trusting) as browser:
            page = browser.get("/studies")
            assert "flu" in page.text
            named = browser.post("/actor", data={"name": "Zoë"})
            assert "Secure" in named.headers["set-cookie"]
            assert browser.post("/api/studies/flu/ask", json={}).status_code == 200
        with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
            httpx.get(f"{address}/health")
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{address.replace('https', 'http')}/health")


@pytest.mark.parametrize("alone", ["--tls-certificate", "--tls-key"])
def test_half_of_a_certificate_is_refused(tmp_path, certified, alone):
    _, (certificate, _) = certified
    command = ["serve", "--db", str(tmp_path / "studies.db"), alone, str(certificate)]
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 2
    assert "go together" in refused.output


def test_a_certificate_that_is_none_is_refused_in_words(tmp_path, certified):
    _, (certificate, key) = certified
    certificate.write_text("no certificate")
    command = ["serve", "--db", str(tmp_path / "studies.db"), "--port", "0",
               "--tls-certificate", str(certificate), "--tls-key", str(key)]  # fmt: skip
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1
    assert "certificate.pem" in refused.output
    assert "Traceback" not in refused.output


def test_credentials_that_cannot_be_read_leave_no_database(tmp_path):
    command = ["serve", "--db", str(tmp_path / "studies.db"), "--port", "0",
               "--password-file", str(tmp_path / "nofile")]  # fmt: skip
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1
    assert "nofile" in refused.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_address_that_is_said_has_the_path_in_front_and_leads_to_the_page(tmp_path):
    with process(tmp_path, "--root-path", "/budgeted") as (address, _):
        assert address.endswith("/budgeted")
        page = httpx.get(address, follow_redirects=True)
        assert page.status_code == 200
        assert page.url.path == "/budgeted/studies"


PAGES = [
    "/",
    "/health",
    "/ready",
    "/studies",
    "/studies/flu",
    "/studies/flu/history",
    "/studies/new",
]


def test_head_is_answered_as_get_without_its_body(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as browser:
        for path in PAGES:
            whole, head = browser.get(path), browser.head(path)
            assert (head.status_code, head.content) == (whole.status_code, b""), path
            for name in ("content-type", "location", "content-security-policy"):
                assert head.headers.get(name) == whole.headers.get(name)
        assert browser.head("/studies/nothing").status_code == 404
        assert browser.head("/studies/flu/live").status_code == 405  # it would never end
        assert browser.get("/health").status_code == 200  # the connection is still good
