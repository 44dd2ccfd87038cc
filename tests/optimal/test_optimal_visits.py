"""The exact programme under price lists that look at the case, against every order of every case."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.errors import OptimalError
from budgeted.optimal import solve
from budgeted.optimal.cells import Cells
from budgeted.optimal.charges import Charges
from budgeted.optimal.visits import Visits
from budgeted.problem.prices import Tariff
from budgeted.value.loss import LOSSES
from tests import oracles

FEES = ("0", "0.50", "1", "2")
PANELS = ("none", "setup", "shared", "whole")


def priced(costs, budget, *, fee="0", panel="none", amount="0.50", prior=(0.5, 0.5), counts=1,
           by_label="0"):  # fmt: skip
    """Boolean features; the first two are a panel; the last label may pay more for the first."""
    features = [
        Feature(f"x{at + 1}", ("no", "yes"), cost, counts) for at, cost in enumerate(costs)
    ]
    kinds = {"setup": {"setup": amount}, "shared": {"shared": amount},
             "whole": {"price": amount, "whole": True}}  # fmt: skip
    panels = [{"name": "panel", "features": ["x1", "x2"], **kinds.get(panel, {})}] * (panel != "none")
    more = Decimal(costs[-1]) + Decimal(by_label)
    exceptions = [{"label": "ill", "feature": f"x{len(costs)}", "price": more}] * (by_label != "0")
    labels = ("well", "ill", "dead")[: len(prior)]
    return Problem(features, labels, prior, budget,
                   Tariff(visit_fee=fee, panels=panels, exceptions=exceptions))  # fmt: skip


def own_quote(costs, *, fee="0", panel="none", amount="0.50", by_label="0"):
    """The same prices, reckoned without the package."""

    def quote(label, had, wanted):
        total = Decimal(0) if had else Decimal(fee)
        for at in wanted:
            if panel != "whole" or at > 1:
                total += Decimal(costs[at])
            if at == len(costs) - 1 and label == 1:
                total += Decimal(by_label)
        of_panel, before = wanted & {0, 1}, had & {0, 1}
        if panel in ("setup", "whole") and of_panel and not before:
            total += Decimal(amount)
        if panel == "shared":
            total -= Decimal(amount) * (len(of_panel) - (not before and bool(of_panel)))
        return total

    return quote


@st.composite
def lists(draw):
    """Prices that look at the case, on a budget that pays for a few orders."""
    costs = draw(st.sampled_from([("1", "1"), ("1", "2"), ("2", "1", "1")]))
    said = {
        "fee": draw(st.sampled_from(FEES)),
        "panel": draw(st.sampled_from(PANELS)),
        # A label of other prices, for what is not part of a panel that is sold whole.
        "by_label": draw(st.sampled_from(["0", "0.50"])),
    }
    if said["panel"] == "whole" and len(costs) == 2:
        said["by_label"] = "0"
    fees = Decimal(said["fee"]) * 2
    return costs, said, fees + draw(st.sampled_from([Decimal(2), Decimal("2.75")]))


@given(
    lists(),
    st.sampled_from([(0.5, 0.5), (0.7, 0.3)]),
    st.sampled_from([1, (1, 2)]),
    st.sampled_from(list(LOSSES)),
)
@settings(max_examples=60, deadline=None)
def test_the_optimum_is_that_of_every_order_of_every_case(sold, prior, counts, kind):
    costs, said, budget = sold
    start = Belief.prior(priced(costs, budget, prior=prior, counts=counts, **said))
    slow = oracles.brute_orders(
        oracles.counts_of(start), prior, own_quote(costs, **said), budget, kind
    )
    assert solve(start, kind).expected == pytest.approx(slow, abs=1e-12)
