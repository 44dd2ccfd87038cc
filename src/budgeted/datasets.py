"""The UCI tables, and any table split for a run: the short name of `simulation.datasets`."""

from budgeted.simulation.datasets import (
    Rehearsal,
    describe,
    load,
    names,
    partition,
    rehearse,
    split,
)

__all__ = ["Rehearsal", "describe", "load", "names", "partition", "rehearse", "split"]
