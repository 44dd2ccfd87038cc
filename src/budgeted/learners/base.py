"""What a learner is, what it delivers, and what its classifier says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import LearnerError
from budgeted.learners.layout import Floats
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.registry import check_dataclass

Cases = NDArray[np.integer[Any]]
"""Positions of values, cases × features; -1 where one is unknown."""


@dataclass(frozen=True)
class Outlook:
    """The 0/1 error that a predictor expects to make on new cases, and how sure that is.

    Attributes
    ----------
    error
        Its expectation.
    low, high
        Nine of ten models that are possible after what was bought give an error in between.
    """

    error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often a classifier says each label of the cases of each label, and how sure that is.

    >>> well, ill = 0, 1
    >>> table = np.array([[0.9, 0.1], [0.3, 0.7]])
    >>> float(Confusion(table, table, table).shares[ill, ill])  # the sensitivity for ill
    0.7
    """

    shares: Floats
    low: Floats
    high: Floats


class Classifier(Protocol):
    """Says how probable each label of a case is, and can be written down.

    That is all that people take away in a model file (`budgeted.learners.model.Model`).
    """

    @property
    def problem(self) -> Problem:
        """What it is about; its prices and its budget do not matter."""
        ...

    @property
    def learner(self) -> str:
        """Name of the learner that can read it again."""
        ...

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values) of cases known in full, in part or not at all, cases × labels.

        Of a case of which nothing is known it is the share of each label.
        """
        ...

    def to_plain(self) -> dict[str, Any]:
        """Return what it learned, as JSON can hold it; `Learner.read` makes a classifier of it."""
        ...


class Predictor(Classifier, Protocol):
    """What a learner makes: a classifier that also says how wrong it expects to be.

    Judges, reports, charts, the model file and the policies use nothing else. Some things more are
    up to a predictor (`budgeted.learners.predictor` has what is done without them):

    - ``log_scores(values)``: log P(label, values) up to a constant of the case, cases × labels, for
      judges; without it the logarithm of the probabilities;
    - ``log_scores_again(values, kept)``: the same for cases that other classifiers of a run were
      asked about before; ``kept`` is a dictionary that they share;
    - ``shares(feature)``: P(value | label), labels × values, and ``share_intervals(feature)``:
      where nine of ten possible models have them, as two such tables. The chart of what is
      believed and the page of the model show them; without them they say that there are none;
    - ``confusion(models)``: a `Confusion`, what it expects to say of the cases of each label;
    - ``errors(models)``: its error under each of some possible models, whose mean is the error of
      the outlook; without it, how probable a target is (`budgeted.studies.stop_rules`) is read off
      the interval.
    """

    def outlook(self, models: int = 200) -> Outlook:
        """Return how wrong it expects to be on new cases.

        Parameters
        ----------
        models
            How many possibilities to go through, where that is how it is found out.
        """
        ...


class Learner(Protocol):
    """Makes a predictor of purchases: a pure function, with parameters that can be written down.

    Three things more are up to a learner:

    - ``read(problem, plain)``, a class method: the classifier that `Classifier.to_plain` wrote
      down. A learner whose predictors name another learner needs none;
    - ``of_belief(belief)``: the predictor that `fit` would make of the values that a `Belief` has
      seen, for a learner to which it does not matter which case they came from. After each of many
      purchases nothing is counted anew then;
    - ``believed(belief)``: what is known after the values that a `Belief` has seen, for an engine
      of `budgeted.value` that supports it. The default policy buys by what the learner of a study
      believes; without it, by what the hierarchical learner believes.
    """

    @property
    def name(self) -> str:
        """What it is called in files and tables."""
        ...

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Predictor:
        """Return the predictor that these purchases give.

        Parameters
        ----------
        problem
            Features, labels and the shares of the labels; the budget and the prices do not matter.
        purchases
            With positions, as `budgeted.state.State` keeps them. Those without a value teach
            nothing; those of one case show which features say the same.
        """
        ...


class Reader(Protocol):
    """A learner that can read its classifiers again."""

    def read(self, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier that `Classifier.to_plain` wrote down."""
        ...


def check_kind(kind: type[Learner]) -> None:
    """Raise an error unless a class can be a learner: a dataclass with ``fit``."""
    check_dataclass(kind, "learner", "fit(problem, purchases)", LearnerError)
