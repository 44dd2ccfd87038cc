"""Rules that say what to buy next.

>>> policy("sfl", max_depth=30)
SingleFeatureLookahead(max_depth=30, loss='gini', engine='auto', particles=1000)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgeted.errors import PolicyError
from budgeted.learners.base import Learner
from budgeted.policies.base import Choice, Policy, check_kind
from budgeted.problem import Problem
from budgeted.registry import Registry, make, parameter_names

__all__ = [
    "POLICIES",
    "Choice",
    "Policy",
    "accompanying",
    "for_learner",
    "parameter_names",
    "policy",
    "policy_among",
    "preferences",
    "unfit",
]

POLICIES: Registry[type[Policy]] = Registry(
    "policy",
    PolicyError,
    {
        name: f"{__name__}.{place}"
        for name, place in {
            "round-robin": "round_robin:RoundRobin",  # this and the next four are the paper's
            "uniform-expenditure": "uniform_expenditure:UniformExpenditure",
            "biased-robin": "biased_robin:BiasedRobin",
            "greedy": "greedy:Greedy",
            "sfl": "single_feature_lookahead:SingleFeatureLookahead",
            "random-shopper": "random_shopper:RandomShopper",
            "rsfl": "rsfl:RandomisedLookahead",
            "exp3": "bandits:Exp3",
            "exp3c": "bandits:Exp3C",
            "fel": "bandits:FollowExpectedLeader",
            "abr2": "effects:AbsoluteRobin",
            "rbr2": "effects:RelativeRobin",
            "wbr2": "effects:WindowedRobin",
            "seu": "seu:SampledExpectedUtility",
            "kg-star": "kg_star:KnowledgeGradientStar",
            "iga": "iga:IncrementalGreedyAllocation",
            "pair-lookahead": "pair_lookahead:PairLookahead",
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


def for_learner(policy: Policy, learner: Callable[[], Learner]) -> Policy:
    """Return the policy that buys for a learner, if that makes a difference to it.

    Parameters
    ----------
    policy
        Who chooses. If it has ``for_learner(learner)``, that is asked.
    learner
        Who makes the classifier; it is looked up if the policy wants to know.
    """
    ask: Callable[[Learner], Policy] | None = getattr(policy, "for_learner", None)
    return policy if ask is None else ask(learner())


def unfit(policy: Policy, problem: Problem) -> list[str]:
    """Return what is wrong with the parameters of a policy for a problem, in words.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 3)], ("well", "ill"), (0.5, 0.5), 30)
    >>> unfit(policy("auto", case_limit=2), problem)
    ['case_limit: a limit of 2 pays for no test; the cheapest costs 3']
    """
    ask: Callable[[Problem], list[str]] | None = getattr(policy, "unfit", None)
    return [] if ask is None else ask(problem)


def accompanying(policy: Policy | None, **given: Any) -> dict[str, Any]:
    """Return the learner and the case rule: as given, else as the policy likes them.

    >>> accompanying(policy("round-robin"), case_rule="overlap")
    {'learner': 'naive-bayes', 'case_rule': 'overlap'}
    """
    own = {} if policy is None else preferences(policy)
    plain = {"learner": "naive-bayes", "case_rule": "fresh"}
    return plain | own | {key: value for key, value in given.items() if value is not None}


def preferences(policy: Policy | type[Policy], **given: Any) -> dict[str, Any]:
    """Return what goes with a policy: what it prefers, and over them those that are given.

    >>> preferences(policy("auto"), case_rule="fresh", learner=None)
    {'case_rule': 'fresh', 'learner': 'hierarchical'}
    >>> preferences(policy("round-robin"))
    {}
    """
    own: dict[str, Any] = dict(getattr(policy, "prefers", {}))
    return own | {key: value for key, value in given.items() if value is not None}
