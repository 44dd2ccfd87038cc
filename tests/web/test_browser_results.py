"""Results in a real browser: by keyboard alone, scanned, pasted, written and undone."""

import pytest

from budgeted import Feature, Number, Problem, Study
from tests import browsers
from tests.browsers import accessibility_problems, widest, window

NARROW = {"width": 390, "height": 844}


@pytest.fixture
def study(server, request):
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
def test_results_by_keyboard_alone(browser, server, study):
    from playwright.sync_api import expect

    due = study.requests("pending")
    first, numeric = due[0], next(each for each in due if each.feature == "crp")
    with window(browser, server, browsers.DESKTOP) as watched:
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


@pytest.mark.slow
def test_a_file_on_a_phone(browser, server, study, tmp_path):
    from playwright.sync_api import expect

    study.refresh()
    ferritin = [each for each in study.requests("pending") if each.feature == "ferritin"]
    path = tmp_path / "results.csv"
    path.write_text(f"Patient;Ferritine\n{ferritin[0].case};low\nP99;high\n", encoding="utf-8")
    with window(browser, server, NARROW, color_scheme="dark") as watched:
        page = watched.page(server.study_url(study.name, "/results"))
        page.set_input_files("#file", path)
        page.get_by_role("button", name="Look at it", exact=True).click()
        expect(page.locator("#preview-heading")).to_have_text("Something must be said first")
        check_looks(page)
        # What was just pressed takes nothing for a moment.
        look = page.get_by_role("button", name="Look at it", exact=True)
        expect(look).not_to_have_attribute("aria-disabled", "true")
        page.get_by_role("button", name="That is what they are").click()
        expect(page.locator("#preview")).to_contain_text("1 told, 0 recorded")
        expect(page.locator("#preview")).to_contain_text("there is no case 'P99'")
        check_looks(page)
        page.get_by_label("Write down what is right").check()
        page.get_by_role("button", name="Write these down").click()
        expect(page.locator("#written")).to_contain_text("1 told, 0 recorded")
        check_looks(page)
