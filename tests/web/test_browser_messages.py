"""What the page says stands where the eye is, is true, and covers and moves nothing."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from budgeted.studies.study import Study
from tests.browsers import accessibility_problems, widest, window
from tests.web.test_browser_story import (
    ask,
    begin,
    cards,
    confirm,
    ready,
    tell_truth,
)

WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 390, "height": 800}
COVERED = """() => {
  const toast = document.getElementById("toast").getBoundingClientRect();
  return [...document.querySelectorAll(".card :is(button, summary, input)")]
    .filter((each) => each.checkVisibility())
    .filter((each) => {
      const box = each.getBoundingClientRect();
      return box.left < toast.right && box.right > toast.left
        && box.top < toast.bottom && box.bottom > toast.top;
    }).map((each) => each.outerHTML);
}"""


def top(place):
    return place.bounding_box()["y"]


def bottom(place):
    box = place.bounding_box()
    return box["y"] + box["height"]


def colleague(server, name, number, value):
    wanted = urllib.request.Request(
        f"{server.url}/api/studies/{name}/requests/{number}/tell",
        json.dumps({"value": value}).encode(),
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(wanted, timeout=20).close()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_refused_price_is_explained_beside_it_and_gone_when_it_is_accepted(
    browser, server, viewport
):
    with window(browser, server, viewport) as watched:
        page = watched.page()
        begin(page, server, f"price {viewport['width']}")
        ask(page, 3)
        card = ready(page.locator("#card-1"))
        card.get_by_text("It had another price").click()
        field = card.get_by_label("What was charged")
        field.fill("x")
        field.evaluate("each => each.scrollIntoView({block: 'center'})")
        cancel = card.get_by_role("button", name="Cancel this request")
        before = top(cancel) - top(field)
        card.locator(".values button").first.click()
        said = card.locator(".problem")
        expect(said).to_contain_text("must be an amount of money")
        assert 0 <= top(said) - bottom(field) < 30
        assert top(cancel) - top(field) == pytest.approx(before, abs=1)
        expect(page.locator("#toast.failed")).to_be_visible()
        assert page.evaluate(COVERED) == []
        card.get_by_text("It failed").click()  # what has just been opened is not covered either
        page.wait_for_timeout(100)
        assert page.evaluate(COVERED) == []
        watched.expect_refusal("422")
        ready(card).get_by_label("What was charged").fill("3")
        card.locator(".values button").first.click()
        expect(page.locator("#card-1.settled .because")).to_contain_text("3 charged")
        expect(page.locator("#card-1 .problem")).to_have_count(0)
        assert top(page.locator("#card-1 .outcome button")) - bottom(
            page.locator("#card-1 .tag")
        ) >= 4  # fmt: skip


def test_a_card_that_a_colleague_settles_says_so_at_its_top_and_nothing_moves(browser, server):
    with window(browser, server, WIDE) as watched:
        page = watched.page()
        begin(page, server, "aside")
        ask(page, 3)
        card = ready(page.locator("#card-2"))
        value = card.locator(".values button").first.inner_text()
        card.get_by_text("It had another price").click()
        field = card.get_by_label("What was charged")
        field.fill("7")
        places = [field, card.get_by_text("It failed"), page.locator("#card-3"), page.locator("h1")]
        before = [top(each) for each in places]
        colleague(server, "aside", 2, value)
        expect(page.locator("#card-2.aside")).to_be_visible()
        assert [top(each) for each in places] == pytest.approx(before, abs=1)
        expect(card.locator("h4")).not_to_contain_text("Measure")
        expect(card.locator(".because")).to_contain_text("Somebody else has just settled")
        expect(card.locator(".because")).to_contain_text("4.00 charged")
        # All of it can be read: above what was typed, and within its own place.
        assert bottom(card.locator(".because span")) <= bottom(card.locator(".because")) + 1
        assert bottom(card.locator(".because")) <= top(card.get_by_text("It had another price"))
        expect(card.locator(".values")).to_be_hidden()
        expect(field).to_have_value("7")


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_all_columns_can_be_seen(browser, server, viewport):
    with window(browser, server, viewport) as watched:
        page = watched.page()
        begin(page, server, f"columns {viewport['width']}")
        ask(page, 1)
        card = ready(page.locator("#card-1"))
        card.get_by_text("Why this one?").click()
        table = card.locator(".scroll")
        assert table.evaluate("each => each.scrollWidth <= each.clientWidth")
        assert (
            card.locator(".above .nowrap").first.evaluate("each => each.getClientRects().length")
            == 1
        )
        page.locator("#about summary").click()
        about = page.locator("#about .scroll")
        hidden = about.evaluate("each => each.scrollWidth - each.clientWidth")
        hint = page.get_by_text("Move the table sideways")
        assert hint.is_visible() == (hidden > 0)
        assert about.get_attribute("tabindex") == "0"
        assert widest(page) <= 0
        assert accessibility_problems(page) == []


def test_what_stays_in_a_form_says_nothing_of_the_money(browser, server):
    with window(browser, server, WIDE) as watched:
        page = watched.page()
        begin(page, server, "stale")
        page.goto(server.study_url("stale", "/cases/P02"))
        page.get_by_role("button", name="Withdraw it", exact=True).click()
        confirm(page, "Case P02 is taken out for good")
        expect(page.locator("#withdraw-problem .good")).to_have_text("Case P02 is withdrawn.")
        expect(page.locator("#toast")).to_contain_text("Spent 0.00")
        page.goto(server.study_url("stale", "/manage"))
        page.get_by_label("New budget").fill("500")
        page.get_by_role("button", name="Change it").click()
        expect(page.locator("#budget-problem .good")).to_contain_text("was set to 500")
        assert "free" not in page.locator("#budget-problem").inner_text()


def test_times_have_one_form_and_their_zone(browser, server):
    written = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")
    with window(browser, server, WIDE) as watched:
        page = watched.page()
        begin(page, server, "times")
        ask(page, 1)
        expect(cards(page)).to_have_count(1)
        expect(page.locator("#recent time").first).to_have_text(written)
        tell_truth(page, cards(page).first)
        expect(page.locator("#card-1.settled .because")).to_contain_text(written)
        page.get_by_role("link", name="History").first.click()
        for each in page.locator("#lines time").all_inner_texts():
            assert written.fullmatch(each)
    with Study.open(server.database, "times") as study:
        assert study.requests("told")
