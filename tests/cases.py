"""Which case a rule picks, from a table of what was bought of each."""

import numpy as np

from budgeted.state.cases import pick_place


def pick_case(rule, order, bought, feature, unusable=None):
    """Return the case to buy a feature from, or None; tables are cases × features."""
    cannot = bought if unusable is None else bought | unusable
    touched = bought[order].any(axis=1)
    place = pick_place(rule, ~cannot[order, feature], bought[order, feature].sum(), touched)
    return None if place is None else int(np.asarray(order)[place])
