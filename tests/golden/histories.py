"""Histories of studies, operation by operation, and the books that they come to.

What is recorded are calls of `budgeted.Study`, the purchases that came of asks, and which calls
were refused. An ask that falls otherwise because two cells tie is replayed as recorded: by asking
for that case and those features.
"""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from budgeted import Study
from budgeted.errors import BudgetedError
from budgeted.studies import commands
from tests.golden import close, feature_of, problem_of, rounded, same
from tests.golden.numbers import DRAWN


class Played:
    """A study in a folder of its own, with a clock that moves five hours at each look."""

    def __init__(self, setup, folder):
        first, looks = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), itertools.count()
        self.clock = lambda: f"{first + timedelta(hours=5 * next(looks)):%Y-%m-%dT%H:%M:%SZ}"
        self.database = str(Path(folder) / "a.db")
        options = dict(setup)
        problem, cases = problem_of(options.pop("problem")), map(tuple, options.pop("cases"))
        self.study = Study.create(
            self.database, "s", problem, list(cases), by="me", clock=self.clock, **options
        )

    def call(self, line):
        """Do one thing; return what an ask led to, True, or None if it was refused."""
        name, args, options = line["do"], line["args"], line["with"]
        try:
            if name == "ask":
                return [as_row(each) for each in self.study.ask(*args, **options)]
            if name == "set_cuts":
                self.study.do(commands.SetCuts(*args, **options))
            elif name == "add_feature":
                self.study.add_feature(feature_of(options))
            else:
                getattr(self.study, name)(*args, **options)
        except BudgetedError:
            return None
        return True

    def ask_as(self, rows):
        """Ask for just these purchases, case by case; return what came of it."""
        got = []
        for case, lines in itertools.groupby(rows, key=lambda row: row[1]):
            options = {"case": case, "only": [row[2] for row in lines], "anyway": True}
            got += self.call({"do": "ask", "args": [], "with": options}) or []
        return got

    def scores(self, rows):
        """What the first of some requests was chosen by: feature, label and score of each cell."""
        scores = self.study.request(rows[0][0]).asked.scores
        return [[feature, label, rounded(score)] for feature, label, score in scores]

    def reopen(self):
        """Fold it anew from its journal."""
        self.study.release()
        self.study = Study.open(self.database, by="me", clock=self.clock)

    def book(self):
        """Everything that the history folds to."""
        study, state, status = self.study, self.study.state, self.study.status()
        predictor, rng = study.predictor(), np.random.default_rng(2)
        outlook = predictor.outlook()
        values = [rng.integers(-1, len(each.values), size=3) for each in state.problem.features]
        probabilities = predictor.probabilities(np.array(values).T).tolist()
        amounts = (state.problem.budget, state.spent, state.reserved, state.free, status.surcharge)
        return {
            "money": list(map(str, amounts)),
            "requests": [as_row(each) for each in study.requests()],
            "cells": ["".join(map(str, row)) for row in study._projection.cells.tolist()],
            "cases": [[case, study.groups.get(case, "")] for case in study.cases],
            "withdrawn": sorted(study.withdrawn),
            "ruled out": sorted([*cell, why] for cell, why in study.ruled_out().items()),
            "notes": [[each.text, each.number, each.case] for each in study.notes()],
            "closed": study.closed,
            "words": [status.terms, status.scales, status.majority],
            "stops": None if status.stop is None else [status.stop.binding, status.stop.stops],
            "cells of labels": [
                [cell.feature, cell.label, str(cell.cost), cell.bought, cell.pending, cell.failed,
                 cell.left]
                for cell in status.cells
            ],
            "seen": state.belief.observed.tolist(),
            "probabilities": [list(map(rounded, row)) for row in probabilities],
            "outlook": list(map(rounded, (outlook.low, outlook.error, outlook.high))),
        }  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.study.release()


def as_row(each):
    row = [each.number, each.case, each.feature, str(each.cost)]
    return row if each.fate == "pending" else [*row, each.fate, each.value, str(each.list_price)]


def record(recorded):
    """Do the operations of a history again; return it with what they come to now."""
    with TemporaryDirectory() as folder, Played(recorded["setup"], folder) as played:
        lines = []
        for line in recorded["operations"]:
            got = played.call(line)
            lines.append({key: line[key] for key in ("do", "args", "with")} | {"got": got})
            if got and line["do"] == "ask":
                lines[-1]["scores"] = played.scores(got)
        found = {"setup": recorded["setup"], "operations": lines, "book": played.book()}
        return json.loads(json.dumps(found))


def differences(recorded, ties=frozenset()):
    """Replay a history; yield what is otherwise than recorded.

    `ties` are asks that fell otherwise before, as they may.
    """
    with TemporaryDirectory() as folder, Played(recorded["setup"], folder) as played:
        for at, line in enumerate(recorded["operations"]):
            got = played.ask_as(line["got"]) if at in ties else played.call(line)
            if got == line["got"]:
                continue
            if at not in ties and _tie(line, got, played.study):
                yield from differences(recorded, ties | {at})
            else:
                yield f"operation {at}, {line['do']} {line['args']} {line['with']}: {got}"
            return
        for again in (False, True):
            if again:
                played.reopen()
            for key, value in played.book().items():
                if not same(value, recorded["book"][key], DRAWN if key == "outlook" else 0.0):
                    yield f"{key}: {value} instead of {recorded['book'][key]}"


def _tie(line, got, study):
    """Whether the first thing that is asked for otherwise is as good, by the record."""
    if line["do"] != "ask" or not got or not line["got"]:
        return False
    scores = {(feature, label): score for feature, label, score in line["scores"]}
    labels = study._projection.label_of
    for now, then in zip(got, line["got"], strict=False):
        if now != then:
            one, two = (scores.get((row[2], labels(row[1]))) for row in (now, then))
            return one is not None and close(one, two)
    return False
