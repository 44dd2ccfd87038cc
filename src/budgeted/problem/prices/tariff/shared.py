"""Where panels share more than the price that it is a part of, on any day and for any case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from budgeted.problem.prices.tariff.panels import Panel
from budgeted.problem.prices.tariff.schedule import Schedule


def shared_mistakes(
    schedule: Schedule,
    features: Sequence[str],
    panels: Sequence[Panel],
    label: str | None,
    group: str,
) -> Iterator[str]:
    """Yield in words what would cost less than nothing.

    Parameters
    ----------
    schedule, label, group
        The prices of some cases, and which ones they are.
    features, panels
        The names of the features, by position, and the panels.
    """
    whole = [(at, each) for at, each in enumerate(panels) if each.whole]
    for start, prices in zip(schedule.first_days, schedule.periods, strict=True):
        due = [(repr(name), name, prices.own[at]) for at, name in enumerate(features)]
        due += [(f"the panel {each.name!r}", each.features[0], prices.panels[at])
                for at, each in whole]  # fmt: skip
        for said, member, price in due:
            if price < 0:
                at = next(
                    at
                    for at, each in enumerate(panels)
                    if each.kind == "shared" and member in each.features
                )
                yield (
                    f"panels[{at}].shared: is more than the price of {said}, which it is a part "
                    f"of{_when(label, group, start)}"
                )


def _when(label: str | None, group: str, start: int) -> str:
    """For which cases and from when on, if not for all and always."""
    said = [f"of the label {label!r}"] if label is not None else []
    said += [f"of the group {group!r}"] if group else []
    cases = f", for cases {' and '.join(said)}" if said else ""
    return cases + (f", from {date.fromordinal(start)} on" if start else "")
