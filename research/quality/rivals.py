"""What an active classifier is compared with: a fixed order, information gain, and a tree.

Each takes the cases of a table and a limit b_C, and says what it ordered of each case and what it
answered. The first two believe what the active classifier believes; the tree is scikit-learn's,
grown on the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from budgeted.diagnosis.beliefs import Beliefs, Positions
from budgeted.diagnosis.experience import Cases, Experience, Floats
from budgeted.learners.model import Model

Labels = NDArray[np.integer[Any]]
Paid = Callable[[Iterable[int]], Decimal]
DEEPEST = 12
MISSING_VALUE = "(missing)"
"""As `budgeted.simulation.tables.coding` calls it."""
_TINY = 1e-12


@dataclass(frozen=True)
class Outcome:
    """What became of cases: what was paid for each, and what was answered."""

    paid: Floats
    answers: Labels

    def error(self, labels: Labels) -> float:
        """Return the share of wrong answers."""
        return float((self.answers != labels).mean())


@dataclass(frozen=True, eq=False)
class Table:
    """Training rows, the model that was made of them, and what tests cost together."""

    model: Model
    values: Cases
    labels: Labels
    paid: Paid
    experience: Experience | None

    @cached_property
    def beliefs(self) -> Beliefs:
        """What is believed in a situation."""
        return Beliefs(self.model, self.experience)

    @property
    def tests(self) -> range:
        """Positions of all tests."""
        return range(len(self.model.features))

    def posterior(self, rows: Cases) -> Floats:
        """Return P(label) of cases known in part, cases × labels; those that are alike once."""
        different, which = np.unique(rows, axis=0, return_inverse=True)
        found = np.array([self.beliefs.chances(tuple(row), (), [()])[0] for row in different])
        result: Floats = found[which.reshape(-1)]
        return result

    def own_posterior(self, tests: Sequence[int]) -> Floats:
        """Return P(label) of the training rows of which these tests are known, each without itself.

        A row that counted for its own answer would praise any set of tests that tells rows apart.
        """
        if self.beliefs.learned is not None:
            return self.beliefs.learned.own(tests)
        different, which = np.unique(_masked(self.values, tests), axis=0, return_inverse=True)
        result: Floats = self.model.probabilities(different)[which.reshape(-1)]
        return result


def _masked(values: Cases, tests: Sequence[int]) -> Cases:
    result = np.full_like(values, -1)
    result[:, list(tests)] = values[:, list(tests)]
    return result


def fixed_order(table: Table, limit: Decimal) -> tuple[int, ...]:
    """Return the best tests of all cases alike, chosen one by one on the training rows.

    Two ways to choose are tried, the largest fall of the log loss and the largest fall per money;
    of both the set with the fewer errors on the training rows is taken.
    """
    best: tuple[float, float, tuple[int, ...]] | None = None
    for per_money in (False, True):
        chosen: tuple[int, ...] = ()
        loss, error = _losses(table, ())
        while True:
            offers = []
            for test in table.tests:
                price = table.paid((*chosen, test)) - table.paid(chosen)
                if test not in chosen and table.paid((*chosen, test)) <= limit:
                    after, wrong = _losses(table, (*chosen, test))
                    gain = (loss - after) / (max(float(price), _TINY) if per_money else 1.0)
                    offers.append((-gain, test, after, wrong))
            if not offers or min(offers)[0] >= 0:
                break
            _, test, loss, error = min(offers)
            chosen = (*chosen, test)
        if best is None or (error, loss) < best[:2]:
            best = (error, loss, chosen)
    assert best is not None
    return best[2]


def _losses(table: Table, tests: Sequence[int]) -> tuple[float, float]:
    """Log loss and errors of the training rows of which these tests are known."""
    chances = table.own_posterior(tests)
    right = chances[np.arange(len(chances)), table.labels]
    wrong = float((chances.argmax(axis=1) != table.labels).mean())
    return float(-np.log(np.maximum(right, _TINY)).mean()), wrong


def by_fixed_order(table: Table, rows: Cases, limit: Decimal) -> Outcome:
    """Order the same tests of every case, the best ones of the training rows."""
    tests = fixed_order(table, limit)
    answers = table.posterior(_masked(rows, tests)).argmax(axis=1)
    paid = [float(table.paid(test for test in tests if row[test] >= 0)) for row in rows.tolist()]
    return Outcome(np.array(paid), answers)


def by_information(table: Table, rows: Cases, limit: Decimal) -> Outcome:
    """Order the test with the most information for its money, again and again, up to the limit."""
    next_one: dict[tuple[Positions, frozenset[int]], int] = {}
    every = frozenset(table.tests)
    paid, answers = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    for at, row in enumerate(rows.tolist()):
        known, ordered = [-1] * len(row), frozenset[int]()
        there = frozenset(test for test in every if row[test] >= 0)
        while True:
            place = (tuple(known), there - ordered)
            if place not in next_one:
                next_one[place] = _most_informative(table, *place, limit)
            test = next_one[place]
            if test < 0:
                break
            known[test], ordered = row[test], ordered | {test}
        paid[at] = float(table.paid(ordered))
        answers[at] = table.beliefs.chances(tuple(known), (), [()])[0].argmax()
    return Outcome(paid, answers)


def _most_informative(table: Table, known: Positions, there: frozenset[int], limit: Decimal) -> int:
    """The test with the largest fall of entropy per money; -1 if there is none."""
    ordered = [test for test in table.tests if known[test] >= 0]
    before = table.paid(ordered)
    fits = [test for test in sorted(there) if table.paid((*ordered, test)) <= limit]
    now, *later = table.beliefs.chances(known, fits, [(), *((at,) for at in range(len(fits)))])
    best, chosen = _TINY, -1
    for place, (test, after) in enumerate(zip(fits, later, strict=True)):
        likely = table.beliefs.values(known, fits, (), place, now)
        gain = _entropy(now) - float(likely @ _entropies(after))
        price = float(table.paid((*ordered, test)) - before)
        if gain / max(price, _TINY) > best:
            best, chosen = gain / max(price, _TINY), test
    return chosen


def _entropies(chances: Floats) -> Floats:
    result: Floats = -(chances * np.log2(np.maximum(chances, _TINY))).sum(axis=-1)
    return result


def _entropy(chances: Floats) -> float:
    return float(_entropies(chances))


def by_tree(table: Table, rows: Cases, limit: Decimal) -> Outcome:
    """Follow scikit-learn's tree, the deepest one of which no path costs more than the limit.

    It is grown on the tests that the limit pays for at all. Values with an order are numbers to
    it, and each other value is a column of its own; a test that a path asks for twice is paid once.
    """
    fits = [test for test in table.tests if table.paid((test,)) <= limit]
    most = int(np.bincount(table.labels).argmax())
    best = Outcome(np.zeros(len(rows)), np.full(len(rows), most))
    if not fits:
        return best
    seen, owners = _columns(table.model, table.values, fits)
    asked, _ = _columns(table.model, rows, fits)
    for depth in range(1, DEEPEST + 1):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(seen, table.labels)
        costs = _path_costs(tree, owners, table.paid)
        if max(costs.values()) > limit:
            break
        paid = np.array([float(costs[leaf]) for leaf in tree.apply(asked).tolist()])
        best = Outcome(paid, tree.predict(asked))
        if tree.get_depth() < depth:
            break
    return best


def _path_costs(tree: Any, owners: Sequence[int], paid: Paid) -> dict[int, Decimal]:
    """What the tests on the way to each leaf cost together."""
    nodes, found = tree.tree_, {}
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        at, tests = waiting.pop()
        if nodes.children_left[at] < 0:
            found[at] = paid(tests)
            continue
        more = tests | {owners[nodes.feature[at]]}
        waiting += [(int(nodes.children_left[at]), more), (int(nodes.children_right[at]), more)]
    return found


def _columns(model: Model, values: Cases, tests: Sequence[int]) -> tuple[Floats, list[int]]:
    """Return the columns that the tree sees, and the test of each."""
    columns, owners = [], []
    for test in tests:
        order = _order(model.features[test].values)
        if order is not None:
            columns.append(order[values[:, test]])
            owners.append(test)
            continue
        for value in range(len(model.features[test].values)):
            columns.append((values[:, test] == value).astype(float))
            owners.append(test)
    return np.stack(columns, axis=1), owners


def _order(names: Sequence[str]) -> Floats | None:
    """The place of each value where they are numbers or ranges of numbers; what is missing: -1."""
    if not all(any(map(str.isdigit, name)) for name in names if name != MISSING_VALUE):
        return None
    return np.array([-1.0 if name == MISSING_VALUE else at for at, name in enumerate(names)])
