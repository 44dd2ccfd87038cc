"""The terms of a budget and its price list stay when a study grows, or cuts numbers elsewhere."""

from __future__ import annotations

from budgeted import Feature, Number, Problem, Soft, Study
from budgeted.problem.prices.tariff import Tariff
from budgeted.studies.commands import SetCuts
from tests.sample_studies import check_folded

CASES = [(f"P{at}", "ill" if at % 2 else "well") for at in range(8)]


def test_terms_and_prices_survive(tmp_path):
    terms = Soft(20, limit=60, point_worth=1, rate="0.2")
    features = [
        Feature("chol", kind=Number(cuts=[200, 240]), cost=2),
        Feature("crp", ("low", "high"), 3),
    ]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), terms, Tariff(5))
    with Study.create(str(tmp_path / "s.db"), "s", problem, CASES, by="me") as study:
        study.add_feature(Feature("scan", ("-", "+"), 4))
        study.add_value("crp", "odd")
        study.do(SetCuts("chol", "210", "why not"))
        study.add_cases([("new", "ill")])
        now = study.state.problem
        assert type(now.terms) is type(terms)
        assert now.budget == problem.budget
        assert now.prices.visit_fee == 5
        assert len(now.features) == 3
        (first, *_) = study.ask()
        assert first.cost > 5
        check_folded(study)
