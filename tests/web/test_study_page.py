"""The page of a study, as text: visits, the price before the press, wishes, how good it is."""

import re
from functools import partial

import pytest

from budgeted import Feature, Problem, Study
from budgeted.policies import POLICIES
from budgeted.studies.foresight import foresee
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.why import why_view
from tests.sample_studies import CLOCK, answer
from tests.web import panel_study
from tests.webs import client, make_study

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """What is said of a price does not depend on how fast the machine is."""
    monkeypatch.setattr("budgeted.web.views.why.foresee", partial(foresee, seconds=1e9))


@pytest.fixture
def site(tmp_path):
    with client(tmp_path) as found:
        yield found


@pytest.fixture
def clinic(site):
    url = str(site.base_url)
    panel_study.begin(url, validation=True)
    panel_study.answer_all(url, 1)
    return site


def test_money_and_cards_wait_for_no_model(site, tmp_path, monkeypatch):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(3)
    monkeypatch.setattr(Snapshot, "predictor", property(lambda self: 1 / 0))
    monkeypatch.setattr("budgeted.studies.status._worth", lambda study: 1 / 0)
    page = site.get("/studies/flu")
    assert page.status_code == 200
    assert page.text.count('class="card"') == 3
    for part in ("money", "recent", "cards"):
        assert site.get(f"/studies/flu/{part}").status_code == 200
    for part in ("classifier", "about"):
        assert re.search(f'hx-get="/studies/flu/{part}"[^>]* hx-trigger="load', page.text)


def test_requests_of_a_case_are_on_one_card(clinic):
    url = str(clinic.base_url)
    asked = panel_study.api(url, "ask", visits=3)["requests"]
    cases = {each["case"] for each in asked}
    page = clinic.get("/studies/clinic").text
    assert page.count('<li class="visit"') == len(cases) == 3 < len(asked)
    visits = clinic.get("/api/studies/clinic/visits").json()["visits"]
    assert {each["case"]: [one["number"] for one in each["requests"]] for each in visits} == {
        case: [each["number"] for each in asked if each["case"] == case] for case in cases
    }
    first = visits[0]
    assert float(first["cost"]) == sum(float(each["cost"]) for each in first["requests"])


def test_more_visits_are_reached_without_scripts(site, tmp_path):
    url = str(site.base_url)
    panel_study.begin(url)
    panel_study.api(url, "ask", visits=30, only=["pulse"])
    page = site.get("/studies/clinic").text
    assert page.count('<li class="visit"') == 12
    assert "18 more cases have tests under way" in page
    address = re.search('id="show-more" href="([^"]+)"', page)[1]
    more = site.get(address.replace("&amp;", "&")).text
    assert more.count('<li class="visit"') == 24
    assert site.get("/studies/clinic?cards=x").text.count('<li class="visit"') == 12
    # A page that shows some hears of these, and of as many more as there is room for.
    shown = [each["number"] for each in panel_study.api(url, "ask", n=1)["requests"]]
    part = site.get("/studies/clinic/cards", params={"shown": f"{shown[0]},x,-1,99999"}).text
    assert f'id="card-{shown[0]}"' in part
    assert part.count('<li class="visit"') == 12


def test_the_price_is_said_before_and_nothing_is_asked(clinic):
    before = clinic.get("/api/studies/clinic").json()
    for wishes in ({"n": 2}, {"visits": 2}, {"n": 3, "only": ["pulse"]}, {"n": 1, "case": "P01"},
                   {"n": 9, "at_most": "50"}, {"n": 2, "without": ["crp", "chol"]}):  # fmt: skip
        said = clinic.get("/api/studies/clinic/price", params=wishes).json()
        assert clinic.get("/api/studies/clinic").json()["seq"] == before["seq"]
        asked = panel_study.api(str(clinic.base_url), "ask", **wishes)["requests"]
        assert float(said["cost"]) == sum(float(each["cost"]) for each in asked)
        assert said["requests"] == len(asked)
        for each in asked:
            panel_study.api(str(clinic.base_url), f"requests/{each['number']}/cancel")
        before = clinic.get("/api/studies/clinic").json()


def test_the_page_says_the_price_and_what_is_wrong_with_a_wish(clinic):
    address = "/studies/clinic/price"
    words = clinic.get(address, params={"n": 2, "of": "visits"}, headers=HTMX).text
    assert re.search(r"2 \(\d tests\) would cost \d+\.00, of", words)
    many = clinic.get(address, params={"n": 40}, headers=HTMX).text
    assert re.search(r"40 would cost [\d.]+ if there were the money; \d+ fit", many)
    for wrong, said in (
        ({"n": "many"}, "must be a whole number"),
        ({"n": "0"}, "must be a whole number"),
        ({"n": "1", "case": "nobody"}, "there is no case"),
        ({"n": "1", "only": "crp; chool"}, "chool"),
        ({"n": "1", "at_most": "much"}, "much"),
        ({"n": "9999"}, "must be from 1 to"),
    ):
        answer = clinic.get(address, params=wrong, headers=HTMX)
        assert answer.status_code == 200, wrong
        assert said in answer.text
        assert "No price yet" in answer.text


def test_wishes_of_the_form(clinic):

    def ask(**fields):
        form = {"n": "1", **fields}
        assert clinic.post("/studies/clinic/ask", data=form).status_code == 200
        requests = clinic.get("/api/studies/clinic/worklist").json()["requests"]
        last = max(each["order"] for each in requests)
        return [each for each in requests if each["order"] == last]

    assert {each["feature"] for each in ask(only=["pulse"])} == {"pulse"}
    assert {each["feature"] for each in ask(without="crp;chol")} == {"pulse"}
    assert {each["case"] for each in ask(case="P33")} == {"P33"}
    before = len(clinic.get("/api/studies/clinic/worklist").json()["requests"])
    assert clinic.post("/studies/clinic/ask", data={
        "n": "5", "at_most": "0.50"}).status_code == 200  # fmt: skip
    assert len(clinic.get("/api/studies/clinic/worklist").json()["requests"]) == before


def test_how_good_the_classifier_is(clinic):
    url = str(clinic.base_url)
    panel_study.answer_all(url, 2)
    found = clinic.get("/api/studies/clinic/classifier").json()
    whole = clinic.get("/api/studies/clinic").json()
    assert found["outlook"] == whole["outlook"]
    assert found["measured"] == whole["measured"]
    assert found["positive"] == "ill"
    well, ill = found["labels"]
    assert (well["cases"], ill["cases"]) == (26, 14)
    right = 0.7 * well["right"]["share"] + 0.3 * ill["right"]["share"]
    assert right == pytest.approx(1 - found["outlook"]["error"], abs=1e-9)
    wrong = 26 * (1 - well["right_measured"]["share"]) + 14 * (1 - ill["right_measured"]["share"])
    assert wrong / 40 == pytest.approx(found["measured"]["error"])
    page = clinic.get("/studies/clinic/classifier", headers=HTMX).text
    assert page.index("Measured error, on 40 validation cases") < page.index("Expected error")
    assert ('id="disagreement"' in page) == bool(found["measured"]["disagreement"])
    assert re.search(r"Sensitivity.*?of ill cases", page, re.S)
    other = clinic.get("/studies/clinic/classifier?positive=well", headers=HTMX).text
    assert re.search(r"Sensitivity.*?of well cases", other, re.S)


def test_three_labels_have_a_table_and_nothing_known_is_said(site, tmp_path):
    problem = Problem([Feature("f", ("a", "b", "c"), 1)], ("x", "y", "z"), (0.2, 0.3, 0.5), 50)
    cases = [(f"P{at}", "xyz"[at % 3]) for at in range(30)]
    Study.create(str(tmp_path / "studies.db"), "three", problem, cases).release()
    page = site.get("/studies/three/classifier", headers=HTMX).text
    assert "Nothing tells the labels apart yet" in page
    assert "always saying z" in page
    assert "Sensitivity" not in page
    assert page.count("<tr><th") >= 3
    assert "It is not measured yet" in page


@pytest.mark.parametrize("policy", sorted(POLICIES.available()))
def test_the_comparison_never_contradicts_the_request(tmp_path, policy):
    """What was ordered is the best of what is shown, or the sentence does not say so."""
    problem = Problem(
        [Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate(("1", "2", "1.50"))],
        ("well", "ill"), (0.5, 0.5), 200,
    )  # fmt: skip
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(40)]
    with Study.create(str(tmp_path / "a.db"), "s", problem, cases, seed=2, clock=CLOCK,
                      policy=policy, by="me") as study:  # fmt: skip
        for _ in range(8):
            for request in study.ask(2):
                study.tell(request.number, answer(request))
        snapshot = study.snapshot()
    for number in snapshot.numbered:
        view = why_view(snapshot, number)
        if not view.bars:
            assert view.words.startswith(f"{policy} compared nothing")
            continue
        shares = [bar.share for bar in view.bars]
        assert shares == sorted(shares, reverse=True)
        assert 0 <= min(shares) <= max(shares) <= 1
        best = max(bar.share for bar in view.bars if bar.ordered) >= 1 - 1e-6
        assert ("what was ordered is the best" in view.words) == best
        assert best or view.why in view.words


def test_what_would_be_asked_next_is_asked_next(clinic):
    said = clinic.get("/api/studies/clinic/next").json()
    page = clinic.get("/studies/clinic/worth", headers=HTMX).text
    assert f"Asked next: {', '.join(said['features'])}" in page
    asked = panel_study.api(str(clinic.base_url), "ask", n=1)["requests"]
    assert [each["feature"] for each in asked] == said["features"]
    assert {each["case"] for each in asked} == {said["case"]}
    assert asked[0]["why"] == said["why"]


def test_a_learner_without_a_confusion_is_no_mistake(site, tmp_path, monkeypatch):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(1)
    monkeypatch.setattr("budgeted.studies.snapshot.confusion_of", lambda predictor: None)
    found = site.get("/api/studies/flu/classifier").json()
    assert [each["right"] for each in found["labels"]] == [None, None]
    assert "Sensitivity" not in site.get("/studies/flu/classifier").text
