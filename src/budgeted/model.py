"""The classifier that a study delivers: naive Bayes, with a weight for each feature.

It knows nothing of money, policies or journals. As JSON it is a documented format of its own (see
docs/studies.md), so that other programs, in other languages, can use it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.belief import Belief, Floats
from budgeted.errors import BudgetedError, ModelError
from budgeted.listing import listed
from budgeted.names import spelled
from budgeted.nearest import did_you_mean
from budgeted.problem import Feature, Problem

FORMAT, VERSION = "budgeted-model", 3
UNKNOWN = ("", "?")
"""Cells that mean: not measured on this case."""
FORMULA = (
    "P(label | case) is proportional to prior[label] * product over the features known of the case "
    "of probabilities[label][value] ** weight"
)
"""Stands in every file, so that the file explains itself."""
_ROUNDING = 1e-6
_KEYS = {"format", "version", "formula", "about", "labels", "prior", "features"}
_FEATURE_KEYS = {"name", "values", "probabilities", "bought", "weight"}


@dataclass(frozen=True)
class Learned:
    """What a model knows of a feature.

    Attributes
    ----------
    name, values
        Of the feature.
    probabilities
        P(value | label), a row per label.
    bought
        How many of each value were bought, a row per label. The probabilities are not just shares
        of these: what was believed before is in them, and how strongly features tell labels apart.
    weight
        How much it counts: below 1 where others say the same, or where all that features say is
        to be taken with caution (`budgeted.guard`).
    """

    name: str
    values: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], ...]
    bought: tuple[tuple[int, ...], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Model:
    """A naive Bayes classifier for cases that are known in part.

    Parameters
    ----------
    labels, prior
        What is told apart, and the share of each label where the cases come from.
    features
        What was learned of each; the logarithm of P(value | label) counts with the weight.
    about
        Where it comes from, for people: the study, how many events it had.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> model = Model.from_belief(Belief.prior(problem).observe("fever", "ill", "yes"))
    >>> {label: round(p, 3) for label, p in model.predict({"fever": "yes"}).items()}
    {'well': 0.636, 'ill': 0.364}
    >>> Model.from_json(model.to_json()) == model
    True
    >>> model.with_prior((0.99, 0.01)).predict({})
    {'well': 0.99, 'ill': 0.01}
    >>> model.predict({"Fever": "yes"})
    Traceback (most recent call last):
    ...
    budgeted.errors.ModelError: the model has no feature 'Fever'; did you mean 'fever'? \
Its features are 'fever'
    """

    labels: tuple[str, ...]
    prior: tuple[float, ...]
    features: tuple[Learned, ...]
    about: Mapping[str, Any]

    @classmethod
    def from_belief(cls, belief: Belief, weights: Floats | None = None, **about: Any) -> Model:
        """Return the classifier that a belief gives.

        Parameters
        ----------
        belief
            Whose means are its probabilities.
        weights
            How much each feature counts; fully unless given.
        about
            Where it comes from, for people.
        """
        problem = belief.problem
        trust = [1.0] * len(problem.features) if weights is None else weights.tolist()
        return cls(
            problem.labels,
            problem.prior,
            tuple(
                Learned(
                    feature.name,
                    feature.values,
                    tuple(map(tuple, belief.means[:, belief.columns(at)].tolist())),
                    tuple(map(tuple, belief.observed[:, belief.columns(at)].tolist())),
                    trust[at],
                )
                for at, feature in enumerate(problem.features)
            ),
            about,
        )

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Return the model in a JSON text; unknown keys and versions are refused."""
        try:
            plain = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"this is no JSON: {error}") from None
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise ModelError(f'this is no model: it has no "format": "{FORMAT}"')
        if plain.get("version") != VERSION or isinstance(plain["version"], bool):
            raise ModelError(
                f"this model has version {plain.get('version')!r} of the format, this package "
                f"knows version {VERSION}: let the study write it again, or use the package that "
                f"wrote it"
            )
        try:
            return _from_plain(plain)
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"this model makes no sense: {error!r}") from None
        except BudgetedError as error:
            raise ModelError(f"this model makes no sense: {error}") from None

    def to_json(self) -> str:
        """Return the model in its documented format."""
        plain = {
            "format": FORMAT,
            "version": VERSION,
            "formula": FORMULA,
            "about": dict(self.about),
            "labels": self.labels,
            "prior": self.prior,
            "features": [vars(each) for each in self.features],
        }
        return json.dumps(plain, indent=2, allow_nan=False) + "\n"

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

    def predict(self, case: Mapping[str, Any]) -> dict[str, float]:
        """Return the probability of each label for a case known in part.

        Parameters
        ----------
        case
            Feature → value, by their names; a number stands for the value that is written like it.
            Features that are left out, empty, ``?``, None or not a number are unknown. A name that
            the model does not have is an error, never ignored.
        """
        if not isinstance(case, Mapping):
            raise ModelError(f"case: must map names of features to values, got {case!r}")
        scores = np.log(self.prior)
        for name, value in case.items():
            feature = self.feature(name)
            if not is_unknown(value):
                known = self.value(feature, value)
                scores += feature.weight * np.log([row[known] for row in feature.probabilities])
        masses = np.exp(scores - scores.max())
        return dict(zip(self.labels, (masses / masses.sum()).tolist(), strict=True))

    def feature(self, name: object) -> Learned:
        """Return what was learned of a feature, or raise an error that names the nearest one."""
        found = self._by_name.get(name) if isinstance(name, str) else None
        if found is None:
            close = did_you_mean(name, self._by_name) if isinstance(name, str) else ""
            raise ModelError(
                f"the model has no feature {name!r}; {close}Its features are "
                f"{listed(self._by_name)}"
            )
        return found

    def value(self, feature: Learned, value: object) -> int:
        """Return the position of a value, or raise an error that names the nearest one."""
        name = spelled(value, feature.values)
        if name is None:
            close = did_you_mean(value, feature.values) if isinstance(value, str) else ""
            raise ModelError(
                f"feature {feature.name!r} has no value {value!r}; {close}Its values are "
                f"{listed(feature.values)}"
            )
        return feature.values.index(name)

    @cached_property
    def _by_name(self) -> dict[str, Learned]:
        return {each.name: each for each in self.features}


def is_unknown(value: object) -> bool:
    """Whether a cell says that nothing was measured.

    >>> [is_unknown(value) for value in ("", "?", None, float("nan"), "no", 0)]
    [True, True, True, True, False, False]
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value in UNKNOWN


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _from_plain(plain: dict[str, Any]) -> Model:
    _check_keys(plain, _KEYS, "the model")
    if not isinstance(plain["about"], dict):
        raise ModelError(f"about: must be an object, got {plain['about']!r}")
    for each in plain["features"]:
        what = f"feature {each.get('name')!r}"
        _check_keys(each, _FEATURE_KEYS, what)
        _check_weight(each["weight"], what)
        _check_probabilities(each["probabilities"], what)
        _check_bought(each["bought"], each["probabilities"], what)
    # A problem checks names, shapes and prior, and lists all mistakes.
    features = [Feature(each["name"], each["values"], 1, each["probabilities"])
                for each in plain["features"]]  # fmt: skip
    problem = Problem(features, plain["labels"], plain["prior"], 0)
    return Model(
        problem.labels,
        tuple(map(float, plain["prior"])),
        tuple(
            Learned(
                each["name"],
                tuple(each["values"]),
                tuple(tuple(map(float, row)) for row in each["probabilities"]),
                tuple(map(tuple, each["bought"])),
                float(each["weight"]),
            )
            for each in plain["features"]
        ),
        dict(plain["about"]),
    )


def _check_probabilities(rows: Any, what: str) -> None:
    """Raise an error unless these are rows of numbers above 0 that sum to 1."""
    for row in rows:
        fits = all(_is_number(share) and 0 < share <= 1 for share in row)
        if not fits or not math.isclose(math.fsum(row), 1, abs_tol=_ROUNDING):
            raise ModelError(
                f"{what}: probabilities: each row must be numbers above 0 that sum to 1, got {row}"
            )


def _check_bought(rows: Any, like: Any, what: str) -> None:
    """Raise an error unless these are whole numbers, as many as there are probabilities."""
    whole = all(type(number) is int and number >= 0 for row in rows for number in row)
    if not whole or [len(row) for row in rows] != [len(row) for row in like]:
        raise ModelError(
            f"{what}: bought: must be whole numbers from 0, a row per label and one per value"
        )


def _check_weight(weight: object, what: str) -> None:
    if not (_is_number(weight) and 0 <= weight <= 1):  # type: ignore[operator]
        raise ModelError(f"{what}: weight: must be a number from 0 to 1, got {weight!r}")


def _is_number(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool)


def _check_keys(plain: dict[str, Any], wanted: set[str], what: str) -> None:
    if set(plain) != wanted:
        raise ModelError(
            f"{what} must have the keys {', '.join(sorted(wanted))}, got {', '.join(sorted(plain))}"
        )
