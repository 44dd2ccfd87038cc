"""Small studies to play with, and what must hold of every study after every event."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np

from budgeted import Feature, Problem, Study
from budgeted.studies.events import BOUGHT, OPEN, REQUESTED, UNUSABLE
from budgeted.studies.projection import fold

CLOCK = itertools.repeat("2026-01-02T03:04:05Z").__next__


def make_problem(costs=("1", "1"), budget="12", labels=2):
    return Problem(
        [Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate(costs)],
        [f"label {at}" for at in range(labels)],
        [1 / labels] * labels,
        budget,
    )


def make_cases(problem, per_label=6):
    labels = [label for label in problem.labels for _ in range(per_label)]
    return [(f"case {at}", label) for at, label in enumerate(labels)]


def begin(database, name="study", *, problem=None, per_label=6, **options):
    problem = make_problem() if problem is None else problem
    options = {"seed": 3, "by": "me", "clock": CLOCK} | options
    return Study.create(database, name, problem, make_cases(problem, per_label), **options)


def check_everything(study):
    """The identity of money, and that state, cells and requests tell the same story."""
    state, projection = study.state, study._projection
    assert state.spent + state.reserved + state.free == state.problem.budget
    assert min(state.spent, state.reserved, state.free) >= 0
    assert state.reserved == sum((each.cost for each in state.pending), start=0)
    assert state.history.values == state.belief.total
    assert state.spent == sum((each.cost for each in state.history), start=0)
    assert [each.number for each in state.pending] == [
        each.number for each in study.requests("pending")
    ]
    bought = [each for each in study.requests() if each.fate in ("told", "recorded")]
    assert state.belief.observed.sum() == sum(each.value is not None for each in bought)
    held = Counter((each.case, each.feature) for each in bought)
    held.update((each.case, each.feature) for each in study.requests("pending"))
    assert not held or max(held.values()) == 1, "a value was bought twice"
    cells = projection.cells
    assert (cells == BOUGHT).sum() == len(bought)
    assert (cells == REQUESTED).sum() == len(state.pending)
    assert np.isin(cells, (OPEN, REQUESTED, BOUGHT, UNUSABLE)).all()
    assert (projection.taken == np.isin(cells, (REQUESTED, BOUGHT)).sum(axis=1)).all()
    for label in range(len(state.problem.labels)):
        left = (cells[projection.case_labels == label] == OPEN).sum(axis=0)
        assert (state.cases_left[:, label] == left).all()


def check_folded(study):
    """What a study knows is what the journal gives, though it did not read its own events."""
    again, now = fold(None, study.history(), "here"), study._projection
    assert (again.cells == now.cells).all()
    assert (again.taken == now.taken).all()
    assert dict(again.requests) == dict(now.requests)
    assert (again.withdrawn, again.closed) == (now.withdrawn, now.closed)
    assert (again.cases, dict(again.groups)) == (now.cases, dict(now.groups))
    assert (again.names.rows, again.names.columns) == (now.names.rows, now.names.columns)
    assert (again.case_labels == now.case_labels).all()
    assert [each.tolist() for each in again.order] == [each.tolist() for each in now.order]
    assert dict(again.ruled_out) == dict(now.ruled_out)
    assert again.state.problem == now.state.problem
    for each in ("history", "pending", "belief", "spent", "reserved", "free", "next_number"):
        assert getattr(again.state, each) == getattr(now.state, each), each
    assert (again.state.cases_left == now.state.cases_left).all()


def check_every_event(entries):
    """Fold the events one by one, checking after each of them."""
    projection = None

    class Half:
        @property
        def state(self):
            return projection.state

        @property
        def _projection(self):
            return projection

        def requests(self, fate=None):
            every = projection.requests.values()
            return [each for each in every if fate in (None, each.fate)]

    for entry in entries:
        projection = fold(projection, [entry], "test")
        check_everything(Half())


def answer(request):
    """What the world says: a fixed value of every case and feature."""
    return ("no", "yes")[sum(map(ord, request.case + request.feature + request.label)) % 2]
