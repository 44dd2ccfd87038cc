"""Large scripts are kept packed; everybody gets what they can read."""

import gzip
import re
from importlib.resources import files

import pytest

from budgeted.web import static_files
from budgeted.web.static_files import FOLDER
from tests.webs import client, make_study

PACKED = sorted((files("budgeted.web") / "static" / "vendor").glob("*.gz"))


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("static")
    make_study(folder / "studies.db").release()
    with client(folder) as found:
        yield found


@pytest.mark.parametrize("path", PACKED, ids=lambda path: path.name)
def test_packed_scripts_are_sent_packed_or_not_as_the_browser_likes(local, path):
    address = f"/static/vendor/{path.name.removesuffix('.gz')}"
    whole = gzip.decompress(path.read_bytes())
    packed = local.get(address, headers={"accept-encoding": "gzip, br"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) == path.stat().st_size
    plain = local.get(address, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content == whole  # the client unpacks the first
    for each in (packed, plain):
        assert each.headers["content-type"].startswith("text/javascript")
        assert each.headers["vary"] == "accept-encoding"
    known = {"if-none-match": packed.headers["etag"], "accept-encoding": "gzip"}
    assert local.get(address, headers=known).status_code == 304


def test_other_files_are_packed_on_the_way(local):
    for wanted, encoding in (("gzip", "gzip"), ("gzip;q=0", None), ("identity", None)):
        answer = local.get("/static/style.css", headers={"accept-encoding": wanted})
        assert answer.headers.get("content-encoding") == encoding
        assert answer.text == (FOLDER / "style.css").read_text(encoding="utf-8")
    assert local.get("/static/vendor/nothing.js").status_code == 404
    assert len(PACKED) == 3


def test_a_page_names_files_by_their_digest_and_browsers_keep_them(local):
    text = local.get("/studies/flu").text
    named = set(re.findall(r"/static/[^\s\"]+", text))
    assert len(named) >= 8
    assert all(re.search(r"\.[0-9a-f]{12}\.[a-z]+$", each) for each in named)
    for address in named:
        answer = local.get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        plain = re.sub(r"\.[0-9a-f]{12}(\.[a-z]+)$", r"\1", address)
        assert local.get(plain).content == answer.content
        assert local.get(plain).headers["cache-control"] == "no-cache"


def test_the_digest_of_another_version_leads_to_the_file_of_today_which_is_not_kept(local):
    old = local.get("/static/style.0123456789ab.css")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-cache")
    assert old.content == (FOLDER / "style.css").read_bytes()
    assert local.get("/static/nothing.0123456789ab.css").status_code == 404
    for odd in ("/static/..0123456789ab.css", "/static/vendor.0123456789ab.js", "/static/.css"):
        assert local.get(odd).status_code == 404


def test_another_content_has_another_name(monkeypatch, tmp_path):
    monkeypatch.setattr(static_files, "FOLDER", tmp_path)
    names = set()
    for content in ("a", "b"):
        (tmp_path / "style.css").write_text(content)
        static_files.digest_of.cache_clear()
        names.add(static_files.digested("style.css"))
    static_files.digest_of.cache_clear()
    assert len(names) == 2


def test_pages_and_charts_are_packed(local):
    for path in ("/studies/flu", "/api/studies/flu", "/api/studies/flu/charts/worth"):
        packed = local.get(path, headers={"accept-encoding": "gzip"})
        plain = local.get(path, headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert "accept-encoding" in packed.headers["vary"].lower()
