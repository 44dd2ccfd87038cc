"""What there is to say of the money of a study besides spent + reserved + free = budget."""

from __future__ import annotations

from budgeted.problem import money
from budgeted.state import State
from budgeted.state.surcharges import surcharge_of
from budgeted.studies.periods import Period


def facts_of(state: State, period: Period | None = None) -> dict[str, str]:
    """Return the surcharge and what is left of a period, by name; nothing for a firm budget.

    Parameters
    ----------
    state
        The money.
    period
        Where the periods of the budget stand, if it has some.
    """
    facts: dict[str, str] = {}
    surcharge = surcharge_of(state)
    if surcharge is not None:
        facts["surcharge"] = money.show(surcharge.so_far)
        facts["surcharge_reserved"] = money.show(surcharge.to_come)
    if period is not None:
        facts["period_left"] = money.show(period.left)
        facts["next_period"] = "none" if period.next_day is None else period.next_day.isoformat()
    return facts
