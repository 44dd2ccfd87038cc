"""Closed studies are listed apart; who watches notices that a study was deleted elsewhere."""

import re

import pytest

from budgeted import Study
from tests.sample_studies import CLOCK
from tests.webs import VALIDATION, client, make_study

API = "/api/studies/flu"


@pytest.fixture
def browser(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(2)
    with client(tmp_path) as found:
        yield found


def names(browser, query=""):
    return [each["name"] for each in browser.get(f"/api/studies{query}").json()["studies"]]


def test_closed_studies_are_listed_apart(browser):
    for number in (1, 2):
        browser.post(f"{API}/requests/{number}/cancel", json={})
    assert browser.post(f"{API}/close", json={"why": "published"}).status_code == 200
    assert names(browser) == []
    assert names(browser, "?closed=true") == ["flu"]
    page = browser.get("/studies").text
    assert "Closed (1)" in page
    assert "All studies are closed." in page
    assert '<span class="tag closed">closed</span>' in browser.get("/studies?closed=yes").text
    assert browser.post(f"{API}/reopen", json={"why": "again"}).status_code == 200
    assert names(browser) == ["flu"]


def test_the_list_has_pages_and_a_search(browser, tmp_path):
    for number in range(30):
        make_study(tmp_path / "studies.db", f"study {number:02}").release()
    first = browser.get("/api/studies").json()
    assert (len(first["studies"]), first["total"], first["pages"]) == (25, 31, 2)
    second = browser.get("/api/studies?page=2").json()
    every = {each["name"] for each in (*first["studies"], *second["studies"])}
    assert len(every) == 31
    assert names(browser, "?text=STUDY 07") == ["study 07"]
    page = browser.get("/studies?text=study 2").text
    assert page.count('class="tile"') == 10
    assert "No study has a name like this." in browser.get("/studies?text=nothing").text
    assert 'rel="next"' in browser.get("/studies").text


def delete(tmp_path):
    """As the command line does, while the server has the study open."""
    with Study.open(str(tmp_path / "studies.db"), "flu") as study:
        for each in study.requests():
            study.cancel(each.number)
        study.close()
        study.delete()


def test_who_watches_is_told_that_it_is_gone_and_nothing_is_kept_of_it(browser, tmp_path):
    given = browser.post(f"{API}/validation", json={"csv": VALIDATION})
    assert given.status_code == 200, given.text
    files = tmp_path / "web" / "validation"
    assert list(files.iterdir())
    with browser.stream("GET", "/studies/flu/live") as stream:
        lines = stream.iter_lines()
        next(lines)
        delete(tmp_path)
        assert any(line == "event: gone" for line in lines)
        assert "there is no study 'flu' any more" in next(lines)
    assert browser.get("/studies/flu").status_code == 404
    assert not list(files.iterdir())


def test_a_new_study_of_the_same_name_is_another_one(browser, tmp_path):
    """What a page of the old one sends is refused, and does not go into the new one."""
    headers = {"hx-request": "true"}
    old = re.search(r'"X-Study": (?:&#34;|")(\w+)', browser.get("/studies/flu").text)[1]
    assert old == browser.get(API).json()["study"]["id"]
    delete(tmp_path)
    later = lambda: CLOCK().replace("2026", "2027")  # noqa: E731
    with make_study(tmp_path / "studies.db", clock=later) as study:
        study.ask(2)
    sent = browser.post("/studies/flu/requests/1/tell", headers=headers | {"x-study": old},
                        data={"value": "yes"})  # fmt: skip
    assert sent.status_code == 422
    assert "was deleted, and there is another one of this name now" in sent.text
    now = browser.get(API).json()
    assert now["study"]["id"] != old
    assert [each["fate"] for each in now["pending"]] == ["pending", "pending"]


def test_another_server_notices_a_study_that_was_replaced(browser, tmp_path):
    """The study is deleted and begun anew by another program, while this server has it open."""
    assert browser.get(API).json()["study"]["pending"] == 2
    delete(tmp_path)
    make_study(tmp_path / "studies.db", clock=lambda: "2030-01-01T00:00:00Z").release()
    first = browser.post(f"{API}/requests/1/tell", json={"value": "yes"})
    assert first.status_code == 404
    assert "there is another one of this name now" in first.json()["error"]
    assert browser.get(API).json()["study"]["pending"] == 0
