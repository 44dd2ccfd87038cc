"""What is done with predictors of any kind, and what is done without what they need not have.

Predictors may come from other packages. What they return is looked at here once, so that a mistake
is said in words wherever it shows.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import numpy as np

from budgeted.errors import BudgetedError, LearnerError
from budgeted.learners.base import Cases, Classifier, Confusion, Learner, Outlook, Predictor
from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

_NEEDED = ("problem", "learner", "probabilities", "to_plain", "outlook")
_ROUNDING = 1e-6
_LEAST = float(np.finfo(float).tiny)
_LONGEST = 60


def fitted(
    learner: Learner,
    problem: Problem,
    purchases: Sequence[Purchase],
    belief: Belief | None = None,
) -> Predictor:
    """Return the predictor that a learner makes of purchases, or say in words why there is none.

    Parameters
    ----------
    learner, problem, purchases
        Who learns, and from what.
    belief
        What the values of these purchases add up to, where that is known already. A learner that
        needs no more than that, and says so by ``of_belief``, does not go through them again.

    Examples
    --------
    >>> from budgeted import Feature
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> fitted(NaiveBayes(), problem, []).learner
    'naive-bayes'
    """
    short = None if belief is None else getattr(learner, "of_belief", None)
    made: Predictor = _in_words(
        learner.name,
        "fit" if short is None else "of_belief",
        lambda: learner.fit(problem, purchases) if short is None else short(belief),
    )
    missing = [each for each in _NEEDED if not hasattr(made, each)]
    if missing:
        raise LearnerError(
            f"learner {learner.name!r}: fit must return a budgeted.learners.Predictor; it returned "
            f"{_clipped(made)}, which has no {', '.join(missing)}"
        )
    return made


def probabilities_of(classifier: Classifier, values: Cases) -> Floats:
    """Return P(label | values), cases × labels, after a look whether these are probabilities."""
    found = np.asarray(
        _in_words(classifier.learner, "probabilities", lambda: classifier.probabilities(values))
    )
    labels = len(classifier.problem.labels)
    wrong = ""
    if found.shape != (len(values), labels) or found.dtype.kind != "f":
        wrong = f"must be {len(values)} cases × {labels} labels, got {found.dtype} {found.shape}"
    elif not (np.isfinite(found) & (found >= 0)).all():
        wrong = "must be numbers from 0"
    elif not np.allclose(found.sum(axis=1), 1, atol=_ROUNDING):
        wrong = "must sum to 1 for each case"
    if wrong:
        raise LearnerError(f"learner {classifier.learner!r}: probabilities: {wrong}")
    return found


def log_scores(
    classifier: Classifier, values: Cases, kept: MutableMapping[str, Any] | None = None
) -> Floats:
    """Return log P(label, values) up to a constant of the case, cases × labels."""
    again = getattr(classifier, "log_scores_again", None)
    if again is not None and kept is not None:
        return _floats(again(values, kept))
    direct = getattr(classifier, "log_scores", None)
    if direct is not None:
        return _floats(direct(values))
    result: Floats = np.log(np.maximum(probabilities_of(classifier, values), _LEAST))
    return result


def outlook_of(predictor: Predictor, models: int | None = None) -> Outlook:
    """Return how wrong a predictor expects to be, after a look whether that can be."""

    def ask() -> Outlook:
        return predictor.outlook() if models is None else predictor.outlook(models)

    found: Outlook = _in_words(predictor.learner, "outlook", ask)
    numbers = [getattr(found, each, None) for each in ("low", "error", "high")]
    fine = all(isinstance(each, float | int) and 0 <= each <= 1 for each in numbers)
    if not fine or numbers != sorted(numbers):  # type: ignore[type-var]
        raise LearnerError(
            f"learner {predictor.learner!r}: outlook must be an Outlook with 0 ≤ low ≤ error ≤ "
            f"high ≤ 1, got {_clipped(found)}"
        )
    return found


def possible_errors(predictor: Predictor) -> Floats | None:
    """Return the errors that a predictor may make, one for each possible model; None if it can't.

    >>> from budgeted import Feature
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> predictor = NaiveBayes().fit(problem, [])
    >>> errors = possible_errors(predictor)
    >>> len(errors), bool(abs(errors.mean() - predictor.outlook().error) < 1e-12)
    (200, True)
    """
    ask: Callable[[], Floats] | None = getattr(predictor, "errors", None)
    if ask is None:
        return None
    found = _floats(_in_words(predictor.learner, "errors", ask))
    if found.ndim != 1 or not len(found) or not ((found >= 0) & (found <= 1)).all():
        raise LearnerError(
            f"learner {predictor.learner!r}: errors must be numbers from 0 to 1, at least one, got "
            f"{_clipped(found)}"
        )
    return found


def confusion_of(predictor: Predictor) -> Confusion | None:
    """Return what a predictor expects to say of the cases of each label; None if it cannot tell."""
    ask: Callable[[], Confusion] | None = getattr(predictor, "confusion", None)
    return None if ask is None else _in_words(predictor.learner, "confusion", ask)


def shares_of(classifier: Classifier, feature: int) -> Floats | None:
    """Return P(value | label) of a feature, labels × values; None if the classifier has none."""
    ask = getattr(classifier, "shares", None)
    return None if ask is None else _floats(ask(feature))


def share_intervals_of(classifier: Classifier, feature: int) -> tuple[Floats, Floats] | None:
    """Return where nine of ten possible models have these shares; None if it cannot say."""
    ask = getattr(classifier, "share_intervals", None)
    if ask is None:
        return None
    low, high = ask(feature)
    return _floats(low), _floats(high)


def _floats(numbers: Any) -> Floats:
    result: Floats = np.asarray(numbers, dtype=float)
    return result


def _in_words(learner: str, what: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except BudgetedError:
        raise
    except Exception as error:
        raise LearnerError(
            f"learner {learner!r}: {what} raised {type(error).__name__}: {error}"
        ) from error


def _clipped(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
