"""Cards of visits in a real browser: a study with a visit fee, a panel and numbers."""

import re

import pytest
from playwright.sync_api import expect

from tests.browsers import accessibility_problems, widest, window
from tests.web import panel_study

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def calm(page):
    page.wait_for_function("() => !document.querySelector('button[aria-disabled], .htmx-request')")


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_visit_is_one_card_with_all_that_is_due(browser, server, viewport):
    name = f"clinic-{viewport['width']}"
    panel_study.begin(server.url, validation=True, name=name)
    panel_study.answer_all(server.url, 1, name=name)
    with window(browser, server, viewport) as watched:
        page = watched.page(server.study_url(name))
        expect(page.locator("#live-state")).to_have_text("Live")
        visits = ask_for_two(page)
        visit = visits.first
        due = visit.locator(".card").count()
        assert due > 1
        expect(visit.locator(".due-words")).to_contain_text(f"{due} tests are due")
        expect(page.locator("#error-measured")).to_be_visible()
        expect(page.locator("#worth")).to_contain_text("Asked next:")
        calm(page)
        visit.get_by_text("Why this one?").first.click()
        expect(visit.locator(".compared").first).to_contain_text("what was ordered is the best")
        assert not accessibility_problems(page)
        assert widest(page) <= 0

        tell_a_number(watched, page, visit)
        left = "1 test is due" if due == 2 else f"{due - 1} tests are due"
        expect(visit.locator(".due-words")).to_contain_text(left)
        expect(visit).not_to_have_class(re.compile("settled"))
        for _ in range(due - 1):
            calm(page)
            visit.locator(".card:not(.settled) .values button").first.click()
        expect(visit).to_have_class(re.compile("settled"))
        expect(visit.locator(".due-words")).to_contain_text("Nothing is due any more")
        assert not accessibility_problems(page)
        page.get_by_role("button", name="Put settled cards away").click()
        expect(visits).to_have_count(1)
        for _ in range(visits.locator(".card").count()):
            calm(page)
            page.get_by_role("button", name="Cancel this request").first.click()
        expect(page.locator(".card:not(.settled)")).to_have_count(0)
        page.get_by_role("button", name="Put settled cards away").click()
        expect(page.locator("#no-requests")).to_be_visible()


def ask_for_two(page):
    """Two cases with all that is worth asking of each, for the price that was said before."""
    page.get_by_label("How many").fill("2")
    page.get_by_label("of what").select_option("visits")
    said = page.locator("#price-words")
    expect(said).to_contain_text(re.compile(r"^2 \(\d+ tests\) would cost"))
    price = said.inner_text().split("cost ")[1].split(",")[0]
    page.get_by_role("button", name="Ask what to measure").click()
    visits = page.locator("#requests .visit")
    expect(visits).to_have_count(2)
    expect(page.locator("#money-reserved")).to_have_text(price)
    return visits


def tell_a_number(watched, page, visit):
    """With a decimal comma; the other requests of the visit stay where they are."""
    numeric = visit.locator(".card", has=page.locator("input[name=value]"))
    numeric.locator("input[name=value]").fill("5.2.1")
    numeric.get_by_role("button", name="Record", exact=True).click()
    expect(numeric.locator(".problem")).to_be_visible()
    watched.expect_refusal("422")
    calm(page)
    numeric.locator("input[name=value]").fill("6,8")
    others = visit.locator(".card:not(.settled):not(:has(input[name=value]))")
    before = [each.bounding_box()["y"] for each in others.all()]
    numeric.get_by_role("button", name="Record", exact=True).click()
    expect(visit.locator(".card.settled")).to_contain_text("6,8")
    after = [each.bounding_box()["y"] for each in others.all()]
    assert after == pytest.approx(before, abs=1)


def test_more_visits_are_fetched_and_a_colleagues_come_by_themselves(browser, server):
    panel_study.begin(server.url, name="many")
    panel_study.api(server.url, "ask", name="many", visits=16, only=["pulse"])
    with window(browser, server) as watched:
        page = watched.page(server.study_url("many"))
        expect(page.locator("#live-state")).to_have_text("Live")
        visits = page.locator("#requests .visit")
        expect(visits).to_have_count(12)
        expect(page.locator("#more-visits")).to_contain_text("4 more cases have tests under way")
        # One that is settled makes room for the next, at the end.
        number = page.locator("#requests .card").first.get_attribute("id").split("-")[1]
        panel_study.api(server.url, f"requests/{number}/tell", name="many", value="slow")
        expect(visits).to_have_count(13)
        expect(page.locator(f"#card-{number}.settled")).to_be_visible()
        page.get_by_role("link", name="Show 3 more").click()
        expect(visits).to_have_count(16)
        expect(page.locator("#more-visits")).to_be_hidden()
        expect(visits.nth(13).locator("h3")).to_be_focused()
        # A further test of a case that is shown comes into its card.
        case = visits.nth(1).get_attribute("data-case")
        panel_study.api(server.url, "ask", name="many", case=case, only=["crp"])
        expect(visits.nth(1).locator(".card")).to_have_count(2)
        expect(visits).to_have_count(16)
