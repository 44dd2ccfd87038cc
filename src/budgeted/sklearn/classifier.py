"""A classifier for cases of which only some values were bought."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Self

import numpy as np

from budgeted.learners import Learner, fitted, learner_from
from budgeted.learners.model import Model
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.problem.values import Kind
from budgeted.sklearn.columns import check_handling, coded, kinds_of
from budgeted.sklearn.partial_cases import PartialCases


class BudgetedClassifier(PartialCases):
    """Learns from cases of which some values are known, by any learner of the package.

    A missing cell of X means: not bought. The class of every case is known. What is predicted may
    be known in part, too.

    Parameters
    ----------
    learner
        Name of a registered learner (`budgeted.learners.LEARNERS`); a mapping with its ``name`` and
        its parameters; or a learner.
    class_prior
        The share of each class in the population, in the order of ``classes_`` or by class; that of
        y unless given. Cases are often chosen by their class, so y does not say how frequent it is.
    cuts
        Where columns of numbers are cut into categories, which is learned in ``fit``: at their
        ``median``, ``terciles``, ``quartiles``, ``quintiles`` or ``deciles``, or into so many
        parts; or ``labels``, where the classes change.
    categorical_features
        Columns whose numbers are names, by name, position or a list of truth values. Columns with
        texts are categories anyhow, and so are those that a dataframe declares as such;
        ``from_dtype`` leaves it at that.
    kinds
        What the values of some columns are, by name or position, such as
        ``{"age": Number(cuts=[40, 60])}``; nothing is learned of these.
    handle_unknown
        What becomes of a value that its feature does not have: ``error`` refuses it, as the models
        of this package do; ``missing`` takes it as not known.
    prior_counts
        How often each value of a feature counts as seen before anything is, as in
        `budgeted.Feature`.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As of every classifier; the last one if X has names.
    used_
        Positions of the columns that were learned from: those of which anything is known.
    model_
        A `budgeted.Model`: it can be written to JSON, or asked which test a case needs next.
    learner_
        The learner, with its parameters.
    outlook_, expected_error_
        How wrong it expects to be on new cases, with an interval; computed when looked at.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"fever": ["yes", "yes", None, "no", "no", None] * 3,
    ...                   "age": [31, None, 60, 42, 25, 37] * 3})
    >>> y = ["ill", "ill", "ill", "well", "well", "well"] * 3
    >>> classifier = BudgetedClassifier(class_prior={"ill": 0.2, "well": 0.8}).fit(X, y)
    >>> classifier.predict_proba(X.head(1)).round(2).tolist()
    [[0.91, 0.09]]
    >>> now = classifier.outlook_
    >>> bool(now.low < classifier.expected_error_ < now.high)
    True
    """

    def __init__(
        self,
        learner: str | Mapping[str, Any] | Learner = "hierarchical",
        *,
        class_prior: Any = None,
        cuts: str | int = "quintiles",
        categorical_features: Any = "from_dtype",
        kinds: Mapping[str | int, Kind] | None = None,
        handle_unknown: str = "error",
        prior_counts: float | str = 1.0,
    ) -> None:
        self.learner = learner
        self.class_prior = class_prior
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.kinds = kinds
        self.handle_unknown = handle_unknown
        self.prior_counts = prior_counts

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from cases.

        Parameters
        ----------
        X
            Cases × features: an array, or a dataframe of pandas, polars or pyarrow. NaN, None, an
            empty text and ``?`` are values that were not bought.
        y
            The class of each case.
        """
        self._forget()
        check_handling(self.handle_unknown)
        learner = learner_from(self.learner)
        columns, labels = self._cases(X, y)
        kinds = kinds_of(columns, labels.tolist(), self.cuts, self.categorical_features, self.kinds)
        features = self._for_sale(columns, kinds, [1] * len(columns))
        problem = Problem(features, self._label_names, self._shares(labels), budget=0)
        values = coded([columns[at] for at in self.used_], features, self.handle_unknown)
        known = np.argwhere(values >= 0)
        free = Decimal(0)  # what is there already costs nothing
        bought = [
            Purchase(feature, label, value, free, case)
            for (case, feature), label, value in zip(
                known.tolist(), labels[known[:, 0]].tolist(), values[tuple(known.T)].tolist(),
                strict=True,
            )
        ]  # fmt: skip
        self.learner_ = learner
        self.model_ = Model.of(fitted(learner, problem, bought))
        return self
