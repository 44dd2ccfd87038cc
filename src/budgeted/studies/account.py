"""The account of a study, for a board: what it is, and what was spent on what.

All of it comes from the journal alone; nothing here fits a model. Amounts are exact: what was spent
by test and by label each add up to what is spent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from budgeted.problem import Problem, money, prices
from budgeted.state.surcharges import surcharge_of
from budgeted.studies.events import CANCELLED, FAILED, PENDING, RECORDED
from budgeted.studies.growth import CasesAdded
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot


@dataclass(frozen=True)
class Spending:
    """What was bought of something, and for how much."""

    name: str  # of a test or a label
    values: int
    failed: int
    spent: Decimal  # what was charged, failures included


@dataclass(frozen=True)
class Account:
    """What is to be said of a study without asking a model."""

    by_test: tuple[Spending, ...]
    by_label: tuple[Spending, ...]
    of_label: Mapping[tuple[str, str], Decimal]  # what was spent on each test and label
    charged_in_vain: Decimal  # what was charged for requests that brought no value
    surcharge: Decimal | None  # so far, where the budget is soft; else None
    counts: Mapping[str, int]  # how many there are of what, by a word for it
    prices: tuple[str, ...]  # fees, panels and other terms of the price list, in words


def account_of(study: Snapshot) -> Account:
    """Return the account of a study."""
    problem, requests = study.state.problem, study.requests()
    surcharge = surcharge_of(study.state)
    cells: dict[tuple[str, str], list[Decimal]] = {}
    for each in requests:
        if each.fate != PENDING:
            cells.setdefault((each.feature, each.label), []).append(each.cost)
    in_vain = [each.cost for each in requests if each.fate == FAILED]
    return Account(
        by_test=_spending(
            [each.name for each in problem.features], requests, [each.feature for each in requests]
        ),
        by_label=_spending(problem.labels, requests, [each.label for each in requests]),
        of_label={cell: money.total(costs) for cell, costs in cells.items()},
        charged_in_vain=money.total(in_vain),
        surcharge=None if surcharge is None else surcharge.so_far,
        counts=_counts(study, requests),
        prices=price_words(problem),
    )


def price_words(problem: Problem) -> tuple[str, ...]:
    """Return what a price list says besides the price of each test, a line for each term.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.problem.prices.tariff import Tariff
    >>> fever = Feature("fever", ("no", "yes"), 1)
    >>> price_words(Problem([fever], ("well", "ill"), (0.5, 0.5), 9, Tariff(visit_fee="3.25")))
    ('visit fee: 3.25',)
    """
    if not problem.has_prices:
        return (f"price list {problem.prices.name}, which is not installed here",)
    return tuple(
        f"{name.replace('_', ' ')}: {line}"
        for name, held in prices.parameters_of(problem.prices).items()
        for line in _written(held)
    )


def _written(held: object) -> Iterable[str]:
    """What a parameter holds, in words; a line for each member of a list."""
    if held is None or held in ([], (), {}):
        return
    if isinstance(held, list | tuple):
        for each in held:
            yield from _written(each)
    elif isinstance(held, Mapping):
        yield ", ".join(
            f"{str(key).replace('_', ' ')} {'; '.join(_written(each))}"
            for key, each in held.items()
            if each not in (None, [], (), {})
        )
    else:
        yield str(held)


def _spending(
    names: Iterable[str], requests: Iterable[Requested], of: Iterable[str]
) -> tuple[Spending, ...]:
    values: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    costs: dict[str, list[Decimal]] = {}
    for each, name in zip(requests, of, strict=True):
        values[name] += each.value is not None
        failed[name] += each.fate == FAILED
        if each.fate != PENDING:
            costs.setdefault(name, []).append(each.cost)
    return tuple(
        Spending(name, values[name], failed[name], money.total(costs.get(name, [])))
        for name in names
    )


def _counts(study: Snapshot, requests: Iterable[Requested]) -> dict[str, int]:
    kinds = Counter(entry.event.kind for entry in study.entries)
    fates = Counter(each.fate for each in requests)
    arrived = (entry.event for entry in study.entries if isinstance(entry.event, CasesAdded))
    records = study.case_records.values()
    return {
        "cases": len(study.cases),
        "added later": sum(len(each.cases) for each in arrived),
        "withdrawn": len(study.withdrawn),
        "forgotten": sum(each.forgotten for each in records),
        "values": sum(each.values for each in records),
        "recorded without being asked": fates[RECORDED],
        "under way": fates[PENDING],
        "failed": fates[FAILED],
        "cancelled": fates[CANCELLED],
        "corrections": kinds["corrected"],
        "undone": kinds["undone"],
        "ruled out": kinds["ruled_out"],
    }
