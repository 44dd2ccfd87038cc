"""All claims of the paper, in their order; each is in the file of its figure."""

from __future__ import annotations

from research.paper import facts, figure_3, mushroom, nursery_and_votes, other_claims

CLAIMS = tuple(
    sorted(
        (
            *figure_3.CLAIMS,
            *mushroom.CLAIMS,
            *nursery_and_votes.CLAIMS,
            *other_claims.CLAIMS,
            *facts.CLAIMS,
        ),
        key=lambda each: each.number,
    )
)
"""All but the run times, which are measured and not read from runs."""

RUN_TIMES = other_claims.RUN_TIMES
