"""Requests under way against a plain dictionary; and what a decision keeps of its scores."""

from __future__ import annotations

import gc
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from budgeted.policies import Choice
from budgeted.problem import Action, Feature, Problem
from budgeted.problem.orders import Request
from budgeted.state.requests import Pending
from budgeted.studies.commands.ask import KEPT_SCORES, worth_keeping
from budgeted.studies.journal.rows import to_json


def request(number):
    return Request(number, number % 7, number % 2, Decimal(number))


@given(some.lists(some.tuples(some.booleans(), some.integers(1, 600)), max_size=60))
def test_it_is_a_map_that_never_changes(steps):
    model, pending = {}, Pending()
    former = []
    for add, number in steps:
        former.append((pending, dict(model)))
        if add:
            model[number], pending = request(number), pending.with_one(request(number))
        elif number in model:
            del model[number]
            pending = pending.without(number)
    for found, meant in [*former, (pending, model)]:
        assert [each.number for each in found] == sorted(meant)
        assert len(found) == len(meant)
        assert found == Pending(meant.values()) == tuple(found)
        assert all(found.find(number) == meant.get(number) for number in range(601))
        if meant:
            assert (found[0].number, found[-1].number) == (min(meant), max(meant))
            assert found[1:] == tuple(found)[1:]


class Number(int):
    """A number that counts how often any of its kind is looked at."""

    looks = 0


def counted(name):
    def method(self, *others):
        Number.looks += 1
        return getattr(int, name)(self, *others)

    return method


for each in ("eq", "ne", "lt", "le", "gt", "ge", "hash", "floordiv"):
    setattr(Number, f"__{each}__", counted(f"__{each}__"))


def inside(pending):
    """All that it consists of, by identity, but for the requests themselves."""
    found, waiting = {}, [pending]
    while waiting:
        each = waiting.pop()
        if id(each) not in found and not isinstance(each, type | Request | Number):
            found[id(each)] = each
            waiting += gc.get_referents(each)
    return found


def work(step, pending, number):
    """How many numbers a step looks at, and how many references it copies."""
    Number.looks = 0
    made = step(pending, number)
    looks = Number.looks
    if not isinstance(made, Pending):
        return looks, 0
    former = inside(pending)
    fresh = [each for key, each in inside(made).items() if key not in former]
    return looks, sum(len(gc.get_referents(each)) for each in fresh)


def most_work(step, size):
    """The most that a step needs with so many requests, whose numbers are even."""
    pending = Pending(request(Number(2 * at)) for at in range(size))
    places = (0, size // 3, size // 2, size - 1)
    return map(max, *(work(step, pending, 2 * place) for place in places))


@pytest.mark.parametrize("step", [
    lambda pending, number: pending.find(Number(number)),
    lambda pending, number: pending.find(Number(number + 1)),  # which is not there
    lambda pending, number: pending.with_one(request(Number(number + 1))),
    lambda pending, number: pending.without(Number(number)),
], ids=["find", "miss", "add", "remove"])  # fmt: skip
def test_no_step_goes_through_all_requests(step):
    """The defect: with n under way, one step took n. A hundred times as many may cost ten times as
    much at most; trees and blocks need less. Counted, as the time it takes says nothing for sure.
    """
    for few, many in zip(most_work(step, 80), most_work(step, 8_000), strict=True):
        assert many <= 10 * few


@given(some.integers(1, 300), some.integers(0, 10**9))
def test_the_best_scores_and_the_chosen_one_are_kept(features, pick):
    problem = Problem(
        [Feature(f"f{at}", ("no", "yes"), 1) for at in range(features)],
        ("well", "ill"), (0.5, 0.5), 10,
    )  # fmt: skip
    scores = {Action(*cell): float((cell[0] * 2 + cell[1]) * 7919 % 1009)
              for cell in problem.actions}  # fmt: skip
    chosen = problem.actions[pick % len(problem.actions)]
    kept, spread = worth_keeping(problem, Choice(chosen, scores, "why"))
    names = (problem.features[chosen.feature].name, problem.labels[chosen.label], scores[chosen])
    assert names in kept
    assert [each[2] for each in kept] == sorted(each[2] for each in kept)
    assert len(kept) == min(KEPT_SCORES, len(scores))
    best = sorted(scores.values())[: len(kept) - 1]
    assert [each[2] for each in kept if each != names][: len(best)] >= best[: len(kept) - 1]
    assert (spread.number, spread.lowest, spread.highest) == (
        len(scores), min(scores.values()), max(scores.values()),
    )  # fmt: skip


def test_an_asked_event_stays_small_with_a_thousand_features(tmp_path):
    """The defect: 41 kB of scores for each request."""
    from tests import sample_studies as studies

    problem = Problem(
        [Feature(f"feature {at}", ("no", "yes"), 1) for at in range(1_000)],
        ("well", "ill"), (0.5, 0.5), 10,
    )  # fmt: skip

    class Everything:
        name, summary = "everything", "for the test"

        def choose(self, state, rng):
            cells = state.problem.actions
            return Choice(cells[1234], {cell: 0.1 + 1 / (3 + cell[0]) for cell in cells}, "why")

    with studies.begin(str(tmp_path / "a.db"), problem=problem, per_label=3) as study:
        study._policy = Everything()
        (asked,) = study.ask()
    assert asked.asked.compared.number == 2_000
    assert (asked.feature, asked.label) in {each[:2] for each in asked.asked.scores}
    assert len(to_json(asked.asked)) < 1_500
