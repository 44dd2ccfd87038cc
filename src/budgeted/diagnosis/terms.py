"""The terms of diagnosing, as people write them: prices of tests, of wrong answers, and a limit.

A TOML file with a table of prices, and what else is wanted::

    limit = "60"                      # for the tests of one case, at most

    [costs]                           # of one test of a new case
    ferritin = "18.00"
    crp = "9.50"

    [wrong]                           # what an answer costs where another label is right
    healthy = { anaemic = 500 }
    anaemic = { healthy = 50 }

    [prices]                          # fees and panels, as in a study file
    list = "tariff"
    visit_fee = "20"

``wrong = 300`` is one amount for every wrong answer. A study file will do as well: its features
have a cost, it may have ``[prices]``, and if its policy buys for a ``case_limit``, that is the
limit.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from budgeted.diagnosis.active import ActiveClassifier, with_prices
from budgeted.diagnosis.experience import AskedModel, Cases, Experience
from budgeted.errors import BudgetedError, DiagnosisError
from budgeted.problem import Feature, money
from budgeted.problem.prices import from_table

_KEYS = ("costs", "wrong", "limit", "prices")


def read_terms(content: bytes) -> dict[str, Any]:
    """Return what a file holds, after a look whether it is one; a study file gives its prices."""
    try:
        plain = tomllib.loads(content.decode().removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DiagnosisError(f"this is no TOML: {error}") from None
    if "features" in plain:
        return _of_a_study(plain)
    unknown = [key for key in plain if key not in _KEYS]
    if unknown:
        raise DiagnosisError(
            [f"{key}: there is no such entry; there are {', '.join(_KEYS)}" for key in unknown]
        )
    return plain


def _of_a_study(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The prices of a study file, and what its policy buys for: see docs/bounded.md."""
    found: dict[str, Any] = {"costs": _costs_in(plain["features"])}
    found |= {key: plain[key] for key in ("prices",) if key in plain}
    chooser = plain.get("policy")
    if isinstance(chooser, Mapping) and chooser.get("case_limit") is not None:
        found["limit"] = chooser["case_limit"]
        found["costs"] |= costs_told(chooser.get("case_costs", ""))
    return found


def costs_told(text: object) -> dict[str, str]:
    """Return prices by test, as ``case_costs`` of a policy has them: "scan=12, crp=4".

    >>> costs_told("scan=12, crp=4")
    {'scan': '12', 'crp': '4'}
    """
    if not isinstance(text, str):
        raise DiagnosisError(f'case_costs: must be text, such as "scan=12, crp=4", got {text!r}')
    found: dict[str, str] = {}
    for each in filter(None, map(str.strip, text.split(","))):
        name, _, amount = (part.strip() for part in each.rpartition("="))
        if not name:
            raise DiagnosisError(
                f"case_costs: must be TEST=AMOUNT, separated by commas, got {each!r}"
            )
        if name in found:
            raise DiagnosisError(f"case_costs: {name!r} appears twice")
        found[name] = amount
    return found


def active_classifier(
    model: AskedModel,
    terms: Mapping[str, Any],
    without: Collection[str] = (),
    experience: Experience | None = None,
) -> ActiveClassifier:
    """Return the active classifier that a model and these terms make."""
    costs = terms.get("costs", {})
    if not isinstance(costs, Mapping):
        raise DiagnosisError(f"costs: must be a table of tests and their prices, got {costs!r}")
    for name in without:
        model.feature(name)  # which says what is wrong with it
    costs = {name: price for name, price in costs.items() if name not in without}
    prices = None
    if terms.get("prices") is not None:
        try:
            prices = from_table(terms["prices"], _for_sale(model, costs), model.labels)
        except BudgetedError as error:
            raise DiagnosisError(f"prices: {error}") from None
    mistakes = [
        f"costs: no price of {each.name!r}; give it one, or say that it cannot be ordered"
        for each in model.features
        if each.name not in (*costs, *without)
    ]
    try:
        found = ActiveClassifier(
            model, costs, prices, terms.get("wrong"), terms.get("limit"), experience=experience
        )
    except DiagnosisError as error:
        # That no test has a price is said above, test by test.
        mistakes += [each for each in error.mistakes if costs or not each.startswith("prices: no")]
    if mistakes:
        raise DiagnosisError(mistakes)
    return found


def _for_sale(model: AskedModel, costs: Mapping[str, Any]) -> tuple[Feature, ...]:
    """The tests with their prices; none if a price is wrong, which is said elsewhere."""
    try:
        return with_prices(model.features, costs)
    except BudgetedError:
        return ()


def _costs_in(features: object) -> dict[str, Any]:
    """The cost of each feature of a study file; what is wrong there shows when it is used."""
    if not isinstance(features, list):
        raise DiagnosisError(f"features: must be a list of tables, got {features!r}")
    return {
        str(each.get("name")): each["cost"]
        for each in features
        if isinstance(each, Mapping) and "cost" in each
    }


@dataclass(frozen=True)
class Diagnosis:
    """What was done with a case."""

    tests: tuple[str, ...]
    paid: Decimal
    answer: str
    probability: float
    answer_cost: float


@dataclass(frozen=True)
class Summary:
    """Of many cases: what they cost, how often each test was ordered, and how many were wrong."""

    cases: int
    paid: Decimal
    frequencies: dict[str, float]  # how often each test was ordered; never: not there
    expected_error: float
    expected_answer_cost: float
    wrong: float | None
    answer_cost: float | None


def diagnose(active: ActiveClassifier, row: Sequence[int]) -> Diagnosis:
    """Return what becomes of a case whose values are there to be found out, by position.

    A test of which the table has no value (-1) cannot be ordered.
    """
    features = active.model.features
    known = [-1] * len(row)
    absent = frozenset(at for at, value in enumerate(row) if value < 0)
    ordered: list[int] = []
    while True:
        decision = active.decide(known, frozenset(ordered), absent)
        if decision.test is None:
            break
        at = next(place for place, each in enumerate(features) if each.name == decision.test)
        known[at] = row[at]
        ordered.append(at)
    return Diagnosis(
        tuple(features[at].name for at in ordered),
        active.paid(ordered),
        decision.answer,
        decision.chances[decision.answer],
        decision.answer_cost,
    )


def diagnose_all(active: ActiveClassifier, rows: Cases) -> list[Diagnosis]:
    """Return what becomes of each of some cases; those that are alike are done once."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    found = [diagnose(active, row) for row in different.tolist()]
    return [found[at] for at in which.reshape(-1).tolist()]


def summary(
    active: ActiveClassifier, found: Sequence[Diagnosis], labels: Sequence[str] | None = None
) -> Summary:
    """Return what many cases come to; with their true labels also how many answers are wrong."""
    number = len(found)
    counts = Counter(test for each in found for test in each.tests)
    wrong = answer_cost = None
    if labels is not None and number:
        place = {label: at for at, label in enumerate(active.model.labels)}
        wrong = (
            sum(each.answer != label for each, label in zip(found, labels, strict=True)) / number
        )
        answer_cost = (
            sum(
                float(active.costs[place[each.answer], place[label]])
                for each, label in zip(found, labels, strict=True)
            )
            / number
        )
    paid = money.total(each.paid for each in found)
    return Summary(
        number,
        paid,
        {test: times / number for test, times in counts.most_common()},
        sum(1 - each.probability for each in found) / max(number, 1),
        sum(each.answer_cost for each in found) / max(number, 1),
        wrong,
        answer_cost,
    )
