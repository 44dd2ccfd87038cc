"""Everybody can use the pages: by keyboard, on a phone, in the dark, with a screen reader."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from budgeted.studies.study import Study
from budgeted.web.sample import put_in_place
from tests.browsers import (
    DESKTOP,
    PHONE,
    ROOT,
    Server,
    accessibility_problems,
    widest,
    window,
)
from tests.web.test_browser_story import TRUTH, begin, cards, ready

NAME = "anaemia"
PAGES = (
    "/studies", "/studies/new", "/studies/anaemia", "/studies/anaemia/worklist",
    "/studies/anaemia/cases", "/studies/anaemia/cases/P01?test=ferritin",
    "/studies/anaemia/manage", "/studies/anaemia/add-cases", "/studies/anaemia/report",
    "/studies/anaemia/history", "/studies/anaemia/model?known=0%3Dlow&known=2%3Draised",
    "/studies/anaemia/requests/1/correct", "/plans", "/nothing",
    "/studies?closed=yes", "/studies/anaemia/results",
    "/studies/anaemia/diagnose?wrong=300&told=2%3Dnormal",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(server):
    """The server with the sample study."""
    put_in_place(server.database)
    return server


def tab_to(page, target, most=120):
    """Press Tab until the target has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} cannot be reached with the Tab key")


@pytest.mark.parametrize(
    ("viewport", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "dark phone"]
)
def test_axe_finds_nothing_on_any_page(browser, filled, viewport, scheme):
    with window(browser, filled, viewport, color_scheme=scheme) as watched:
        page = watched.page()
        found = []
        for path in PAGES:
            page.goto(filled.url + path)
            if path == f"/studies/{NAME}":
                for place in page.locator("[data-chart]").all():  # it comes when it is seen
                    place.scroll_into_view_if_needed()
                expect(page.locator("[data-chart][data-drawn]")).to_have_count(4)
            page.evaluate(
                "() => document.querySelectorAll('details').forEach(each => each.open = true)"
            )
            found += [f"{path}: {each}" for each in accessibility_problems(page)]
            if widest(page) > 0:
                found.append(f"{path}: wider than the window by {widest(page)} pixels")
        watched.expect_refusal("404")
        assert not found, "\n".join(found)


def test_a_study_by_keyboard_alone(browser, filled):
    name = "by keyboard"
    with window(browser, filled) as watched:
        page = watched.page()
        begin(page, filled, name)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        tab_to(page, page.get_by_label("How many"))
        page.keyboard.press("ArrowDown")  # from 3 to 2
        page.keyboard.press("Enter")
        expect(cards(page)).to_have_count(2)
        expect(page.locator("#announcer")).to_contain_text("2 new requests")
        tell_undo_and_tell_again(page)
        tab_to(page, ready(cards(page).nth(0)).get_by_text("It failed"))
        page.keyboard.press("Enter")
        tab_to(page, page.get_by_role("button", name="Record the failure"))
        page.keyboard.press("Enter")
        expect(page.locator("#card-2.settled h4")).to_be_focused()
        tab_to(page, page.get_by_role("button", name="Put settled cards away"))
        page.keyboard.press("Enter")
        expect(page.locator("#no-requests")).to_be_visible()
        expect(page.locator("#ask-button")).to_be_focused()

        # The list is drawn anew when the failure is told; a link in the old one would be gone.
        expect(page.locator("#recent li").first).to_contain_text("failed")
        tab_to(page, page.get_by_role("link", name="Correct number 1"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=2)).to_have_text("Correct number 1")
        tab_to(page, page.locator("input[name=value]:checked"))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        confirm_by_keyboard(page)
        expect(page.locator("#lines tbody tr").first).to_contain_text(
            re.compile(r"corrected\s*number 1")
        )
    with Study.open(filled.database, name) as study:
        assert [each.fate for each in study.requests()] == ["told", "failed"]


def tell_undo_and_tell_again(page):
    """The focus stays with the card, on what cannot be pressed by the same key."""
    first = cards(page).nth(0)
    feature, case = first.locator("h4 strong").all_inner_texts()
    tab_to(page, ready(first).get_by_role("button", name=TRUTH[case][feature], exact=True))
    page.keyboard.press("Space")
    expect(cards(page)).to_have_count(1)
    expect(page.locator("#card-1.settled h4")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("Request 1")
    page.keyboard.press("Tab")
    undo = ready(page.locator("#card-1")).get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(cards(page)).to_have_count(2)
    expect(page.locator("#card-1 h4")).to_be_focused()
    first = ready(page.locator("#card-1"))
    tab_to(page, first.get_by_role("button", name=TRUTH[case][feature], exact=True))
    page.keyboard.press("Enter")
    expect(cards(page)).to_have_count(1)


def confirm_by_keyboard(page):
    """What is pressed by one more Enter is the way back."""
    leave = page.get_by_role("link", name="Leave it as it is").last
    expect(leave).to_be_focused()
    assert not accessibility_problems(page)
    expect(page.locator("dialog button")).not_to_have_attribute("aria-disabled", "true")
    tab_to(page, page.get_by_role("dialog").get_by_role("button", name="Correct it"))
    page.keyboard.press("Enter")


def test_a_study_on_a_phone_with_fingers(browser, server):
    name = "on a phone"
    with window(browser, server, PHONE, has_touch=True, is_mobile=True) as watched:
        page = watched.page()
        begin(page, server, name)
        page.get_by_role("button", name="Ask what to measure").tap()
        expect(cards(page)).to_have_count(3)
        for button in cards(page).nth(0).locator(".values button").all():
            assert button.bounding_box()["height"] >= 44
        ready(cards(page).nth(0)).locator(".values button").first.tap()
        expect(cards(page)).to_have_count(2)
        expect(page.locator("#money-spent")).to_have_text("4.00")
        cards(page).nth(0).get_by_text("It failed").tap()
        ready(cards(page).nth(0)).get_by_role("button", name="Record the failure").tap()
        expect(cards(page)).to_have_count(1)
        assert widest(page) <= 0
        page.get_by_role("link", name="Work list", exact=True).tap()
        expect(page.locator(".worklist tbody tr")).to_have_count(1)
        page.get_by_role("link", name="History").first.tap()
        page.get_by_role("link", name="Correct number 1").tap()
        expect(page.get_by_role("heading", level=2)).to_have_text("Correct number 1")
        assert widest(page) <= 0


def test_the_work_list_prints_without_the_rest_of_the_page(browser, filled):
    with window(browser, filled) as watched:
        page = watched.page(f"{filled.url}/studies/{NAME}/worklist")
        page.emulate_media(media="print")
        expect(page.locator(".top")).to_be_hidden()
        expect(page.get_by_role("button", name="Print")).to_be_hidden()
        expect(page.locator(".worklist tbody tr")).to_have_count(3)
        expect(page.get_by_text("Measured by:")).to_be_visible()
        with page.expect_download() as download:
            page.emulate_media(media="screen")
            page.get_by_role("link", name="Download CSV").click()
        assert download.value.path().read_text().startswith("number,case,label,feature,cost")


def test_where_people_must_log_in_they_do(browser, tmp_path):
    file = tmp_path / "passwords"
    subprocess.run(
        [sys.executable, "-m", "budgeted", "serve-password", "anna", "--file", str(file),
         "--password", "correct horse battery"],
        check=True, capture_output=True, env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )  # fmt: skip
    guarded = Server(tmp_path, "--password-file", str(file))
    put_in_place(guarded.database)
    with guarded.running(), window(browser, guarded) as watched:
        page = watched.page(guarded.study_url(NAME))
        expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
        assert not accessibility_problems(page)
        page.get_by_label("Your name").fill("anna")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("do not belong together")
        watched.expect_refusal("401")
        expect(page.get_by_label("Your name")).to_have_value("anna")
        page.get_by_label("Password").fill("correct horse battery")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
        expect(cards(page)).to_have_count(3)
        expect(page.locator("#live-state")).to_have_text("Live")  # the scripts are at work
        page.get_by_text("You are").click()
        watched.context.clear_cookies()  # as after a restart of the server
        page.get_by_role("button", name="Ask what to measure").click()
        expect(page.get_by_role("alert")).to_contain_text("You are not logged in any more")
        expect(page.locator("#live-state.failed")).to_have_text("Not logged in")
        watched.expect_refusal("401")
        page.locator("#record-case").evaluate("each => { each.value = 'half a name'; }")
        with watched.context.expect_page() as other:
            page.get_by_role("link", name="Log in again").click()
        tab = other.value
        tab.get_by_label("Your name").fill("anna")
        tab.get_by_label("Password").fill("correct horse battery")
        tab.get_by_role("button", name="Log in").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text(NAME)
        tab.close()
        page.bring_to_front()
        page.evaluate("() => dispatchEvent(new Event('focus'))")  # no window manager here
        expect(page.locator("#toast")).to_contain_text("You are logged in again")
        watched.expect_refusal("401")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.locator("#record-case")).to_have_value("half a name")
        page.get_by_role("button", name="Ask what to measure").click()
        expect(cards(page)).to_have_count(6)
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
        page.goto(guarded.study_url(NAME))
        expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
        watched.expect_refusal("401")  # an open page asks now and then whether it may go on
