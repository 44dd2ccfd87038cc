"""About how much memory an open study takes."""

from __future__ import annotations

from budgeted.cache import size_of
from budgeted.studies.growth_events import CasesAdded
from budgeted.studies.snapshot import Snapshot

_CASE = 400
"""Bytes of the name of a case and of all that finds it."""
_SAMPLE = 16
_HELD_TWICE = 2
"""An event is kept as it is, and as what became of the request it is about."""


def footprint(study: Snapshot) -> int:
    """Return about how many bytes a study takes while it is open.

    Measuring all of it would take as long as opening it; so some of its events are measured, evenly
    along the way, and stand for the rest.

    Parameters
    ----------
    study
        As it is now.
    """
    # A list of cases is counted by its cases; it is unlike all other events.
    later = [each for each in study.entries[1:] if not isinstance(each.event, CasesAdded)]
    sample = later[:: max(1, len(later) // _SAMPLE)]
    each = size_of(sample) / max(1, len(sample))
    features = study.state.problem.features
    cells = len(study.cases) * (_CASE + len(features))
    return int(_HELD_TWICE * each * len(later)) + cells + size_of(features)
