"""Forms that come again, or too late: the same one, a changed one, one that shows what is past."""

import re

import pytest

from budgeted import Study
from budgeted.errors import BudgetedError
from budgeted.studies.commands import Undo
from budgeted.studies.drafts import Draft
from tests.web.test_page_forms import confirmation, events, send, words
from tests.webs import client, make_study


@pytest.fixture
def site(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(4)
        study.tell(1, "no")
        study.cancel(3)
    with client(tmp_path) as found:
        found.database = str(tmp_path / "studies.db")
        yield found


@pytest.mark.parametrize("htmx", [True, False], ids=["htmx", "plain"])
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
def test_what_was_confirmed_and_done_is_not_asked_again(site, path, fields, since, htmx):
    with Study.open(site.database, "flu", by="ben") as study:
        if path == "close":
            for each in study.requests("pending"):
                study.cancel(each.number)
        asked = send(site, path, htmx, key="abc", **fields)
        sent = confirmation(asked)
        assert sent["confirmed"]
        assert send(site, path, htmx, **sent).status_code in (200, 303)
        if since is not None:
            study.refresh()
            since(study)
    done = events(site)
    again = send(site, path, htmx, **sent)
    assert "confirmed" not in confirmation(again), "it asks what was answered"
    said = words(again) + again.headers.get("HX-Trigger", "")
    assert "recorded before, and is not recorded twice" in said
    assert events(site) == done


def undo_form(text, number):
    """What the form that takes back a request holds."""
    (form,) = re.findall(rf'<form[^>]*/requests/{number}/undo".*?</form>', text, re.S)
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


@pytest.mark.parametrize(("where", "htmx"), [("cards?shown=1", True), ("history", False)])
@pytest.mark.parametrize(
    "change",
    [
        lambda study: study.correct(1, "yes"),
        lambda study: study.correct(1, "no", cost="0.25"),
        lambda study: (study.undo(1), study.cancel(1)),
    ],
    ids=["value", "cost", "fate"],
)
def test_undo_takes_back_what_was_shown_and_nothing_else(site, where, htmx, change):
    form = undo_form(site.get(f"/studies/flu/{where}").text, 1)
    with Study.open(site.database, "flu", by="ben") as study:
        change(study)
    before = events(site)
    answer = send(site, "requests/1/undo", htmx, **form)
    assert answer.status_code >= 400
    assert "request 1 was changed since this was shown" in words(answer)
    assert events(site) == before
    form = undo_form(site.get(f"/studies/flu/{where}").text, 1)
    assert send(site, "requests/1/undo", htmx, **form).status_code in (200, 303)
    assert "pending again" in events(site)[-1]


def test_a_colleague_who_is_quicker_by_a_moment_is_seen_too(site, monkeypatch):
    """What is shown is compared when the turn of the undo comes, not when the form does."""
    form = undo_form(site.get("/studies/flu/cards?shown=1").text, 1)
    carry_out = Study.carry_out

    def later(study, sent, shared=False):
        monkeypatch.setattr(Study, "carry_out", carry_out)
        with Study.open(site.database, "flu", by="ben") as other:
            other.correct(1, "yes")
        return carry_out(study, sent)

    monkeypatch.setattr(Study, "carry_out", later)
    assert "changed since this was shown" in words(send(site, "requests/1/undo", True, **form))
    assert "yes instead of no" in events(site)[-1]


def can_be_undone(study, number):
    try:
        Undo(number).decide(Draft.of(study._projection))
    except BudgetedError:
        return False
    return True


def test_the_history_offers_undo_on_the_last_line_of_what_can_be_undone(site):
    with Study.open(site.database, "flu", by="ben") as study:
        study.correct(1, "yes")
        study.fail(2)
        study.record([(study.request(2).case, study.request(2).feature, "no")])
        study.withdraw(study.request(3).case)
        undoable = {each.number for each in study.requests() if can_be_undone(study, each.number)}
        last = {getattr(each.event, "number", None): each.seq for each in study.history()}
    page = site.get("/studies/flu/history").text
    rows = {
        int(row.split('"')[0]): row.split("</tr>")[0] for row in page.split('<tr id="event-')[1:]
    }
    offering = {seq for seq, row in rows.items() if "/undo" in row}
    assert offering == {last[number] for number in undoable}
    assert undoable == {1}


def test_undo_in_the_history_leads_back_to_it(site):
    form = undo_form(site.get("/studies/flu/history").text, 3)
    plain = send(site, "requests/3/undo", **form)
    assert (plain.status_code, plain.headers["location"]) == (303, "/studies/flu/history")
    form = undo_form(site.get("/studies/flu/history").text, 1)
    by_htmx = send(site, "requests/1/undo", True, **form)
    assert by_htmx.headers["HX-Redirect"] == "/studies/flu/history"
    again = send(site, "requests/1/undo", **form)
    assert "recorded before" in words(again)
