"""A small clinic for the story of a whole study: its tests, prices, lists and laboratory.

Everything is fixed, and written as people there write it: semicolons, decimal commas, Latin-1.
Prices are worked out here once more, from the tariff alone, to be compared with the pages.
"""

from __future__ import annotations

import random
from decimal import Decimal

FEE, SETUP, BUDGET = Decimal("20.00"), Decimal("4.50"), Decimal("1500.00")
PANEL = ("Ferritin", "CRP", "Hämoglobin")
PRICES = {
    "Ferritin": Decimal("18.00"), "CRP": Decimal("9.50"), "Hämoglobin": Decimal("3.25"),
    "Husten": Decimal("1.10"), "Röntgen": Decimal("42.00"), "Kultur": Decimal("27.30"),
}  # fmt: skip
NUMBERS = {  # unit, from, to, cuts, and the mean of those who are well and ill
    "Ferritin": ("µg/l", "0,5", "2000", "30; 150", (90, 28)),
    "CRP": ("mg/l", "0", "500", "5; 20", (3, 24)),
    "Hämoglobin": ("g/dl", "3", "25", "12", (14, 11)),
}
CATEGORIES = {
    "Husten": ("nein", "ja"),
    "Röntgen": ("frei", "verschattet"),
    "Kultur": ("negativ", "positiv"),
}
CASES = [(f"P{at:03}", ("gesund", "krank")[at % 3 == 0]) for at in range(120)]
NEW = [(f"N{at:02}", ("gesund", "krank")[at % 2]) for at in range(6)]
LABELS = dict(CASES + NEW)


def written(amount):
    """An amount as the clinic writes it.

    >>> written(Decimal("9.50"))
    '9,50'
    """
    return str(amount).replace(".", ",")


def value(case, test, label=None):
    """What the laboratory finds."""
    drawn = random.Random(f"{case} {test}")
    ill = (label or LABELS[case]) == "krank"
    if test in NUMBERS:
        mean = NUMBERS[test][4][ill]
        return f"{mean * drawn.uniform(0.5, 1.5):.1f}".replace(".", ",")
    return CATEGORIES[test][drawn.random() < (0.8 if ill else 0.25)]


def price_of(tests):
    """What all that was ever ordered of one case costs: each test, the visit, the panel once.

    >>> price_of(["CRP", "Hämoglobin"])
    Decimal('37.25')
    """
    taken = set(tests)
    fees = (FEE if taken else Decimal(0)) + (SETUP if taken & set(PANEL) else Decimal(0))
    return fees + sum((PRICES[each] for each in tests), Decimal(0))


def case_list():
    """The spreadsheet: some values of each test but the last one are known."""
    tests = list(PRICES)[:5]
    lines = [";".join(("Patient", "Diagnose", *tests, "Bemerkung"))]
    for at, (case, label) in enumerate(CASES):
        known = [value(case, test) if at % 10 == nr else "" for nr, test in enumerate(tests)]
        lines.append(";".join((case, label, *known, f"kam um {at} Uhr, müde")))
    return "\n".join(lines).encode("latin-1")


def laboratory_file(requests, others=(), lines=200):
    """Return a line per result, how many are told and recorded, and what the latter cost.

    Parameters
    ----------
    requests
        Cases and tests that are under way and whose results came.
    others
        Cases and tests that nothing is said of, though they were ordered.
    lines
        How many there are, with five that are not in order: of nobody whom the study knows (2), of
        a test that it does not have (2), and a number that cannot be. Some that nobody asked for
        have a price.
    """
    strangers = [("P999", "CRP", "4,0"), ("Q1", "Husten", "ja")]
    foreign = [("P001", "Blutgruppe", "A"), ("P002", "Blutgruppe", "B")]
    known = {(case, test) for at, (case, _) in enumerate(CASES)
             for nr, test in enumerate(list(PRICES)[:5]) if at % 10 == nr}  # fmt: skip
    theirs = {case for case, _ in [*requests, *others]}
    unlikely, *free = [(case, test) for case, _ in reversed(CASES) if case not in theirs
                       for test in PRICES if (case, test) not in known]  # fmt: skip
    recorded = free[: lines - len(requests) - 5]
    rows = [(case, test, value(case, test), "") for case, test in requests]
    rows += [(case, test, value(case, test), "" if at % 30 else "2,75")
             for at, (case, test) in enumerate(recorded)]  # fmt: skip
    rows[3:3] = [(*each, "") for each in strangers]
    rows[90:90] = [(*each, "") for each in (*foreign, (*unlikely, "99999,5"))]
    assert len(rows) == lines
    text = "\n".join(["Patient;Analyte;Result;Cost", *(";".join(row) for row in rows)])
    cost = Decimal("2.75") * sum(row[3] != "" for row in rows)
    return text.encode("utf-8-sig"), len(recorded), cost


def pasted_cases():
    """New patients, copied from a spreadsheet; of one the haemoglobin is known."""
    rows = [f"{case}\t{label}\t{'11,5' if case == 'N01' else ''}" for case, label in NEW]
    return "\n".join(["case\tlabel\tHämoglobin", *rows, "N99\tunklar\t"])


def validation():
    """Cases whose values are all known."""
    rows = [";".join((label, *(value(f"V{at}", test, label) for test in PRICES)))
            for at, label in enumerate(("gesund", "krank", "gesund") * 15)]  # fmt: skip
    return "\n".join([";".join(("label", *PRICES)), *rows]).encode()
