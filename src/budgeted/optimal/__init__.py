"""The yardstick: the optimal policy of small problems, and every policy's exact regret.

>>> from budgeted.optimal.yardsticks import YARDSTICKS
>>> found = compare(YARDSTICKS["costs-1-4"], ["sfl"])
>>> print(f"{found.loss_now:.4f} falls to {found.optimal:.4f} at best")
0.5000 falls to 0.4246 at best
>>> print(f"single feature lookahead misses {found.share('sfl'):.2%} of that")
single feature lookahead misses 0.22% of that
"""

from __future__ import annotations

from budgeted.optimal.playing import Played, odds, play
from budgeted.optimal.programme import Solution, solve
from budgeted.optimal.yardsticks import YARDSTICKS, Comparison, Yardstick, compare

__all__ = ["YARDSTICKS", "Comparison", "Played", "Solution", "Yardstick", "compare", "odds", "play",
           "solve"]  # fmt: skip
