"""BudgetedClassifier on partial cases: of pandas, polars, NumPy, with the tools of scikit-learn."""

import json
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from budgeted import Model, Number, Problem, Purchase
from budgeted.learners import LEARNERS, learner
from budgeted.sklearn import BudgetedClassifier

N = 60


@pytest.fixture(scope="module")
def frame():
    """A number, names, and a declared category that nobody has; a third of it was not bought."""
    rng = np.random.default_rng(1)
    ill = rng.integers(0, 2, N)
    bought = rng.random((N, 3)) < 2 / 3
    X = pd.DataFrame({
        "iron": np.where(bought[:, 0], (rng.normal(60, 15, N) - 30 * ill).round(1), np.nan),
        "pain": pd.Series(np.array(["none", "some", "much"])[rng.integers(0, 2, N) + ill])
        .where(bought[:, 1]),
        "site": pd.Categorical(np.where(bought[:, 2], "A", None), categories=["A", "B"]),
    })  # fmt: skip
    return X, np.array(["well", "ill"])[ill]


def test_it_says_what_its_learner_says_of_the_same_purchases(frame):
    """The problem and the purchases are written down here once more, by hand."""
    X, y = frame
    cuts = [30, 45, 60]
    given = BudgetedClassifier("naive-bayes", kinds={"iron": Number(cuts)}, class_prior=[0.2, 0.8])
    made = given.fit(X, y)
    problem = Problem(made.model_.features, ("ill", "well"), (0.2, 0.8), budget=0)
    assert [each.values[:3] for each in problem.features[1:]] == [
        ("much", "none", "some"),
        ("A", "B"),
    ]
    table = np.full(X.shape, -1)
    for row, (iron, pain, site) in enumerate(X.itertuples(index=False)):
        table[row, 0] = -1 if np.isnan(iron) else sum(iron >= cut for cut in cuts)
        table[row, 1] = -1 if pd.isna(pain) else ("much", "none", "some").index(pain)
        table[row, 2] = -1 if pd.isna(site) else 0
    bought = [Purchase(at, int(y[row] == "well"), int(table[row, at]), 0, row)
              for row in range(N) for at in range(3) if table[row, at] >= 0]  # fmt: skip
    expected = learner("naive-bayes").fit(problem, bought)
    assert np.allclose(made.predict_proba(X), expected.probabilities(table), atol=1e-12)
    assert made.outlook_ == expected.outlook()
    assert made.expected_error_ == expected.outlook().error
    assert list(made.predict(X)) == [made.classes_[at] for at in made.predict_proba(X).argmax(1)]


def test_pandas_polars_and_arrays_of_the_same_cells_are_the_same(frame):
    X, y = frame
    objects = X.astype(object).where(X.notna(), None)
    plain = pl.DataFrame({name: objects[name].tolist() for name in X}, strict=False)
    enum = plain.with_columns(pl.col("site").cast(pl.Enum(["A", "B"])))
    expected = BudgetedClassifier().fit(X, y)
    for other in (enum, enum.to_arrow()):
        assert np.array_equal(
            BudgetedClassifier().fit(other, y).predict_proba(other), expected.predict_proba(X)
        )
    columns = list(zip(*plain.iter_rows(), strict=True))
    cells = np.array(list(zip(*columns, strict=True)), dtype=object)
    for array in (cells, cells.tolist()):
        with_names = BudgetedClassifier(categorical_features=[2]).fit(array, y)
        without = BudgetedClassifier().fit(plain.to_pandas(), y)
        assert np.array_equal(with_names.predict_proba(array), without.predict_proba(plain))


def test_a_grid_over_learners_in_a_pipeline(frame):
    """A frame with missing cells and categories, of which one step passes some on."""
    X, y = frame
    steps = make_column_transformer((StandardScaler(), ["iron"]), remainder="passthrough")
    pipeline = Pipeline([("scale", steps), ("learn", BudgetedClassifier())])
    pipeline.set_output(transform="pandas")
    grid = {"learn__learner": [*LEARNERS, {"name": "hierarchical", "independence": 2.0}],
            "learn__cuts": ["terciles", "labels"]}  # fmt: skip
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.6
    assert len(search.cv_results_["params"]) == 2 * (len(LEARNERS) + 1)
    assert set(search.predict(X)) == {"ill", "well"}
    polar = clone(pipeline).set_output(transform="polars").fit(X, y)
    best = clone(pipeline).fit(X, y)
    assert (polar.predict_proba(X).round(9) == best.predict_proba(X).round(9)).all()


def test_cross_validation_and_clones(frame):
    X, y = frame
    made = BudgetedClassifier(
        {"name": "hierarchical", "levels": [4.0, 1.0]}, class_prior=[0.4, 0.6]
    )
    scores = cross_val_score(make_pipeline(made), X, y, cv=3, error_score="raise")
    assert scores.mean() > 0.6
    assert clone(made).get_params() == made.get_params()


@pytest.mark.parametrize("name", LEARNERS)
def test_it_is_kept_by_pickle_and_joblib(frame, tmp_path, name):
    X, y = frame
    made = BudgetedClassifier(name).fit(X, y)
    joblib.dump(made, tmp_path / "made.joblib")
    for again in (pickle.loads(pickle.dumps(made)), joblib.load(tmp_path / "made.joblib")):
        assert np.array_equal(again.predict_proba(X), made.predict_proba(X))
        assert again.outlook_ == made.outlook_


def test_its_model_can_be_taken_away(frame):
    X, y = frame
    made = BudgetedClassifier().fit(X, y)
    model = Model.from_json(made.model_.to_json())
    said = [model.predict(json.loads(row.to_json())) for _, row in X.iterrows()]
    assert np.allclose([[each[label] for label in made.classes_] for each in said],
                       made.predict_proba(X), atol=1e-12)  # fmt: skip


def test_the_prior_of_the_population_is_what_is_said_of_an_unknown_case(frame):
    X, y = frame
    unknown = X.head(1).assign(iron=np.nan, pain=None, site=None).astype(X.dtypes)
    for prior in ({"well": 0.97, "ill": 0.03}, [0.03, 0.97]):
        made = BudgetedClassifier(class_prior=prior).fit(X, y)
        assert np.allclose(made.predict_proba(unknown), [[0.03, 0.97]])
    shares = BudgetedClassifier().fit(X, y).predict_proba(unknown)
    assert np.allclose(shares, [[(y == "ill").mean(), (y == "well").mean()]])


def test_what_is_unknown_is_refused_with_its_place_or_taken_as_missing(frame):
    X, y = frame
    new = X.head(3).copy()
    new.loc[2, "pain"] = "sone"
    words = r"X, row 2: .*'pain' has no value 'sone'; did you mean 'some'.*handle_unknown='missing'"
    with pytest.raises(ValueError, match=words):
        BudgetedClassifier().fit(X, y).predict(new)
    tolerant = BudgetedClassifier(handle_unknown="missing").fit(X, y)
    missing = new.assign(pain=new["pain"].where(new["pain"] != "sone"))
    assert np.array_equal(tolerant.predict_proba(new), tolerant.predict_proba(missing))
    assert BudgetedClassifier().fit(X, y).predict(new.head(2).assign(site="B")).shape == (2,)


def test_a_number_out_of_its_range_is_unknown_too(frame):
    X, y = frame
    kinds = {"iron": Number([40], least=-50, most=200)}
    new = X.head(1).assign(iron=900.0)
    with pytest.raises(ValueError, match=r"900\.0 is outside -50–200"):
        BudgetedClassifier(kinds=kinds).fit(X, y).predict(new)
    tolerant = BudgetedClassifier(kinds=kinds, handle_unknown="missing").fit(X, y)
    assert np.array_equal(
        tolerant.predict_proba(new), tolerant.predict_proba(new.assign(iron=np.nan))
    )


def test_a_column_of_which_nothing_is_known_is_not_used(frame):
    X, y = frame
    made = BudgetedClassifier().fit(X.assign(never=np.nan), y)
    assert made.n_features_in_ == 4
    assert made.used_ == (0, 1, 2)
    expected = BudgetedClassifier().fit(X, y).predict_proba(X)
    assert np.array_equal(made.predict_proba(X.assign(never=7.5)), expected)


def test_refitting_forgets_what_was_worked_out(frame):
    X, y = frame
    made = BudgetedClassifier("naive-bayes").fit(X, y)
    before = made.outlook_
    assert made.fit(X.head(12), y[:12]).outlook_ != before


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"learner": "naive"}, "there is no learner 'naive'; did you mean 'naive-bayes'"),
        ({"learner": 7}, "must be one of .*got 7"),
        ({"learner": {"name": "hierarchical", "depth": 3}}, "has no parameter 'depth'"),
        ({"class_prior": [0.5, 0.6]}, "class_prior: must sum to 1"),
        ({"class_prior": [1.0]}, "class_prior: .* 2 classes"),
        ({"class_prior": {"ill": 1}}, "class_prior: must have the classes 'ill', 'well'"),
        ({"class_prior": "shares"}, "class_prior: must be"),
        ({"cuts": "thirds"}, "cuts: must be one of 'median', .*'labels', or a whole number"),
        ({"cuts": 1}, "cuts: must be one of"),
        ({"categorical_features": "pain"}, "categorical_features: must be 'from_dtype' or a list"),
        ({"categorical_features": ["pane"]}, "categorical_features: there is no column 'pane'"),
        ({"categorical_features": [True]}, "one per column"),
        ({"kinds": {"irn": Number([3])}}, "kinds: there is no column 'irn'; did you mean 'iron'"),
        ({"handle_unknown": "ignore"}, "handle_unknown: must be 'error' or 'missing'"),
        ({"prior_counts": 0}, "prior_counts: must be numbers above 0"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_said_at_fit(frame, parameters, words):
    X, y = frame
    estimator = BudgetedClassifier(**parameters)
    with pytest.raises(ValueError, match=words):
        estimator.fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2.0]], [1, 1], "only one class, 1: with one class"),
        ([[1.0], [2.0]], ["a", None], "y, row 1: the class is missing"),
        ([[1.0], [2.0]], [0.5, np.inf], "y, row 1: infinity is no class"),
        (np.array([["a"], ["nan"]]), [0, 1], "'nan' stands there 1 times.*dtype=object"),
        ([[np.nan], [np.nan]], [0, 1], "no cell of any column is known"),
        (pd.DataFrame({"a": [1.0, np.inf]}), [0, 1], "infinity is not a value"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1], "a"),
        ([[1e300], [2.0]], [0, 1], "its numbers cannot be cut at .*another unit"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_said(X, y, words):
    with pytest.raises(ValueError, match=words):
        BudgetedClassifier().fit(X, y)


def test_before_fit_it_has_no_outlook():
    with pytest.raises(NotFittedError):
        _ = BudgetedClassifier().expected_error_


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.integers(2, 6))
def test_cuts_tell_apart_what_they_should(numbers, parts):
    """No more categories than parts, each seen; few different numbers have one each."""
    from budgeted.sklearn.columns import Column, coded, kinds_of

    coarse = [round(each, 3) for each in numbers]
    column = Column("x", coarse)
    kind = kinds_of([column], [0] * len(coarse), parts, "from_dtype", None)[0]
    feature = Problem([_feature(kind)], ("a", "b"), (0.5, 0.5), 0).features[0]
    found = coded([column], [feature], "error")[:, 0]
    assert found.tolist() == [kind.category(kind.read(each)) for each in coarse]
    different = sorted(set(coarse))
    seen = len(set(found.tolist()))
    assert seen == len(different) if len(different) <= parts else 2 <= seen <= parts
    assert all(np.diff(found[np.argsort(coarse)]) >= 0)


def _feature(kind):
    from budgeted import Feature

    return Feature("x", kind, 1)


def test_nothing_else_imports_scikit_learn_and_without_it_the_extra_is_named():
    code = (
        "import sys, budgeted; from budgeted import Study, Table, simulate, Model;"
        "assert 'sklearn' not in sys.modules; sys.modules['sklearn'] = None\n"
        "try:\n    import budgeted.sklearn\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "estimators need scikit-learn: pip install 'budgeted[sklearn]'\n"
