"""Rules that say what to buy next.

>>> policy("sfl", max_depth=30)
SingleFeatureLookahead(max_depth=30, loss='gini', engine='auto', particles=1000)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from budgeted.errors import PolicyError
from budgeted.policies.abr2 import AbsoluteRobin
from budgeted.policies.auto import Auto
from budgeted.policies.base import Choice, Policy, check_kind
from budgeted.policies.biased_robin import BiasedRobin
from budgeted.policies.exp3 import Exp3
from budgeted.policies.exp3c import Exp3C
from budgeted.policies.fel import FollowExpectedLeader
from budgeted.policies.greedy import Greedy
from budgeted.policies.iga import IncrementalGreedyAllocation
from budgeted.policies.kg_star import KnowledgeGradientStar
from budgeted.policies.pair_lookahead import PairLookahead
from budgeted.policies.random_shopper import RandomShopper
from budgeted.policies.rbr2 import RelativeRobin
from budgeted.policies.round_robin import RoundRobin
from budgeted.policies.rsfl import RandomisedLookahead
from budgeted.policies.seu import SampledExpectedUtility
from budgeted.policies.single_feature_lookahead import SingleFeatureLookahead
from budgeted.policies.thompson import TopTwoThompson
from budgeted.policies.uniform_expenditure import UniformExpenditure
from budgeted.policies.wbr2 import WindowedRobin
from budgeted.registry import Registry, find

__all__ = ["POLICIES", "Choice", "Policy", "policy", "policy_among", "settings"]

POLICIES: Registry[type[Policy]] = Registry(
    "policy",
    "budgeted.policies",
    PolicyError,
    (
        RoundRobin,
        UniformExpenditure,
        BiasedRobin,
        Greedy,
        SingleFeatureLookahead,
        RandomShopper,
        RandomisedLookahead,
        Exp3,
        Exp3C,
        FollowExpectedLeader,
        AbsoluteRobin,
        RelativeRobin,
        WindowedRobin,
        SampledExpectedUtility,
        KnowledgeGradientStar,
        TopTwoThompson,
        IncrementalGreedyAllocation,
        PairLookahead,
        Auto,
    ),
    check_kind,
)
"""Every policy by its name; `POLICIES.register` adds one."""


def policy(name: str, **parameters: Any) -> Policy:
    """Return the policy of that name with these parameters.

    >>> policy("slf")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: there is no policy 'slf'; did you mean 'sfl'? There are \
round-robin, uniform-expenditure, biased-robin, greedy, sfl, random-shopper, rsfl, exp3, exp3c, \
fel, abr2, rbr2, wbr2, seu, kg-star, top-two-thompson, iga, pair-lookahead, auto
    """
    return policy_among(POLICIES, name, parameters)


def policy_among(
    kinds: Mapping[str, type[Policy]], name: str, parameters: Mapping[str, Any]
) -> Policy:
    """Return the policy of that name, of those that are given, with these parameters."""
    kind = find(kinds, name, "policy", PolicyError)
    known = parameter_names(kind)
    unknown = [key for key in parameters if key not in known]
    if unknown:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise PolicyError(
            f"policy {name!r} has no parameter {', '.join(map(repr, unknown))}; {takes}"
        )
    return kind(**parameters)


def settings(policy: Policy | type[Policy], **given: str | None) -> dict[str, str]:
    """Return what goes with a policy: its own settings, and over them those that are given.

    >>> settings(Auto(), cases="fresh", learner=None)
    {'cases': 'fresh', 'learner': 'hierarchical'}
    >>> settings(RoundRobin())
    {}
    """
    own: dict[str, str] = dict(getattr(policy, "settings", {}))
    return own | {key: value for key, value in given.items() if value is not None}


def parameter_names(kind: type[Policy]) -> tuple[str, ...]:
    """Return the names of the parameters that a policy takes."""
    return tuple(each.name for each in fields(kind))  # type: ignore[arg-type]
