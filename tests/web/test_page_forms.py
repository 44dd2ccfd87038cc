"""Forms as texts: each is carried out once, says what will happen, and names fields and buttons."""

import html
import json
import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from budgeted import Study
from budgeted.cli.studies.hints import words as command
from budgeted.errors import BudgetedError, JournalError, UnknownFateError
from budgeted.studies.commands import Undo
from budgeted.studies.drafts import Draft
from tests.web.test_pages import PAGES
from tests.webs import client, make_study

WHERE = "postgresql://anna@lab/studies"
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


def send(site, path, **fields):
    """Send a form, as htmx does."""
    headers = {"HX-Request": "true"}
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
    assert send(site, path, key="abc", **fields).status_code == 200
    once = events(site)
    again = send(site, path, key="abc", **fields)
    assert again.status_code == 200
    assert "recorded before, and is not recorded twice" in again.headers["HX-Trigger"]
    assert '"fresh": {"key"' in again.headers["HX-Trigger"]  # for who means it once more
    assert events(site) == once


def test_what_stays_beside_a_form_says_nothing_of_the_money(site):
    """Others spend it, too; that is said once."""
    answer = send(site, "budget", budget="500")
    assert "was set to 500" in words(answer)
    assert "free" not in words(answer)
    assert "free" in answer.headers["HX-Trigger"]


def test_the_same_form_with_something_else_in_it_is_told_apart(site):
    send(site, "record", key="abc", case="P10", what="1=yes")
    before = events(site)
    other = send(site, "record", key="abc", case="P10", what="0=yes")
    assert other.status_code == 422
    assert "this form was sent before" in words(other)
    assert '"fresh"' in other.headers["HX-Trigger"]
    assert events(site) == before


def confirmation(answer):
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))


@pytest.mark.slow
def test_what_cannot_be_undone_says_first_what_will_happen(site):
    with Study.open(site.database, "flu") as study:
        pending, told = study.requests("pending"), study.request(1)
    before = events(site)
    case = pending[0].case
    asked = send(site, "withdraw", case=case, forget="yes", key="w")
    said = words(asked)
    mine = [each for each in pending if each.case == case]
    assert f"Case {case} is taken out for good" in said
    assert f"{', '.join(str(each.number) for each in mine)} " in said
    assert f"{sum(each.cost for each in mine)} come back" in said
    fall = send(site, "budget", budget="10.00", key="b")
    assert "falls from 20 to 10" in words(fall)
    other = "no" if told.value == "yes" else "yes"
    correct = send(site, "requests/1/correct", value=f"={other}", key="c")
    assert f"{other} instead of {told.value}" in words(correct)
    assert events(site) == before, "nothing happens before it is confirmed"
    fields = confirmation(asked)
    # Something happens in between: what was confirmed is not what would happen now.
    send(site, f"requests/{mine[0].number}/cancel")
    stale = send(site, "withdraw", **fields)
    assert "come back" not in words(stale)
    assert not any("withdrawn" in each for each in events(site))
    fields = confirmation(stale)
    send(site, "withdraw", **fields)
    assert events(site)[-1].startswith(f"case {case} withdrawn")


def test_fewer_requests_than_wanted_say_why(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.set_budget("4")
    with client(tmp_path) as site:
        site.database = str(tmp_path / "studies.db")
        answer = send(site, "ask", n="20")
        said = answer.headers["HX-Trigger"]
        with Study.open(site.database, "flu") as study:
            asked = len(study.requests())
        assert f"{asked} new request" in said
        assert f"20 were asked for; the free money (4.00) pays for {asked}" in said
        nothing = send(site, "ask", n="20").headers["HX-Trigger"]
        assert "Nothing new: 20 were asked for; " in nothing
        assert "are free, and the cheapest value costs 1" in nothing


REFUSALS = [
    ("ask", {"n": "many"}, "must be a whole number"), ("ask", {"n": "0"}, "from 1"),
    ("requests/2/tell", {}, "choose the value"), ("requests/2/tell", {"value": "maybe"}, "maybe"),
    ("requests/2/tell", {"value": "no", "cost": "a lot"}, "must be an amount"),
    ("requests/2/tell", {"value": "no", "cost": "1000"}, "free"),
    ("requests/2/fail", {"charged": "other"}, "say how much was charged"),
    ("requests/2/fail", {"charged": "other", "amount": "-1"}, "must be 0 or more"),
    ("requests/1/cancel", {}, "request 1"), ("requests/2/undo", {}, "request 2"),
    ("requests/1/correct", {"value": "=yes"}, "yes"), ("requests/1/correct", {}, "choose"),
    ("record", {"case": "nobody", "what": "0=yes"}, "nobody"),
    ("record", {"case": "P10", "what": "9=yes"}, "choose the feature"),
    ("record", {"case": "P10", "what": "0=yes", "charge": "much"}, "must be an amount"),
    ("budget", {"budget": "-1"}, "must be 0 or more"), ("budget", {"budget": "1"}, "1"),
    ("withdraw", {"case": "nobody"}, "there is no case"), ("close", {}, "pending"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "fields", "why"), REFUSALS)
def test_refusals_speak_of_fields_and_buttons_at_the_right_place(unmoved, path, fields, why):
    before = events(unmoved)
    answer = send(unmoved, path, **fields)
    assert (answer.status_code, answer.headers["HX-Reswap"]) == (422, "innerHTML")
    said = words(answer)
    assert why in said
    assert not SHELL.search(said), said
    place = answer.headers["HX-Retarget"].removeprefix("#")
    pages = ("", "/cards?shown=1", "/manage", "/cases/P1", "/requests/1/correct")
    there = [unmoved.get(f"/studies/flu{page}").text for page in pages]
    assert f'id="{place}"' in "".join(there), place
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
    answers.append(send(site, "ask", n="1"))
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


@pytest.fixture
def slips(tmp_path):
    """One with a value, a cancelled request and two under way."""
    with make_study(tmp_path / "studies.db") as study:
        study.ask(4)
        study.tell(1, "no")
        study.cancel(3)
    with client(tmp_path) as found:
        found.database = str(tmp_path / "studies.db")
        yield found


@pytest.mark.parametrize(
    ("path", "fields", "since"),
    [
        ("withdraw", {"case": "P3", "forget": "yes"}, None),
        ("withdraw", {"case": "P3"}, None),
        ("budget", {"budget": "10"}, lambda study: study.set_budget("30")),
        ("requests/1/correct", {"value": "=yes"}, lambda study: study.correct(1, "no")),
        ("close", {}, None),
    ],
)
def test_what_was_confirmed_and_done_is_not_asked_again(slips, path, fields, since):
    with Study.open(slips.database, "flu", by="ben") as study:
        if path == "close":
            for each in study.requests("pending"):
                study.cancel(each.number)
        asked = send(slips, path, key="abc", **fields)
        sent = confirmation(asked)
        assert sent["confirmed"]
        assert send(slips, path, **sent).status_code == 200
        if since is not None:
            study.refresh()
            since(study)
    done = events(slips)
    again = send(slips, path, **sent)
    assert "confirmed" not in confirmation(again), "it asks what was answered"
    said = words(again) + again.headers.get("HX-Trigger", "")
    assert "recorded before, and is not recorded twice" in said
    assert events(slips) == done


def undo_form(text, number):
    """What the form that takes back a request holds."""
    (form,) = re.findall(rf'<form[^>]*/requests/{number}/undo".*?</form>', text, re.S)
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


@pytest.mark.parametrize("where", ["cards?shown=1", "history"])
@pytest.mark.parametrize(
    "change",
    [
        lambda study: study.correct(1, "yes"),
        lambda study: study.correct(1, "no", cost="0.25"),
        lambda study: (study.undo(1), study.cancel(1)),
    ],
    ids=["value", "cost", "fate"],
)
def test_undo_takes_back_what_was_shown_and_nothing_else(slips, where, change):
    form = undo_form(slips.get(f"/studies/flu/{where}").text, 1)
    with Study.open(slips.database, "flu", by="ben") as study:
        change(study)
    before = events(slips)
    answer = send(slips, "requests/1/undo", **form)
    assert answer.status_code >= 400
    assert "request 1 was changed since this was shown" in words(answer)
    assert events(slips) == before
    form = undo_form(slips.get(f"/studies/flu/{where}").text, 1)
    assert send(slips, "requests/1/undo", **form).status_code == 200
    assert "pending again" in events(slips)[-1]


def test_a_colleague_who_is_quicker_by_a_moment_is_seen_too(slips, monkeypatch):
    """What is shown is compared when the turn of the undo comes, not when the form does."""
    form = undo_form(slips.get("/studies/flu/cards?shown=1").text, 1)
    carry_out = Study.carry_out

    def later(study, sent, shared=False):
        monkeypatch.setattr(Study, "carry_out", carry_out)
        with Study.open(slips.database, "flu", by="ben") as other:
            other.correct(1, "yes")
        return carry_out(study, sent)

    monkeypatch.setattr(Study, "carry_out", later)
    assert "changed since this was shown" in words(send(slips, "requests/1/undo", **form))
    assert "yes instead of no" in events(slips)[-1]


def can_be_undone(study, number):
    try:
        Undo(number).decide(Draft.of(study._projection))
    except BudgetedError:
        return False
    return True


def test_the_history_offers_undo_on_the_last_line_of_what_can_be_undone(slips):
    with Study.open(slips.database, "flu", by="ben") as study:
        study.correct(1, "yes")
        study.fail(2)
        study.record([(study.request(2).case, study.request(2).feature, "no")])
        study.withdraw(study.request(3).case)
        undoable = {each.number for each in study.requests() if can_be_undone(study, each.number)}
        last = {getattr(each.event, "number", None): each.seq for each in study.history()}
    page = slips.get("/studies/flu/history").text
    rows = {
        int(row.split('"')[0]): row.split("</tr>")[0] for row in page.split('<tr id="event-')[1:]
    }
    offering = {seq for seq, row in rows.items() if "/undo" in row}
    assert offering == {last[number] for number in undoable}
    assert undoable == {1}


def test_undo_in_the_history_leads_back_to_it(slips):
    form = undo_form(slips.get("/studies/flu/history").text, 1)
    assert send(slips, "requests/1/undo", **form).headers["HX-Redirect"] == "/studies/flu/history"


@pytest.fixture
def lost(monkeypatch):
    """The answer of the next write is lost, which is done or not; returns what says which."""
    carry_out = Study.carry_out

    def lose(written):
        def losing(study, sent, shared=False):
            monkeypatch.setattr(Study, "carry_out", carry_out)
            if written:
                carry_out(study, sent)
            return tuple(
                UnknownFateError("it is not known whether it was written", WHERE, each.key)
                for each in sent
            )

        monkeypatch.setattr(Study, "carry_out", losing)

    return lose


@pytest.mark.parametrize("written", [True, False], ids=["written", "not written"])
def test_a_write_of_unknown_fate_is_not_called_undone_and_is_pressed_again(site, lost, written):
    before = events(site)
    lost(written)
    answer = send(site, "requests/2/tell", value="no", key="abc123")
    said = words(answer) + answer.headers.get("HX-Trigger", "")
    assert answer.status_code == 503
    assert "It is not known whether this was recorded. Press again: it is not recorded" in said
    for word in ("Not done", "anna@lab", "abc123"):
        assert word not in said
    assert "fresh" not in json.loads(answer.headers["HX-Trigger"]), "it keeps its key"
    again = send(site, "requests/2/tell", value="no", key="abc123")
    assert again.status_code == 200
    assert [each[:14] for each in events(site)[len(before) :]] == ["request 2 told"]


def test_a_list_of_unknown_fate_is_sent_again_from_its_page(site, lost):
    listed = {"pasted": "case\tlabel\nN1\till\n"}
    page = site.post("/studies/flu/add-cases/preview", data=listed).text
    form = re.search(r'<form[^>]*action="/studies/flu/add-cases".*?</form>', page, re.S)[0]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)) | listed
    lost(True)
    answer = site.post("/studies/flu/add-cases", data=fields)
    assert answer.status_code == 503
    assert "It is not known whether this was recorded" in words(answer)
    assert site.post("/studies/flu/add-cases", data=fields).status_code == 303
    assert sum("N1" in each for each in events(site)) == 1


@pytest.mark.slow
def test_a_program_is_told_the_key_of_a_write_of_unknown_fate(site, lost):
    lost(True)
    answer = site.post("/api/studies/flu/ask", json={"n": 1}, headers={"Idempotency-Key": "k7"})
    assert answer.status_code == 503
    assert "the key k7" in answer.json()["error"]


ENDLESS = "1" * 5_000


@pytest.mark.parametrize("number", [ENDLESS, "٣" * 5_000, "²", "-1", "1e3"])
def test_numbers_without_an_end_are_refused_in_words(site, number):
    before = events(site)
    for path, fields in (
        ("ask", {"n": number}),
        ("record", {"case": "P10", "what": f"{number}=yes"}),
    ):
        answer = send(site, path, **fields)
        assert answer.status_code == 422, path
        assert len(words(answer)) < 500
    for path in (f"history?page={number}", f"cards?shown={number}"):
        assert site.get(f"/studies/flu/{path}").status_code == 200
    assert site.get("/studies/flu/model", params={"known": f"{number}=yes"}).status_code == 422
    assert events(site) == before
