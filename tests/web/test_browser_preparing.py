"""A coordinator with a spreadsheet begins a study in a real browser, step by step."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from budgeted import Study
from tests.browsers import DESKTOP, accessibility_problems, widest, window
from tests.web.test_preparing import LIST

NARROW = {"width": 390, "height": 844}


def upload(content):
    return {"name": "list.csv", "mimeType": "text/csv", "buffer": content}


def looked_at(page, name):
    """What every step must be: usable by everybody, no wider than its window, of a bounded size."""
    assert not accessibility_problems(page), name
    assert widest(page) <= 0, name
    assert page.evaluate("() => document.querySelectorAll('*').length") < 3_000
    folder = os.environ.get("PREPARING_PICTURES")
    if folder:  # to look at them by eye
        size = page.viewport_size["width"]
        page.screenshot(path=Path(folder) / f"{name}-{size}.png", full_page=True)


def go_on(page, title):
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("[aria-current=step]")).to_contain_text(title)


@pytest.mark.parametrize("viewport", [DESKTOP, NARROW], ids=["wide", "narrow"])
def test_from_a_spreadsheet_to_a_study(browser, server, viewport):
    name = f"anaemia {viewport['width']}"
    with window(browser, server, viewport) as watched:
        page = watched.page(f"{server.url}/studies/new")
        looked_at(page, "start")
        page.locator("#cases").set_input_files(upload(LIST))
        page.get_by_label("Name of the study").fill(name)
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("[aria-current=step]")).to_contain_text("The columns")
        looked_at(page, "columns")
        expect(page.get_by_label("Diagnose", exact=True)).to_have_value("label")
        go_on(page, "The tests")
        go_on(page, "The tests")  # there are no prices yet
        expect(page.locator("#mistakes")).to_contain_text("the price is not there yet")
        looked_at(page, "tests")
        expect(page.locator("#cuts-0")).to_have_value("73,5; 129,5")
        page.locator("#least-0").fill("0,5")
        page.locator("#most-0").fill("2000")
        page.locator("#cost-0").fill("18,00")
        page.locator("#cost-1").fill("9,50")
        go_on(page, "Prices")
        page.get_by_label("Currency").fill("EUR")
        page.get_by_label("Fee for a visit").fill("50")
        expect(page.locator("#quote")).to_contain_text("costs 77,50 EUR")
        page.get_by_label("Name", exact=True).fill("blood")
        page.get_by_label("Its tests, separated by commas").fill("Ferritin (µg/l), CRP")
        page.get_by_label("It costs").select_option("shared")
        page.get_by_label("Amount", exact=True).first.fill("2,10")
        expect(page.locator("#quote")).to_contain_text("costs 75,40 EUR")
        looked_at(page, "prices")
        go_on(page, "Budget and settings")
        page.get_by_label("so much a month").check()
        expect(page.get_by_label("How many of them")).to_be_visible()
        page.get_by_label("a sum that is never crossed").check()
        expect(page.get_by_label("How many of them")).to_be_hidden()
        page.get_by_label("Amount (EUR)").fill("1500")
        page.get_by_text("More: shares of the labels").click()
        looked_at(page, "budget")
        page.go_back()
        expect(page.get_by_label("Fee for a visit")).to_have_value("50")
        go_on(page, "Budget and settings")
        page.get_by_label("Amount (EUR)").fill("1500")
        go_on(page, "Look it over")
        expect(page.get_by_role("heading", level=2).first).to_have_text("Everything fits")
        looked_at(page, "preview")
        page.locator("#begin").dblclick()
        page.wait_for_url(server.study_url(name))
        expect(page.get_by_text("amounts in EUR")).to_be_visible()
    with Study.open(server.database, name) as study:
        assert study.state.problem.features[0].kind.most == 2000
        assert [each.name for each in study.state.problem.prices.panels] == ["blood"]
