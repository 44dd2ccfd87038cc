"""Cases, managing and the report in a browser, wide and narrow: live, accessible, not too wide."""

import re

import pytest
from playwright.sync_api import expect

from budgeted.studies.study import Study
from tests.browsers import DESKTOP, PHONE, accessibility_problems, widest, window
from tests.web.test_browser_story import begin
from tests.web.test_browser_story import confirm as confirmed

LIST = "case\tlabel\tmcv\nN1\tiron deficiency\tlow\nN2\tnonsense\t\n"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_case_is_measured_ruled_out_and_withdrawn(browser, server, viewport):
    name = f"cases {viewport['width']}"
    with window(browser, server, viewport) as watched:
        page = watched.page()
        begin(page, server, name)
        page.locator(".tabs").get_by_role("link", name="Cases", exact=True).click()
        page.get_by_label("Name", exact=True).fill("p01")
        expect(page.locator("#case-lines")).to_contain_text("1 case of")
        page.get_by_role("link", name="P01", exact=True).click()
        page.get_by_role("link", name="Record a value of mcv").click()
        expect(page.get_by_label("Test", exact=True).first).to_have_value("mcv")
        page.locator("#record-value").select_option("low")
        page.locator("#record-cost").fill("2.50")
        page.get_by_role("button", name="Record", exact=True).click()
        expect(page.locator("#record-problem .good")).to_contain_text("2.50 charged")
        expect(page.locator("#case-spent")).to_have_text("2.50")
        expect(page.locator("#tests")).to_contain_text("recorded")
        page.locator("#rule-test").fill("crp")
        page.locator("#rule-why").fill("no blood left")
        page.get_by_role("button", name="Rule it out").click()
        expect(page.locator("#tests")).to_contain_text("no blood left")
        check(page)
        page.get_by_role("button", name="Allow again").click()
        expect(page.locator("#tests")).not_to_contain_text("no blood left")
        page.get_by_role("button", name="Withdraw it", exact=True).click()
        confirmed(page, "Case P01 is taken out for good", "Its 1 value is kept")
        expect(page.locator("#facts")).to_contain_text("Withdrawn: ")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_study_grows_and_is_reported(browser, server, viewport):
    name = f"grows {viewport['width']}"
    with window(browser, server, viewport) as watched:
        page = watched.page()
        begin(page, server, name)
        with Study.open(server.database, name) as study:
            label = study.created.labels[0]
        page.goto(server.study_url(name, "/add-cases"))
        page.locator("#pasted").fill(LIST.replace("iron deficiency", label))
        page.get_by_role("button", name="Show what would be added").click()
        expect(page.locator("#preview")).to_contain_text("there is no label 'nonsense'")
        check(page)
        page.get_by_role("button", name=re.compile("Add what fits")).click()
        page.wait_for_url("**/cases?sort=last")
        expect(page.locator("#case-lines")).to_contain_text("N1")

        page.goto(server.study_url(name, "/manage"))
        page.get_by_text("Other terms").click()
        page.get_by_label(re.compile("^Soft")).check()
        expect(page.get_by_label(re.compile("^At most"))).to_be_visible()
        page.get_by_text("Add a test").click()
        page.get_by_label("are numbers that are measured").check()
        page.get_by_label("Name of the test").fill("age")
        page.locator("#test-cost").fill("1")
        page.locator("#test-cuts").fill("40 60")
        page.get_by_role("button", name="Add the test").click()
        expect(page.locator("#feature-problem .good")).to_have_text("age can be asked now.")
        check(page)

        page.goto(server.study_url(name, "/report"))
        expect(page.locator(".report-error")).to_contain_text("Always saying")
        drawn = "() => document.querySelector('.curve').naturalWidth > 0"
        page.wait_for_function(drawn)
        check(page)
        page.emulate_media(media="print")
        expect(page.get_by_role("heading", name="Take data out")).to_be_hidden()
        expect(page.get_by_role("heading", name="Audit")).to_be_visible()


def check(page):
    assert not accessibility_problems(page)
    assert widest(page) <= 0
