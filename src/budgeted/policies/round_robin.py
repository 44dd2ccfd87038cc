"""Round robin: everything in turn (the paper's Section 3.2 and Figure 2(a))."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.errors import PolicyError
from budgeted.loss.losses import Floats
from budgeted.policies.base import Cell, Policy, Scores, View


@dataclass(frozen=True)
class RoundRobin(Policy):
    """Buy everything in turn, whatever comes back: the cells, or whole cases.

    With equal costs the turns of cells are the uniform allocation, the paper's baseline (Lizotte,
    Madani and Greiner, 2003, Section 3.2). Over cases every feature of one is ordered, as far as
    the money goes: "run every test on every patient until we exhaust our fixed budget" (Section 1),
    the usual way to run a study. The label of the next case is drawn, as if cases came as they are.

    Parameters
    ----------
    over
        ``cells``, feature by feature and label by label, or ``cases``.

    Examples
    --------
    >>> from budgeted import Feature, Problem, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state, rng = State.start(problem), np.random.default_rng(0)
    >>> while (choice := RoundRobin().choose(state, rng)) is not None:
    ...     state = state.reserve(choice.action)
    >>> [tuple(request.action) for request in state.pending]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0)]
    >>> RoundRobin(over="cases").choose(State.start(problem), rng).order.features
    (0, 1)
    """

    name = "round-robin"
    summary = "every feature and label in turn, whatever comes back"
    history_needed = 1
    symmetries = ("values",)

    over: str = "cells"

    def __post_init__(self) -> None:
        if self.over not in ("cells", "cases"):
            raise PolicyError(f"over: must be 'cells' or 'cases', got {self.over!r}")

    def scores(self, now: View) -> Scores:
        """Return how many turns it takes until each cell is due."""
        if self.over == "cells":
            return Scores(now.turns("cells"))
        turns = np.repeat(np.arange(float(len(now.depth)))[:, None], now.depth.shape[1], axis=1)
        return Scores(turns, compared=False)

    def chances(self, now: View, scores: Scores) -> Floats | None:
        """Return, over cases, the shares of the labels."""
        if self.over == "cells":
            return None
        return now.label_shares(int(np.nanargmin(scores.values)) // now.depth.shape[1])

    def together(self, now: View, cell: Cell) -> tuple[int, ...]:
        """Return all other features of the case, as far as the money goes."""
        if self.over == "cells":
            return ()
        wanted: tuple[int, ...] = ()
        for feature in np.flatnonzero(now.depth[:, cell[1]]).tolist():
            found = now.state.offers.cheapest((*wanted, feature), cell[1])
            if found is not None and found[0] <= now.state.spendable:
                wanted = (*wanted, feature)
        return tuple(each for each in wanted if each != cell[0])

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return why it was chosen."""
        return "it is next in turn" if self.over == "cells" else "all features of the next case"
