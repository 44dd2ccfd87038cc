"""Who is compared: each entry is a policy with its settings, and the learners it is judged by.

The default comes with its case rule; everybody else buys from fresh cases, as in the papers they
come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.policies import POLICIES, Policy, parameter_names, policy

DEFAULT, WHOLE_CASES = "auto", "whole-cases"
PAPER = (
    "round-robin",
    WHOLE_CASES,
    "uniform-expenditure",
    "biased-robin",
    "greedy",
    "sfl",
)
"""The paper's policies; round robin in both readings, cell by cell and case by case."""
CHALLENGERS = tuple(each for each in POLICIES if each not in (DEFAULT, *PAPER))
"""All others of the package."""
SLOW = ("rsfl", "pair-lookahead", "kg-star")
"""They look far ahead: with many labels the first two take minutes for one budget. The last one, which
weighs every number of purchases of every cell, takes an hour, and plays with two labels only.
"""


@dataclass(frozen=True)
class Entry:
    """One that is compared."""

    label: str  # what it is called in tables; unique
    policy: str  # who chooses
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cases: str = "fresh"  # which case a value is bought from
    # names of those that are fitted to what was bought
    learners: tuple[str, ...] = (NaiveBayes.name,)
    # whether they say what error they expect to make, which takes most of the time
    outlooks: bool = False
    # whether it plays in worlds with two labels only, because others would take hours
    two_labels: bool = False

    def plays_with(self, labels: int) -> bool:
        """Tell whether it plays in a world with so many labels."""
        return labels == 2 or not self.two_labels

    def make(self) -> Policy:
        """Return the policy."""
        return policy(self.policy, **self.parameters)

    def choices(self) -> dict[str, Any]:
        """Return what decides the purchases, as JSON has it."""
        return {
            "policy": self.policy,
            "parameters": dict(self.parameters),
            "cases": self.cases,
        }


BOTH = (NaiveBayes.name, Hierarchical.name)
PARTICLES = 200
"""With three and more labels lookahead samples cases, 1 000 unless told otherwise: hours here."""


def sampling(name: str) -> dict[str, int]:
    """Return the parameter that makes a policy sample no more than `PARTICLES`, if it has one."""
    return {"particles": PARTICLES} if "particles" in parameter_names(POLICIES[name]) else {}


ENTRIES = (
    Entry(
        DEFAULT,
        DEFAULT,
        cases="settle",
        learners=(Hierarchical.name, NaiveBayes.name),
        outlooks=True,
    ),
    Entry(WHOLE_CASES, "round-robin", {"over": "cases"}, learners=BOTH),
    *(
        Entry(
            each,
            each,
            sampling(each),
            learners=BOTH if each in (*PAPER, "random-shopper") else (NaiveBayes.name,),
            two_labels=each == SLOW[-1],
        )
        for each in (*PAPER, *CHALLENGERS)
        if each != WHOLE_CASES
    ),
)
"""The default, the paper's policies, and all challengers."""


def chosen(labels: Sequence[str]) -> tuple[Entry, ...]:
    """Return the entries of these labels, in the order of all; all if none is given."""
    unknown = [label for label in labels if label not in [each.label for each in ENTRIES]]
    if unknown:
        known = ", ".join(each.label for each in ENTRIES)
        raise ValueError(f"there is no entry {', '.join(unknown)}; there are {known}")
    return tuple(each for each in ENTRIES if not labels or each.label in labels)
