"""The classifier that a study delivers, as something to be written down and taken along.

It knows nothing of money, policies or journals. As JSON it is a documented format of its own (see
docs/studies.md), so that other programs, in other languages, can use it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from budgeted.belief import Floats
from budgeted.errors import BudgetedError, ModelError
from budgeted.learners import Committee
from budgeted.learners.dependence import CORRELATIONS, WAYS
from budgeted.listing import listed
from budgeted.names import spelled
from budgeted.nearest import did_you_mean
from budgeted.problem import Feature, Problem

FORMAT, VERSION = "budgeted-model", 5
UNKNOWN = ("", "?")
"""Cells that mean: not measured on this case."""
FORMULA = (
    "P(label | case) is proportional to prior[label] * sum over members m of weights[m] * "
    "product over the features known of the case of probabilities[m][label][value] ** v. For a "
    "feature of sensitivity s the power is v = a + b. a = sum over [rho, chance] in "
    "correlations['one cause'] of chance * max(0, 1 - t / s) / (1 - rho), where t, for each "
    "rho, is the largest over k of rho * (sum of the k largest sensitivities of the known "
    "features) / (1 + rho * (k - 1)); if s is 0, only rho = 0 counts, with its chance. b = sum "
    "over [rho, chance] in correlations['copies'] of chance / (1 + rho * (n - 1)), where n = "
    "(sum of sensitivities)^2 / sum of squared sensitivities of the known features (1 if all "
    "are 0)"
)
"""Stands in every file, so that the file explains itself."""
_ROUNDING = 1e-6
_KEYS = {
    "format", "version", "formula", "about", "labels", "prior", "weights", "correlations",
    "features",
}  # fmt: skip
_FEATURE_KEYS = {"name", "values", "probabilities", "bought", "sensitivity"}


@dataclass(frozen=True)
class Learned:
    """What a model knows of a feature.

    Attributes
    ----------
    name, values
        Of the feature.
    probabilities
        P(value | label) in the eyes of each member of the committee, members × labels × values.
    bought
        How many of each value were bought, a row per label. The probabilities are not just shares
        of these: what was believed before is in them, and how strongly features tell labels apart.
    sensitivity
        How well it tells the labels apart, d′ of signal detection theory; 0 where it says nothing.
        With three labels or more it is averaged by the shares of the study, whatever prior is given
        later.
    """

    name: str
    values: tuple[str, ...]
    probabilities: tuple[tuple[tuple[float, ...], ...], ...]
    bought: tuple[tuple[int, ...], ...]
    sensitivity: float = 0.0


@dataclass(frozen=True)
class Model:
    """A committee of naive Bayes classifiers, or a single one, for cases that are known in part.

    It is a `budgeted.learners.Committee` with names instead of positions.

    Parameters
    ----------
    labels, prior
        What is told apart, and the share of each label where the cases come from.
    weights
        How much each member of the committee counts; they sum to 1.
    correlations
        How much features may repeat each other, and how probable that is: pairs of a correlation
        and its probability, for each way of `budgeted.learners.dependence`.
    features
        What was learned of each.
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
    weights: tuple[float, ...]
    correlations: Mapping[str, tuple[tuple[float, float], ...]]
    features: tuple[Learned, ...]
    about: Mapping[str, Any]

    @classmethod
    def of(cls, predictor: Committee, **about: Any) -> Model:
        """Return a classifier to be written down.

        Parameters
        ----------
        predictor
            As a learner makes it.
        about
            Where it comes from, for people.
        """
        problem = predictor.problem
        bought = predictor.posterior.counts.astype(int)
        features = []
        for at, feature in enumerate(problem.features):
            columns = slice(problem.offsets[at], problem.offsets[at] + problem.sizes[at])
            features.append(
                Learned(
                    feature.name,
                    feature.values,
                    _tuples(predictor.members[:, :, columns].tolist()),
                    _tuples(bought[:, columns].tolist()),
                    float(predictor.sensitivities[at]),
                )
            )
        return cls(
            problem.labels,
            problem.prior,
            tuple(predictor.weights.tolist()),
            {
                way: tuple(
                    (rho, chance)
                    for rho, chance in zip(CORRELATIONS.tolist(), row, strict=True)
                    if chance > 0
                )
                for way, row in zip(WAYS, predictor.correlations.tolist(), strict=True)
            },
            tuple(features),
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
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
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
            "weights": self.weights,
            "correlations": self.correlations,
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
        known = [
            (feature, self.value(feature, value))
            for feature, value in ((self.feature(name), value) for name, value in case.items())
            if not is_unknown(value)
        ]
        powers = self._powers([feature.sensitivity for feature, _ in known])
        scores = np.tile(np.log(self.weights)[:, None], len(self.labels))  # members × labels
        for (feature, value), power in zip(known, powers, strict=True):
            scores += power * np.log(np.asarray(feature.probabilities)[:, :, value])
        scores = np.log(self.prior) + np.logaddexp.reduce(scores, axis=0)
        masses = np.exp(scores - scores.max())
        return dict(zip(self.labels, (masses / masses.sum()).tolist(), strict=True))

    def _powers(self, sensitivities: Sequence[float]) -> list[float]:
        """Return how much each of the known features counts, given the sensitivities of all."""
        largest = max(sensitivities, default=0.0)
        # In units of the largest: no square of it is too large or too small for a number.
        sizes = [each / largest if largest > 0 else 0.0 for each in sensitivities]
        squares = math.fsum(each**2 for each in sizes)
        number = math.fsum(sizes) ** 2 / squares if squares > 0 else 1.0
        cause, copies = (self.correlations[way] for way in WAYS)
        alike = math.fsum(chance / (1 + rho * (number - 1)) for rho, chance in copies)
        sums = list(accumulate(sorted(sizes, reverse=True)))
        least = {
            rho: max((rho * total / (1 + rho * at) for at, total in enumerate(sums)), default=0.0)
            for rho, _ in cause
        }

        def power(size: float) -> float:
            own = (
                chance * max(0.0, 1 - least[rho] / size) / (1 - rho) if size > 0 else chance
                for rho, chance in cause
                if size > 0 or rho == 0
            )
            return alike + math.fsum(own)

        return [power(size) for size in sizes]

    def shares(self, feature: Learned) -> Floats:
        """Return P(value | label) of a feature on average over the committee, labels × values."""
        result: Floats = np.einsum("n,nyk->yk", self.weights, np.asarray(feature.probabilities))
        return result

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
    _check_shares(plain["weights"], "weights")
    _check_correlations(plain["correlations"])
    members = len(plain["weights"])
    for each in plain["features"]:
        what = f"feature {each.get('name')!r}"
        _check_keys(each, _FEATURE_KEYS, what)
        size = each["sensitivity"]
        if not (_is_number(size) and 0 <= size < math.inf):
            raise ModelError(f"{what}: sensitivity: must be a number from 0, got {size!r}")
        if len(each["probabilities"]) != members:
            raise ModelError(
                f"{what}: probabilities: must be one table for each of {members} weights, got "
                f"{len(each['probabilities'])}"
            )
        for table in each["probabilities"]:
            for row in table:
                _check_shares(row, f"{what}: probabilities: each row")
            _check_bought(each["bought"], table, what)
    # A problem checks names, shapes and prior, and lists all mistakes.
    features = [Feature(each["name"], each["values"], 1, each["probabilities"][0])
                for each in plain["features"]]  # fmt: skip
    problem = Problem(features, plain["labels"], plain["prior"], 0)
    return Model(
        problem.labels,
        tuple(map(float, plain["prior"])),
        tuple(map(float, plain["weights"])),
        {
            way: tuple((float(rho), float(chance)) for rho, chance in plain["correlations"][way])
            for way in WAYS
        },
        tuple(
            Learned(
                each["name"],
                tuple(each["values"]),
                _tuples([[list(map(float, row)) for row in table]
                         for table in each["probabilities"]]),
                _tuples(each["bought"]),
                float(each["sensitivity"]),
            )
            for each in plain["features"]
        ),
        dict(plain["about"]),
    )  # fmt: skip


def _tuples(lists: Any) -> Any:
    """Return nested lists as nested tuples."""
    return tuple(map(_tuples, lists)) if isinstance(lists, list | tuple) else lists


def _check_shares(row: Any, what: str) -> None:
    """Raise an error unless these are numbers above 0 that sum to 1."""
    fits = len(row) > 0 and all(_is_number(share) and 0 < share <= 1 for share in row)
    if not fits or not math.isclose(math.fsum(row), 1, abs_tol=_ROUNDING):
        raise ModelError(f"{what}: must be numbers above 0 that sum to 1, got {row}")


def _check_correlations(ways: Any) -> None:
    """Raise an error unless these are, for each way, pairs of a correlation and its probability."""
    _check_keys(ways, set(WAYS), "correlations")
    rows = [row for way in WAYS for row in ways[way]]
    for row in rows:
        if len(row) != 2 or not (_is_number(row[0]) and 0 <= row[0] < 1):
            raise ModelError(
                f"correlations: must be pairs of a number from 0 to below 1 and how probable it "
                f"is, got {row}"
            )
    _check_shares([chance for _, chance in rows], "correlations: the probabilities")


def _check_bought(rows: Any, like: Any, what: str) -> None:
    """Raise an error unless these are whole numbers, as many as there are probabilities."""
    whole = all(type(number) is int and number >= 0 for row in rows for number in row)
    if not whole or [len(row) for row in rows] != [len(row) for row in like]:
        raise ModelError(
            f"{what}: bought: must be whole numbers from 0, a row per label and one per value"
        )


def _is_number(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool)


def _check_keys(plain: dict[str, Any], wanted: set[str], what: str) -> None:
    if set(plain) != wanted:
        raise ModelError(
            f"{what} must have the keys {', '.join(sorted(wanted))}, got {', '.join(sorted(plain))}"
        )
