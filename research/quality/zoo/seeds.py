"""The seeds of the zoo, fixed before the runs.

Selection is for choosing: constants, rules and learners may be changed after looking at its worlds,
as often as one likes. Confirmation is for what is reported: its worlds choose nothing.
"""

from __future__ import annotations

SELECTION_SEED = 20261117
CONFIRMATION_SEED = 20261218
TABLES_SEED = 20261219
"""Of the splits, orders of columns and prices of the tables, which choose nothing either."""
SEEDS = {"selection": SELECTION_SEED, "confirmation": CONFIRMATION_SEED}
