"""The classifier that a study delivers, with names instead of positions, to be taken along.

It knows nothing of prices, policies or journals, nor of how its predictor computes. As JSON
(`budgeted.learners.model_file`) it is a documented format of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.diagnosis import ActiveClassifier, Decision, Experience
from budgeted.diagnosis.costs import WrongCosts
from budgeted.errors import DiagnosisError, ModelError, ObservationError
from budgeted.learners import model_file
from budgeted.learners.base import Cases, Classifier
from budgeted.learners.layout import Floats
from budgeted.learners.predictor import probabilities_of, shares_of
from budgeted.listing import did_you_mean, listed
from budgeted.problem import Feature
from budgeted.problem.money import MoneyLike
from budgeted.problem.prices import PriceList

UNKNOWN = ("", "?")
"""Cells that mean: not measured on this case."""


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier for cases that are known in part, and for a population of one's own.

    Parameters
    ----------
    predictor
        As a learner makes it, or as it was read from a file.
    prior
        The share of each label where the cases come from. The predictor learned with those of the
        study; P(label | case) is multiplied by the ratio of both, and scaled.
    about
        Where it comes from, for people: the study, how many events it had.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> model = Model.of(NaiveBayes().fit(problem, [Purchase(0, 1, 1, cost=1)]))
    >>> {label: round(p, 3) for label, p in model.predict({"fever": "yes"}).items()}
    {'well': 0.636, 'ill': 0.364}
    >>> Model.from_json(model.to_json()) == model
    True
    >>> {label: round(p, 3) for label, p in model.with_prior((0.99, 0.01)).predict({}).items()}
    {'well': 0.99, 'ill': 0.01}
    >>> model.predict({"Fever": "yes"})
    Traceback (most recent call last):
    ...
    budgeted.errors.ModelError: the model has no feature 'Fever'; did you mean 'fever'? \
Its features are 'fever'
    """

    predictor: Classifier
    prior: tuple[float, ...]
    about: Mapping[str, Any]

    @classmethod
    def of(cls, predictor: Classifier, **about: Any) -> Model:
        """Return a classifier to be written down.

        Parameters
        ----------
        predictor
            As a learner makes it.
        about
            Where it comes from, for people.
        """
        return cls(predictor, predictor.problem.prior, about)

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Return the model in a JSON text; unknown keys and versions are refused."""
        return cls(*model_file.read(text))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Model:
        """Return the model in a file; what is wrong with it is said with its name."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            raise ModelError(f"{path}: this is no JSON: it is not written in UTF-8") from None
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None

    def to_json(self) -> str:
        """Return the model in its documented format."""
        return model_file.write(self.predictor, self.prior, self.about)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.labels, self.prior))

    @property
    def learner(self) -> str:
        """Name of the learner that made it."""
        return self.predictor.learner

    @property
    def labels(self) -> tuple[str, ...]:
        """What is told apart."""
        return self.predictor.problem.labels

    @property
    def features(self) -> tuple[Feature, ...]:
        """What it can know of a case."""
        return self.predictor.problem.features

    def with_prior(self, prior: Sequence[float] | Mapping[str, float]) -> Model:
        """Return the model for a population with these shares of the labels."""
        if isinstance(prior, Mapping):
            if set(prior) != set(self.labels):
                raise ModelError(
                    f"prior: must have the labels {', '.join(map(repr, self.labels))}, got "
                    f"{', '.join(map(repr, prior))}"
                )
            prior = [prior[label] for label in self.labels]
        shares = tuple(map(float, prior))
        wrong = len(shares) != len(self.labels) or not all(
            math.isfinite(share) and share > 0 for share in shares
        )
        if wrong or not math.isclose(math.fsum(shares), 1, abs_tol=1e-9):
            raise ModelError(
                f"prior: must be one share above 0 per label ({len(self.labels)}) that sum to 1, "
                f"got {', '.join(f'{share:g}' for share in shares)}"
            )
        return replace(self, prior=shares)

    def predict(self, case: Mapping[str, Any], force: bool = False) -> dict[str, float]:
        """Return the probability of each label for a case known in part.

        Parameters
        ----------
        case
            Feature → value, by their names; a number stands for the value that is written like it.
            Features that are left out, empty, ``?``, None or not a number are unknown. A name that
            the model does not have is an error, never ignored.
        force
            Whether to take values that are outside the range of their feature, which are an error
            otherwise, as in the study.
        """
        return self.predict_many([case], force)[0]

    def next_test(
        self,
        known: Mapping[str, Any],
        prices: Mapping[str, MoneyLike] | None = None,
        *,
        price_list: PriceList | None = None,
        wrong: WrongCosts = None,
        limit: MoneyLike | None = None,
        ordered: Iterable[str] = (),
        without: Iterable[str] = (),
        experience: Experience | None = None,
    ) -> Decision:
        """Return which test a new case needs next, or that it is time to answer.

        Who asks for many cases makes one `budgeted.diagnosis.ActiveClassifier` and asks that.

        Parameters
        ----------
        known
            Feature → value; others are unknown.
        prices
            What each test of a new case costs, which a model does not know.
        price_list, wrong, limit, experience
            Fees and panels, the costs of wrong answers, what the tests of a case may cost, and
            cases that were seen; see `budgeted.diagnosis.ActiveClassifier`.
        ordered, without
            What of it was ordered, and what cannot be; see
            `budgeted.diagnosis.ActiveClassifier.next_test`.

        Examples
        --------
        >>> from budgeted import Problem, Purchase
        >>> from budgeted.learners import NaiveBayes
        >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
        >>> bought = [Purchase(0, label, label, 1) for label in (0, 1) for _ in range(8)]
        >>> model = Model.of(NaiveBayes().fit(problem, bought))
        >>> found = model.next_test({}, {"fever": 5}, wrong=100)
        >>> found.test, found.answer_cost, round(found.expected_cost, 2)
        ('fever', 50.0, 15.0)
        >>> model.next_test({"fever": "yes"}, {"fever": 5}, wrong=100).answer
        'ill'
        >>> model.next_test({})
        Traceback (most recent call last):
        ...
        budgeted.errors.DiagnosisError: prices: a model knows none; say what each test of a new \
case costs, such as prices={'fever': 5}
        """
        if prices is None:
            raise DiagnosisError(
                f"prices: a model knows none; say what each test of a new case costs, such as "
                f"prices={{{self.features[0].name!r}: 5}}"
            )
        active = ActiveClassifier(self, prices, price_list, wrong, limit, experience=experience)
        return active.next_test(known, ordered, without)

    def predict_many(
        self, cases: Iterable[Mapping[str, Any]], force: bool = False
    ) -> list[dict[str, float]]:
        """Return what `predict` does of each of several cases, which is faster than one by one."""
        rows = np.array([self.positions(case, force) for case in cases], dtype=np.int64)
        if not len(rows):
            return []
        return [
            dict(zip(self.labels, row, strict=True)) for row in self.probabilities(rows).tolist()
        ]

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values) in the population, cases × labels, for positions of values."""
        found = probabilities_of(self.predictor, values)
        learned = self.predictor.problem.prior
        if self.prior == learned:
            return found
        masses = found * (np.asarray(self.prior) / np.asarray(learned))
        result: Floats = masses / masses.sum(axis=1, keepdims=True)
        return result

    def positions(self, case: Mapping[str, Any], force: bool = False) -> list[int]:
        """Return the position of each value of a case, -1 where it is unknown; see `predict`."""
        if not isinstance(case, Mapping):
            raise ModelError(f"case: must map names of features to values, got {case!r}")
        row = [-1] * len(self.features)
        for name, value in case.items():
            feature = self.feature(name)
            if not is_unknown(value):
                row[self._by_name[feature.name]] = self.value(feature, value, force)
        return row

    def shares(self, feature: Feature) -> Floats | None:
        """Return P(value | label) of a feature, labels × values; None if the learner has none."""
        return shares_of(self.predictor, self._by_name[feature.name])

    def feature(self, name: object) -> Feature:
        """Return a feature, or raise an error that names the nearest one."""
        at = self._by_name.get(name) if isinstance(name, str) else None
        if at is None:
            close = did_you_mean(name, self._by_name) if isinstance(name, str) else ""
            raise ModelError(
                f"the model has no feature {name!r}; {close}Its features are "
                f"{listed(self._by_name)}"
            )
        return self.features[at]

    def value(self, feature: Feature, value: object, force: bool = False) -> int:
        """Return the position of a value, or raise an error that names the nearest one."""
        try:
            return feature.category(feature.read(value, force))
        except ObservationError as error:
            raise ModelError(str(error), hint=error.hint) from None

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {each.name: at for at, each in enumerate(self.features)}


def is_unknown(value: object) -> bool:
    """Whether a cell says that nothing was measured.

    >>> [is_unknown(value) for value in ("", "?", None, float("nan"), "no", 0)]
    [True, True, True, True, False, False]
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value in UNKNOWN
