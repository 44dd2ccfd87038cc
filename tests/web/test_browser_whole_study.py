"""The story of a whole study, played in a real browser by somebody who only uses the pages.

Every page of it must be without any violation that axe knows of, no wider than its window, and
without a word on the console; and the money on it is compared with a sum of our own.
"""

import csv
import io
import os
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browsers import DESKTOP, accessibility_problems, widest, window
from tests.web import clinic
from tests.web.test_browser_story import confirm

NARROW = {"width": 390, "height": 844}


@dataclass
class Request:
    """A line of the coordinator's own book: what was asked, and whether it was charged."""

    case: str
    test: str
    charged: bool = False


class Coordinator:
    """Who runs the study, and keeps a book of her own: requests by number, and other expenses."""

    def __init__(self, watched, server, name):
        self.watched, self.server, self.name = watched, server, name
        self.page = watched.page()
        self.budget, self.book, self.others = clinic.BUDGET, {}, Decimal("0.00")

    @property
    def spent(self):
        """What a visit and a panel cost is charged with the first value of a case that needs it."""
        charged = [each for each in self.book.values() if each.charged]
        return self.others + sum(self.price_of(charged).values())

    @property
    def reserved(self):
        return sum(self.price_of(self.book.values()).values()) - self.spent + self.others

    @property
    def free(self):
        return self.budget - self.spent - self.reserved

    @staticmethod
    def price_of(requests):
        """What the requests cost, for each case."""
        tests = {}
        for each in requests:
            tests.setdefault(each.case, []).append(each.test)
        return {case: clinic.price_of(its) for case, its in tests.items()}

    def due(self):
        return [number for number, each in self.book.items() if not each.charged]

    def goes_to(self, tab):
        self.page.locator(".tabs").get_by_role("link", name=tab, exact=True).click()
        expect(self.page.locator(".tabs [aria-current=page]")).to_have_text(tab)

    def waits(self):
        self.page.wait_for_function(
            "() => !document.querySelector('button[aria-disabled=true], .htmx-request')"
        )

    def looks_at(self, what):
        """What every page must be, whatever was done on it."""
        self.waits()
        folder = os.environ.get("STORY_PICTURES")
        if folder:  # to look at them by eye
            size = self.page.viewport_size["width"]
            self.page.screenshot(path=Path(folder) / f"{what}-{size}.png", full_page=True)
        found = accessibility_problems(self.page)
        assert not found, "\n".join([what, *found])
        assert widest(self.page) <= 0, what
        assert self.page.evaluate("() => document.querySelectorAll('*').length") < 3_000, what

    def compares_the_money(self):
        for what in ("spent", "reserved", "free", "budget"):
            expect(self.page.locator(f"#money-{what}")).to_have_text(f"{getattr(self, what):.2f}")

    def reads_the_cards(self):
        """Write down what is newly due; what a case costs in all must follow from the tariff."""
        more = self.page.locator("#more-visits").get_by_role("link", name="more")
        while more.is_visible():
            shown = self.page.locator("#requests .visit").count()
            more.click()
            expect(self.page.locator("#requests .visit")).not_to_have_count(shown)
            self.waits()
        for card in self.page.locator("#requests .card:not(.settled)").all():
            number = int(card.get_attribute("id").removeprefix("card-"))
            if number not in self.book:
                test, case = card.locator("h4 strong").all_text_contents()
                self.book[number] = Request(case, test)
        self.compares_the_money()
        # As something is told, what the visit costs is divided anew: the cards follow.
        self.page.wait_for_function(
            """cents => cents === [...document.querySelectorAll(
                "#requests .card:not(.settled) .above [data-amount]"
            )].reduce((sum, each) => sum + Math.round(100 * each.textContent), 0)""",
            arg=int(100 * self.reserved),
        )

    def card(self, number):
        """A card that listens, unfolded."""
        card = self.page.locator(f"#card-{number}")
        fold = card.locator("xpath=ancestor::details")
        if fold.count() and not fold.evaluate("each => each.open"):
            fold.locator("summary h3").click()
        expect(card.locator("button[aria-disabled]")).to_have_count(0)
        return card

    def downloads(self, link):
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=link).click()
        return download.value.path().read_text(encoding="utf-8-sig")


@pytest.mark.slow
@pytest.mark.parametrize(
    "viewport",
    [
        pytest.param(DESKTOP, id="wide"),
        # In `make test` the pages are narrow in tests of their own: all of them in
        # test_browser_reach.py, what is done on them in the other files.
        pytest.param(NARROW, id="narrow", marks=pytest.mark.thorough),
    ],
)
def test_a_whole_study_is_run_from_the_pages(browser, server, viewport):
    said = []
    with window(browser, server, viewport) as watched:
        watched.context.on("console", lambda each: said.append(f"{each.text} ({each.location})"))
        anna = Coordinator(watched, server, f"Müdigkeit {viewport['width']}")
        says_her_name(anna)
        begins(anna)
        asks_within_a_limit(anna)
        tells_and_takes_back(anna)
        records_a_failure(anna)
        writes_down_a_file(anna)
        corrects_a_value(anna)
        adds_patients(anna)
        changes_the_budget(anna)
        asks_again(anna)
        measures_the_error(anna)
        reads_the_report(anna)
        closes(anna)
        reads_the_history(anna)
    assert not said


def says_her_name(anna):
    page = anna.page
    page.goto(anna.server.url)
    page.get_by_text("You are").click()
    page.get_by_label("Your name").fill("Anna Ö.")
    page.get_by_role("button", name="Use this name").click()
    expect(page.get_by_text("You are")).to_contain_text("Anna Ö.")
    anna.looks_at("studies")


def begins(anna):
    """A new study by steps."""
    page = anna.page
    page.get_by_role("link", name=re.compile("New study|Begin a study")).click()
    anna.looks_at("new-start")
    page.locator("#cases").set_input_files(upload("liste.csv", clinic.case_list()))
    page.get_by_label("Name of the study").fill(anna.name)
    go_on(page, "The columns")
    expect(page.get_by_label("Diagnose", exact=True)).to_have_value("label")
    page.get_by_label("Bemerkung", exact=True).select_option("ignored")
    anna.looks_at("new-columns")
    go_on(page, "The tests")
    for at, test in enumerate(list(clinic.PRICES)[:5]):
        page.locator(f"#cost-{at}").fill(clinic.written(clinic.PRICES[test]))
        if test in clinic.NUMBERS:
            for field, text in zip(("unit", "least", "most", "cuts"), clinic.NUMBERS[test][:4],
                                   strict=True):  # fmt: skip
                page.locator(f"#{field}-{at}").fill(text)
        else:
            page.locator(f"#values-{at}").fill(", ".join(clinic.CATEGORIES[test]))
    page.locator("#name-new").fill("Kultur")
    page.locator("#values-new").fill("negativ, positiv")
    page.locator("#cost-new").fill("27,30")
    anna.looks_at("new-tests")
    go_on(page, "Prices")
    page.get_by_label("Currency").fill("EUR")
    page.get_by_label("Fee for a visit").fill(clinic.written(clinic.FEE))
    page.get_by_label("Name", exact=True).fill("Blut")
    page.get_by_label("Its tests, separated by commas").fill(", ".join(clinic.PANEL))
    page.get_by_label("It costs").select_option("setup")
    page.get_by_label("Amount", exact=True).first.fill(clinic.written(clinic.SETUP))
    anna.looks_at("new-prices")
    go_on(page, "Budget and settings")
    page.get_by_label("Amount (EUR)").fill(clinic.written(anna.budget))
    anna.looks_at("new-budget")
    go_on(page, "Look it over")
    expect(page.get_by_role("heading", level=2).first).to_have_text("Everything fits")
    anna.looks_at("new-preview")
    page.get_by_role("button", name="Begin the study").dblclick()
    page.wait_for_url(anna.server.study_url(anna.name))
    anna.compares_the_money()
    anna.looks_at("study-begun")


def asks_within_a_limit(anna):
    """Eight cases for at most 450.00; the price that is said before is the one that is paid."""
    page = anna.page
    page.get_by_label("How many").fill("8")
    page.get_by_label("of what").select_option("visits")
    page.get_by_text("Wishes").click()
    page.get_by_label("At most").fill("450,00")
    asks(anna, "8 were asked for")
    assert anna.reserved <= 450
    assert any(len([each for each in anna.book.values() if each.case == one.case]) > 1
               for one in anna.book.values())  # fmt: skip
    anna.looks_at("study-asked")


def asks(anna, words=""):
    page = anna.page
    before = anna.reserved
    expect(page.locator("#price-words")).to_contain_text(words)
    anna.waits()
    promise = page.locator("#price-words").inner_text()
    page.get_by_role("button", name="Ask what to measure").click()
    expect(page.locator("#money-reserved")).not_to_have_text(f"{before:.2f}")
    anna.waits()
    anna.reads_the_cards()
    assert f"{anna.reserved - before:.2f}" in promise


def tells_and_takes_back(anna):
    """One value on a card; another one by a slip, which is undone."""
    number = next(each for each in anna.due() if anna.book[each].test in clinic.NUMBERS)
    mine = anna.book[number]
    card = anna.card(number)
    card.get_by_label(re.compile("^Value")).fill(clinic.value(mine.case, mine.test))
    card.get_by_role("button", name="Record", exact=True).click()
    mine.charged = True
    expect(card).to_contain_text(f"{anna.spent} charged")
    anna.waits()
    anna.reads_the_cards()

    number = next(each for each in anna.due() if anna.book[each].test in clinic.CATEGORIES)
    slip = anna.book[number]
    card = anna.card(number)
    card.locator(".values button").first.click()
    expect(card).to_have_class(re.compile("settled"))
    slip.charged = True
    anna.compares_the_money()
    anna.looks_at("study-told")
    anna.card(number).get_by_role("button", name="Undo").click()
    expect(card).not_to_have_class(re.compile("settled"))
    slip.charged = False
    anna.compares_the_money()


def records_a_failure(anna):
    number = anna.due()[-1]
    failed = anna.book[number]
    card = anna.card(number)
    card.get_by_text("It failed").click()
    card.get_by_label("Charged all the same").check()
    card.get_by_label("What happened").fill("Röhrchen zerbrochen")
    anna.looks_at("study-failing")
    card.get_by_role("button", name="Record the failure").click()
    expect(card).to_have_class(re.compile("settled"))
    failed.charged = True
    anna.compares_the_money()


def writes_down_a_file(anna, lines=200):
    """The laboratory's 200 results: some asked for, most not, some of nobody knows whom."""
    page = anna.page
    due = anna.due()
    others = [(each.case, each.test) for each in anna.book.values() if each.charged]
    content, recorded, cost = clinic.laboratory_file(
        [(anna.book[each].case, anna.book[each].test) for each in due], others, lines
    )
    before = anna.spent
    anna.goes_to("Enter results")
    anna.looks_at("results")
    page.locator("#file").set_input_files(upload("labor.csv", content))
    page.get_by_role("button", name="Look at it", exact=True).click()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("These are no tests of the study")
    expect(preview.get_by_label("Blutgruppe")).to_have_value("(leave out)")
    anna.looks_at("results-question")
    preview.get_by_role("button", name="That is what they are").click()
    expect(preview).to_contain_text(
        f"{len(due)} told, {recorded} recorded though nobody asked, 0 known already, 1 outside the "
        f"range, 2 refused."
    )
    expect(preview).to_contain_text(f"{lines} lines. Left out: Blutgruppe")
    anna.others += cost
    for each in due:
        anna.book[each].charged = True
    expect(preview).to_contain_text(
        f"{anna.spent - before} charged: spent {before} → {anna.spent}, reserved "
    )
    expect(preview).to_contain_text(f"→ {anna.free}.")
    expect(preview).to_contain_text("there is no case 'P999'")
    anna.looks_at("results-preview")
    preview.get_by_label("Write down what is right").check()
    preview.get_by_role("button", name="Write these down").click()
    expect(page.locator("#written")).to_contain_text(f"{len(due)} told, {recorded} recorded")
    anna.looks_at("results-written")
    anna.goes_to("Study")
    anna.compares_the_money()
    expect(page.locator("#no-requests")).to_be_visible()


def corrects_a_value(anna):
    """A number was misread, and the laboratory charged less for it."""
    page = anna.page
    mine = next(each for each in anna.book.values() if each.test in clinic.NUMBERS)
    anna.goes_to("Cases")
    anna.looks_at("cases")
    page.get_by_label("Name", exact=True).fill(mine.case)
    expect(page.locator("#case-lines")).to_contain_text("1 case of")
    page.get_by_role("link", name=mine.case, exact=True).click()
    spent = anna.price_of(anna.book.values())[mine.case]
    expect(page.locator("#case-spent")).to_have_text(f"{spent:.2f}")
    anna.looks_at("case")
    page.get_by_role("link", name=f"Correct {mine.test}").click()
    page.locator("input[name=written]").fill("7,5")
    charged = page.get_by_label("What was really charged")
    charged.fill(clinic.written(Decimal(charged.input_value()) - Decimal("1.15")))
    anna.others -= Decimal("1.15")
    page.get_by_label("Why").fill("falsche Zeile gelesen")
    anna.looks_at("correct")
    page.get_by_role("button", name="Correct it").click()
    confirm(page, "the log keeps both")
    expect(page.locator("#lines tbody tr").first).to_contain_text("falsche Zeile gelesen")
    anna.goes_to("Study")
    anna.compares_the_money()


def adds_patients(anna):
    page = anna.page
    anna.goes_to("Cases")
    page.get_by_role("link", name="Add cases").click()
    anna.looks_at("add-cases")
    page.locator("#pasted").fill(clinic.pasted_cases())
    page.get_by_role("button", name="Show what would be added").click()
    expect(page.locator("#preview")).to_contain_text("6 new cases, 1 known value; 1 row is refused")
    anna.looks_at("add-cases-preview")
    page.get_by_role("button", name="Add what fits, leave 1 out").click()
    page.wait_for_url("**/cases?sort=last")
    expect(page.locator("#case-lines")).to_contain_text("126 cases.")
    anna.looks_at("cases-added")


def changes_the_budget(anna):
    page = anna.page
    anna.goes_to("Manage")
    anna.looks_at("manage")
    anna.budget = Decimal("1850.50")
    page.get_by_label("New budget").fill("1850,50")
    page.locator("#budget-why").fill("Spende")
    page.get_by_role("button", name="Change it").click()
    expect(page.locator("#terms-now")).to_contain_text(f"free {anna.free:.2f}")
    page.get_by_text("Other terms: firm").click()
    page.get_by_text("Add a test").click()
    page.get_by_role("button", name="Show what could be cut").click()
    expect(page.get_by_text("Where it could be cut")).to_be_visible()
    anna.looks_at("manage-open")


def asks_again(anna):
    """Of a patient who was added and of others; what was recorded for nothing covers no fee."""
    page = anna.page
    anna.goes_to("Study")
    page.get_by_text("Wishes").click()
    page.get_by_label("Only this case").fill("N00")
    page.get_by_label("How many").fill("2")
    asks(anna, re.compile(r"^2 (\(\d+ tests\) )?would cost"))
    page.get_by_label("Only this case").fill("")
    page.get_by_label("How many").fill("3")
    asks(anna, re.compile(r"^3 (\(\d+ tests\) )?would cost"))


def measures_the_error(anna):
    page = anna.page
    anna.goes_to("Manage")
    page.locator("#validation").set_input_files(upload("pruefung.csv", clinic.validation()))
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_text("There is such a file")).to_be_visible()
    anna.looks_at("manage-validated")
    anna.goes_to("Study")
    measured = page.locator("#error-measured")
    expect(measured).to_have_text(re.compile(r"^\d+(\.\d)? %$"))
    # Large, beside what is expected; the part may just be fetched anew, so it is waited for.
    page.wait_for_function("""() => {
        const [measured, expected] = ["error-measured", "error-now"].map((id) =>
            parseFloat(getComputedStyle(document.getElementById(id)).fontSize));
        return measured > 1.5 * expected;
    }""")
    for chart in ("error", "worth", "belief", "purchases"):
        place = page.locator(f"#chart-{chart}")
        place.scroll_into_view_if_needed()
        expect(place).to_have_attribute("data-drawn", re.compile("."))
    anna.looks_at("study-measured")
    for tab in ("Work list", "Model"):
        anna.goes_to(tab)
        anna.looks_at(tab.lower().replace(" ", "-"))


def reads_the_report(anna):
    page = anna.page
    anna.goes_to("Report")
    expect(page.locator(".report-error")).to_contain_text("validation cases are classified wrongly")
    page.locator("#chart-error").scroll_into_view_if_needed()
    expect(page.locator("#chart-error[data-drawn] svg")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the chart").click()
    assert download.value.path().read_text(encoding="utf-8").startswith("<svg")
    expect(page.locator(".report tfoot td").last).to_have_text(f"{anna.spent:.2f}")
    anna.looks_at("report")
    values = list(csv.DictReader(io.StringIO(anna.downloads("Values: a row per request"))))
    for column, wanted in (("charged", anna.spent), ("reserved", anna.reserved)):
        assert sum(Decimal(each[column] or 0) for each in values) == wanted
    of_request = {row["request"]: row for row in values}
    for number, each in anna.book.items():
        row = of_request[str(number)]
        assert (row["case"], row["feature"]) == (each.case, each.test)
        assert row["requested_by"] == "Anna Ö."


def closes(anna):
    """Nothing may be under way then: what is left comes in a last file."""
    page = anna.page
    anna.goes_to("Study")
    writes_down_a_file(anna, lines=len(anna.due()) + 5)
    anna.goes_to("Manage")
    page.locator("#close-why").fill("genug gelernt")
    page.locator("form").get_by_role("button", name="Close it", exact=True).click()
    confirm(page, "The study is closed")
    expect(page.locator(".titles .tag").first).to_have_text("closed")
    anna.looks_at("manage-closed")
    anna.goes_to("Study")
    anna.looks_at("study-closed")


def reads_the_history(anna):
    page = anna.page
    anna.goes_to("History")
    expect(page.locator("#lines tbody tr").first).to_contain_text("Anna Ö.")
    anna.looks_at("history")
    log = list(csv.DictReader(io.StringIO(anna.downloads("Download CSV"))))
    assert {each["by"] for each in log} == {"Anna Ö."}
    kinds = {each["kind"] for each in log}
    assert {"asked", "told", "recorded", "failed", "corrected", "undone", "closed"} <= kinds


def upload(name, content):
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def go_on(page, title):
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("[aria-current=step]")).to_contain_text(title)
