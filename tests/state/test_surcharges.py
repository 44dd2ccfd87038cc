"""Money with a soft budget: random orders, answers, failures and corrections against a ledger."""

from decimal import Decimal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from budgeted import Feature, Problem, Purchase, Soft, State
from budgeted.errors import PurchaseError
from budgeted.state.revisions import corrected, with_budget
from budgeted.state.surcharges import added_by, committed, surcharge_of, within_amount

PRICES = (Decimal("1.50"), Decimal("4"))
features = st.integers(0, 1)
labels = st.integers(0, 1)


class SoftMoney(RuleBasedStateMachine):
    """The state, beside lists of what was paid and what is held."""

    def __init__(self):
        super().__init__()
        soft = Soft("10", "30.00", 5, steps=[(0, "0.2"), ("7.5", "0.55")])
        named = [Feature(f"x{at}", ("no", "yes"), price) for at, price in enumerate(PRICES)]
        self.state = State.start(Problem(named, ("well", "ill"), (0.5, 0.5), soft))
        self.paid, self.held = {}, {}

    @property
    def gone(self):
        return sum(self.paid.values(), Decimal(0)) + sum(self.held.values(), Decimal(0))

    @rule(feature=features, label=labels)
    def order(self, feature, label):
        price, before = PRICES[feature], surcharge_of(self.state)
        added = added_by(self.state, price)
        try:
            self.state = self.state.reserve((feature, label))
        except PurchaseError:
            assert self.gone + price > self.state.problem.budget
            return
        self.held[self.state.next_number - 1] = price
        after = surcharge_of(self.state)
        assert after.so_far + after.to_come == before.so_far + before.to_come + added

    @precondition(lambda self: self.held)
    @rule(data=st.data(), cost=st.decimals(0, 12, places=2), value=st.sampled_from([0, 1, None]))
    def answer(self, data, cost, value):
        number = data.draw(st.sampled_from(sorted(self.held)))
        request = self.state.pending.find(number)
        try:
            self.state = self.state.after(
                Purchase(request.feature, request.label, value, cost, number=number)
            )
        except PurchaseError:
            assert self.gone - self.held[number] + cost > self.state.problem.budget
            return
        del self.held[number]
        self.paid[number] = cost

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def cancel(self, data):
        number = data.draw(st.sampled_from(sorted(self.held)))
        self.state = self.state.release(number)
        del self.held[number]

    @precondition(lambda self: self.paid)
    @rule(data=st.data(), cost=st.decimals(0, 12, places=2))
    def correct(self, data, cost):
        number = data.draw(st.sampled_from(sorted(self.paid)))
        try:
            self.state = corrected(self.state, number, None, cost)
        except PurchaseError:
            assert self.gone - self.paid[number] + cost > self.state.problem.budget
            return
        self.paid[number] = cost

    @rule(
        amount=st.decimals(0, 20, places=2),
        more=st.decimals(0, 20, places=2),
        rate=st.sampled_from(["0.1", "1"]),
    )
    def other_terms(self, amount, more, rate):
        try:
            self.state = with_budget(self.state, Soft(amount, amount + more, 5, rate))
        except PurchaseError:
            assert self.gone > amount + more

    @invariant()
    def everything_adds_up(self):
        state, soft = self.state, self.state.problem.soft
        assert state.spent == sum(self.paid.values())
        assert state.reserved == sum(self.held.values())
        assert state.spent + state.reserved + state.free == state.problem.budget == soft.limit
        assert state.free >= 0
        assert committed(state) <= soft.limit
        assert within_amount(state) == max(0, soft.amount - self.gone)
        found = surcharge_of(state)
        assert found.so_far == slowly(soft, state.spent)
        assert found.so_far + found.to_come == slowly(soft, self.gone)


def slowly(soft, spent):
    """Cent by cent, counted in whole numbers of cents."""
    begin, over = int(soft.amount * 100), int(spent * 100)
    steps = [(int(beyond * 100), rate) for beyond, rate in soft.steps]
    cents = Decimal(0)
    for cent in range(max(0, over - begin)):
        cents += max((rate for beyond, rate in steps if beyond <= cent), default=Decimal(0))
    return cents / 100


TestSoftMoney = SoftMoney.TestCase
TestSoftMoney.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


def test_a_firm_budget_has_no_surcharge():
    problem = Problem([Feature("x", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 5)
    state = State.start(problem)
    assert surcharge_of(state) is None
    assert within_amount(state) is None
    assert added_by(state, Decimal(3)) == 0
