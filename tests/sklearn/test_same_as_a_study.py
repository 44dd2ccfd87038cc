"""A purchaser buys what a study of the same problem, policy and seed buys, value by value."""

import numpy as np
import pandas as pd
import pytest

from budgeted import Soft, Study
from budgeted.policies import POLICIES
from budgeted.sklearn import BudgetedPurchaser

TARIFF = {"list": "tariff", "visit_fee": "2.50",
          "panels": [{"name": "blood", "features": ["iron", "crp"], "setup": "1.20"}]}  # fmt: skip
PRICES = {"iron": "1.50", "crp": "0.75", "pain": "2", "age": "0.60"}


@pytest.fixture(scope="module")
def table():
    """Numbers, names, and cells that nobody can give."""
    rng = np.random.default_rng(5)
    y = np.array(["ill", "well"])[rng.integers(0, 2, 40)]
    ill = y == "ill"
    X = pd.DataFrame({
        "iron": np.where(rng.random(40) < 0.1, np.nan, rng.normal(60, 20, 40).round(1) - 25 * ill),
        "crp": np.where(rng.random(40) < 0.1, np.nan, rng.integers(1, 90, 40)),
        "pain": pd.Series(np.array(["none", "some", "much"])[rng.integers(0, 2, 40) + ill])
        .where(rng.random(40) > 0.1),
        "age": rng.integers(18, 90, 40),
    })  # fmt: skip
    return X, y


def played(purchaser, X, database):
    """The purchases of a study with the same problem, policy and seed: asked and told in turn."""
    problem = purchaser.problem_
    labels = [str(purchaser.classes_[at]) for at in np.searchsorted(purchaser.classes_, y_of(X))]
    cases = [(f"row {row}", label) for row, label in enumerate(labels)]
    done = []
    with Study.create(
        database, "played", problem, cases, seed=purchaser.seed_, policy=purchaser.policy,
        parameters=purchaser.policy_params, learner=purchaser.learner,
        case_rule=purchaser.case_rule,
    ) as study:  # fmt: skip
        while asked := study.ask():
            for each in asked:
                row = int(each.case.removeprefix("row "))
                value = X[each.feature][row]
                if pd.isna(value):
                    told = study.fail(each.number, charged=True, usable=False)
                    value = None
                else:
                    told = study.tell(
                        each.number, value.item() if each.feature != "pain" else value
                    )
                cost = told.cost
                done.append((row, each.feature, each.label, value, cost))
        spent = study.state.spent
        model = study.model()
    return done, spent, model


def y_of(X):
    return X.attrs["y"]


@pytest.mark.parametrize(
    ("policy", "money"),
    [
        ("auto", {}),
        ("auto", {"price_list": TARIFF}),
        ("auto", {"budget": Soft("20", limit="40", rate="0.5", point_worth="0.4")}),
        ("random-shopper", {}),
        ("sfl", {"price_list": TARIFF, "case_rule": "overlap"}),
        ("biased-robin", {"learner": "hierarchical", "policy_params": {"loss": "entropy"}}),
        ("exp3", {"class_prior": {"ill": 0.1, "well": 0.9}}),
    ],
    ids=lambda each: each if isinstance(each, str) else "+".join(each),
)
def test_a_purchaser_and_a_study_buy_the_same(table, tmp_path, policy, money):
    X, y = table
    X.attrs["y"] = y
    given = {"budget": "24", "prices": PRICES, "policy": policy, "random_state": 3} | money
    purchaser = BudgetedPurchaser(**given).fit(X, y)
    done, spent, model = played(purchaser, X, str(tmp_path / "a.db"))
    bought = [(each.case, each.feature, each.label, each.value, each.cost)
              for each in purchaser.purchases_]  # fmt: skip
    assert len(bought) > 9
    assert bought == done
    assert purchaser.spent_ == spent == sum(each.cost for each in purchaser.purchases_)
    assert any(each.value is None for each in purchaser.purchases_) or policy == "auto"
    cases = [{name: None if pd.isna(cell) else cell for name, cell in row.items()}
             for row in X.head(8).astype(object).to_dict("records")]  # fmt: skip
    expected = [[said[label] for label in purchaser.classes_] for said in model.predict_many(cases)]
    assert np.allclose(purchaser.predict_proba(X.head(8)), expected, rtol=0, atol=1e-12)


@pytest.mark.thorough  # without missing cells, tests/studies/test_study.py does it every time
@pytest.mark.parametrize("policy", POLICIES)
def test_whatever_the_policy(table, tmp_path, policy):
    X, y = table
    X.attrs["y"] = y
    purchaser = BudgetedPurchaser("12", prices=PRICES, policy=policy, random_state=11).fit(X, y)
    done, _, _ = played(purchaser, X, str(tmp_path / "a.db"))
    bought = [(each.case, each.feature, each.label, each.value, each.cost)
              for each in purchaser.purchases_]  # fmt: skip
    assert bought == done


def test_another_seed_buys_something_else(table):
    X, y = table
    first, second = (
        BudgetedPurchaser(12, prices=PRICES, policy="round-robin", random_state=seed).fit(X, y)
        for seed in (1, 2)
    )
    assert first.purchases_ != second.purchases_
