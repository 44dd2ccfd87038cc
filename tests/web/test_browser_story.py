"""What coordinators do on the pages, in a real browser, alone and with a colleague.

What the page says stands where the eye is, is true, and covers and moves nothing.
"""

import json
import re
import urllib.request
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from budgeted import Feature, Number, Problem
from budgeted.studies.example import STUDY, answers, cases
from budgeted.studies.forecast import kept_forecast
from budgeted.studies.log import as_csv
from budgeted.studies.study import Study
from tests.browsers import DESKTOP, PHONE, accessibility_problems, widest, window
from tests.sample_studies import CLOCK
from tests.web import panel_study
from tests.webs import make_study

DASHES = "#chart-error svg path[stroke-dasharray='5,4']"
FEATURES = ("ferritin", "transferrin", "crp", "mcv")
TRUTH = {row[0]: dict(zip(FEATURES, row[1:], strict=True)) for row in answers()}
CASES = as_csv(("case", "label"), cases()).encode()


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


def unmoved(after, before):
    """Within a pixel."""
    return all(abs(one - other) <= 1 for one, other in zip(after, before, strict=True))


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


def calm(page):
    page.wait_for_function("() => !document.querySelector('button[aria-disabled], .htmx-request')")


def test_cards_money_and_charts_follow_what_is_told(browser, server):
    name = "story"
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

        ready(cards(page).nth(0)).get_by_role("button", name="Cancel this request").click()
        expect(settled(page)).to_have_count(2)
        put_away(page)
        expect(cards(page)).to_have_count(1)
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


def test_many_requests_at_once_are_a_list_that_unfolds(browser, server):
    name = "many requests"
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


def test_a_forecast_is_wanted_shown_and_grows_old(browser, server):
    """Its process would take long: what it leaves is put in its place."""
    name = "forecast"
    with make_study(server.database, name) as study, window(browser, server, PHONE) as watched:
        study.ask(2)
        page = watched.page(server.study_url(name))
        page.locator("#chart-error").scroll_into_view_if_needed()  # else nobody draws it
        page.locator("#chart-error[data-drawn]").wait_for()
        expect(page.locator(DASHES)).to_have_count(0)
        page.get_by_role("button", name="Forecast", exact=True).click()
        expect(page.locator("#forecast-progress")).to_be_focused()
        page.get_by_role("progressbar", name="Forecast").wait_for()
        assert not accessibility_problems(page)
        file = Path(f"{server.database}-web") / "forecasts" / f"{study.snapshot().id}.jsonl"
        kept_forecast(file, study.history(), CLOCK(), seconds=0, least=2, most=2)
        expect(page.locator("#forecast-words")).to_contain_text("When the money is spent")
        expect(page.locator(DASHES)).to_have_count(1)
        page.get_by_text("With more or less money").click()
        for words in ("a fifth less", "as planned", "a fifth more", "fever", "cough"):
            expect(page.locator("#forecast-details")).to_contain_text(words)
        assert not accessibility_problems(page)
        assert widest(page) <= 0
        study.tell(1, "yes")
        expect(page.locator("#forecast-age")).to_contain_text("of 4")
        expect(page.locator("#forecast-details")).to_have_attribute("open", "")


def test_a_refused_price_is_explained_beside_it_and_gone_when_it_is_accepted(browser, server):
    with window(browser, server, PHONE) as watched:
        page = watched.page()
        begin(page, server, "price")
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
        assert unmoved([top(cancel) - top(field)], [before])
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
    with window(browser, server, DESKTOP) as watched:
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
        assert unmoved([top(each) for each in places], before)
        expect(card.locator("h4")).not_to_contain_text("Measure")
        expect(card.locator(".because")).to_contain_text("Somebody else has just settled")
        expect(card.locator(".because")).to_contain_text("4.00 charged")
        # All of it can be read: above what was typed, and within its own place.
        assert bottom(card.locator(".because span")) <= bottom(card.locator(".because")) + 1
        assert bottom(card.locator(".because")) <= top(card.get_by_text("It had another price"))
        expect(card.locator(".values")).to_be_hidden()
        expect(field).to_have_value("7")


def test_all_columns_can_be_seen(browser, server):
    with window(browser, server, PHONE) as watched:
        page = watched.page()
        begin(page, server, "columns")
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


def test_a_visit_is_one_card_with_all_that_is_due(browser, server):
    name = "clinic"
    panel_study.begin(server.url, validation=True, name=name)
    panel_study.answer_all(server.url, 1, name=name)
    with window(browser, server, PHONE) as watched:
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
    assert unmoved(after, before)


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


@pytest.fixture
def entered(server, request):
    crp = Number(unit="mg/l", cuts=[5], least=0, most=500, decimal="comma")
    features = [Feature("ferritin", ("low", "high"), "18.00"), Feature("crp", crp, "9.50")]
    features += [Feature(f"test {at}", ("neg", "pos"), "4.00") for at in range(14)]
    problem = Problem(features, ("iron", "chronic"), (0.5, 0.5), "400.00")
    cases = [(f"P{at}", ("iron", "chronic")[at % 2]) for at in range(40)]
    with Study.create(
        server.database, request.node.name, problem, cases, seed=1, by="anna"
    ) as made:
        made.ask(3, only=["ferritin"])
        made.ask(2, only=["crp"])
        yield made


def focused(page):
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') || document.activeElement.id"
    )


def check_looks(page):
    assert accessibility_problems(page) == []
    assert widest(page) <= 0
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


@pytest.mark.slow
def test_results_by_keyboard_alone(browser, server, entered):
    study = entered
    due = study.requests("pending")
    first, numeric = due[0], next(each for each in due if each.feature == "crp")
    with window(browser, server, DESKTOP) as watched:
        page = watched.page(server.study_url(study.name, "/results"))
        expect(page.locator("#live-state")).to_have_text("Live")
        page.locator("#scan").focus()
        # A barcode reader is a keyboard that ends with Enter.
        page.keyboard.type(f"{first.case}\n")
        assert focused(page) == f"ferritin of {first.case}, due, 18.00"
        page.keyboard.type("low")
        page.keyboard.press("Enter")
        assert "ferritin of " in focused(page)
        page.locator("#scan").focus()
        page.keyboard.type("nobody\n")
        expect(page.locator("#scan-problem")).to_contain_text("There is no case 'nobody'")
        page.keyboard.type("P39\n")
        expect(page.locator("tr[data-case=P39]")).to_be_visible()
        page.wait_for_function("document.activeElement.name?.startsWith('v')")
        expect(page.locator("#cell-words")).to_contain_text("was not asked for")
        page.keyboard.press("ArrowRight")
        assert focused(page) == "crp of P39, nobody asked for it"
        page.keyboard.type("900")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
        # A block with cases before it and tests above it fills cells wherever they are.
        page.evaluate(
            """(text) => {
                const held = new DataTransfer();
                held.setData("text/plain", text);
                document.activeElement.dispatchEvent(
                    new ClipboardEvent("paste",
                        {clipboardData: held, bubbles: true, cancelable: true}));
            }""",
            f"case\tcrp\ttest 13\n{numeric.case}\t3,5\tpos\n",
        )
        expect(page.locator("#toast")).to_contain_text("The cells are filled")
        # A colleague settles a request: its cell is marked, and what was typed stays.
        study.refresh()
        study.tell(due[1].number, "high")
        expect(
            page.locator(f'input[aria-label="ferritin of {due[1].case}, known: high"]')
        ).to_have_count(1)
        expect(page.locator(f'input[aria-label^="ferritin of {first.case}, due"]')).to_have_value(
            "low"
        )
        check_looks(page)
        page.locator("#check").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#preview-heading")).to_be_focused()
        preview = page.locator("#preview")
        expect(preview).to_contain_text(
            "2 told, 1 recorded though nobody asked, 0 known already, 1 outside the range"
        )
        expect(preview).to_contain_text("27.50 charged")
        check_looks(page)
        page.get_by_label("Right all the same: 900").check()
        before = study.events
        page.get_by_role("button", name="Write these down").press("Enter")
        expect(page.locator("#written")).to_contain_text("2 told, 2 recorded")
        study.refresh()
        assert study.events == before + 4
        check_looks(page)
        page.get_by_role("button", name="Undo all of it").press("Enter")
        expect(page.locator("#written-heading")).to_have_text("Taken back")
        study.refresh()
        assert len(study.requests("pending")) == 4
        assert study.state.spent == study.requests("told")[0].cost
