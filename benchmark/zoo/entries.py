"""Who is compared: each entry is a policy with its settings, and the learners it is judged by.

The default comes with its own case rule and belief; everybody else buys from fresh cases with the
plain belief, as in the papers they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmark.zoo.learners import Former
from benchmark.zoo.whole_cases import WholeCases
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.policies import POLICIES, Policy, policy_among, settings

DEFAULT = "auto"
PAPER = (
    "round-robin",
    WholeCases.name,
    "uniform-expenditure",
    "biased-robin",
    "greedy",
    "sfl",
)
"""The paper's policies; round robin in both readings, cell by cell and case by case."""
KINDS: Mapping[str, type[Policy]] = {WholeCases.name: WholeCases, **POLICIES}


@dataclass(frozen=True)
class Entry:
    """One that is compared.

    Attributes
    ----------
    label
        What it is called in tables; unique.
    policy, parameters
        Who chooses.
    cases
        Which case a value is bought from.
    belief
        What the policy believes in.
    learners
        Names of those that are fitted to what was bought.
    outlooks
        Whether they say what error they expect to make, which takes most of the time.
    """

    label: str
    policy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cases: str = "fresh"
    belief: str = "plain"
    learners: tuple[str, ...] = (NaiveBayes.name, Hierarchical.name)
    outlooks: bool = False

    def make(self) -> Policy:
        """Return the policy."""
        return policy_among(KINDS, self.policy, self.parameters)

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it: two entries are the same if these are."""
        return {**asdict(self), "learners": list(self.learners)}


_DEFAULT_BELIEF = settings(POLICIES[DEFAULT]).get("belief", "plain")
ENTRIES = (
    Entry(
        DEFAULT,
        DEFAULT,
        cases="settle",
        belief=_DEFAULT_BELIEF,
        learners=(Hierarchical.name, NaiveBayes.name, Former().name),
        outlooks=True,
    ),
    *(Entry(each, each, cases="overlap" if each == WholeCases.name else "fresh") for each in PAPER),
    *(Entry(each, each) for each in POLICIES if each not in (DEFAULT, *PAPER)),
)
"""The default, the paper's policies, and all challengers."""


def chosen(labels: Sequence[str]) -> tuple[Entry, ...]:
    """Return the entries of these labels, in the order of all; all if none is given."""
    unknown = [label for label in labels if label not in [each.label for each in ENTRIES]]
    if unknown:
        known = ", ".join(each.label for each in ENTRIES)
        raise ValueError(f"there is no entry {', '.join(unknown)}; there are {known}")
    return tuple(each for each in ENTRIES if not labels or each.label in labels)
