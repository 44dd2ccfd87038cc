"""The page and the API of studies whose budget has terms."""

import re

from budgeted import Feature, Problem, Soft
from budgeted.studies.study import Study
from budgeted.web.views.study import study_view
from tests.webs import client

FEATURES = [Feature("fever", ("no", "yes"), "5.00")]
CASES = [(f"case {at}", ("well", "ill")[at % 2]) for at in range(30)]


def begin(folder, budget):
    problem = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), budget)
    return Study.create(f"{folder}/s.db", "s", problem, CASES, by="me")


def test_a_soft_budget_shows_its_surcharge(tmp_path):
    with begin(tmp_path, Soft("5.00", "40.00", 100_000, "0.2")) as study:
        asked = study.ask(2)
        study.tell(asked[0].number, "yes")
        view = study_view(study.snapshot(), 50, False, None)
    money = view.study.money
    assert (money.budget, money.amount) == ("40.00", "5.00")
    assert (money.surcharge, money.surcharge_reserved) == ("0.00", "1.00")
    assert money.terms.startswith("5.00, soft up to 40.00")
    assert view.pending[0].why.endswith("it pays 6.00: 5.00 and 1.00 surcharge")


def test_the_terms_change_by_the_api_and_show_on_the_page(tmp_path):
    begin(tmp_path, Soft("5.00", "40.00", "0.01", "0.2")).release()
    with client(tmp_path, f"{tmp_path}/s.db") as found:
        asked = found.post("/api/studies/s/ask", json={"n": 4}).json()
        assert len(asked["requests"]) == 1
        page = found.get("/studies/s").text
        assert "soft up to 40.00 at a surcharge of 20 %" in page
        manage = found.get("/studies/s/manage").text
        assert re.search('id="budget" name="budget"[^>]* value="5.00"', manage)
        assert re.search('name="terms" value="soft"[^>]* checked', manage)
        changed = found.post(
            "/api/studies/s/budget", json={"budget": "5.00", "point_worth": "100000"}
        )
        assert changed.json()["money"]["terms"].endswith("is worth 100000")
        more = found.post("/api/studies/s/ask", json={"n": 2}).json()
        assert more["money"]["surcharge_reserved"] == "2.00"
        log = found.get("/studies/s/history").text
        assert "before: 5.00, soft up to 40.00" in log
        firm = found.post("/api/studies/s/budget", json={"budget": "40", "firm": True})
        assert firm.json()["money"]["terms"] == ""
        wrong = found.post("/api/studies/s/budget", json={"budget": "10", "rate": "0.2"})
        assert wrong.status_code == 409
        assert "budget.limit: is missing" in wrong.text
