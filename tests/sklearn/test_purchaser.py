"""BudgetedPurchaser: what it buys, what it says of it, and the tools of scikit-learn."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from budgeted.problem.prices import price_list
from budgeted.sklearn import BudgetedClassifier, BudgetedPurchaser

COUNTS = {"budget": "7.30", "prices": {"a": "0.70", "b": "0.10"}, "policy": "round-robin"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 50)
    X = pd.DataFrame({"a": rng.normal(0, 1, 50) + 2 * y, "b": rng.choice(["no", "yes"], 50)})
    X.loc[::9, "b"] = None
    return X, y


@pytest.fixture(scope="module")
def fitted(frame):
    return BudgetedPurchaser(**COUNTS, random_state=4).fit(*frame)


def test_what_was_bought_is_in_the_table_and_adds_up(frame, fitted):
    X, y = frame
    spent = Decimal(0)
    mask = np.zeros(X.shape, dtype=bool)
    for number, each in enumerate(fitted.purchases_, start=1):
        spent += each.cost
        cell = X[each.feature][each.case]
        assert each.number == number
        assert each.label == y[each.case]
        assert (each.value is None) if pd.isna(cell) else each.value == cell
        assert each.cost == Decimal(COUNTS["prices"][each.feature])
        assert each.spent == spent
        mask[each.case, list(X).index(each.feature)] |= each.value is not None
    assert len({(each.case, each.feature) for each in fitted.purchases_}) == number
    assert fitted.spent_ == spent
    assert Decimal("7.20") < spent <= Decimal("7.30")
    assert np.array_equal(fitted.mask_, mask)
    assert pd.DataFrame(fitted.purchases_)["spent"].iloc[-1] == spent
    rows = [each._asdict() for each in fitted.purchases_]
    assert pl.DataFrame(rows, strict=False)["spent"][-1] == spent


def test_what_it_bought_can_be_learned_by_others(frame, fitted):
    X, y = frame
    bought = X.where(fitted.mask_)
    kinds = {each.name: each.kind for each in fitted.problem_.features}
    alike = BudgetedClassifier("naive-bayes", kinds=kinds).fit(bought, y)
    assert np.allclose(alike.predict_proba(X), fitted.predict_proba(X), atol=1e-12)
    other = HistGradientBoostingClassifier(max_iter=5).fit(bought[["a"]], y)
    assert other.predict(X[["a"]]).shape == (50,)


def test_the_curve_ends_where_the_classifier_is(frame, fitted):
    X, y = frame
    curve = fitted.curve_
    assert list(curve) == ["purchases", "spent", "expected_error", "low", "high"]
    assert len(curve["spent"]) == fitted.curve_points
    assert curve["purchases"][[0, -1]].tolist() == [0, len(fitted.purchases_)]
    assert curve["spent"][[0, -1]].tolist() == [0, float(fitted.spent_)]
    now = fitted.outlook_
    assert [curve[name][-1] for name in ("low", "expected_error", "high")] == [
        now.low, now.error, now.high
    ]  # fmt: skip
    assert np.isclose(curve["expected_error"][0], min(y.mean(), 1 - y.mean()), atol=0.02)
    stages = list(fitted.staged_predict(X))
    assert len(stages) == fitted.curve_points
    assert np.array_equal(stages[-1], fitted.predict(X))
    assert len(set(stages[0])) == 1
    again = pickle.loads(pickle.dumps(fitted))
    assert again.purchases_ == fitted.purchases_
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_prices_by_column_by_position_and_in_order(frame, fitted):
    X, y = frame
    for prices in (["0.70", "0.10"], {0: "0.70", 1: "0.10"}, np.array([0.7, 0.1])):
        alike = BudgetedPurchaser(**COUNTS | {"prices": prices}, random_state=4).fit(X, y)
        assert alike.purchases_ == fitted.purchases_
    listed = price_list("tariff", visit_fee="0.30")
    tables = [{"list": "tariff", "visit_fee": "0.30"}, listed]
    first, second = (
        BudgetedPurchaser(**COUNTS, price_list=each, random_state=4).fit(X, y) for each in tables
    )
    assert first.purchases_ == second.purchases_
    assert first.purchases_[0].cost == Decimal(COUNTS["prices"][first.purchases_[0].feature]) + (
        Decimal("0.30")
    )


def test_a_seed_is_kept_and_drawn_where_none_is_given(frame, fitted):
    X, y = frame
    drawn = BudgetedPurchaser(**COUNTS, random_state=np.random.RandomState(3)).fit(X, y)
    assert fitted.seed_ == 4
    again = BudgetedPurchaser(**COUNTS, random_state=drawn.seed_).fit(X, y)
    assert again.purchases_ == drawn.purchases_
    assert BudgetedPurchaser(**COUNTS).fit(X, y).seed_ >= 0


def test_policies_and_budgets_are_searched_like_any_parameter(frame):
    X, y = frame
    grid = {"budget": [0, "6"], "policy": ["round-robin", "auto"]}
    search = GridSearchCV(BudgetedPurchaser(random_state=0), grid, cv=2, error_score="raise")
    assert search.fit(X, y).best_params_["budget"] == "6"
    number = X[["a"]]
    scores = cross_val_score(
        make_pipeline(StandardScaler(), BudgetedPurchaser(20, random_state=0)), number, y, cv=2
    )
    assert scores.mean() > 0.7


def test_without_money_nothing_is_bought(frame):
    X, y = frame
    made = BudgetedPurchaser(budget=0, random_state=1).fit(X, y)
    assert made.purchases_ == []
    assert made.spent_ == 0
    assert made.curve_["purchases"].tolist() == [0]
    assert set(made.predict(X)) == {int(y.mean() > 0.5)}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"budget": None}, "budget: how much may be spent"),
        ({"budget": -1}, "budget: must be 0 or more, got -1"),
        ({"budget": "a lot"}, "budget: must be an amount of money"),
        ({"prices": {"a": 1}}, "prices: no price for 'b'"),
        ({"prices": {"a": 1, "c": 2}}, "prices: there is no column 'c'"),
        ({"prices": [1, 2, 3]}, r"prices: there must be one per column \(2\), got 3"),
        ({"prices": 0}, "prices: 'a' must be above 0"),
        ({"price_list": "tarif"}, "there is no price list 'tarif'; did you mean 'tariff'"),
        ({"policy": "gready"}, "there is no policy 'gready'; did you mean 'greedy'"),
        ({"policy_params": {"depth": 2}}, "policy 'auto' has no parameter 'depth'"),
        ({"policy_params": {"case_limit": "0.5"}}, "policy_params: case_limit: a limit of 0.5"),
        ({"case_rule": "any"}, "there is no case rule 'any'"),
        ({"cuts": "labels"}, "cuts: the classes of values that were not bought"),
        ({"curve_points": 1}, "curve_points: must be a whole number from 2"),
        ({"random_state": -3}, "random_state: must be a whole number from 0"),
        ({"handle_unknown": True}, "handle_unknown: must be"),
    ],
)
def test_wrong_parameters_are_said_at_fit(frame, parameters, words):
    purchaser = BudgetedPurchaser(**{"budget": 9} | parameters)
    with pytest.raises(ValueError, match=words):
        purchaser.fit(*frame)


def test_before_fit_it_has_no_curve():
    with pytest.raises(NotFittedError):
        _ = BudgetedPurchaser(budget=1).curve_
