"""How much money for which error? Asked before the first purchase.

A study that has not begun is played many times in models that are possible by a pilot table, by
what its designer expects, or by both (`budgeted.studies.planning.sources`), with its own prices,
cases and policy. What comes out is the error for each amount of money, and the amount that reaches
a target (`budgeted.studies.planning.plan`).
"""

from __future__ import annotations

from budgeted.studies.planning.asked import Asked, ask, changes
from budgeted.studies.planning.assumptions import Assumptions
from budgeted.studies.planning.designs import AS_PLANNED, WhatIf, plan_settings, read_designs
from budgeted.studies.planning.making import RUNS, Source, make_plan
from budgeted.studies.planning.plan import Curve, Needed, Plan, Target
from budgeted.studies.planning.runs import OWN, WHOLE_CASES
from budgeted.studies.planning.sources import pilot_values

__all__ = [
    "AS_PLANNED",
    "OWN",
    "RUNS",
    "WHOLE_CASES",
    "Asked",
    "Assumptions",
    "Curve",
    "Needed",
    "Plan",
    "Source",
    "Target",
    "WhatIf",
    "ask",
    "changes",
    "make_plan",
    "pilot_values",
    "plan_settings",
    "read_designs",
]
