"""A new case on the page and by the API: the same advice as in Python, step by step, in words."""

import re

import pytest

from budgeted.diagnosis import ActiveClassifier, Strategy
from budgeted.studies.study import Study
from tests.webs import client, make_study

API, PAGE = "/api/studies/flu/diagnose", "/studies/flu/diagnose"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("site")
    with make_study(found / "studies.db") as study:
        study.ask(10)
        for request in study.requests("pending"):
            ill = request.label == "ill"
            study.tell(request.number, "yes" if ill else "no")
    return found


@pytest.fixture(scope="module")
def site(folder):
    with client(folder) as found:
        yield found


@pytest.fixture(scope="module")
def model(folder):
    with Study.open(str(folder / "studies.db"), "flu") as study:
        return study.model()


def advised(page):
    return re.search(r'<h2 id="advice-heading">(.*?)</h2>', page.text)[1]


def test_the_api_says_what_python_says(site, model):
    active = ActiveClassifier(model, {"fever": "1.50", "cough": "1"}, wrong=30, limit=2)
    expected = active.next_test({})
    found = site.post(API, json={"wrong": 30, "limit": 2}).json()
    assert found["test"]["name"] == expected.test
    assert found["test"]["price"] == f"{expected.price:f}"
    assert found["expected_cost"] == pytest.approx(expected.expected_cost)
    chances = {each["name"]: each["probability"] for each in found["labels"]}
    assert chances == pytest.approx(dict(expected.chances))
    strategy = Strategy.of(active)
    assert found["strategy"]["tree"] == strategy.text()
    assert found["strategy"]["paid"] == f"{strategy.price:.2f}"
    table = {"well": {"ill": 90}, "ill": {"well": 10}}
    dear = site.post(API, json={"wrong": table}).json()
    own = ActiveClassifier(model, {"fever": "1.50", "cough": "1"}, wrong=table).next_test({})
    assert dear["answer_cost"] == pytest.approx(own.answer_cost)


def test_a_case_goes_on_until_it_is_answered_and_never_over_the_limit(site):
    case = {"wrong": 1000, "limit": "2.50", "known": {}, "ordered": []}
    for _ in range(3):
        found = site.post(API, json=case).json()
        assert float(found["paid"]) <= 2.5
        if found["test"] is None:
            break
        case["known"][found["test"]["name"]] = "yes"
        case["ordered"].append(found["test"]["name"])
    assert found["answer"] == "ill"
    assert [each["name"] for each in found["steps"]] == case["ordered"]
    assert sum(float(each["price"]) for each in found["steps"]) == float(found["paid"])


def test_the_page_leads_from_the_model_to_an_answer_without_scripts(site):
    assert f'href="{PAGE}"' in site.get("/studies/flu/model").text
    terms = {"wrong": "30", "limit": "3"}
    first = site.get(PAGE, params=terms)
    name, price = re.match(r"Order (\w+) for ([\d.]+)", advised(first)).groups()
    place = re.search(r'name="test" value="(\d+)"', first.text)[1]
    assert (name, price) in (("fever", "1.50"), ("cough", "1"))
    told = site.get(PAGE, params=terms | {"test": place, "value": "yes"})
    assert "What was ordered" in told.text
    assert f'name="told" value="{place}=yes"' in told.text or advised(told) == "Answer: ill"
    skipped = site.get(PAGE, params=terms | {"test": place, "skip": "yes"})
    assert name not in advised(skipped)
    cheap = site.get(PAGE, params={"wrong": "0.10"})
    assert advised(cheap).startswith("Answer: ")
    assert "No test that is left is worth its price" in cheap.text


def test_prices_of_new_cases_may_differ_and_what_is_known_costs_nothing(site):
    dear = site.post(API, json={"wrong": 30, "prices": {"fever": 500, "cough": 500}}).json()
    assert dear["test"] is None
    known = site.post(API, json={"wrong": 30, "known": {"fever": "yes"}}).json()
    assert (known["paid"], known["steps"]) == ("0", [])
    page = site.get(PAGE, params={"wrong": "30", "price-0": "500", "price-1": "500"})
    assert advised(page).startswith("Answer: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"wrong": {"well": {"ill": 5, "well": 9}, "ill": {"well": 5}}}, "would reward errors"),
        ({"wrong": -1}, "must be an amount from 0"),
        ({"limit": "much"}, "limit: "),
        ({"known": {"feber": "yes"}}, "did you mean 'fever'"),
        ({"ordered": ["fever"]}, "say what it showed"),
        ({"prices": {"fever": "a lot"}}, "price of 'fever'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(site, body, words):
    refused = site.post(API, json=body)
    assert refused.status_code == 422
    assert words in refused.text.replace('\\"', '"')


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"wrong": "-3", "limit": "x"}, "There are 2 things to mend"),
        ({"wrong-0-1": "5"}, "say what that costs"),
        ({"test": "9", "value": "yes"}, "there is no test"),
        ({"test": "0"}, "say what the test showed"),
        ({"price-0": "cheap"}, "price of"),
        ({"known": "7=yes"}, ""),
    ],
)
def test_the_page_refuses_in_words_and_shows_neither_commands_nor_internal_names(
    site, query, words
):
    refused = site.get(PAGE, params=query)
    assert refused.status_code == 422
    assert words in refused.text
    shown = re.sub(r"<[^>]*>", " ", refused.text)
    for name in ("budgeted diagnose", "--", "Traceback", "DiagnosisError", "ActiveClassifier"):
        assert name not in shown


def test_nothing_of_it_is_kept(site):
    before = site.get("/api/studies/flu/history").json()
    site.post(API, json={"wrong": 30, "known": {"fever": "yes"}, "ordered": ["fever"]})
    site.get(PAGE, params={"wrong": "30", "test": "0", "value": "yes"})
    assert site.get("/api/studies/flu/history").json() == before
