"""A study that lives, at random: whatever is done to it, the money adds up and nothing is lost."""

import tempfile
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from budgeted import Feature
from budgeted.errors import BudgetedError
from tests import sample_studies as studies


class Life(RuleBasedStateMachine):
    """Everything at once: the money adds up, and the journal tells the same story."""

    @initialize(policy=some.sampled_from(["round-robin", "auto", "random-shopper"]))
    def begin(self, policy):
        self.folder = tempfile.TemporaryDirectory()
        problem = studies.make_problem(("1", "2.50"), "30")
        self.study = studies.begin(f"{self.folder.name}/a.db", problem=problem, policy=policy,
                                   per_label=2)  # fmt: skip
        self.arrived = self.values = 0

    def teardown(self):
        if hasattr(self, "study"):
            self.study.verify()
            self.study.release()
            self.folder.cleanup()

    def attempt(self, do):
        with suppress(BudgetedError):  # it may make no sense now
            do()

    @rule(n=some.integers(1, 3))
    def ask(self, n):
        self.attempt(lambda: self.study.ask(n))

    @rule(at=some.integers(0, 20), what=some.integers(0, 3))
    def settle(self, at, what):
        pending = self.study.requests("pending")
        if pending:
            number = pending[at % len(pending)].number
            feature = self.study.request(number).feature
            values = {each.name: each.values for each in self.study.state.problem.features}
            do = (
                lambda: self.study.tell(number, values[feature][at % len(values[feature])]),
                lambda: self.study.fail(number, charged=at % 2 == 0, usable=at % 3 == 0),
                lambda: self.study.cancel(number),
                lambda: self.study.tell(number, values[feature][0], "0.75"),
            )[what]
            self.attempt(do)

    @rule(at=some.integers(0, 20))
    def undo_or_correct(self, at):
        every = self.study.requests()
        if every:
            self.attempt(lambda: self.study.undo(every[at % len(every)].number))
            self.attempt(lambda: self.study.correct(every[-at % len(every)].number, "no"))

    @rule(size=some.integers(0, 3), known=some.booleans(), there=some.booleans())
    def arrive(self, size, known, there):
        names = [f"new {self.arrived + at}" for at in range(size)]
        cases = [(name, f"label {at % 2}") for at, name in enumerate(names)]
        if there:
            cases.append((self.study.cases[0], "label 0"))
        values = [(name, "f0", "yes") for name in names] if known else []
        if not self.study.closed:
            arrived = self.study.add_cases(cases, known=values)
            assert (arrived.new, arrived.there) == (tuple(names), int(there))
            self.arrived += size

    @precondition(lambda self: len(self.study.state.problem.features) < 5)
    @rule(cost=some.sampled_from(["0.10", "3"]))
    def new_test(self, cost):
        name = f"f{len(self.study.state.problem.features)}"
        self.attempt(lambda: self.study.add_feature(Feature(name, ("no", "yes"), cost)))

    @precondition(lambda self: self.values < 3)
    @rule(at=some.integers(0, 9))
    def new_value(self, at):
        features = self.study.state.problem.features
        self.values += 1
        name = features[at % len(features)].name
        self.attempt(lambda: self.study.add_value(name, f"value {self.values}"))

    @rule(at=some.integers(0, 30), which=some.integers(0, 9), allow=some.booleans())
    def rule_out(self, at, which, allow):
        features = self.study.state.problem.features
        case = self.study.cases[at % len(self.study.cases)]
        do = self.study.allow if allow else self.study.rule_out
        self.attempt(lambda: do(case, features[which % len(features)].name, "because"))

    @rule(at=some.integers(0, 30), forget=some.booleans())
    def withdraw(self, at, forget):
        case = self.study.cases[at % len(self.study.cases)]
        self.attempt(lambda: self.study.withdraw(case, forget=forget))

    @rule(
        at=some.integers(0, 30),
        which=some.integers(0, 1),
        charge=some.sampled_from([False, True, "0.25"]),
    )
    def record(self, at, which, charge):
        case = self.study.cases[at % len(self.study.cases)]
        self.attempt(lambda: self.study.record([(case, f"f{which}", "yes")], charge=charge))

    @rule(budget=some.sampled_from(["4", "9.05", "30"]))
    def another_budget(self, budget):
        self.attempt(lambda: self.study.set_budget(budget))

    @rule()
    def close_and_reopen(self):
        self.attempt(self.study.close)
        self.attempt(lambda: self.study.reopen("goes on"))

    @invariant()
    def all_is_well(self):
        if hasattr(self, "study"):
            studies.check_everything(self.study)
            studies.check_folded(self.study)


Life.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestLife = Life.TestCase
