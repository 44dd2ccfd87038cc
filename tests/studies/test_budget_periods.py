"""Studies whose money comes in periods: no order exceeds what its period has."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from budgeted import Feature, Periods, Problem, Study
from budgeted.errors import BudgetedError
from budgeted.studies.commands.ask import Ask, why_fewer

FIRST = date(2026, 1, 5)
FEATURES = [Feature("a", ("no", "yes"), "1.50"), Feature("b", ("no", "yes"), 4)]
CASES = [(f"case {at}", ("well", "ill")[at % 2]) for at in range(60)]


class Clock:
    """A day that tests set."""

    def __init__(self, day=FIRST):
        self.day = day

    def __call__(self):
        return f"{self.day.isoformat()}T09:30:00.000000Z"


def begin(folder, terms, clock, policy="round-robin"):
    problem = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), terms)
    return Study.create(
        f"{folder}/s.db", "s", problem, CASES, policy=policy, seed=3, by="me", clock=clock
    )


def ordered(study, terms, number):
    """What belongs to a period, added up from single requests."""
    begins, ends = terms.first_day(number), terms.first_day(number + 1)
    return sum(
        (each.cost for each in study.requests() if str(begins) <= each.at[:10] < str(ends)),
        Decimal(0),
    )


class PeriodMoney(RuleBasedStateMachine):
    """Days pass, orders are placed, told for more or less, failed and cancelled."""

    @initialize(
        carry=st.booleans(), every=st.sampled_from(["week", "month", 3]), amount=st.integers(3, 12)
    )
    def start(self, carry, every, amount):
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.study = begin(self.folder.name, Periods(amount, every, 4, carry), self.clock)
        self.terms = self.study.state.problem.terms
        assert self.terms.begins == FIRST

    def teardown(self):
        if hasattr(self, "study"):
            self.study.release()
            self.folder.cleanup()

    @rule(days=st.integers(0, 12))
    def days_pass(self, days):
        self.clock.day += timedelta(days=days)

    def allowed(self):
        """What may be ordered today, from the sums of single requests."""
        number, state = self.terms.number_on(self.clock.day), self.study.state
        if self.terms.carry_over:
            room = self.terms.amount * min(number + 1, 4) - state.spent - state.reserved
        else:
            room = self.terms.amount - ordered(self.study, self.terms, number)
            room = room if number < 4 else Decimal(0)
        return max(Decimal(0), min(room, state.free))

    @rule(n=st.integers(1, 4))
    def ask(self, n):
        room = self.allowed()
        assert self.study.period.left == room
        done = self.study.do(Ask(n))
        asked = sum((each.cost for each in done.requests), Decimal(0))
        assert asked <= room
        if len(done.requests) < n:
            assert room - asked < 4  # not enough for one of those that were in turn
            assert why_fewer(done.requests, Ask(n), done.state, done.stopped)
        if room >= 4:
            assert done.requests

    @precondition(lambda self: self.study.requests("pending"))
    @rule(data=st.data(), fate=st.sampled_from(["tell", "more", "fail", "cancel"]))
    def settle(self, data, fate):
        number = data.draw(
            st.sampled_from([each.number for each in self.study.requests("pending")])
        )
        before = ordered(self.study, self.terms, self._number(number))
        cost = self.study.request(number).cost
        try:
            if fate == "tell":
                self.study.tell(number, "yes")
            elif fate == "more":
                self.study.tell(number, "yes", cost=cost + 1)
            elif fate == "fail":
                self.study.fail(number)
            else:
                self.study.cancel(number)
        except BudgetedError:
            assert fate == "more"
            assert self.study.state.free < 1
            return
        change = {"tell": 0, "more": 1, "fail": -cost, "cancel": -cost}[fate]
        assert ordered(self.study, self.terms, self._number(number)) == before + change

    def _number(self, number):
        return self.terms.number_on(date.fromisoformat(self.study.request(number).at[:10]))

    @invariant()
    def everything_adds_up(self):
        if hasattr(self, "study"):
            state = self.study.state
            assert state.spent + state.reserved + state.free == self.terms.limit
            assert state.free >= 0


TestPeriodMoney = PeriodMoney.TestCase
TestPeriodMoney.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)


@pytest.mark.parametrize("carry", [True, False])
def test_what_a_period_left_over_is_there_in_the_next_or_lost(tmp_path, carry):
    clock = Clock()
    with begin(tmp_path, Periods(10, "week", 3, carry), clock) as study:
        assert sum(each.cost for each in study.ask(2, only=["b"])) == 8
        done = study.do(Ask(1, only=("b",)))
        assert not done.requests
        assert done.stopped == (
            "2 left in period 1 of 3; the next period begins 2026-01-12, and the cheapest value "
            "costs 4"
        )
        clock.day += timedelta(days=7)
        assert study.period.left == (12 if carry else 10)
        assert len(study.ask(9, only=["b"])) == (3 if carry else 2)
        clock.day += timedelta(days=14)
        assert study.period.words().startswith("the last period is over")
        assert study.period.left == (10 if carry else 0)
        assert bool(study.ask()) == carry


def test_a_failure_gives_the_money_back_to_the_period_of_its_order(tmp_path):
    clock = Clock()
    with begin(tmp_path, Periods(8, "week", 3, carry_over=False), clock) as study:
        first, _ = study.ask(2, only=["b"])
        clock.day += timedelta(days=7)
        assert study.period.left == 8
        study.fail(first.number)
        assert study.period.left == 8  # it belongs to the week before
        clock.day -= timedelta(days=7)
        assert study.period.left == 4


def test_a_charge_may_exceed_a_period_and_leaves_less_for_later_ones(tmp_path):
    clock = Clock()
    with begin(tmp_path, Periods(8, "week", 3), clock) as study:
        (asked,) = study.ask(1, only=["b"])
        study.tell(asked.number, "yes", cost=11)
        assert study.period.left == 0
        assert not study.ask()
        clock.day += timedelta(days=7)
        assert study.period.left == 5
        study.record([("case 59", "a", "no")], charge="9")
        assert (study.period.left, study.state.free) == (0, 4)
        study.correct(asked.number, "yes", cost=4)
        assert study.period.left == 3


def test_nothing_can_be_ordered_before_the_first_period(tmp_path):
    terms = Periods(8, "month", 3, begins=FIRST + timedelta(days=10))
    with begin(tmp_path, terms, Clock()) as study:
        done = study.do(Ask())
        assert not done.requests
        assert done.stopped.startswith("the first period begins 2026-01-15")


def test_the_wish_for_less_holds_within_a_period(tmp_path):
    with begin(tmp_path, Periods(8, "week", 3), Clock()) as study:
        assert [each.feature for each in study.ask(9, at_most=2)] == ["a"]


def test_periods_survive_reopening_and_change_with_both_versions_in_the_log(tmp_path):
    clock = Clock()
    with begin(tmp_path, Periods(8, "week", 3), clock) as study:
        assert study.events == 2
        study.set_budget(9, every="month", periods=2, carry_over=False, why="a new year")
        assert study.state.problem.terms == Periods(9, "month", 2, False, FIRST)
        words = study.history()[-1].event.words()
        assert words == (
            "budget: 18: 9 a month, 2 times from 2026-01-05; what is left of one is lost; "
            "before: 24: 8 a week, 3 times from 2026-01-05; what is left of one is carried over "
            "(a new year)"
        )
        with pytest.raises(BudgetedError, match="already"):
            study.set_budget(9)
        with pytest.raises(BudgetedError, match="is no term of"):
            study.set_budget(9, rate="0.2", every="week")
        study.set_budget(30, firm=True)
        assert study.period is None
        assert study.verify().budget == 30
    with Study.open(f"{tmp_path}/s.db", clock=clock) as study:
        assert study.state.problem.terms.words() == "30"
