"""Learners: what is believed, and delivered, after some purchases.

A learner makes a predictor of purchases. The predictor is the classifier, and says itself how wrong
it expects to be. Judges, reports, charts and the exported model all use the same one.

>>> learner("naive-bayes")
NaiveBayes()
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from budgeted.errors import LearnerError
from budgeted.learners.base import Learner, Outlook, check_kind
from budgeted.learners.committee import Committee
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.naive_bayes import NaiveBayes, naive_bayes, of_belief
from budgeted.registry import Registry

__all__ = [
    "LEARNERS", "Committee", "Hierarchical", "Learner", "NaiveBayes", "Outlook",
    "learner", "naive_bayes", "of_belief", "parameters_of",
]  # fmt: skip

LEARNERS: Registry[type[Learner]] = Registry(
    "learner", "budgeted.learners", LearnerError, (Hierarchical, NaiveBayes), check_kind
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
    kind = LEARNERS.find(name)
    known = [each.name for each in fields(kind)]  # type: ignore[arg-type]  # checked when registered
    unknown = [each for each in parameters if each not in known]
    if unknown:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise LearnerError(f"learner {name!r} has no parameter {', '.join(unknown)}; {has}")
    return kind(**{key: _frozen(value) for key, value in parameters.items()})


def parameters_of(made: Learner) -> dict[str, Any]:
    """Return the parameters of a learner, to be written down.

    >>> learner("hierarchical", **parameters_of(Hierarchical())) == Hierarchical()
    True
    """
    return asdict(made)  # type: ignore[call-overload, no-any-return]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
