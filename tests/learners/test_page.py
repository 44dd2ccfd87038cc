"""The page of a model, off line in a real browser, says what the package says."""

import json
import re

import pytest

from budgeted.learners.formats import model_format
from tests.browsers import DESKTOP, PHONE, accessibility_problems, widest
from tests.learners.exported import NAMES, answers, cases, model

FILL = """(cases) => cases.map((values) => {
  document.getElementById("case").reset();
  values.forEach((value, at) => {
    const field = document.getElementById(`feature-${at}`);
    if (value === null) { field.value = ""; return; }
    field.value = field.tagName === "SELECT"
      ? [...field.options].find((each) => each.textContent === value).value : value;
  });
  document.getElementById("case").dispatchEvent(new Event("input"));
  return [document.getElementById("label").textContent,
          ...[...document.querySelectorAll("[id^=bar-]")].map((each) => each.value)];
})"""


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of a model from a file, without a network; nothing may go wrong in it."""
    complaints, contexts = [], []

    def open_page(made, viewport=DESKTOP):
        file = tmp_path / "model.html"
        file.write_bytes(model_format("html").content(made))
        context = browser.new_context(viewport=viewport, offline=True)
        contexts.append(context)
        context.on("request", lambda each: complaints.append(each.url)
                   if each.url != file.as_uri() else None)  # fmt: skip
        context.on("weberror", lambda each: complaints.append(str(each.error)))
        context.on("console", lambda each: complaints.append(each.text))
        page = context.new_page()
        page.goto(file.as_uri())
        return page

    yield open_page
    for each in contexts:
        each.close()
    assert not complaints


def typed(made, case):
    """What people choose and type, feature by feature."""
    found = []
    for each in made.features:
        value = case.get(each.name)
        if value in (None, "") or value != value:  # noqa: PLR0124 - not a number
            found.append(None)
        elif each.kind.name == "number":
            mark = "," if each.kind.decimal == "comma" else "."
            found.append(str(value).replace(".", mark))
        else:
            found.append(value)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same(name, opened):
    made = model(name)
    said = opened(made).evaluate(FILL, [typed(made, case) for case in cases(name)])
    for (label, *chances), wanted in zip(said, answers(name), strict=True):
        assert chances == pytest.approx(wanted.tolist(), abs=1e-9)
        best, second = sorted(wanted)[:-3:-1]
        assert label == made.labels[wanted.argmax()] or best - second < 1e-9


def test_what_is_no_value_is_marked_and_has_no_answer(opened):
    from playwright.sync_api import expect

    page = opened(model("numbers"))
    number = page.get_by_label('chol "LDL"')
    for wrong in ("601", "high", "1,5", "1e999", "NaN"):
        number.fill(wrong)
        expect(page.locator("#label")).to_have_text("No answer")
        expect(number).to_have_attribute("aria-invalid", "true")
        assert 'feature "chol \\"LDL\\""' in page.locator("#wrong-2").text_content()
    number.fill("601")
    page.get_by_label("Right all the same").check()
    expect(page.locator("#label")).to_have_text(
        max(wanted := model("numbers").predict({'chol "LDL"': 601}, force=True), key=wanted.get)
    )
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#why")).to_have_text("0 of 4 features are known.")
    expect(number).to_have_value("")


def test_another_population(opened):
    made = model("two labels")
    page = opened(made)
    page.get_by_text("Where the case comes from").click()
    page.locator("#share-0").fill("0.05")
    page.locator("#share-1").fill("0.95")
    page.locator("#feature-0").select_option(label="yes")
    wanted = made.with_prior((0.05, 0.95)).predict({made.features[0].name: "yes"})
    shown = page.evaluate("[0, 1].map((at) => document.getElementById(`bar-${at}`).value)")
    assert shown == pytest.approx(list(wanted.values()), abs=1e-9)
    page.locator("#share-0").fill("none")
    assert page.locator("#label").text_content() == "No answer"
    assert page.locator("#wrong-shares").text_content() == "Each share must be a number above 0."


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("format", ["html", "score-sheet"])
def test_it_can_be_read_everywhere(format, viewport, browser, tmp_path):
    """No barrier that axe finds, and nothing wider than a phone."""
    for name in ("numbers", "three labels"):
        file = tmp_path / "model.html"
        file.write_bytes(model_format(format).content(model(name)))
        context = browser.new_context(viewport=viewport, bypass_csp=True)  # for axe
        page = context.new_page()
        page.goto(file.as_uri())
        assert accessibility_problems(page) == []
        assert widest(page) <= 0
        context.close()


@pytest.mark.parametrize("name", ["numbers", "three labels"])
def test_it_holds_nothing_but_itself(name):
    """A policy that allows its own script and style only, and no address of anything else."""
    text = model_format("html").content(model(name)).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"""(src|href|action)=|https?:|\bon[a-z]+="|style=""", text)
    script = text.split("<script>")[1].split("</script>")
    assert len(script) == 2, "what is in the model ends the script"
    held = json.loads(script[0].partition("const MODEL = ")[2].partition(";\n//")[0])
    assert tuple(held["labels"]) == model(name).labels
