"""A study coordinator runs a whole study in a real browser, alone and with a colleague."""

import json
import re

import httpx
import pytest
from playwright.sync_api import expect

from budgeted.studies.example import STUDY, answers, cases
from budgeted.studies.log import as_csv
from budgeted.studies.study import Study
from tests.browsers import PHONE, window

FEATURES = ("ferritin", "transferrin", "crp", "mcv")
TRUTH = {row[0]: dict(zip(FEATURES, row[1:], strict=True)) for row in answers()}
CASES = as_csv(("case", "label"), cases()).encode()
VALIDATION = as_csv(
    ("label", *FEATURES), [(label, *TRUTH[case].values()) for case, label in cases()]
).encode()


def upload(name, content):
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def begin(page, server, name):
    """Begin the example study, and look at it."""
    study = STUDY.replace('"anaemia"', json.dumps(name))
    answer = httpx.post(
        f"{server.url}/api/studies", json={"study": study, "cases": CASES.decode()}, timeout=60
    )
    assert answer.status_code == 201, answer.text
    page.goto(server.study_url(name))


def ask(page, number):
    page.get_by_label("How many").fill(str(number))
    page.get_by_role("button", name="Ask what to measure").click()


def cards(page):
    """Those under way."""
    return page.locator("#requests .card:not(.settled)")


def settled(page):
    """Those that are over: they stay where they were, grey, until they are put away."""
    return page.locator("#requests .card.settled")


def put_away(page):
    page.get_by_role("button", name="Put settled cards away").click()
    expect(settled(page)).to_have_count(0)


def confirm(page, *words):
    """Read what will happen, and confirm it when the dialogue listens."""
    dialog = page.get_by_role("dialog")
    for each in words:
        expect(dialog).to_contain_text(each)
    button = dialog.locator("button.danger")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()


def ready(card):
    """A card takes nothing while it is new: wait until it does."""
    expect(card.locator("button[aria-disabled]")).to_have_count(0)
    return card


def drawn(page, chart):
    """What a chart says, as a reader's software hears it, once it is drawn."""
    place = page.locator(f"#chart-{chart}")
    place.scroll_into_view_if_needed()  # it comes when it is seen
    expect(place).to_have_attribute("data-drawn", re.compile("."))
    return place.locator("svg").inner_html()


def tell_truth(page, card):
    """Press the button with the value that the laboratory would give."""
    feature, case = ready(card).locator("h4 strong").all_inner_texts()
    card.get_by_role("button", name=TRUTH[case][feature], exact=True).click()


def test_the_whole_story_of_a_study(browser, server):
    name = "anaemia"
    with window(browser, server) as watched:
        page = watched.page()
        begin(page, server, name)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.locator("#money-free")).to_have_text("400.00")
        before = {chart: drawn(page, chart) for chart in ("error", "worth", "belief", "purchases")}

        ask(page, 3)
        expect(cards(page)).to_have_count(3)
        first = cards(page).nth(0)
        expect(first.locator("h4")).to_contain_text(re.compile(r"Measure \w+ on case P\d+"))
        expect(first.locator(".because")).to_contain_text("it is the best use of the next")
        expect(page.locator("#money-reserved")).to_have_text("12.00")

        tell_truth(page, first)
        expect(cards(page)).to_have_count(2)
        expect(page.locator("#money-spent")).to_have_text("4.00")
        expect(page.locator("#toast.fine")).to_contain_text("Request 1")
        expect(page.locator("#card-1.settled .because")).to_contain_text("4.00 charged")

        failing = ready(cards(page).nth(0))
        failing.get_by_text("It failed").click()
        failing.get_by_label("Charged all the same").check()
        failing.get_by_label("Never ask").check()
        failing.get_by_label("What happened").fill("the tube broke")
        failing.get_by_role("button", name="Record the failure").click()
        expect(cards(page)).to_have_count(1)
        expect(page.locator("#money-spent")).to_have_text("8.00")

        ready(cards(page).nth(0)).get_by_role("button", name="Cancel this request").click()
        expect(settled(page)).to_have_count(3)
        put_away(page)
        expect(page.locator("#no-requests")).to_be_visible()
        expect(page.locator("#money-reserved")).to_have_text("0.00")
        expect(page.locator("#money-free")).to_have_text("392.00")

        for chart, old in before.items():
            if chart != "belief":  # it shows ferritin; mcv was told
                expect(page.locator(f"#chart-{chart} svg")).not_to_have_count(0)
                page.wait_for_function(
                    "([chart, old]) => document.querySelector(`#chart-${chart} svg`)?.innerHTML"
                    " !== old",
                    arg=[chart, old],
                )
        page.get_by_label("Feature", exact=True).select_option("mcv")
        expect(page.locator("#chart-belief svg")).to_contain_text("mcv")

        correct_the_first(page)
        watched.expect_refusal("422")
        page.goto(server.study_url(name, "/model"))
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the model").click()
        model = json.loads(download.value.path().read_text())
        assert model["format"] == "budgeted-model"
        assert model["about"]["study"] == name
    with Study.open(server.database, name) as study:
        assert [each.fate for each in study.requests()] == ["told", "failed", "cancelled"]
        assert study.state.spent + study.state.free == study.state.problem.budget
        assert {entry.by for entry in study.history()} == {"anna"}


def correct_the_first(page):
    """Correct request 1 from the history; the log keeps both values."""
    page.get_by_role("link", name="History").first.click()
    page.get_by_role("link", name="Correct number 1").click()
    right = page.locator("input[name=value]:checked").get_attribute("value").removeprefix("=")
    wrong = next(each for each in ("low", "normal", "high") if each != right)
    page.get_by_label(wrong, exact=True).check()
    page.get_by_label("What was really charged").fill("too much")
    page.get_by_label("Why").fill("read the wrong line")
    page.get_by_role("button", name="Correct it").click()
    expect(page.get_by_role("alert")).to_contain_text("too much")  # refused, and still filled in
    expect(page.get_by_label("Why")).to_have_value("read the wrong line")
    page.get_by_label("What was really charged").fill("4.00")
    page.get_by_role("button", name="Correct it").click()
    confirm(page, f"{wrong} instead of {right}", "the log keeps both")
    line = page.locator("#lines tbody tr").first
    expect(line).to_contain_text(f"{wrong} before: {right}")
    expect(line).to_contain_text("read the wrong line")
    page.get_by_label("What", exact=True).select_option("corrected")
    expect(page.locator("#lines tbody tr")).to_have_count(1)
    download = page.get_by_role("link", name="Download CSV")
    expect(download).to_have_attribute("href", re.compile(r"history\.csv\?kind=corrected$"))
    page.get_by_label("What", exact=True).select_option("")
    expect(download).to_have_attribute("href", re.compile(r"history\.csv$"))
    page.get_by_label("Case").fill("no such case")
    expect(page.locator("#lines")).to_contain_text("Nothing in the log is like this")


def test_two_people_see_what_the_other_does(browser, server):
    name = "together"
    with window(browser, server) as hers, window(browser, server, PHONE) as his:
        anna = hers.page()
        begin(anna, server, name)
        anna.get_by_text("You are").click()
        anna.get_by_label("Your name").fill("Anna K.")
        anna.get_by_role("button", name="Use this name").click()
        expect(anna.get_by_text("You are")).to_contain_text("Anna K.")
        ben = his.page(server.study_url(name))
        expect(ben.locator("#live-state")).to_have_text("Live")
        expect(anna.locator("#live-state")).to_have_text("Live")

        ask(anna, 3)
        expect(cards(ben)).to_have_count(3)
        expect(ben.locator("#announcer")).to_contain_text("Anna K.")

        # Ben is typing; what Anna does must not take it away.
        typing = ben.locator("#requests .card").nth(1)
        typing.get_by_text("It failed").click()
        typing.get_by_label("What happened").fill("the sample was")
        spent = ben.locator("#money-spent").inner_text()
        tell_truth(anna, cards(anna).nth(0))
        expect(ben.locator("#money-spent")).not_to_have_text(spent)
        expect(cards(ben)).to_have_count(2)
        expect(typing.get_by_label("What happened")).to_have_value("the sample was")
        expect(typing.get_by_label("What happened")).to_be_focused()

        # She settles the very request that he is typing about: the card stays until he is done.
        tell_truth(anna, cards(anna).nth(0))
        expect(typing).to_contain_text("Somebody else has just settled")
        expect(typing.get_by_label("What happened")).to_have_value("the sample was")
        put_away(ben)
        expect(cards(ben)).to_have_count(1)

        tell_truth(ben, cards(ben).nth(0))
        expect(settled(anna)).to_have_count(3)
        put_away(anna)
        expect(anna.locator("#no-requests")).to_be_visible()
        # The command line writes to the same study, and both see it.
        with Study.open(server.database, name, by="the lab") as study:
            study.ask(2)
        expect(cards(anna)).to_have_count(2)
        expect(cards(ben)).to_have_count(2)


def test_other_changes_and_their_refusals(browser, server):  # noqa: PLR0915 - a story
    name = "changes"
    with window(browser, server) as watched:
        page = watched.page()
        begin(page, server, name)
        page.goto(server.study_url(name, "/manage"))
        page.locator("#validation").set_input_files(upload("v.csv", VALIDATION))
        page.get_by_role("button", name="Measure", exact=True).click()
        expect(page.get_by_text("There is such a file")).to_be_visible()
        page.goto(server.study_url(name))
        expect(page.locator("#classifier")).to_contain_text(
            "Measured error, on 60 validation cases"
        )
        expect(page.locator("#chart-error svg")).to_contain_text("measured")

        page.get_by_text("Record a value that nobody asked for").click()
        page.locator("#record-case").fill("nobody")
        page.locator("#record-feature").select_option("3=low")
        page.get_by_role("button", name="Record", exact=True).click()
        expect(page.locator("#record-problem")).to_contain_text("there is no case 'nobody'")
        watched.expect_refusal("422")
        expect(page.locator("#record-case")).to_have_value("nobody")
        page.locator("#record-case").fill("P01")
        page.locator("#record-cost").fill("2.50")
        page.get_by_role("button", name="Record", exact=True).click()
        expect(page.locator("#money-spent")).to_have_text("2.50")
        expect(page.locator("#recent li").first).to_contain_text("mcv of P01")

        page.goto(server.study_url(name, "/manage"))
        page.get_by_label("New budget").fill("1")
        page.get_by_role("button", name="Change it").click()
        expect(page.locator("#budget-problem .problem")).to_be_visible()
        watched.expect_refusal("422")
        page.get_by_label("New budget").fill("20.50")
        page.get_by_role("button", name="Change it").click()
        confirm(page, "The budget falls from 400.00 to 20.50", "18.00 are free then")
        expect(page.locator("#terms-now")).to_contain_text("free 18.00")

        page.goto(server.study_url(name, "/cases/P02"))
        page.get_by_role("button", name="Withdraw it", exact=True).click()
        confirm(page, "Case P02 is taken out for good", "cannot be undone")
        expect(page.locator("#withdraw-problem .good")).to_contain_text("Case P02 is withdrawn")
        expect(page.locator("#facts .tag")).to_have_text("withdrawn")

        page.goto(server.study_url(name))
        ask(page, 1)
        card = cards(page).first
        card.get_by_text("It had another price").click()
        ready(card).get_by_label("What was charged").fill("a lot")
        card.locator(".values button").first.click()
        expect(card.locator(".problem")).to_contain_text("a lot")
        watched.expect_refusal("422")
        ready(card).get_by_label("What was charged").fill("1.25")
        card.locator(".values button").first.click()
        expect(page.locator("#money-spent")).to_have_text("3.75")

        page.goto(server.study_url(name, "/manage"))
        page.locator("form").get_by_role("button", name="Close it", exact=True).click()
        confirm(page, "The study is closed", "only corrections remain possible")
        expect(page.locator(".titles .tag")).to_have_text("closed")
        expect(page.get_by_role("button", name="Reopen it")).to_be_visible()
        page.goto(server.study_url(name))
        expect(page.get_by_role("button", name="Ask what to measure")).to_have_count(0)


def test_many_requests_at_once_are_a_list_that_unfolds(browser, server):
    name = "many"
    with window(browser, server) as watched:
        page = watched.page()
        begin(page, server, name)
        ask(page, 12)
        expect(cards(page)).to_have_count(12)
        last = page.locator("#requests .visit").last
        expect(last.locator("h3")).to_be_visible()
        expect(last.locator(".values")).to_be_hidden()
        last.locator("h3").click()
        tell_truth(page, last.locator(".card"))
        expect(cards(page)).to_have_count(11)
        page.get_by_role("link", name="Work list to print").click()
        expect(page.locator(".worklist tbody tr")).to_have_count(11)


def test_the_model_moves_as_values_are_chosen(browser, server):
    name = "model"
    with window(browser, server) as watched:
        page = watched.page()
        begin(page, server, name)
        with Study.open(server.database, name) as study:
            rows = [(case, f, TRUTH[case][f]) for case in list(TRUTH)[:20] for f in FEATURES]
            study.record(rows)
        page.get_by_role("link", name="Model").click()
        chance = page.locator("#chance-0")
        expect(chance).to_have_text("60.0 %")
        page.get_by_label("ferritin", exact=True).select_option("low")
        expect(chance).not_to_have_text("60.0 %")
        one = chance.inner_text()
        page.get_by_label("transferrin", exact=True).focus()
        page.keyboard.press("End")  # chosen by the keyboard: high is the last one
        expect(chance).not_to_have_text(one)
        expect(page.locator("#answer tbody tr")).to_have_count(2)
        expect(page.get_by_label("transferrin", exact=True)).to_be_focused()
        two = chance.inner_text()
        page.locator("#share-0").fill("0.1")
        expect(page.locator("#share-1")).to_have_value("0.9")
        expect(chance).not_to_have_text(two)
        expect(page.get_by_role("link", name="Download the model")).to_have_attribute(
            "href", re.compile(r"prior=0\.1&prior=0\.9")
        )
        with Study.open(server.database, name) as study:
            case = {"ferritin": "low", "transferrin": "high"}
            wanted = study.model((0.1, 0.9)).predict(case)["iron-deficiency"]
        expect(chance).to_have_text(f"{100 * wanted:.1f} %")


@pytest.mark.parametrize("path", ["/nothing", "/studies/nothing"])
def test_what_is_not_there_is_said_in_words(browser, server, path):
    with window(browser, server) as watched:
        page = watched.page()
        answer = page.goto(server.url + path)
        assert answer.status == 404
        expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
        watched.expect_refusal("404")


def test_news_that_comes_while_a_part_is_being_fetched_is_not_lost(browser, server):
    with window(browser, server) as watched:
        page = watched.page()
        begin(page, server, "in a hurry")
        ask(page, 2)
        expect(cards(page)).to_have_count(2)
        expect(page.locator("#recent li").first).to_contain_text("request 2:")
        held = []

        def hold_up(route):
            if len(held) < 3:
                held.append((route, route.fetch()))
            else:
                route.continue_()

        page.route(re.compile(r"/(recent|money|about)(\?|$)"), hold_up)
        tell_truth(page, cards(page).nth(0))
        expect(cards(page)).to_have_count(1)
        for _ in range(400):  # until all three parts are being fetched, and what comes is held up
            if len(held) == 3:
                break
            page.wait_for_timeout(50)
        assert len(held) == 3
        tell_truth(page, cards(page).nth(0))
        expect(cards(page)).to_have_count(0)
        for route, made_before_the_second_answer in held:
            route.fulfill(response=made_before_the_second_answer)
        expect(page.locator("#recent li").first).to_contain_text("request 2 told")
        expect(page.locator("#money-reserved")).to_have_text("0.00")
