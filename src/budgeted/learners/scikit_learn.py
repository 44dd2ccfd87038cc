"""Any classifier of scikit-learn that takes missing values, as a learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from budgeted.errors import LearnerError, ModelError
from budgeted.learners.base import Cases, Classifier, Outlook
from budgeted.learners.dependence import case_of_each
from budgeted.learners.layout import Floats, Integers, checked_cases, layout_of
from budgeted.learners.members import check_keys
from budgeted.learners.prospect import FINEST
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.statistics import wilson

CONFIDENCE = 0.9
_FOLDS = 10
_TIED = 1e-12


def cross_validated(
    fit: Callable[[Sequence[Purchase]], Classifier],
    problem: Problem,
    purchases: Sequence[Purchase],
    folds: int = _FOLDS,
) -> Outlook:
    """Return how often classifiers are wrong on the bought cases that they did not learn from.

    The cases are shared out in as many parts as there are folds, and each part is predicted by what
    is learned from the others. Labels count by their shares, whichever were bought. The interval is
    Wilson's for so many cases. Cases that are known in part are harder than those to come, which
    will be known in full: so this rather says too much than too little.

    >>> from budgeted import Feature
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 99)
    >>> bought = [Purchase(0, at % 2, at % 2, 1, case=at) for at in range(40)]
    >>> cross_validated(lambda part: NaiveBayes().fit(problem, part), problem, bought)
    Outlook(error=0.0, low=0.0, high=0.063...)
    """
    cases = _cases(purchases)
    majority = 1 - max(problem.prior)
    if not cases:
        # It says the most frequent label, and is wrong as often as that is not the label.
        return Outlook(majority, max(0.0, majority - FINEST), majority + FINEST)
    right = np.empty(len(cases))
    for fold in range(min(folds, len(cases))):
        inside = range(fold, len(cases), folds)
        others = [each for at, case in enumerate(cases) if at % folds != fold for each in case]
        values = np.stack([_values(problem, cases[at]) for at in inside])
        said = fit(others).probabilities(values)
        best = said >= said.max(axis=1, keepdims=True) - _TIED
        own = [cases[at][0].label for at in inside]
        right[list(inside)] = best[np.arange(len(own)), own] / best.sum(axis=1)
    labels = np.array([case[0].label for case in cases])
    there = [label for label in range(len(problem.labels)) if (labels == label).any()]
    shares = np.array([problem.prior[label] for label in there])
    wrong = np.array([1 - right[labels == label].mean() for label in there])
    error = float(np.clip(wrong @ shares / shares.sum(), 0, 1))
    low, high = wilson(error, len(cases), CONFIDENCE)[1:]
    return Outlook(error, min(low, error), max(high, error))


def _cases(purchases: Sequence[Purchase]) -> list[list[Purchase]]:
    """The purchases of each case, in an order that does not depend on when they were bought."""
    found: dict[str, list[Purchase]] = {}
    for at, each in enumerate(purchases):
        if each.value is not None:
            key = f"alone {at}" if each.case is None else f"case {each.case!r}"
            found.setdefault(f"{each.label} {key}", []).append(each)
    return [found[key] for key in sorted(found)]


def _values(problem: Problem, case: Sequence[Purchase]) -> Integers:
    row = np.full(len(problem.features), -1, dtype=np.int64)
    for each in case:
        row[each.feature] = -1 if each.value is None else each.value
    return row


_LEAST = 1e-6
"""No classifier is surer than that: what it says of a label is no lower."""
_SAME = 1e-6
_CHECKED = 20
"""Cases of which a model file says what was predicted, to compare it with what is fitted again."""


@dataclass(frozen=True)
class ScikitLearn:
    """Fits a classifier of scikit-learn to the bought cases; what was not bought is missing.

    The classifier must take NaN, as trees and their ensembles do. It sees a column for each value
    of a feature, 1 or 0 (a feature with two values, or with numbers in categories, has one column,
    with their positions), and NaN where the value was not bought. So that it can tell cases of
    which less is known, each case counts half as it is, and half with each of its values alone, and
    with none of them. All labels count alike, whichever were bought; of what it says, the share
    that it gives a case of which nothing is known is taken out, and the known share of the label is
    put in (Elkan, *The foundations of cost-sensitive learning*, IJCAI 2001)::

        P(label | case) ∝ P(label) · said(label | case) / said(label | nothing known)

    Trees need complete cases, and many of them; with few scattered values most of them say nothing.
    Which tests were bought of a case may itself tell its label, and such a classifier may learn
    that: buy evenly over the labels. A model file has what was bought, without names of cases, and
    the classifier is fitted again when it is read: trees cannot be written as plain JSON, and
    nothing but numbers and names is kept.

    Parameters
    ----------
    estimator
        A class of scikit-learn, with its module.
    options
        Its parameters: ``"max_iter=50, learning_rate=0.2"``, numbers, words, True, False or None.
    seed
        Its ``random_state``, if it has one.

    Examples
    --------
    >>> ScikitLearn(options="max_iter=50").parameters
    {'max_iter': 50}
    """

    name: ClassVar[str] = "scikit-learn"

    estimator: str = "sklearn.ensemble.HistGradientBoostingClassifier"
    options: str = "min_samples_leaf=5, max_iter=30, early_stopping=False"
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.estimator, str) or not self.estimator.startswith("sklearn."):
            raise LearnerError(
                f"estimator: must be a class of scikit-learn with its module, such as "
                f"'sklearn.ensemble.HistGradientBoostingClassifier', got {self.estimator!r}"
            )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise LearnerError(f"seed: must be a whole number from 0, got {self.seed!r}")
        _ = self.parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """The options by their names."""
        found: dict[str, Any] = {}
        for each in filter(str.strip, str(self.options).split(",")):
            name, equals, text = (part.strip() for part in each.partition("="))
            if not equals or not name.isidentifier() or not text:
                raise LearnerError(
                    f"options: must be like 'max_iter=50, learning_rate=0.2', got {each.strip()!r}"
                )
            found[name] = _plain(text)
        return found

    def made(self) -> Any:
        """Return the classifier of scikit-learn, not fitted, or say in words why there is none."""
        try:
            import sklearn  # noqa: F401, PLC0415 - an extra that takes a second to import
        except ImportError:
            raise LearnerError(
                "the learner 'scikit-learn' needs scikit-learn: pip install 'budgeted[sklearn]'"
            ) from None
        module, _, name = self.estimator.rpartition(".")
        try:
            kind = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            raise LearnerError(f"estimator: scikit-learn has no {self.estimator!r}") from None
        if not (isinstance(kind, type) and hasattr(kind, "predict_proba")):
            raise LearnerError(
                f"estimator: {self.estimator!r} is no class with predict_proba, which gives "
                "probabilities"
            )
        try:
            made = kind(**self.parameters)
        except TypeError as error:
            raise LearnerError(f"options: {error}") from None
        if "random_state" in made.get_params() and "random_state" not in self.parameters:
            made.set_params(random_state=self.seed)
        return made

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Estimated:
        """Return the classifier that these purchases give."""
        bought = [each for each in purchases if each.value is not None]
        values = np.full((len(set(case_of_each(bought).tolist())), len(problem.features)), -1)
        labels = np.zeros(len(values), dtype=np.int64)
        for row, each in zip(case_of_each(bought).tolist(), bought, strict=True):
            values[row, each.feature], labels[row] = each.value, each.label
        order = np.lexsort((*values[:, _by_name(problem)].T, labels))
        return Estimated(self, problem, values[order], labels[order])

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier of a model file: it is fitted again, and must say the same."""
        keys = {"estimator", "options", "seed", "version", "cases", "said"}
        check_keys(plain, keys, "predictor")
        learner = cls(plain["estimator"], plain["options"], plain["seed"])
        rows = [each["values"] for each in plain["cases"]]
        values = np.array(rows, dtype=np.int64).reshape(len(rows), len(problem.features))
        labels = np.array([each["label"] for each in plain["cases"]], dtype=np.int64)
        if ((labels < 0) | (labels >= len(problem.labels))).any() or (values < -1).any():
            raise ModelError("cases: must be positions of labels and values, -1 where unknown")
        checked_cases(problem, values)
        made = Estimated(learner, problem, values, labels)
        again = made.probabilities(made.values[:_CHECKED])
        if not np.allclose(again, np.reshape(plain["said"], again.shape), atol=_SAME):
            raise ModelError(
                f"fitted again it says something else than when it was written, with scikit-learn "
                f"{plain['version']}; here is {_version()}: install that version to read it"
            )
        return made


@dataclass(frozen=True, eq=False)
class Estimated:
    """A fitted classifier of scikit-learn, and what it was fitted to."""

    made_by: ScikitLearn
    problem: Problem
    values: Integers
    labels: Integers
    learner: ClassVar[str] = ScikitLearn.name

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        values = checked_cases(self.problem, values)
        nothing = np.full((1, values.shape[1]), -1)
        said = self._said(np.concatenate([nothing, values]))
        masses = np.asarray(self.problem.prior) * said[1:] / said[0]
        result: Floats = masses / masses.sum(axis=1, keepdims=True)
        return result

    def outlook(self, models: int = 200) -> Outlook:
        """Return the error by cross-validation; there is no model to ask."""
        fit, problem = self.made_by.fit, self.problem
        return cross_validated(lambda part: fit(problem, part), problem, self._purchases())

    def to_plain(self) -> dict[str, Any]:
        """Return what was bought, without names of cases, and what is said of some of them."""
        return {
            "estimator": self.made_by.estimator,
            "options": self.made_by.options,
            "seed": self.made_by.seed,
            "version": _version(),
            "cases": [
                {"label": label, "values": row}
                for label, row in zip(self.labels.tolist(), self.values.tolist(), strict=True)
            ],
            "said": self.probabilities(self.values[:_CHECKED]).tolist(),
        }

    def _said(self, values: Cases) -> Floats:
        """What the classifier says, as if labels were equally frequent; even where it cannot."""
        result = np.ones((len(values), len(self.problem.labels)))
        if self._fitted is not None:
            with _one_thread():
                found = self._fitted.predict_proba(self._columns(values))
            result[:, self._fitted.classes_] = np.maximum(found, _LEAST)
        return result

    @cached_property
    def _fitted(self) -> Any:
        made = self.made_by.made()  # which says what is missing, with nothing bought, too
        number = np.bincount(self.labels, minlength=1)
        if (number > 0).sum() < 2:
            return None  # one label says nothing of others
        alike = len(self.labels) / ((number > 0).sum() * number[self.labels])
        rows, hidden = _with_less(self.values)
        parts = np.bincount(rows) - 1
        weights = np.where(np.arange(len(rows)) < len(parts), 1.0, 1 / parts[rows]) / 2
        columns, labels = self._columns(hidden), self.labels[rows]
        try:
            with _one_thread():
                return made.fit(columns, labels, sample_weight=alike[rows] * weights)
        except (TypeError, ValueError) as error:
            raise LearnerError(
                f"{self.made_by.estimator} cannot learn from cases known in part: {error}"
            ) from error

    def _columns(self, values: Cases) -> Floats:
        """What the classifier sees: a column per value, or one per feature; NaN where unknown."""
        found = []
        seen = (self.values >= 0).sum(axis=0)
        for at in _by_name(self.problem):
            if not seen[at]:  # what was never bought says nothing, and some cannot take it
                continue
            feature, size = self.problem.features[at], layout_of(self.problem).sizes[at]
            own = values[:, at].astype(float)
            own[values[:, at] < 0] = np.nan
            if size == 2 or feature.kind.name == "number":
                found.append(own)
                continue
            for value in range(size):
                found.append(np.where(np.isnan(own), np.nan, own == value))
        return np.stack(found, axis=1)

    def _purchases(self) -> list[Purchase]:
        return [
            Purchase(feature, int(self.labels[case]), value, 1, case)
            for case, row in enumerate(self.values.tolist())
            for feature, value in enumerate(row)
            if value >= 0
        ]


def _by_name(problem: Problem) -> list[int]:
    """Positions of the features by their names: in which order they are listed does not matter."""
    names = [each.name for each in problem.features]
    return sorted(range(len(names)), key=names.__getitem__)


def _with_less(values: Integers) -> tuple[Integers, Integers]:
    """Cases as they are, with each of their values alone, and with none; of which case each is.

    >>> rows, less = _with_less(np.array([[1, -1, 0]]))
    >>> rows.tolist(), less.tolist()
    ([0, 0, 0, 0], [[1, -1, 0], [1, -1, -1], [-1, -1, 0], [-1, -1, -1]])
    """
    case, feature = np.nonzero(values >= 0)
    alone = np.full((len(case), values.shape[1]), -1)
    alone[np.arange(len(case)), feature] = values[case, feature]
    every = np.arange(len(values))
    return (
        np.concatenate([every, case, every]),
        np.concatenate([values, alone, np.full(values.shape, -1)]),
    )


def _plain(text: str) -> bool | int | float | str | None:
    """Return the value of an option as it is written in Python: a number, a constant or a word.

    >>> [_plain(each) for each in ("50", "0.2", "False", "None", "'gini'", "gini")]
    [50, 0.2, False, None, 'gini', 'gini']
    """
    if text[0] in "[({":
        raise LearnerError(
            f"options: can be numbers, words, True, False and None, but nothing with parts, "
            f"got {text!r}"
        )
    for kind in (int, float) if text[-1] in "0123456789." else ():
        try:
            return kind(text)
        except ValueError:
            continue
    quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
    return {"True": True, "False": False, "None": None}.get(text, text[1:-1] if quoted else text)


def _one_thread() -> AbstractContextManager[Any]:
    """Compute on one thread: with as few cases as are bought, several wait for each other."""
    found: AbstractContextManager[Any] = _pools().limit(limits=1)
    return found


@cache
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - comes with scikit-learn

    # Only OpenMP's, whose number belongs to a thread: that of BLAS belongs to the whole process.
    return ThreadpoolController().select(user_api="openmp")


def _version() -> str:
    import sklearn  # noqa: PLC0415 - an extra

    return str(sklearn.__version__)
