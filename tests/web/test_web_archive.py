"""Archive and delete on the server: who watches notices, and nothing is deleted by a slip."""

import json
import re

import pytest

from tests.sample_studies import CLOCK
from tests.web.test_roles import bearer, open_to_all_roles
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


def test_a_study_leaves_the_list_and_is_read_only_until_it_is_taken_back(browser):
    assert browser.post(f"{API}/archive", json={"why": "published"}).status_code == 200
    assert names(browser) == []
    assert names(browser, "?archived=true") == ["flu"]
    page = browser.get("/studies").text
    assert "Archived (1)" in page
    assert "All studies are in the archive." in page
    assert '<span class="tag archived">archived</span>' in browser.get("/studies?archived=yes").text
    for operation, body in (("ask", {}), ("requests/1/tell", {"value": "yes"}), ("close", {}),
                            ("budget", {"budget": "9"}), ("archive", {})):  # fmt: skip
        refused = browser.post(f"{API}/{operation}", json=body)
        assert refused.status_code == 409
        assert "is in the archive; take it back before changing it" in refused.json()["error"]
    study, manage = (browser.get(f"/studies/flu{tab}").text for tab in ("", "/manage"))
    assert "Take it back" in manage
    for button in ("Ask what to measure", "It failed", "Cancel this request"):
        assert button not in study
    for button in ("Change it", "Close it", "Validation cases", "The study grows"):
        assert button not in manage
    results, case = (browser.get(f"/studies/flu/{tab}").text for tab in ("results", "cases/P1"))
    assert "no results are taken before it is taken back" in results
    assert not re.search(r'<form[^>]*method="post"[^>]*/studies/flu/', results + case)
    assert "It failed" not in browser.get("/studies/flu/cards").text
    assert browser.post(f"{API}/unarchive", json={}).status_code == 200
    assert names(browser) == ["flu"]
    assert "Withdraw this case" in browser.get("/studies/flu/cases/P1").text
    kinds = [line["event"]["kind"] for line in browser.get(f"{API}/history").json()["lines"]]
    assert kinds[:2] == ["unarchived", "archived"]
    assert browser.post(f"{API}/requests/1/tell", json={"value": "yes"}).status_code == 200


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


def htmx(browser, page="/studies/flu"):
    return {"hx-request": "true"}


def test_deleting_asks_for_the_name(browser, tmp_path):
    given = browser.post(f"{API}/validation", json={"csv": VALIDATION})
    assert given.status_code == 200, given.text
    files = tmp_path / "web" / "validation"
    assert list(files.iterdir())
    headers = htmx(browser)
    refused = browser.post("/studies/flu/delete", headers=headers)
    assert "put the study into the archive, or close it" in refused.text
    browser.post(f"{API}/archive", json={})
    question = browser.post("/studies/flu/delete", headers=headers)
    assert question.headers["hx-retarget"] == "#confirm"
    assert "All of it goes, for everybody and for good: 12 cases" in question.text
    fields = dict(re.findall(r'name="(key|confirmed)" value="(\w+)"', question.text))
    for typed in ("", "Flu", "flu2"):
        wrong = browser.post("/studies/flu/delete", headers=headers, data=fields | {"typed": typed})
        assert wrong.status_code == 422
        assert "This is not the name of the study. Nothing was deleted." in wrong.text
    gone = browser.post("/studies/flu/delete", headers=headers, data=fields | {"typed": "flu"})
    assert gone.headers["hx-redirect"] == "/studies"
    assert browser.get("/studies/flu").status_code == 404
    assert names(browser) == names(browser, "?archived=true") == []
    assert not list(files.iterdir())


def test_what_was_shown_must_still_be_true_when_it_is_deleted(browser):
    """Somebody takes it back and works on it while another one types its name."""
    browser.post(f"{API}/archive", json={})
    headers = htmx(browser)
    question = browser.post("/studies/flu/delete", headers=headers).text
    fields = dict(re.findall(r'name="(key|confirmed)" value="(\w+)"', question))
    for operation in ("unarchive", "requests/1/cancel", "archive"):
        assert browser.post(f"{API}/{operation}", json={}).status_code == 200
    again = browser.post("/studies/flu/delete", headers=headers, data=fields | {"typed": "flu"})
    assert "Delete flu?" in again.text
    assert browser.get("/studies/flu").status_code == 200


def test_programs_type_the_name_too(browser):
    address = f"{API}/delete"
    assert browser.post(address, json={"name": "flu"}).status_code == 409
    browser.post(f"{API}/archive", json={})
    assert browser.post(address, json={}).status_code == 422
    wrong = browser.post(address, json={"name": "grippe"})
    assert wrong.status_code == 409
    assert "nothing was deleted" in wrong.json()["error"]
    gone = browser.post(address, json={"name": "flu"}).json()
    assert (gone["name"], gone["events"], len(gone["digest"])) == ("flu", 4, 64)
    assert browser.post(address, json={"name": "flu"}).status_code == 404


def test_only_who_manages_archives_and_deletes(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.archive()
    with open_to_all_roles(tmp_path) as server:
        for name in ("lou", "eva"):
            for operation in ("archive", "unarchive", "delete"):
                body = {"name": "flu"} if operation == "delete" else {}
                sent = server.post(f"{API}/{operation}", headers=bearer(name), json=body)
                assert sent.status_code == 403
        page = server.get("/studies/flu/manage", headers=bearer("lou")).text
        assert "Delete the study" not in page
        assert "Take it back" not in page
        deleted = server.post(f"{API}/delete", headers=bearer("max"), json={"name": "flu"})
        assert deleted.status_code == 200


def test_the_log_of_the_server_keeps_who_when_and_which_digest(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.close()
        digest = study.head.digest
    with client(tmp_path, log=str(tmp_path / "log")) as browser:
        assert browser.post(f"{API}/delete", json={"name": "flu"}).status_code == 200
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    (kept,) = [line for line in lines if line.get("operation") == "delete"]
    assert (kept["event"], kept["study"], kept["digest"]) == ("change", "flu", digest)
    assert kept["actor"]
    assert kept["time"]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "by another program"])
def test_who_watches_is_told_that_it_is_gone(browser, tmp_path, elsewhere):
    from budgeted import Study

    browser.post(f"{API}/archive", json={})
    with browser.stream("GET", f"{API}/live") as stream:
        lines = stream.iter_lines()
        next(lines)
        if elsewhere:
            with Study.open(str(tmp_path / "studies.db"), "flu") as study:
                study.delete()
        else:
            browser.post(f"{API}/delete", json={"name": "flu"})
        assert any(line == "event: gone" for line in lines)
        assert "there is no study 'flu' any more" in next(lines)
    assert browser.get("/studies/flu").status_code == 404


def test_a_new_study_of_the_same_name_is_another_one(browser, tmp_path):
    """What a page of the old one sends is refused, and does not go into the new one."""
    headers = htmx(browser)
    old = re.search(r'"X-Study": (?:&#34;|")(\w+)', browser.get("/studies/flu").text)[1]
    assert old == browser.get(API).json()["study"]["id"]
    browser.post(f"{API}/archive", json={})
    assert browser.post(f"{API}/delete", json={"name": "flu"}).status_code == 200
    later = lambda: CLOCK().replace("2026", "2027")  # noqa: E731
    with make_study(tmp_path / "studies.db", clock=later) as study:
        study.ask(2)
    sent = browser.post("/studies/flu/requests/1/tell", headers=headers | {"x-study": old},
                        data={"value": "yes"})  # fmt: skip
    assert sent.status_code == 409
    assert "was deleted, and there is another one of its name now" in sent.text
    now = browser.get(API).json()
    assert now["study"]["id"] != old
    assert [each["fate"] for each in now["pending"]] == ["pending", "pending"]


def test_another_server_notices_a_study_that_was_replaced(browser, tmp_path):
    """The study is deleted and begun anew by another program, while this server has it open."""
    from budgeted import Study

    assert browser.get(API).json()["study"]["pending"] == 2
    with Study.open(str(tmp_path / "studies.db"), "flu") as study:
        study.archive()
        study.delete()
    make_study(tmp_path / "studies.db", clock=lambda: "2030-01-01T00:00:00Z").release()
    first = browser.post(f"{API}/requests/1/tell", json={"value": "yes"})
    assert first.status_code == 404
    assert "there is another one of this name now" in first.json()["error"]
    assert browser.get(API).json()["study"]["pending"] == 0
