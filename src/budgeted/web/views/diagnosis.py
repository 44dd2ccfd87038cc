"""A new case, test by test: what to order next, why, and what to answer in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import Field

from budgeted.diagnosis import ActiveClassifier, Decision, Strategy
from budgeted.diagnosis.active import reason
from budgeted.diagnosis.costs import WrongCosts
from budgeted.diagnosis.programme import cells
from budgeted.errors import DiagnosisError
from budgeted.problem import CaseSoFar, Order, Problem, money
from budgeted.problem.prices import PerFeature, PriceList
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

SMALL = 2_000
"""Situations of a case for which the whole strategy is computed without being asked for."""
MOST_NODES = 120
"""Of a strategy on a page; a larger one is cut where cases seldom come."""
_MOST_OFFERS = 8
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Wanted:
    """A case and the terms of diagnosing it; nothing of it is kept."""

    known: Pairs = ()  # test → value, of all that is known
    ordered: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    prices: Pairs = ()  # test → amount, where it is another than the study's
    fees: bool = True  # whether the study's fees and panels are due for new cases as well
    wrong: str | tuple[tuple[str, str, str], ...] | None = None
    limit: str | None = None  # for the tests of the case; None: there is none
    force: bool = False  # whether values outside the range of their feature are taken
    strategy: bool = False  # whether the whole strategy is wanted, however long it takes


class NextTest(View):
    """The test to order next."""

    position: int
    name: str
    price: str
    choices: list[str] = Field(description="what can be given; empty: people write it")
    expects: str
    ranged: bool


class Offer(View):
    """A test that could be ordered next, and what would be expected then."""

    name: str
    price: str
    expected_cost: float = Field(description="error, where wrong answers have no cost")
    words: str = Field(examples=["39.61", "17.6 %"])


class Step(View):
    """A test that was ordered."""

    name: str
    value: str
    price: str


class Chance(View):
    """A label, and how probable it is now."""

    name: str
    probability: float
    words: str
    best: bool


class StrategyView(View):
    """All that may happen with a case of which as much is known as before the first test."""

    tree: str = Field(description="as text, a line for each situation")
    paid: str = Field(description="what the tests of a case cost, on average")
    error: str = Field(description="how often the answer is expected to be wrong")
    answer_cost: str | None
    ordered: dict[str, str] = Field(description="how often each test is ordered")
    cut: str | None = Field(description="share of the cases that go on where the tree was cut")


class DiagnosisView(View):
    """What to do with a case: order a test, or answer."""

    study: StudyCard
    seq: int
    test: NextTest | None
    answer: str
    reason: str
    labels: list[Chance]
    answer_cost: float = Field(description="expected if one answers now")
    expected_cost: float = Field(description="expected from here on, tests included")
    weighs_prices: bool = Field(description="false: wrong answers are counted, within the limit")
    offers: list[Offer]
    steps: list[Step]
    paid: str
    exact: bool = Field(description="whether all tests were weighed to the end")
    strategy: StrategyView | None


def diagnosis_view(study: Snapshot, wanted: Wanted) -> DiagnosisView:
    """Return what to do with a case, by the classifier and the prices of a study."""
    active = _active(study, wanted)
    model = active.model
    row = tuple(model.positions(dict(wanted.known), wanted.force))
    places = {each.name: at for at, each in enumerate(model.features)}
    ordered = [places[model.feature(name).name] for name in wanted.ordered]
    without = frozenset(places[model.feature(name).name] for name in wanted.without)
    untold = [name for name, at in zip(wanted.ordered, ordered, strict=True) if row[at] < 0]
    if untold:
        raise DiagnosisError([f"{name!r} was ordered; say what it showed" for name in untold])
    decision = active.decide(row, frozenset(ordered), without)
    best = decision.answer
    free = [at for at, value in enumerate(row) if value >= 0 and at not in ordered]
    return DiagnosisView(
        study=card_of(study),
        seq=study.events,
        test=_next(active, decision, places),
        answer=best,
        reason=reason(active, decision),
        labels=[
            Chance(name=name, probability=chance, words=_percent(chance), best=name == best)
            for name, chance in decision.chances.items()
        ],
        answer_cost=decision.answer_cost,
        expected_cost=decision.expected_cost,
        weighs_prices=active.weighs_prices,
        offers=[
            Offer(name=name, price=f"{price:f}", expected_cost=cost, words=_cost(active, cost))
            for name, (cost, price) in list(decision.offers.items())[:_MOST_OFFERS]
        ],
        steps=_steps(active, wanted, ordered, free),
        paid=f"{active.paid(ordered, free):f}",
        exact=decision.exact,
        strategy=_strategy(active, wanted, without),
    )


def before_fees(problem: Problem) -> dict[str, Decimal]:
    """Return what each test costs by itself; the price list of the study may add fees to that."""
    alone = PerFeature(problem.features)
    return {
        each.name: alone.quote(Order((at,), 0), CaseSoFar())
        for at, each in enumerate(problem.features)
    }


def _active(study: Snapshot, wanted: Wanted) -> ActiveClassifier:
    problem = study.state.problem
    prices: dict[str, Any] = {**before_fees(problem), **dict(wanted.prices)}
    wrong: WrongCosts = None
    if isinstance(wanted.wrong, str):
        wrong = wanted.wrong
    elif wanted.wrong is not None:
        table: dict[str, dict[str, str]] = {}
        for answer, label, amount in wanted.wrong:
            table.setdefault(answer, {})[label] = amount
        wrong = table
    fees: PriceList | None = problem.prices if wanted.fees else None
    return ActiveClassifier(study.model(), prices, fees, wrong, wanted.limit)


def _next(
    active: ActiveClassifier, decision: Decision, places: Mapping[str, int]
) -> NextTest | None:
    if decision.test is None:
        return None
    feature = active.model.feature(decision.test)
    return NextTest(
        position=places[feature.name],
        name=feature.name,
        price=f"{decision.price:f}",
        choices=list(feature.choices),
        expects=feature.expects,
        ranged=feature.ranged,
    )


def _steps(
    active: ActiveClassifier, wanted: Wanted, ordered: list[int], free: list[int]
) -> list[Step]:
    known = dict(wanted.known)
    paid = [active.paid(ordered[:at], free) for at in range(len(ordered) + 1)]
    return [
        Step(name=name, value=str(known[name]), price=f"{money.subtract(after, before):f}")
        for name, before, after in zip(wanted.ordered, paid, paid[1:], strict=False)
    ]


def _strategy(
    active: ActiveClassifier, wanted: Wanted, without: frozenset[int]
) -> StrategyView | None:
    """The whole strategy, if it is wanted or small; it begins where nothing was ordered yet."""
    before = {name: value for name, value in wanted.known if name not in wanted.ordered}
    sizes = [len(each.values) for each in active.model.features if each.name not in before]
    if not (wanted.strategy or cells(sizes, len(sizes)) <= SMALL):
        return None
    row = active.model.positions(before, wanted.force)
    found = Strategy.from_row(active, tuple(row), MOST_NODES, without)
    rest = 1 - found.followed
    return StrategyView(
        tree=found.text(),
        paid=f"{found.price:.2f}",
        error=_percent(found.error),
        answer_cost=f"{found.answer_cost:.2f}" if active.weighs_prices else None,
        ordered={name: _percent(share) for name, share in found.frequencies.items()},
        cut=_percent(rest) if rest > 1e-9 else None,
    )


def _cost(active: ActiveClassifier, cost: float) -> str:
    return f"{cost:.2f}" if active.weighs_prices else _percent(cost)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
