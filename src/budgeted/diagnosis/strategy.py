"""A whole strategy: every test that may be ordered, as a tree, and what it costs on the whole."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

from budgeted.diagnosis.active import ActiveClassifier, Decision
from budgeted.diagnosis.beliefs import Positions

MOST_NODES = 20_000
"""Situations of a tree; of a larger one the improbable ends are not followed."""


@dataclass(frozen=True)
class Node:
    """A situation: what is known, how probable it is to come there, and what to do.

    Attributes
    ----------
    known, ordered
        Positions of the values, -1 where unknown; and the features that were ordered so far.
    probability
        Of coming here, by the model.
    decision
        Order a test, or answer.
    """

    known: Positions
    ordered: frozenset[int]
    probability: float
    decision: Decision


@dataclass(frozen=True, eq=False)
class Strategy:
    """What an active classifier does with new cases, from a situation on.

    Attributes
    ----------
    active
        Whose strategy it is.
    nodes, children
        All situations that were followed, the first one first; and for each that orders a test
        the places of the situations that its values lead to, value by value.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> from budgeted.learners.model import Model
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 10)
    >>> bought = [Purchase(0, label, label, 1) for label in (0, 1) for _ in range(8)]
    >>> model = Model.of(NaiveBayes().fit(problem, bought))
    >>> strategy = Strategy.of(ActiveClassifier(model, {"fever": 5}, wrong=100))
    >>> print(strategy.text())
    fever?  5
    ├─ no: well (90 %)
    └─ yes: ill (90 %)
    >>> strategy.price, round(strategy.error, 3), strategy.frequencies
    (5.0, 0.1, {'fever': 1.0})
    """

    active: ActiveClassifier
    nodes: tuple[Node, ...]
    children: Mapping[int, tuple[int, ...]]

    @classmethod
    def of(
        cls,
        active: ActiveClassifier,
        known: Mapping[str, Any] | None = None,
        most_nodes: int = MOST_NODES,
    ) -> Strategy:
        """Return the strategy for cases of which this is known; the most probable parts first."""
        return cls.from_row(active, tuple(active.model.positions(known or {})), most_nodes)

    @classmethod
    def from_row(
        cls,
        active: ActiveClassifier,
        row: Positions,
        most_nodes: int = MOST_NODES,
        without: frozenset[int] = frozenset(),
    ) -> Strategy:
        """Return the strategy from positions on, if some tests cannot be done; see `of`."""
        nodes = [Node(row, frozenset(), 1.0, active.decide(row, frozenset(), without))]
        children: dict[int, tuple[int, ...]] = {}
        turn = count()
        waiting = [(-1.0, next(turn), 0)]
        while waiting:
            _, _, at = heapq.heappop(waiting)
            node = nodes[at]
            if node.decision.test is None:
                continue
            feature = active.model.feature(node.decision.test)
            if len(nodes) + len(feature.values) > most_nodes:
                break
            places = []
            for after in _after(active, node, without):
                places.append(len(nodes))
                heapq.heappush(waiting, (-after.probability, next(turn), len(nodes)))
                nodes.append(after)
            children[at] = tuple(places)
        return cls(active, tuple(nodes), children)

    @property
    def leaves(self) -> Iterator[Node]:
        """Situations in which it ends: with an answer, or because it was not followed further."""
        return (node for at, node in enumerate(self.nodes) if at not in self.children)

    @property
    def followed(self) -> float:
        """The probability that a case ends in an answer of this tree."""
        return sum(each.probability for each in self.leaves if each.decision.test is None)

    @property
    def price(self) -> float:
        """What the tests of a case are expected to cost."""
        return sum(each.probability * float(self.paid(each)) for each in self.leaves)

    @property
    def answer_cost(self) -> float:
        """What the answer is expected to cost."""
        return sum(each.probability * each.decision.answer_cost for each in self.leaves)

    @property
    def error(self) -> float:
        """How often the answer is expected to be wrong."""
        return sum(
            each.probability * (1 - each.decision.chances[each.decision.answer])
            for each in self.leaves
        )

    @property
    def frequencies(self) -> dict[str, float]:
        """How often each test is ordered, the most frequent one first; never: not there."""
        found: Counter[str] = Counter()
        for at in self.children:
            node = self.nodes[at]
            found[str(node.decision.test)] += node.probability  # type: ignore[assignment]
        return dict(found.most_common())

    def paid(self, node: Node) -> Decimal:
        """Return what the tests cost that lead to a situation."""
        first = self.nodes[0]
        free = [at for at, value in enumerate(first.known) if value >= 0]
        return self.active.paid(node.ordered, free)

    def text(self, most_lines: int = 200) -> str:
        """Return the tree as text, to be printed; cut after so many lines."""
        lines = list(self._lines(0, "", ""))
        more = len(lines) - most_lines
        return "\n".join([*lines[:most_lines], f"… and {more} more lines"] if more > 0 else lines)

    def to_plain(self, at: int = 0) -> dict[str, Any]:
        """Return the tree from a situation on, as JSON has it."""
        node = self.nodes[at]
        plain: dict[str, Any] = {
            "probability": node.probability,
            "paid": money_text(self.paid(node)),
            "answer": node.decision.answer,
            "chances": dict(node.decision.chances),
        }
        if node.decision.test is not None:
            plain["test"] = node.decision.test
            plain["price"] = money_text(node.decision.price)
            feature = self.active.model.feature(node.decision.test)
            if at in self.children:
                plain["values"] = {
                    value: self.to_plain(place)
                    for value, place in zip(feature.values, self.children[at], strict=True)
                }
        return plain

    def _lines(self, at: int, head: str, tail: str) -> Iterator[str]:
        node = self.nodes[at]
        said = node.decision
        if at not in self.children:
            more = "" if said.test is None else f", then {said.test}…"
            yield f"{head}{said.answer} ({said.chances[said.answer]:.0%})".replace("%", " %") + more
            return
        yield f"{head}{said.test}?  {money_text(said.price)}"
        places = self.children[at]
        values = self.active.model.feature(said.test).values
        for value, place in zip(values, places, strict=True):
            last = place == places[-1]
            branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
            yield from self._lines(place, f"{tail}{branch}{value}: ", tail + below)


def _after(active: ActiveClassifier, node: Node, without: frozenset[int]) -> Iterator[Node]:
    """Yield the situations that the values of a test lead to."""
    feature = active.model.feature(node.decision.test)
    at = active.model.features.index(feature)
    likely = active.values_of(node.known, at, node.decision.chances)
    ordered = node.ordered | {at}
    for value, chance in enumerate(likely.tolist()):
        known = (*node.known[:at], value, *node.known[at + 1 :])
        decision = active.decide(known, ordered, without)
        yield Node(known, ordered, node.probability * chance, decision)


def money_text(amount: Decimal) -> str:
    """Return an amount as people write it."""
    return f"{amount:f}"
