"""Forms as texts: each is carried out once, says what will happen, and names fields and buttons."""

import html
import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from budgeted import Study
from budgeted.cli.studies.hints import words as command
from budgeted.errors import JournalError
from tests.web.test_pages import PAGES
from tests.webs import client, make_study

SHELL = re.compile(r"budgeted study|\B--[a-z]|\[\d+\]|`|\bStudyError\b|\bNone\b")
"""What belongs into a terminal, a file or a program, and not on a page."""


@contextmanager
def serving(folder):
    with make_study(folder / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
        study.record([("P11", "cough", "no")], charge="0.50")
    with client(folder) as found:
        found.database = str(folder / "studies.db")
        yield found


@pytest.fixture
def site(tmp_path):
    with serving(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def unmoved(tmp_path_factory):
    """One that refuses all that it is sent, so that it can be shared."""
    with serving(tmp_path_factory.mktemp("unmoved")) as found:
        yield found


def events(site):
    with Study.open(site.database, "flu") as study:
        return [entry.event.words() for entry in study.history()]


def send(site, path, htmx=False, **fields):
    """Send a form, as htmx does or as a browser without scripts."""
    headers = {"HX-Request": "true"} if htmx else {"Accept": "text/html"}
    return site.post(f"/studies/flu/{path}", data=fields, headers=headers)


def words(answer):
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.text))


def test_every_form_carries_a_key_of_its_own(site):
    seen = []
    steps = ("/studies/new", "/plans")
    for path in (*steps, *(f"/studies/flu{page}" for page in PAGES)):
        page = site.get(path).text
        for form in re.findall(r'<form[^>]*method="post".*?</form>', page, flags=re.S):
            if re.search(r'action="/(actor|logout|login)"', form):
                continue
            keys = re.findall(r'name="key" value="([0-9a-f]{16})" autocomplete="off"', form)
            assert len(keys) == 1, form[:200]
            seen += keys
    assert len(seen) >= 15
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("ask", {"n": "2"}),
        ("requests/2/tell", {"value": "no"}),
        ("requests/2/fail", {"charged": "yes", "why": "broken"}),
        ("requests/2/cancel", {}),
        ("requests/1/undo", {}),
        ("record", {"case": "P10", "what": "1=yes", "charge": "1"}),
        ("budget", {"budget": "30"}),
    ],
)
def test_a_form_that_comes_twice_is_carried_out_once_and_says_so(site, path, fields):
    assert send(site, path, key="abc", **fields).status_code == 303
    once = events(site)
    again = send(site, path, key="abc", **fields)
    assert again.status_code == 200
    assert "recorded before, and is not recorded twice" in words(again)
    by_htmx = send(site, path, htmx=True, key="abc", **fields)
    assert "recorded before" in by_htmx.headers["HX-Trigger"]
    assert '"fresh": {"key"' in by_htmx.headers["HX-Trigger"]  # for who means it once more
    assert events(site) == once


def test_the_same_form_with_something_else_in_it_is_told_apart(site):
    send(site, "record", key="abc", case="P10", what="1=yes")
    before = events(site)
    other = send(site, "record", htmx=True, key="abc", case="P10", what="0=yes")
    assert other.status_code == 422
    assert "this form was sent before" in words(other)
    assert '"fresh"' in other.headers["HX-Trigger"]
    assert "this form was sent before" in words(
        send(site, "record", key="abc", case="P10", what="0=yes")
    )
    assert events(site) == before


def confirmation(answer):
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))


@pytest.mark.parametrize("htmx", [True, False], ids=["htmx", "plain"])
@pytest.mark.slow
def test_what_cannot_be_undone_says_first_what_will_happen(site, htmx):
    with Study.open(site.database, "flu") as study:
        pending, told = study.requests("pending"), study.request(1)
    before = events(site)
    case = pending[0].case
    asked = send(site, "withdraw", htmx, case=case, forget="yes", key="w")
    said = words(asked)
    mine = [each for each in pending if each.case == case]
    assert f"Case {case} is taken out for good" in said
    assert f"{', '.join(str(each.number) for each in mine)} " in said
    assert f"{sum(each.cost for each in mine)} come back" in said
    fall = send(site, "budget", htmx, budget="10.00", key="b")
    assert "falls from 20 to 10" in words(fall)
    other = "no" if told.value == "yes" else "yes"
    correct = send(site, "requests/1/correct", htmx, value=f"={other}", key="c")
    assert f"{other} instead of {told.value}" in words(correct)
    assert events(site) == before, "nothing happens before it is confirmed"
    fields = confirmation(asked)
    # Something happens in between: what was confirmed is not what would happen now.
    send(site, f"requests/{mine[0].number}/cancel")
    stale = send(site, "withdraw", htmx, **fields)
    assert "come back" not in words(stale)
    assert not any("withdrawn" in each for each in events(site))
    fields = confirmation(stale)
    send(site, "withdraw", htmx, **fields)
    assert events(site)[-1].startswith(f"case {case} withdrawn")


def test_fewer_requests_than_wanted_say_why(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.set_budget("4")
    with client(tmp_path) as site:
        site.database = str(tmp_path / "studies.db")
        answer = send(site, "ask", htmx=True, n="20")
        said = answer.headers["HX-Trigger"]
        with Study.open(site.database, "flu") as study:
            asked = len(study.requests())
        assert f"{asked} new request" in said
        assert f"20 were asked for; the free money (4.00) pays for {asked}" in said
        nothing = send(site, "ask", htmx=True, n="20").headers["HX-Trigger"]
        assert "Nothing new: 20 were asked for; " in nothing
        assert "are free, and the cheapest value costs 1" in nothing


REFUSALS = [
    ("ask", {"n": "many"}), ("ask", {"n": "0"}), ("ask", {"n": "100000"}),
    ("requests/1/tell", {"value": "no"}), ("requests/9/tell", {"value": "no"}),
    ("requests/2/tell", {}), ("requests/2/tell", {"value": "maybe"}),
    ("requests/2/tell", {"value": "no", "cost": "a lot"}),
    ("requests/2/tell", {"value": "no", "cost": "1000"}),
    ("requests/1/fail", {}), ("requests/2/fail", {"charged": "other"}),
    ("requests/2/fail", {"charged": "other", "amount": "-1"}),
    ("requests/1/cancel", {}), ("requests/2/undo", {}), ("requests/4/undo", {}),
    ("requests/1/correct", {"value": "=yes"}), ("requests/2/correct", {"value": "=yes"}),
    ("requests/1/correct", {"value": "=maybe"}), ("requests/1/correct", {}),
    ("record", {}), ("record", {"case": "nobody", "what": "0=yes"}),
    ("record", {"case": "P11", "what": "1=yes"}), ("record", {"case": "P10", "what": "0=maybe"}),
    ("record", {"case": "P10", "what": "0=yes", "charge": "much"}),
    ("budget", {"budget": "1"}), ("budget", {"budget": "lots"}), ("budget", {"budget": "20"}),
    ("withdraw", {"case": "nobody"}), ("close", {}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "fields"), REFUSALS)
def test_refusals_speak_of_fields_and_buttons(unmoved, path, fields):
    before = events(unmoved)
    for htmx in (True, False):
        answer = send(unmoved, path, htmx, **fields)
        assert answer.status_code >= 400
        said = words(answer)
        assert not SHELL.search(said), said
    assert events(unmoved) == before


def other_program(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")


@pytest.mark.parametrize(
    "instead",
    [lambda path: None, lambda path: path.touch(), other_program,
     lambda path: path.write_bytes(b"case,label\n1,well\n" * 100)],
    ids=["gone", "empty", "of another program", "no database"],
)  # fmt: skip
@pytest.mark.parametrize("opened", [False, True])
def test_a_lost_database_is_said_in_words_of_the_page(site, instead, opened):
    path = Path(site.database)
    if opened:
        assert site.get("/studies/flu").status_code == 200
    for each in path.parent.glob("studies.db*"):
        each.unlink()
    instead(path)
    answers = [site.get(each) for each in ("/studies", "/studies/flu", "/api/studies")]
    answers += [
        site.post("/studies/flu/ask", data={"n": "1"}, headers=headers)
        for headers in ({"HX-Request": "true"}, {"Accept": "text/html"})
    ]
    for answer in answers:
        assert answer.status_code in (503, 422)
        said = words(answer)
        assert not SHELL.search(said), said
        assert "busy" not in said
        assert "tell whoever runs the server" in said
        assert str(path.parent) not in said
    with pytest.raises(JournalError) as caught:
        Study.open(site.database, "flu")
    assert "--db (or BUDGETED_DB)" in command(caught.value)


def test_an_interval_without_a_width_is_said_in_words(tmp_path):
    """Nothing is known yet: the commonest label is guessed, and its share is all there is."""
    with make_study(tmp_path / "studies.db"), client(tmp_path) as site:
        said = words(site.get("/studies/flu/money"))
        assert not re.search(r"from (\d+\.\d %) to \1", said)
        api = site.get("/api/studies/flu").json()["outlook"]
        assert f"{100 * api['low']:.1f} % to {100 * api['low']:.1f} %" not in api["words"]
