"""Tariffs to try things with, and what they cost by going through every way to pay.

The oracle shares no code with the package: tables as people write them, days as dates, and all
partitions of what was ordered.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from hypothesis import strategies as st

from budgeted import Feature, Problem
from budgeted.problem import CaseSoFar, Order
from budgeted.problem.orders import Visit

NAMES = ("glucose", "insulin", "ldl", "hdl", "age")
COSTS = ("17.61", "22.78", "4", "3.5", "1.00")
LABELS = ("well", "ill")
FEATURES = tuple(
    Feature(name, ("low", "high"), cost) for name, cost in zip(NAMES, COSTS, strict=True)
)
FIRST = date(2026, 1, 5)
DAYS = tuple(FIRST + timedelta(days=after) for after in (0, 1, 7, 10, 11, 20, 31, 400))
GROUPS = ("", "children", "others")

AMOUNTS = st.decimals(0, 9, places=2).map(str)
ABOVE_ZERO = st.decimals("0.01", 9, places=2).map(str)
REACHES = st.sampled_from([None, 0, 1, 10, 30])


def problem(tariff, budget=10_000):
    return Problem(FEATURES, LABELS, (0.5, 0.5), budget, tariff)


def _without_none(table):
    return {key: value for key, value in table.items() if value is not None}


@st.composite
def tables(draw):
    """The parameters of a tariff, as a file has them: sound, and with all there is in one."""
    panels = []
    if draw(st.booleans()):
        panels.append({"name": "blood", "features": ["glucose", "insulin"], "shared": "0.75"})
    if draw(st.booleans()):
        whole = {"name": "lipids", "features": ["ldl", "hdl"], "whole": True}
        panels.append({**whole, "price": draw(ABOVE_ZERO)})
    if draw(st.booleans()):
        members = ["glucose", "ldl", "hdl"]
        panels.append({"name": "setup", "features": members, "setup": draw(AMOUNTS)})
    for each in panels:
        reach = None if "whole" in each else draw(REACHES)
        if reach is not None:
            each["days"] = reach
    fee = draw(st.none() | AMOUNTS)
    changes = draw(st.lists(_statements(panels, dated=True), max_size=4))
    exceptions = draw(st.lists(_statements(panels, dated=False), max_size=3))
    unique = {}
    for key, those in (("changes", changes), ("exceptions", exceptions)):
        for each in those:
            about = (each.get("feature"), each.get("panel"), each.get("day"), each.get("label"),
                     each.get("group"))  # fmt: skip
            unique.setdefault(about, (key, each))
    kept = {"changes": [], "exceptions": []}
    for key, each in unique.values():
        kept[key].append(each)
    has_fee = any(
        each.get("visit_fee", "0").strip("0.") for those in kept.values() for each in those
    )
    has_fee |= bool(fee) and bool(fee.strip("0."))
    days = draw(REACHES) if has_fee else None
    return _without_none({"visit_fee": fee, "visit_days": days}) | {"panels": panels} | kept


@st.composite
def _statements(draw, panels, dated):
    about = draw(st.sampled_from(["visit", *("panel",) * bool(panels), "feature"]))
    free = {name for each in panels if each.get("whole") for name in each["features"]}
    if about == "visit":
        said = {"visit_fee": draw(AMOUNTS)}
    elif about == "feature":  # 0.75 of the first two may be shared
        name = draw(st.sampled_from([each for each in NAMES if each not in free]))
        said = {"feature": name, "price": draw(st.decimals("0.75", 30, places=2).map(str))}
    else:
        panel = draw(st.sampled_from(panels))
        kind = next(key for key in ("setup", "shared", "price") if key in panel)
        amounts = {"setup": AMOUNTS, "price": ABOVE_ZERO,
                   "shared": st.sampled_from(["0", "0.30", "0.75"])}  # fmt: skip
        said = {"panel": panel["name"], kind: draw(amounts[kind])}
    if dated:
        said["day"] = draw(st.sampled_from(DAYS))
    whose = draw(st.sampled_from([(), ("label",), ("group",), ("label", "group")][not dated :]))
    if "label" in whose:
        said["label"] = draw(st.sampled_from(LABELS))
    if "group" in whose:
        said["group"] = "children"
    return said


@st.composite
def orders(draw, dated=None):
    """What is wanted, and when: (features, day)."""
    features = draw(st.sets(st.integers(0, len(NAMES) - 1), min_size=1, max_size=3))
    return frozenset(features), draw(st.sampled_from((None, *DAYS)) if dated is None else dated)


def case_of(visits, label=0, group="", features=None):
    """A case of which all this was paid for, and came."""
    had = frozenset().union(*(each for each, _ in visits)) if features is None else features
    told = tuple(Visit(frozenset(each), day) for each, day in visits)
    return CaseSoFar(had, label, "P1", told, group)


def quoted(prices, visits, label=0, group=""):
    """What visits cost together: each one quoted after those before it."""
    total = Decimal(0)
    for at, (features, day) in enumerate(visits):
        order = Order(tuple(sorted(features)), label, "P1", day)
        total += prices.quote(order, case_of(visits[:at], label, group))
    return total


def partitions(items):
    """Every way to divide things into heaps."""
    if not items:
        yield []
        return
    first, *rest = items
    for heaps in partitions(rest):
        yield [[first], *heaps]
        for at in range(len(heaps)):
            yield [*heaps[:at], [first, *heaps[at]], *heaps[at + 1 :]]


class Oracle:
    """What visits cost, by the words of docs/prices.md and by trying every way to pay."""

    def __init__(self, table, label, group):
        self.table, self.label, self.group = table, LABELS[label], group

    def stated(self, about, day, usual):
        """The most special statement that holds: group, label, then the latest."""
        best = None
        for each in (*self.table.get("changes", ()), *self.table.get("exceptions", ())):
            own = {key: each[key] for key in ("feature", "panel") if key in each}
            mine = own == about and each.get("label", self.label) == self.label
            mine &= each.get("group", self.group) == self.group
            begins = each.get("day")
            if not mine or (begins is not None and (day is None or day < begins)):
                continue
            rank = ("group" in each, "label" in each, begins or date.min)
            amount = next(each[key] for key in ("price", "setup", "shared", "visit_fee")
                          if key in each)  # fmt: skip
            if best is None or rank > best[0]:
                best = rank, amount
        return Decimal(usual if best is None else best[1])

    def covered(self, days, price, reach):
        """Every division of the days into heaps that one fee can cover."""
        days = sorted({date.min if day is None else day for day in days})

        def of(day):
            return price(None if day == date.min else day)

        return min(
            sum((max(map(of, heap)) for heap in heaps), Decimal(0))
            for heaps in partitions(days)
            if reach is None
            or all(max(heap) - min(heap) <= timedelta(days=reach) for heap in heaps)
        )

    def total(self, visits):
        visits = [(features, day) for features, day in visits if features]
        total = self.covered(
            [day for _, day in visits],
            lambda day: self.stated({}, day, self.table.get("visit_fee", "0")),
            self.table.get("visit_days"),
        )
        whole = {name for each in self.table["panels"] if each.get("whole")
                 for name in each["features"]}  # fmt: skip
        for features, day in visits:
            for at in features:
                if NAMES[at] not in whole:
                    total += self.stated({"feature": NAMES[at]}, day, COSTS[at])
                    total -= self.shared(NAMES[at], day)
        return total + sum((self.panel(each, visits) for each in self.table["panels"]), Decimal(0))

    def shared(self, name, day):
        return sum(
            (self.stated({"panel": each["name"]}, day, each["shared"])
             for each in self.table["panels"] if "shared" in each and name in each["features"]),
            Decimal(0),
        )  # fmt: skip

    def panel(self, panel, visits):
        kind = next(key for key in ("setup", "shared", "price") if key in panel)

        def price(day):
            return self.stated({"panel": panel["name"]}, day, panel[kind])

        mine = [(at, day) for features, day in visits for at in features
                if NAMES[at] in panel["features"]]  # fmt: skip
        if kind != "price":
            return self.covered([day for _, day in mine], price, panel.get("days"))
        return min(
            sum((max(price(day) for _, day in heap) for heap in heaps), Decimal(0))
            for heaps in partitions(mine)
            if all(len({at for at, _ in heap}) == len(heap) for heap in heaps)
        )
