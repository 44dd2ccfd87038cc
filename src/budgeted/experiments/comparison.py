"""What the runs of several policies look like side by side: two figures for files and pages."""

from __future__ import annotations

from collections.abc import Mapping

from budgeted.experiments.figures import Figure, error_curves, purchases_per_feature
from budgeted.experiments.runs import Runs

_STEPS = 200


def curves_figure(
    title: str, results: Mapping[str, Runs], error: str = "0/1 error on validation cases"
) -> Figure:
    """Return error against purchases, or against money where costs differ.

    Parameters
    ----------
    title
        What was compared on.
    results
        Policy → its runs, at least one each.
    error
        What is written at the axis of the errors.
    """
    first = next(iter(results.values()))
    costs = {cost for runs in results.values() for each in runs.runs for cost in each.cost}
    lines = {"complete training data": float(first.complete.mean())}
    if not first.runs[0].discriminative:
        lines["best single feature"] = float(first.single.mean())
    if len(costs) > 1:
        ends = {label: float(max(runs.spent_at_end)) for label, runs in results.items()}
        step = max(ends.values()) / _STEPS
        curves = {
            label: runs.curve_by_money(_amounts(step, ends[label]))
            for label, runs in results.items()
        }
        against = "spent"
    else:
        curves, against = {label: runs.curve() for label, runs in results.items()}, "purchases"
    return error_curves(
        curves,
        title=title,
        subtitle=f"{_mean(results)}, 95 % bands",
        lines=lines,
        against=against,
        error=error,
    )


def _amounts(step: float, end: float) -> list[float]:
    """Return the amounts at which a curve is drawn: no further than its policy has spent.

    >>> _amounts(5.0, 12.0)
    [5.0, 10.0, 12.0]
    """
    before = (step * number for number in range(1, _STEPS + 1))
    return [*(each for each in before if each < end), end]


def purchases_figure(title: str, results: Mapping[str, Runs]) -> Figure:
    """Return how often each policy bought each feature."""
    purchases = {
        label: dict(zip(runs.features, runs.purchases.mean(axis=0).tolist(), strict=True))
        for label, runs in results.items()
    }
    return purchases_per_feature(
        purchases, title=title, subtitle=f"purchases per feature, {_mean(results)}"
    )


def _mean(results: Mapping[str, Runs]) -> str:
    fewest, most = min(map(len, results.values())), max(map(len, results.values()))
    return f"mean of {most} runs" if fewest == most else f"mean of {fewest} to {most} runs"
