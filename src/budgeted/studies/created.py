"""How a study began: the first event, with all that was decided then.

It is kept as it was, so that no later version of the package changes what a study is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal

from budgeted.problem import PriorCounts
from budgeted.studies.events import STRICT, Event, Parameter

Written = Parameter | tuple[Parameter, ...]
"""A parameter of a kind of feature or of a learner, as JSON has it."""


@dataclass(frozen=True)
class ForSale:
    """A feature as the study file gives it: its kind by name, with the parameters of the kind."""

    name: str
    kind: str
    parameters: dict[str, Written]
    cost: Decimal
    prior_counts: PriorCounts = 1.0

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True)
class Created(Event):
    """The study begins: what is for sale, who chooses, and the cases with their labels.

    What was added since is in later events; `budgeted.studies.projection.Projection` knows both.
    """

    features: tuple[ForSale, ...]
    labels: tuple[str, ...]
    prior: tuple[float, ...]
    budget: Decimal
    policy: str
    parameters: dict[str, Parameter]
    case_rule: str
    seed: int
    loss: str
    cases: tuple[tuple[str, str], ...]
    package: str
    learner: str
    learner_parameters: dict[str, Written]
    price_list: str
    price_parameters: dict[str, Any]
    groups: dict[str, str]
    kind: Literal["created"] = "created"

    def words(self) -> str:
        """Return it in one line."""
        return (
            f"created: {len(self.features)} features, {len(self.cases)} cases, budget {self.budget}"
        )
