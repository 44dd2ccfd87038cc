"""Every policy spends its money under every kind of price list."""

from __future__ import annotations

from decimal import Decimal

import pytest

from budgeted import Feature, Problem
from budgeted.policies import POLICIES, policy
from budgeted.testing.policies import play
from tests.price_lists import Setup, Visit

PRICES = {
    "a fee for a visit": Visit(Decimal("1.50")),
    "a shared set-up": Setup(Decimal(2), 2),
    "labels of different prices": Setup(Decimal("0.50"), 1, Decimal(5)),
}


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("name", POLICIES)
def test_it_spends_what_there_is_and_no_more(name, kind):
    features = [Feature(f"f{at}", ("0", "1"), cost) for at, cost in enumerate(("1", "2", "0.75"))]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), "23.30", PRICES[kind])
    state = play(policy(name), problem, (6, 6))  # which looks at each step
    assert not state.affordable()
    assert state.history
