"""What both estimators share: they predict cases that are known in part, and say how surely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from budgeted.errors import ProblemError
from budgeted.learners import Outlook
from budgeted.learners.layout import Floats, Integers
from budgeted.learners.model import Model
from budgeted.learners.predictor import outlook_of
from budgeted.problem import Feature
from budgeted.problem.checks import prior_mistakes
from budgeted.problem.values import Kind
from budgeted.sklearn.columns import Column, coded, columns_for, is_missing, tagged


class PartialCases(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # it has no types
    """A classifier of cases that are known in part; it is fitted by those that inherit it."""

    handle_unknown: str
    class_prior: Any
    model_: Model
    classes_: NDArray[Any]

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | what is known) of cases, cases × classes."""
        check_is_fitted(self)
        return self.model_.probabilities(self._coded(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            found: Floats = np.log(self.predict_proba(X))
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of cases; of those that tie, the first."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]  # type: ignore[no-any-return]

    @cached_property
    def outlook_(self) -> Outlook:
        """How wrong it expects to be on new cases, with an interval; computed when looked at."""
        check_is_fitted(self)
        return outlook_of(self.model_.predictor)  # type: ignore[arg-type]

    @property
    def expected_error_(self) -> float:
        """The share of new cases that it expects to get wrong."""
        return self.outlook_.error

    def __sklearn_tags__(self) -> Any:
        return tagged(super().__sklearn_tags__)

    def _coded(self, X: Any) -> Integers:
        """Return the position of each value of new cases, for the features of the model."""
        columns = columns_for(self, X, reset=False)
        used = [columns[at] for at in self.used_]
        return coded(used, self.model_.features, self.handle_unknown)

    def _forget(self) -> None:
        """Drop what was worked out for an earlier fit."""
        for name in ("outlook_", "curve_"):
            self.__dict__.pop(name, None)

    def _cases(self, X: Any, y: Any) -> tuple[list[Column], Integers]:
        """Return the columns of the cases and the position of the class of each, after checks."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: the "
                f"class of every case must be known"
            )
        columns = columns_for(self, X, reset=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(columns[0].cells, y)
        for row, label in enumerate(y.tolist()):
            if is_missing(label):
                raise ValueError(
                    f"y, row {row}: the class is missing (None or NaN); that of every case must be "
                    f"known"
                )
        if y.dtype.kind == "f" and np.isinf(y).any():
            raise ValueError(f"y, row {np.isinf(y).argmax()}: infinity is no class")
        check_classification_targets(y)
        try:
            self.classes_, labels = np.unique(y, return_inverse=True)
        except TypeError:
            kinds = sorted({type(label).__name__ for label in y.tolist()})
            raise ValueError(f"y: classes must be of one type, got {', '.join(kinds)}") from None
        if len(self.classes_) < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(
                f"y has only one class, {only!r}: with one class there is nothing to tell apart"
            )
        twice = [
            name for name, times in Counter(each.name for each in columns).items() if times > 1
        ]
        if twice:
            raise ValueError(f"X: column {twice[0]!r} appears twice; give each its own name")
        return columns, labels.astype(np.int64)

    def _for_sale(
        self, columns: Sequence[Column], kinds: Mapping[int, Kind], costs: Sequence[Any]
    ) -> list[Feature]:
        """Return the features of the columns that have a kind; their positions are `used_`."""
        self.used_ = tuple(sorted(kinds))
        if not kinds:
            raise ValueError("X: no cell of any column is known; at least one value is needed")
        try:
            return [
                Feature(columns[at].name, cost=costs[at], prior_counts=self.prior_counts,
                        kind=kinds[at])
                for at in self.used_
            ]  # fmt: skip
        except ProblemError as error:
            raise ValueError(f"X: {error}") from error

    def _shares(self, labels: Integers) -> tuple[float, ...]:
        """Return the share of each class in the population."""
        if self.class_prior is None:
            counts = np.bincount(labels, minlength=len(self.classes_))
            return tuple((counts / len(labels)).tolist())
        given = self.class_prior
        if isinstance(given, Mapping):
            given = _in_order(given, self.classes_.tolist())
        shares: Any = given if isinstance(given, str) else tuple(np.ravel(given).tolist())
        mistakes = list(prior_mistakes(shares, self._label_names))
        if mistakes:
            words = (
                "; ".join(mistakes)
                .replace("prior", "class_prior")
                .replace("labels", "classes")
                .replace("label", "class")
            )
            raise ValueError(words)
        return tuple(map(float, shares))

    @property
    def _label_names(self) -> list[str]:
        """The classes as the model calls them, which knows names only."""
        names = [str(each) for each in self.classes_.tolist()]
        return [name if name.strip() else repr(name) for name in names]


def _in_order(shares: Mapping[Hashable, Any], classes: Collection[Hashable]) -> list[Any]:
    if set(shares) != set(classes):
        raise ValueError(
            f"class_prior: must have the classes {', '.join(map(repr, classes))}, got "
            f"{', '.join(map(repr, shares))}"
        )
    return [shares[each] for each in classes]
