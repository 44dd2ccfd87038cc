"""A classifier as a formula, for formats that compute with it where this package is not.

A predictor says how it computes in an optional method ``formula()``. What has none can be taken
away as JSON only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.layout import Floats
from budgeted.problem import Feature, Problem
from budgeted.problem.values import Number

if TYPE_CHECKING:
    from budgeted.learners.base import Learner
    from budgeted.learners.model import Model

_NOT_IN_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, eq=False)
class Formula:
    """P(label | case) ∝ prior · Σ over members of weight · exp(Σ over known features of v · log).

    v, how much a feature counts, is 1 where features speak independently; otherwise it follows from
    the sensitivities of the known features (`budgeted.learners.dependence`).
    """

    features: tuple[Feature, ...]
    labels: tuple[str, ...]
    prior: tuple[float, ...]  # the share of each label where the cases come from
    weights: Floats
    logs: tuple[Floats, ...]  # of each feature: what a value adds, members × labels × values
    sensitivities: Floats
    correlations: Mapping[str, Sequence[tuple[float, float]]]

    @property
    def is_independent(self) -> bool:
        """Whether every known feature counts in full."""
        return all(rho == 0 for pairs in self.correlations.values() for rho, _ in pairs)

    @property
    def is_additive(self) -> bool:
        """Whether what features say is just added up: one member, and all count in full."""
        return len(self.weights) == 1 and self.is_independent


def formula_of(model: Model, format: str) -> Formula:
    """Return the formula of a model for its population.

    >>> from budgeted import Feature, Model, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> formula_of(Model.of(NaiveBayes().fit(problem, [])), "ONNX").is_additive
    True
    """
    check_names(model, format)
    ask = getattr(model.predictor, "formula", None)
    if ask is None:
        raise ModelError(
            f"the learner {model.learner!r} makes classifiers that {format} cannot express; take "
            f"the model as JSON, or choose a learner whose predictors have a formula()"
        )
    found: Formula = ask()
    if not np.array_equal(found.labels, model.labels):
        raise ModelError(f"learner {model.learner!r}: its formula has other labels than the model")
    return replace(found, prior=tuple(model.prior))


def has_formula(learner: Learner) -> bool:
    """Whether the predictors of a learner have a formula.

    >>> from budgeted.learners import NaiveBayes
    >>> has_formula(NaiveBayes())
    True
    """
    smallest = Problem([Feature("a", ("no", "yes"), 1)], ("no", "yes"), (0.5, 0.5), 1)
    return hasattr(learner.fit(smallest, []), "formula")


def check_names(model: Model, format: str) -> None:
    """Raise an error where a name has a character that files of other programs cannot hold."""
    names = [*model.labels, *(each.name for each in model.features)]
    names += [value for each in model.features for value in each.values]
    odd = next((name for name in names if _NOT_IN_XML.search(name)), None)
    if odd is not None:
        raise ModelError(
            f"the name {odd!r} has a control character, which {format} cannot hold; take the model "
            f"as JSON"
        )


def reading_of(features: Sequence[Feature]) -> list[dict[str, object]]:
    """Return how the values of features are told, as plain data.

    >>> from budgeted import Feature, Number
    >>> reading_of([Feature("age", kind=Number(cuts=[60], unit="years", most=120), cost=1)])
    [{'name': 'age', 'categories': ['< 60', '≥ 60'], 'expects': 'a number in years up to 120', \
'cuts': [60], 'least': None, 'most': 120, 'unit': 'years', 'decimal': 'point'}]
    """
    found: list[dict[str, object]] = []
    for each in features:
        plain: dict[str, object] = {
            "name": each.name,
            "categories": list(each.values),
            "expects": each.expects,
        }
        if isinstance(each.kind, Number):
            for key in ("cuts", "least", "most", "unit", "decimal"):
                held = getattr(each.kind, key)
                plain[key] = list(held) if isinstance(held, tuple) else held
        found.append(plain)
    return found
