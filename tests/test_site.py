"""The site: built without a warning, nothing fetched from elsewhere, no link that leads nowhere."""

import inspect
import re
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from build_site import build, mistakes  # noqa: E402
from public_names import documented, packages, public_names  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "site"
    build(folder)
    return folder


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere_and_nothing_comes_from_elsewhere(site):
    assert len(list(site.rglob("*.html"))) > 40
    assert list(mistakes(site)) == []
    scripts = "".join(each.read_text("utf-8") for each in site.rglob("*.html"))
    assert not re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="?(?:https?:)?//', scripts)


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site):
    inventory = (site / "objects.inv").read_bytes()
    listed = zlib.decompress(inventory.split(b"\n", 4)[4]).decode()
    there = {line.split()[0] for line in listed.splitlines()}
    homes = {home for names in documented().values() for home in names.values()}
    assert homes <= there


@pytest.mark.slow
def test_formulas_are_there_without_a_script(site):
    page = (site / "docs" / "mathematics.html").read_text("utf-8")
    assert page.count("<math") > 5
    assert "mathjax" not in page.lower()
    assert "katex" not in page.lower()


class Text(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.words = ""
        self.feed(page)

    def handle_data(self, data):
        self.words += data


@pytest.mark.slow
def test_no_block_of_code_is_left_as_text(site):
    """A fence that the site does not understand runs over the rest of its page."""
    for page in site.rglob("*.html"):
        assert "```" not in Text(page.read_text("utf-8")).words, page.name


def undocumented():
    """Public names that say nothing of themselves: objects without a docstring, or constants."""
    for package in packages():
        for name, thing in public_names(package).items():
            if inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)):
                if not (thing.__doc__ or "").strip() or thing.__doc__.startswith(f"{name}("):
                    yield f"{package}.{name}"
            elif not _described(documented()[package].get(name), name):
                yield f"{package}.{name}"


def _described(home, name):
    """Is there a docstring below the assignment of a constant?"""
    if home is None:
        return True  # documented under its other name
    source = inspect.getsource(sys.modules[home.rpartition(".")[0]])
    return re.search(rf'^{name}\b[^\n]*=(?:[^\n]|\n[^\n"A-Za-z@])*?\n"""', source, re.MULTILINE)


def test_every_public_name_says_what_it_is():
    assert list(undocumented()) == []


def test_links_that_lead_nowhere_and_things_from_elsewhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a> <a href="c.html">c</a> <a href="#up">up</a>'
        '<img src="https://example.org/x.png">'
    )
    (tmp_path / "b.html").write_text('<h2 id="there">there</h2><a href="a.html">a</a>')
    assert len(list(mistakes(tmp_path))) == 4
