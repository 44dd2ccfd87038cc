"""Pages as texts: they hold nothing inline, and show any name harmlessly."""

import re

import pytest

from budgeted import Feature, Problem, Study
from tests.webs import client, make_study

EVIL = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
PAGES = ("", "/cases", "/worklist", "/history", "/model", "/diagnose", "/manage", "/add-cases",
         "/requests/1/correct")  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with make_study(folder / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
    with client(folder) as found:
        yield found


def test_what_is_too_large_is_refused_in_words(site):
    answer = site.post("/studies/flu/ask", data={"n": "1" * 2_000_000})
    assert answer.status_code == 413
    assert "<h1>This is too large</h1>" in answer.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A study in which every name is an attack."""
    folder = tmp_path_factory.mktemp("hostile")
    features = [Feature(f"{EVIL} feature", (f"{EVIL} a", f"{EVIL} b"), 1)]
    problem = Problem(features, (f"{EVIL} x", f"{EVIL} y"), (0.5, 0.5), 50)
    cases = [(f"{EVIL} {at}", problem.labels[at % 2]) for at in range(9)]
    with Study.create(str(folder / "studies.db"), EVIL, problem, cases, by=EVIL) as study:
        study.ask(3)
        study.tell(1, f"{EVIL} a")
        study.fail(2, why=EVIL)
        study.correct(1, f"{EVIL} b", why=EVIL)
    with client(folder) as found:
        yield found


def test_names_that_attack_are_shown_harmlessly(hostile):
    listed = hostile.get("/studies").text
    base = re.search('href="(/studies/[^"]+)">&lt;img', listed)[1]
    for page in PAGES:
        answer = hostile.get(base + page)
        assert answer.status_code == 200, page
        assert "<img" not in answer.text
        assert "&lt;img src=x onerror=alert(1)&gt;" in answer.text
        assert "{{7*7}}" in answer.text, "a template ran twice"


def test_times_have_one_form_and_their_zone(site):
    for page in ("", "/history", "/cards?shown=1"):
        text = re.sub(r"<[^>]+>", " ", site.get(f"/studies/flu{page}").text)
        times = re.findall(r"\d{4}-\d\d-\d\d\S*(?: [\d:]+)?(?: \S+)?", text)
        assert times, page
        for each in times:
            assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\S?", each), page


def test_pages_hold_nothing_inline_and_all_they_load_is_here(site):
    loaded = set()
    own = [f"/studies/flu{page}" for page in (*PAGES, "/cases/P1", "/report")]
    for path in ("/studies", "/studies/new", "/plans", "/login", *own):
        text = site.get(path).text
        tags = re.findall(r"<[a-z][^>]*>", text)
        assert not [tag for tag in tags if re.search(r"\s(style|on[a-z]+)=", tag)]
        assert not [tag for tag in tags if tag.startswith("<script") and " src=" not in tag]
        assert "<style" not in text
        loaded |= set(re.findall(r'(?:src|href)="([^"]*/static/[^"]+)"', text))
        assert not [each for each in re.findall(r'(?:src|href|action)="([^"]+)"', text)
                    if not each.startswith(("/", "#"))]  # fmt: skip
        identities = re.findall(r'\sid="([^"]+)"', text)
        assert len(identities) == len(set(identities)), path
    assert len(loaded) >= 7
    for each in loaded:
        assert site.get(each).status_code == 200


@pytest.mark.slow
def test_the_history_is_read_page_by_page(tmp_path):
    with make_study(tmp_path / "studies.db", name="long") as study:
        for _ in range(120):
            study.cancel(study.ask(1)[0].number)
    with client(tmp_path) as site:
        first = site.get("/studies/long/history").text
        assert "241 events" in first
        assert "Page 1 of 10" in first
        last = site.get("/studies/long/history?page=10").text
        assert 'id="event-1"' in last
        assert 'rel="next"' not in last
        assert "Page 1 of 10" in site.get("/studies/long/history?page=-1").text
        assert "Page 1 of 10" in site.get("/studies/long/history?page=one").text
        filtered = site.get("/studies/long/history", params={"kind": "cancelled"}).text
        assert "120 events" in filtered
        assert "kind=cancelled&amp;page=2" in filtered
        assert 'href="/studies/long/history.csv"' in first
        assert 'href="/studies/long/history.csv?kind=cancelled"' in filtered
        file = site.get("/studies/long/history.csv?kind=cancelled").text
        assert len(file.splitlines()) == 1 + 120
