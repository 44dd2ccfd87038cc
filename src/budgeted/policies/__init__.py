"""Rules that say what to buy next.

>>> policy("sfl", max_depth=30)
SingleFeatureLookahead(max_depth=30, loss='gini', particles=1000)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgeted.errors import PolicyError
from budgeted.learners import LEARNERS
from budgeted.learners.base import Learner
from budgeted.policies.base import Choice, Policy
from budgeted.registry import Registry, check_dataclass, make, parameter_names

__all__ = [
    "POLICIES",
    "Choice",
    "Policy",
    "accompanying",
    "believer",
    "believing",
    "parameter_names",
    "policy",
    "policy_among",
]


def check_kind(kind: type[Policy]) -> None:
    """Raise an error unless a class can be a policy: a dataclass that is a `Policy`."""
    check_dataclass(kind, "policy", "choose(state, rng)", PolicyError)
    if not issubclass(kind, Policy) or not isinstance(getattr(kind, "summary", None), str):
        raise PolicyError(
            f"policy {kind.name!r}: must be a subclass of budgeted.policies.Policy with a summary, "
            "a line for lists"
        )


POLICIES: Registry[type[Policy]] = Registry(
    "policy",
    PolicyError,
    {
        name: f"{__name__}.{place}"
        for name, place in {
            "round-robin": "round_robin:RoundRobin",  # this and the next four are the paper's
            "uniform-expenditure": "uniform_expenditure:UniformExpenditure",
            "biased-robin": "robins:BiasedRobin",
            "greedy": "greedy:Greedy",
            "sfl": "sfl:SingleFeatureLookahead",
            "random-shopper": "random_shopper:RandomShopper",
            "rsfl": "sfl:RandomisedLookahead",
            "exp3": "bandits:Exp3",
            "exp3c": "bandits:Exp3C",
            "fel": "bandits:FollowExpectedLeader",
            "abr2": "robins:AbsoluteRobin",
            "rbr2": "robins:RelativeRobin",
            "wbr2": "robins:WindowedRobin",
            "seu": "seu:SampledExpectedUtility",
            "kg-star": "kg_star:KnowledgeGradientStar",
            "iga": "iga:IncrementalGreedyAllocation",
            "pair-lookahead": "sfl:PairLookahead",
            "auto": "auto:Auto",
        }.items()
    },
    check_kind,
    "budgeted.policies",
)
"""Every policy by its name; `POLICIES.register` adds one."""


def policy(name: str, **parameters: Any) -> Policy:
    """Return the policy of that name with these parameters.

    >>> policy("slf")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: there is no policy 'slf'; did you mean 'sfl'? There are \
round-robin, uniform-expenditure, biased-robin, greedy, sfl, random-shopper, rsfl, exp3, exp3c, \
fel, abr2, rbr2, wbr2, seu, kg-star, iga, pair-lookahead, auto
    """
    return policy_among(POLICIES, name, parameters)


def policy_among(
    kinds: Mapping[str, type[Policy]], name: str, parameters: Mapping[str, Any]
) -> Policy:
    """Return the policy of that name, of those that are given, with these parameters."""
    made: Policy = make(kinds, name, parameters, "policy", PolicyError)
    return made


def believer(belief: str) -> Learner:
    """Return the learner under whose belief a policy is to be played.

    >>> believer("default").name
    'hierarchical'
    >>> believer("naive-bayes")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: belief: must be 'default' or a learner that says what it \
believes, got 'naive-bayes'
    """
    name = POLICIES["auto"].learner if belief == "default" else belief
    made: Learner = LEARNERS.find(name)()
    if not callable(getattr(made, "believe", None)):
        raise PolicyError(
            f"belief: must be 'default' or a learner that says what it believes, got {belief!r}"
        )
    return made


def believing(policy: Policy, learner: Callable[[], Learner], belief: str | None = None) -> Policy:
    """Return the policy with what it looks ahead by.

    Parameters
    ----------
    policy
        Who chooses.
    learner
        Who makes the classifier; the default looks ahead by what this learner believes.
    belief
        Name of the learner whose belief any policy is to be played under; ``default`` is that of
        the default policy. Plain counts, unless given, for all policies but the default.

    Examples
    --------
    >>> from budgeted.learners import NaiveBayes
    >>> type(believing(policy("greedy"), NaiveBayes, "default").believer).__name__
    'Hierarchical'
    """
    if belief is not None:
        return policy.under(believer(belief))
    return policy.under(learner()) if policy.follows_learner else policy


def accompanying(policy: Policy | None, **given: Any) -> dict[str, Any]:
    """Return the learner and the case rule: as given, else as the policy likes them.

    >>> accompanying(policy("round-robin"), case_rule="overlap")
    {'learner': 'naive-bayes', 'case_rule': 'overlap'}
    >>> accompanying(policy("auto"))
    {'learner': 'hierarchical', 'case_rule': 'settle'}
    """
    kind = Policy if policy is None else type(policy)
    own = {"learner": kind.learner, "case_rule": kind.case_rule or "fresh"}
    return own | {key: value for key, value in given.items() if value is not None}
