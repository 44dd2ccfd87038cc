"""What a study begins with, made of its first event: problem, learner, policy, price list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted import __version__
from budgeted.errors import (
    BudgetedError,
    LearnerError,
    PolicyError,
    PriceListError,
    ProblemError,
)
from budgeted.learners import LEARNERS, Learner, learner
from budgeted.policies import POLICIES, Choice, Policy, for_learner, policy
from budgeted.problem import Feature, PriceList, Problem
from budgeted.problem.prices import PRICE_LISTS, NotInstalled, price_list
from budgeted.problem.prices import parameters_of as price_parameters
from budgeted.problem.values import kind, parameters_of
from budgeted.state import State
from budgeted.studies.created import Created, ForSale


def learner_of(created: Created) -> Learner:
    """Return the learner of a study, with the parameters that it began with."""
    if created.learner not in LEARNERS:
        raise LearnerError(
            f"the study uses the learner {created.learner!r}, which is not installed here; install "
            f"the package that has it. There are {', '.join(LEARNERS)}"
        )
    return learner(created.learner, **created.learner_parameters)


@dataclass(frozen=True)
class MissingPolicy:
    """Stands for a policy that cannot be made here: all but asking works without it."""

    error: BudgetedError
    name: ClassVar[str] = "missing"
    summary: ClassVar[str] = "stands for a policy that cannot be made here"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Say why nothing can be chosen."""
        raise self.error


def policy_of(created: Created) -> Policy:
    """Return the policy of a study, or what says why there is none when it is asked."""
    try:
        made = policy(created.policy, **created.parameters)
        return for_learner(made, lambda: learner_of(created))
    except BudgetedError as error:
        return MissingPolicy(error)
    except (
        Exception
    ) as error:  # of a package that is not this one: the study must open all the same
        name = type(error).__name__
        return MissingPolicy(PolicyError(f"policy {created.policy!r}: {name}: {error}"))


def package_of(created: Created) -> str:
    """Return the package, and its version, whose code the policy of a study is."""
    try:
        found = POLICIES.origin_of(created.policy) if created.policy in POLICIES else None
    except BudgetedError:  # it cannot be imported, and will not choose
        found = None
    return found or f"budgeted {__version__}"


def problem_of(created: Created) -> Problem:
    """Return the problem that a study began with.

    A price list that is not installed, or cannot be used any more, is replaced by one that says so:
    what was bought and asked for is in the journal with its price.
    """
    try:
        return _problem(created, price_list(created.price_list, **created.price_parameters))
    except (PriceListError, ProblemError) as error:
        why = str(error) if created.price_list in PRICE_LISTS else ""
        stand_in = NotInstalled(created.price_list, created.price_parameters, why)
        return _problem(created, stand_in)


def price_list_mistakes(prices: PriceList) -> list[str]:
    """Return what is wrong with the price list of a study that is to begin."""
    if type(prices) is PRICE_LISTS.get(prices.name):
        return []
    return [
        f"prices: {prices.name!r} is not a price list that is registered here, so the study would "
        f"not find it again; PRICE_LISTS.register it, or install it"
    ]


def with_features(problem: Problem, features: Sequence[Feature]) -> Problem:
    """Return a problem with other features; a price list that cannot have them says so."""
    prices = problem.prices
    try:
        return problem.but(features=features)
    except (PriceListError, ProblemError) as error:
        stand_in = NotInstalled(prices.name, price_parameters(prices), str(error))
        return problem.but(features=features, prices=stand_in)


def _problem(created: Created, prices: PriceList) -> Problem:
    return Problem(
        [feature_of(each) for each in created.features],
        created.labels,
        created.prior,
        created.budget,
        prices,
    )


def as_written(feature: Feature) -> ForSale:
    """Return how a feature is written down."""
    made = feature.kind
    return ForSale(feature.name, made.name, parameters_of(made), feature.cost, feature.prior_counts)


def feature_of(written: ForSale) -> Feature:
    """Return the feature that was written down."""
    return Feature(
        written.name, kind(written.kind, **written.parameters), written.cost, written.prior_counts
    )
