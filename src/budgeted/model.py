"""The classifier that a study delivers: naive Bayes with the counts that were paid for.

It knows nothing of money, policies or journals. As JSON it is a documented format of its own (see
docs/studies.md), so that other programs, in other languages, can use it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from budgeted.belief import Belief, Floats
from budgeted.errors import BudgetedError, ModelError
from budgeted.problem import Feature, Problem

FORMAT, VERSION = "budgeted-model", 2
UNKNOWN = ("", "?")
"""Cells that mean: not measured on this case."""


@dataclass(frozen=True)
class Counts:
    """A feature of a model: its values, and for each label the Dirichlet count of each value.

    `weight` says how much it counts: below 1 where others say the same, or where all that features
    say is to be taken with caution (`budgeted.guard`).
    """

    name: str
    values: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Model:
    """A naive Bayes classifier for cases that are known in part.

    Parameters
    ----------
    labels, prior
        What is told apart, and the share of each label where the cases come from.
    features
        Their values and counts; P(value | label) is the count divided by its row's sum, and its
        logarithm counts with the weight.
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
    """

    labels: tuple[str, ...]
    prior: tuple[float, ...]
    features: tuple[Counts, ...]
    about: Mapping[str, Any]

    @classmethod
    def from_belief(cls, belief: Belief, weights: Floats | None = None, **about: Any) -> Model:
        """Return the classifier that a belief gives.

        Parameters
        ----------
        belief
            Whose parameters it has. Counts of a belief that averages over models are its means
            times the number of values that they rest on.
        weights
            How much each feature counts; fully unless given.
        about
            Where it comes from, for people.
        """
        problem = belief.problem
        counts = belief.counts
        if type(belief) is not Belief:
            counts = belief.means * np.repeat(belief.totals, problem.sizes, axis=1)
        trust = [1.0] * len(problem.features) if weights is None else weights.tolist()
        return cls(
            problem.labels,
            problem.prior,
            tuple(
                Counts(
                    feature.name,
                    feature.values,
                    tuple(map(tuple, counts[:, belief.columns(at)].tolist())),
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
        if plain.get("version") not in (1, VERSION):
            raise ModelError(
                f"this model has version {plain.get('version')!r} of the format, this package "
                f"knows 1 and {VERSION}: update it"
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
            "about": dict(self.about),
            "labels": self.labels,
            "prior": self.prior,
            "features": [
                {
                    "name": each.name,
                    "values": each.values,
                    "counts": each.counts,
                    "weight": each.weight,
                }
                for each in self.features
            ],
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

    def predict(self, case: Mapping[str, str]) -> dict[str, float]:
        """Return the probability of each label for a case known in part.

        Parameters
        ----------
        case
            Feature → value; features that are left out, empty or ``?`` are unknown.
        """
        scores = np.log(self.prior)
        for name, value in case.items():
            feature = self._feature(name)
            if value in UNKNOWN:
                continue
            if value not in feature.values:
                raise ModelError(
                    f"feature {name!r} has no value {value!r}; there are "
                    f"{', '.join(map(repr, feature.values))}"
                )
            counts: Floats = np.asarray(feature.counts)
            chances = counts[:, feature.values.index(value)] / counts.sum(axis=1)
            scores += feature.weight * np.log(chances)
        masses = np.exp(scores - scores.max())
        return dict(zip(self.labels, (masses / masses.sum()).tolist(), strict=True))

    def predict_rows(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int]
    ) -> tuple[list[str], list[list[str]]]:
        """Return the rows of a CSV with a prediction and the probabilities behind each.

        Columns that are no feature of the model are passed on as they are.

        Parameters
        ----------
        header, rows, lines
            Of the file; the line of each row is for messages.
        """
        names = {each.name for each in self.features}
        known = [(at, name) for at, name in enumerate(header) if name in names]
        if not known:
            raise ModelError(
                f"no column of the file is a feature of the model; its features are "
                f"{', '.join(sorted(names))}"
            )
        extended = []
        for row, line in zip(rows, lines, strict=True):
            try:
                chances = self.predict({name: row[at].strip() for at, name in known})
            except ModelError as error:
                raise ModelError(f"line {line}: {error}") from None
            best = max(self.labels, key=lambda label: chances[label])
            extended.append([*row, best, *(f"{chances[label]:.6f}" for label in self.labels)])
        return [*header, "predicted", *(f"P({label})" for label in self.labels)], extended

    def _feature(self, name: str) -> Counts:
        for feature in self.features:
            if feature.name == name:
                return feature
        listed = ", ".join(repr(each.name) for each in self.features)
        raise ModelError(f"the model has no feature {name!r}; there are {listed}")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _from_plain(plain: dict[str, Any]) -> Model:
    _check_keys(plain, {"format", "version", "about", "labels", "prior", "features"}, "the model")
    own = {"name", "values", "counts"} | ({"weight"} if plain["version"] > 1 else set())
    for each in plain["features"]:
        _check_keys(each, own, f"feature {each.get('name')!r}")
        _check_weight(each.get("weight", 1), f"feature {each['name']!r}")
    # A problem checks names, shapes, counts and prior, and lists all mistakes.
    features = [Feature(each["name"], each["values"], 1, each["counts"])
                for each in plain["features"]]  # fmt: skip
    problem = Problem(features, plain["labels"], plain["prior"], 0)
    weights = np.array([float(each.get("weight", 1)) for each in plain["features"]])
    made = Model.from_belief(Belief.prior(problem), weights, **plain["about"])
    return replace(made, prior=tuple(map(float, plain["prior"])))


def _check_weight(weight: object, what: str) -> None:
    real = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not (real and 0 <= weight <= 1):  # type: ignore[operator]
        raise ModelError(f"{what}: weight: must be a number from 0 to 1, got {weight!r}")


def _check_keys(plain: dict[str, Any], wanted: set[str], what: str) -> None:
    if set(plain) != wanted:
        raise ModelError(
            f"{what} must have the keys {', '.join(sorted(wanted))}, got {', '.join(sorted(plain))}"
        )
