"""Roles in a real browser: who enters values sees no labels; deleting asks for the name."""

import pytest

from budgeted import Study
from budgeted.web.auth.credential_files import write_line
from budgeted.web.auth.credentials import password_line
from budgeted.web.auth.roles import Role
from tests.browsers import PHONE, Server, accessibility_problems, window
from tests.webs import make_study

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roles")
    line = password_line(PASSWORD)
    for name, role in (("eva", Role.ENTERS), ("max", Role.MANAGES)):
        write_line(folder / "passwords", name, line, role)
    with make_study(folder / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
    with Server(folder, "--password-file", str(folder / "passwords")).running() as found:
        yield found


def log_in(page, server, name):
    page.goto(f"{server.url}/login")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password or token").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/studies")


def press(dialog, name):
    """Press a button when the dialogue listens: right after something changed it does not."""
    from playwright.sync_api import expect

    button = dialog.get_by_role("button", name=name)
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()


@pytest.mark.parametrize("size", [None, PHONE], ids=["wide", "narrow"])
def test_who_enters_values_works_without_labels(browser, guarded, size):
    from playwright.sync_api import expect

    with window(browser, guarded, size) as watched:
        page = watched.page()
        log_in(page, guarded, "eva")
        page.goto(guarded.study_url("flu"))
        expect(page.locator("details.actor summary")).to_have_text("You are eva, enters values")
        card = page.locator(".card").first
        expect(card).to_be_visible()
        assert not [word for word in ("well", "ill")
                    if word in page.locator("main").inner_text().split()]  # fmt: skip
        expect(page.get_by_role("button", name="Ask what to measure")).to_have_count(0)
        expect(page.get_by_role("link", name="Model")).to_have_count(0)
        assert accessibility_problems(page) == []
        number = card.get_attribute("id").removeprefix("card-")
        card.get_by_role("button", name="yes", exact=True).click()
        settled = page.locator(f"#card-{number}.settled")
        expect(settled).to_contain_text("yes")
        assert settled.locator(".above span").first.inner_text() == f"Request {number}"
        for tab in ("/history", "/worklist"):
            page.goto(guarded.study_url("flu", tab))
            text = page.locator("main").inner_text()
            assert "(ill)" not in text
            assert "(well)" not in text
            assert accessibility_problems(page) == []


def test_a_study_is_archived_and_deleted_by_its_name(browser, guarded):
    from playwright.sync_api import expect

    make_study(guarded.database, "old").release()
    with window(browser, guarded) as watched:
        page, other = watched.page(), watched.page()
        log_in(page, guarded, "max")
        page.goto(guarded.study_url("old", "/manage"))
        other.goto(guarded.study_url("old"))
        expect(other.locator("#live-state")).to_have_text("Live")
        page.get_by_text("Put the study into the archive").click()
        page.get_by_role("button", name="Put it there").click()
        dialog = page.locator("#confirm")
        expect(dialog).to_contain_text("nothing changes it until somebody who manages takes it")
        assert accessibility_problems(page) == []
        press(dialog, "Put it there")
        expect(page.locator(".titles .tag.archived")).to_be_visible()
        assert accessibility_problems(page) == []
        page.get_by_role("button", name="Delete the study…").click()
        expect(dialog.get_by_role("heading")).to_have_text("Delete old?")
        assert accessibility_problems(page) == []
        dialog.get_by_label("Type the name").fill("new")
        press(dialog, "Delete it for good")
        expect(dialog).to_contain_text("This is not the name of the study")
        dialog.get_by_label("Type the name").fill("old")
        press(dialog, "Delete it for good")
        page.wait_for_url("**/studies")
        expect(page.get_by_role("link", name="old")).to_have_count(0)
        expect(other.locator("#live-state")).to_have_text("Deleted")
        watched.expect_refusal("422", "404")
    with pytest.raises(Exception, match="there is no study 'old'"):
        Study.open(guarded.database, "old")
