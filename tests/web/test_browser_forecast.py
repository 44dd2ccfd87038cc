"""A forecast in a browser: wanted, watched, shown, made more exact, and old after an event."""

import re

import pytest
from playwright.sync_api import expect

from budgeted.studies.study import Study
from tests.browsers import accessibility_problems, widest, window
from tests.webs import make_study

pytestmark = pytest.mark.browser

PATIENCE = 180_000
"""Milliseconds: a forecast has the lowest priority of all that a machine does."""
DASHES = "#chart-error svg path[stroke-dasharray='5,4']"
SHAPES = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def test_a_forecast_is_wanted_watched_and_shown(server, browser):
    with make_study(server.database) as study:
        study.ask(2)
    with window(browser, server) as watched, window(browser, server) as other:
        page, colleague = watched.page(server.study_url("flu")), other.page(server.study_url("flu"))
        for each in (page, colleague):
            each.locator("#forecast").scroll_into_view_if_needed()
            each.locator("#chart-error[data-drawn]").wait_for()
            expect(each.locator(DASHES)).to_have_count(0)
        page.get_by_role("button", name="Forecast", exact=True).click()
        expect(page.locator("#forecast-progress")).to_be_focused()
        page.get_by_role("progressbar", name="Forecast").wait_for()
        assert not accessibility_problems(page)
        for each in (page, colleague):  # whoever looks at the study sees it come
            expect(each.locator("#forecast-words")).to_contain_text(
                "When the money is spent", timeout=PATIENCE
            )
            expect(each.locator(DASHES)).to_have_count(1)
        page.get_by_text("With more or less money").click()
        for words in ("a fifth less", "as planned", "a fifth more", "fever", "cough"):
            expect(page.locator("#forecast-details")).to_contain_text(words)
        before = page.locator("#forecast-said").get_attribute("data-version")
        with Study.open(server.database, "flu") as study:
            study.tell(1, "yes")
        expect(page.locator("#forecast-age")).to_have_text(re.compile("As of event 3 of 4"))
        assert page.locator("#forecast-said").get_attribute("data-version") == before
        expect(page.locator("#forecast-details")).to_have_attribute("open", "")
        expect(page.get_by_role("button", name="Forecast anew")).to_be_visible()
    for width, scheme in SHAPES:
        shape = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        with window(browser, server, **shape) as watched:
            page = watched.page(server.study_url("flu"))
            page.locator("#chart-error").scroll_into_view_if_needed()  # else nobody draws it
            page.locator("#chart-error[data-drawn]").wait_for()
            page.get_by_text("With more or less money").click()
            assert not accessibility_problems(page), (width, scheme)
            assert widest(page) <= 0, (width, scheme)
