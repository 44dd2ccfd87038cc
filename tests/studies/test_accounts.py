"""What is due for cases, against a slow ledger that adds up everything from the start."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from budgeted import Feature, Problem
from budgeted.errors import BudgetedError
from budgeted.policies import Choice
from budgeted.problem import Action
from budgeted.problem.prices.tariff import Tariff
from budgeted.studies import commands
from budgeted.studies.creation import creation
from budgeted.studies.drafts import Draft, Sent, plan
from budgeted.studies.events import Entry
from budgeted.studies.projection import Projection, fold

NAMES = ("glucose", "insulin", "ldl", "hdl", "age")
COSTS = {"glucose": "17.61", "insulin": "22.78", "ldl": "4", "hdl": "3.50", "age": "1"}
CASES = [(f"P{at}", "ill" if at % 2 else "well") for at in range(6)]
FIRST = date(2026, 1, 5)

AMOUNTS = st.decimals(0, 40, places=2)
ABOVE_ZERO = st.decimals("0.01", 40, places=2)


class Given:
    """A policy that orders what it is told to."""

    def __init__(self, features, label):
        self._choice = Choice(Action(features[0], label), reason="so", together=features[1:])

    def choose(self, state, rng):
        return self._choice


class Books:
    """Who pays what, by going through all that was ever ordered of a case.

    Parameters
    ----------
    fee, days
        Of a visit: due on a day unless one was paid that covers it.
    setup
        Of the panel of glucose and insulin, once for a case.
    whole
        What ldl and hdl cost together, if they are sold only together; None if not.
    """

    def __init__(self, fee, days, setup, whole):
        self.fee, self.days, self.setup, self.whole = fee, days, setup, whole

    def due(self, lines):
        """What lines (day, feature) of one case cost."""
        total, paid_until = Decimal(0), None
        for day in sorted({day for day, _ in lines}):
            if paid_until is None or day > paid_until:
                total += self.fee
                paid_until = date.max if self.days is None else day + timedelta(days=self.days)
        measured = [feature for _, feature in lines]
        if {"glucose", "insulin"} & set(measured):
            total += self.setup
        for feature in measured:
            if self.whole is None or feature not in ("ldl", "hdl"):
                total += Decimal(COSTS[feature])
        if self.whole is not None:  # what was charged in vain and is measured again is paid again
            total += self.whole * max(measured.count("ldl"), measured.count("hdl"))
        return total


class Accounts(RuleBasedStateMachine):
    """A study whose people order, tell, fail, charge, correct, undo and cancel at random."""

    @initialize(
        fee=AMOUNTS,
        days=st.sampled_from([None, 0, 10]),
        setup=AMOUNTS,
        whole=st.none() | st.decimals(1, 40, places=2),
        budget=st.sampled_from([60, 250, 2_000]),
    )
    def begin(self, fee, days, setup, whole, budget):
        self.books = Books(fee, days if fee else None, setup, whole)
        panels = [{"name": "blood", "features": ["glucose", "insulin"], "setup": setup}]
        if whole is not None:
            panels.append(
                {"name": "lipids", "features": ["ldl", "hdl"], "whole": True, "price": whole}
            )
        prices = Tariff(fee, days if fee else None, panels)
        features = [Feature(name, ("low", "high"), COSTS[name]) for name in NAMES]
        problem = Problem(features, ("well", "ill"), (0.5, 0.5), budget, prices)
        created = creation("s", problem, CASES, "round-robin", {}, None, 1, "gini", None)
        self.day, self.budget = FIRST, Decimal(budget)
        self.study = Projection(created)
        self.entries = [Entry(1, self._now(), "me", created)]
        self.by_hand: dict[int, Decimal] = {}

    def _now(self):
        return f"{self.day.isoformat()}T09:00:00.000000Z"

    def _do(self, command, chooser=None):
        draft = Draft.of(self.study)
        draft.chooser = chooser
        found = plan(draft, [Sent(command, "me")], "s", self._now())
        if isinstance(found.answers[0], BudgetedError):
            return False
        self.study.adopt(found.draft)
        self.entries += [
            Entry(len(self.entries) + at, self._now(), "me", event, *key)
            for at, (event, key) in enumerate(zip(found.events, found.keys, strict=True), 1)
        ]
        return True

    def _any(self, at):
        return None if not self.study.requests else 1 + at % len(self.study.requests)

    @rule(days=st.integers(1, 12))
    def time_passes(self, days):
        self.day += timedelta(days=days)

    @rule(
        features=st.lists(st.sampled_from(range(5)), min_size=1, max_size=4, unique=True),
        label=st.integers(0, 1),
    )
    def order(self, features, label):
        self._do(commands.Ask(), Given(tuple(features), label))

    @rule(at=st.integers(0, 10_000))
    def tell(self, at):
        if number := self._any(at):
            self._do(commands.Tell(number, "low"))

    @rule(at=st.integers(0, 10_000), cost=ABOVE_ZERO)
    def tell_at_another_price(self, at, cost):
        if number := self._any(at):
            own = self._own(number)
            if self._do(commands.Tell(number, "high", cost)) and own is not None:
                self.by_hand[number] = cost - own

    @rule(
        at=st.integers(0, 10_000), charged=st.booleans() | ABOVE_ZERO, usable=st.booleans()
    )  # fmt: skip
    def fail(self, at, charged, usable):
        if number := self._any(at):
            own = self._own(number)
            done = self._do(commands.Fail(number, charged, usable))
            if done and own is not None and not isinstance(charged, bool):
                self.by_hand[number] = charged - own

    @rule(at=st.integers(0, 10_000))
    def cancel(self, at):
        if number := self._any(at):
            self._do(commands.Cancel(number))

    @rule(at=st.integers(0, 10_000))
    def undo(self, at):
        number = self._any(at)
        if number and self._do(commands.Undo(number)):
            self.by_hand.pop(number, None)

    @rule(at=st.integers(0, 10_000))
    def correct(self, at):
        if number := self._any(at):
            self._do(commands.Correct(number, "high"))

    @rule(
        case=st.sampled_from(CASES),
        feature=st.sampled_from(NAMES),
        charge=st.booleans() | ABOVE_ZERO,
    )
    def record(self, case, feature, charge):
        held = [
            each.number
            for each in self.study.requests.values()
            if (each.case, each.feature, each.fate) == (case[0], feature, "pending")
        ]
        own = self._own(*held) if held else self._more(case[0], feature)
        number = held[0] if held else self.study.state.next_number
        new = number not in self.study.requests or bool(held)
        done = self._do(commands.Record([(case[0], feature, "low")], charge))
        if done and new and number in self.study.requests and not isinstance(charge, bool):
            self.by_hand[number] = charge - own

    def _lines(self, case, without=None):
        """What was paid for of a case, or is under way: the day and the feature of each."""
        return [
            (date.fromisoformat(each.at[:10]), each.feature)
            for each in self.study.requests.values()
            if each.case == case
            and each.number != without
            and (each.fate in ("pending", "told") or each.cost)
        ]

    def _own(self, number):
        """What a pending request adds to all else of its case; None if it is not pending."""
        request = self.study.request(number)
        if request.fate != "pending":
            return None
        others = self._lines(request.case, without=number)
        return self.books.due(self._lines(request.case)) - self.books.due(others)

    def _more(self, case, feature):
        lines = self._lines(case)
        return self.books.due([*lines, (self.day, feature)]) - self.books.due(lines)

    @rule(case=st.sampled_from(CASES), forget=st.booleans())
    def withdraw(self, case, forget):
        if case[0] in ("P4", "P5"):
            self._do(commands.Withdraw(case[0], forget))

    @invariant()
    def money_adds_up(self):
        state = self.study.state
        assert state.spent + state.reserved + state.free == self.budget
        assert state.free >= 0
        pending = [each.cost for each in self.study.requests.values() if each.fate == "pending"]
        paid = [each.cost for each in self.study.requests.values() if each.fate != "pending"]
        assert state.reserved == sum(pending)
        assert state.spent == sum(paid)

    @invariant()
    def what_is_due_once_is_paid_once(self):
        for case, _ in CASES:
            mine = [each for each in self.study.requests.values() if each.case == case]
            said = sum(self.by_hand.get(each.number, Decimal(0)) for each in mine)
            paid = sum(each.cost for each in mine)
            assert paid == self.books.due(self._lines(case)) + said, case

    def teardown(self):
        again = fold(None, self.entries, "here")
        assert again.requests == dict(self.study.requests)
        assert again.state.visited == self.study.state.visited
        money = (again.state.spent, again.state.reserved, again.state.free)
        assert money == (self.study.state.spent, self.study.state.reserved, self.study.state.free)


TestAccounts = Accounts.TestCase
TestAccounts.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)


def _play(seed, steps):
    """The same machine, driven by a plain generator: many more steps in the same time."""
    draw = random.Random(seed)
    study = Accounts()
    fee, setup = (Decimal(draw.randrange(4_000)) / 100 for _ in range(2))
    whole = draw.choice([None, Decimal("7.50"), Decimal(30)])
    study.begin(fee, draw.choice([None, 0, 10]), setup, whole, draw.choice([60, 250, 2_000]))
    for _ in range(steps):
        at, cost = draw.randrange(10_000), Decimal(draw.randrange(4_000)) / 100
        features = draw.sample(range(5), draw.randrange(1, 5))
        case, name = draw.choice(CASES), draw.choice(NAMES)
        flag, other = draw.random() < 0.5, draw.random() < 0.5
        often = [
            *[(study.order, (features, int(flag)))] * 3,
            *[(study.tell, (at,))] * 3,
            (study.fail, (at, flag, other)),
            (study.fail, (at, cost + 1, other)),
            (study.tell_at_another_price, (at, cost + 1)),
            (study.record, (case, name, cost + 1)),
            (study.cancel, (at,)),
            (study.undo, (at,)),
            (study.record, (case, name, flag)),
            (study.time_passes, (1 + at % 12,)),
            (study.correct, (at,)),
        ]
        rarely = [(study.withdraw, (case, flag))]
        step, arguments = draw.choice(rarely if draw.random() < 0.01 else often)
        step(*arguments)
        study.money_adds_up()
        study.what_is_due_once_is_paid_once()
    study.teardown()
    return sum(each.fate == "told" for each in study.study.requests.values())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_steps(part):
    told = sum(_play(seed, 100) for seed in range(25 * part, 25 * (part + 1)))
    assert told > 100  # something happened
