"""Learners: what is believed, and delivered, after some purchases.

A learner makes a predictor of purchases. The predictor is the classifier, and says itself how wrong
it expects to be. Judges, reports, charts and the exported model all use the same one.

>>> learner("naive-bayes")
NaiveBayes()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from budgeted.errors import LearnerError
from budgeted.learners.base import Classifier, Learner, Outlook, Predictor, check_kind
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.logistic_regression import LogisticRegression
from budgeted.learners.naive_bayes import NaiveBayes, naive_bayes, of_belief
from budgeted.learners.predictor import fitted
from budgeted.learners.prospective import Committee
from budgeted.registry import Registry

__all__ = [
    "LEARNERS", "Classifier", "Committee", "Hierarchical", "Learner", "LogisticRegression",
    "NaiveBayes", "Outlook", "Predictor", "fitted", "learner", "learner_from",
    "naive_bayes", "of_belief", "parameters_of",
]  # fmt: skip

LEARNERS: Registry[type[Learner]] = Registry(
    "learner",
    LearnerError,
    {
        "hierarchical": Hierarchical,  # the default
        "naive-bayes": NaiveBayes,  # the paper's
        "logistic-regression": LogisticRegression,
        "scikit-learn": "budgeted.learners.scikit_learn:ScikitLearn",
    },
    check_kind,
    "budgeted.learners",
)
"""Every learner by its name; `LEARNERS.register` adds one."""


def learner(name: str, **parameters: Any) -> Learner:
    """Return a learner by its name.

    Parameters
    ----------
    name
        One of `LEARNERS`.
    parameters
        Its own; what is not given has its usual value.
    """
    made: Learner = LEARNERS.make(name, parameters)
    return made


def learner_from(given: str | Mapping[str, Any] | Learner) -> Learner:
    """Return the learner that a file or a person names, alone or with its parameters.

    >>> learner_from({"name": "hierarchical", "levels": [1.0, 2.0]}).levels
    (1.0, 2.0)
    >>> learner_from("naive-bayes")
    NaiveBayes()
    """
    if isinstance(given, str):
        return learner(given)
    if not isinstance(given, Mapping):
        if isinstance(given, type) or not callable(getattr(given, "fit", None)):
            raise LearnerError(_wanted(given))
        return given
    name = given.get("name")
    if not isinstance(name, str):
        raise LearnerError(_wanted(given))
    return learner(name, **{key: given[key] for key in given if key != "name"})


def _wanted(given: object) -> str:
    return f"must be one of {', '.join(LEARNERS)}, got {given!r}"


def parameters_of(made: Learner) -> dict[str, Any]:
    """Return the parameters of a learner, to be written down.

    >>> learner("hierarchical", **parameters_of(Hierarchical())) == Hierarchical()
    True
    """
    return asdict(made)  # type: ignore[call-overload, no-any-return]
