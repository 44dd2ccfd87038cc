"""What a few orders would cost, in words, so that people see whether the prices are meant so."""

from __future__ import annotations

from collections.abc import Sequence

from budgeted.errors import BudgetedError
from budgeted.problem import Feature, money
from budgeted.problem.orders import CaseSoFar, Order
from budgeted.problem.prices import PriceList, from_table, lines
from budgeted.studies.feature_tables import feature_mistakes, with_decimal
from budgeted.studies.preparing.amounts import written
from budgeted.studies.preparing.preparation import Preparation


def example_quotes(made: Preparation) -> list[str]:
    """Return sentences about prices; none as long as they cannot be told.

    Examples
    --------
    >>> tests = [{"name": each, "values": ["low", "high"], "cost": cost}
    ...          for each, cost in (("ferritin", "18.00"), ("crp", "9.50"))]
    >>> prices = {"list": "tariff", "visit_fee": "50"}
    >>> made = Preparation({"features": tests, "prices": prices}, currency="€")
    >>> for each in example_quotes(made):
    ...     print(each)
    A first visit with ferritin and crp costs 77.50 €.
    Ferritin alone costs 68.00 €; crp of the same case afterwards 9.50 €.
    """
    found = [feature_mistakes(with_decimal(each, made.decimal), "") for each in made.features]
    features = [each for each, wrong in found if each is not None and not wrong]
    if not features:
        return []
    labels = sorted({*made.labels} - {""}) or ["a"]
    prices = made.plain.get("prices", {"list": "per-feature"})
    try:
        listed = from_table(prices, features, labels)
    except BudgetedError:
        return []
    first = _first(made, features)
    try:
        return list(_sentences(listed, features, first, made))
    except BudgetedError:
        return []


def _sentences(
    prices: PriceList, features: Sequence[Feature], places: tuple[int, ...], made: Preparation
) -> list[str]:
    def quote(wanted: tuple[int, ...], had: frozenset[int] = frozenset()) -> str:
        cost = money.total(lines(prices, Order(wanted, 0), CaseSoFar(had)))
        return f"{written(money.show(cost), made.decimal)} {made.currency}".strip()

    names = [features[at].name for at in places]
    whom = f" for a case labelled {made.labels[0]}" if _by_label(made) and made.labels else ""
    said = [f"A first visit with {' and '.join(names)} costs {quote(places)}{whom}."]
    if len(places) > 1:
        one, other = places[:1], places[1:]
        said.append(
            f"{names[0][:1].upper()}{names[0][1:]} alone costs {quote(one)}; {names[1]} of the "
            f"same case afterwards {quote(other, frozenset(one))}."
        )
    return said


def _by_label(made: Preparation) -> bool:
    prices = made.plain.get("prices", {})
    return bool(isinstance(prices, dict) and prices.get("exceptions"))


def _first(made: Preparation, features: Sequence[Feature]) -> tuple[int, ...]:
    """Two tests to speak of: of the first panel, if there is one, else the first ones."""
    names = [each.name for each in features]
    prices = made.plain.get("prices", {})
    panels = prices.get("panels", []) if isinstance(prices, dict) else []
    members = panels[0].get("features", []) if panels and isinstance(panels[0], dict) else []
    chosen = [names.index(each) for each in members if each in names][:2]
    return tuple(chosen) if len(chosen) == 2 else tuple(range(min(2, len(names))))
