"""Large scripts are kept packed; everybody gets what they can read."""

import gzip
from importlib.resources import files

import pytest

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


def test_other_files_are_as_they_are(local):
    assert "content-encoding" not in local.get("/static/style.css").headers
    assert local.get("/static/vendor/nothing.js").status_code == 404
    assert len(PACKED) == 3
