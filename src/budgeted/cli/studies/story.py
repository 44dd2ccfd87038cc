"""The end of the demo: a study in a temporary folder, from its first request to a prediction."""

from __future__ import annotations

import tempfile

from rich.console import Console
from rich.markup import escape

from budgeted.cli.studies.printing import requests_table
from budgeted.cli.studies.views import print_status
from budgeted.studies.example import answers, write_example
from budgeted.studies.files import read_study
from budgeted.studies.study import Study

_BATCHES = 5


def tell_story(console: Console) -> None:
    """Begin the example study and go through the life of its requests."""
    with tempfile.TemporaryDirectory() as folder:
        study_file, cases, *_ = write_example(folder)
        given = read_study(study_file, cases)
        with Study.create(
            f"{folder}/budgeted.db",
            given.name,
            given.problem,
            given.cases,
            policy=given.policy,
            parameters=given.parameters,
            case_rule=given.case_rule,
            learner=given.learner,
            seed=given.seed,
            loss=given.loss,
            by="you",
        ) as study:
            _begin(study, console)
            _go_on(study)
            _look(study, console)


def _begin(study: Study, console: Console) -> None:
    problem = study.state.problem
    _say(
        console,
        f"And a real study: {len(study.cases)} patients whose kind of anaemia is known, "
        f"{len(problem.features)}\nblood tests for sale, {problem.budget} to spend. Ask for three "
        f"that are worth having together:",
    )
    first, second, third = study.ask(3)
    console.print(requests_table((first, second, third)))
    study.tell(first.number, "low")
    study.fail(second.number, charged=True, usable=False, why="the tube broke")
    study.tell(third.number, "normal")
    study.correct(first.number, _truth(first.case, first.feature), why="read the wrong line")
    _say(
        console,
        f"Tell 1 and 3; 2 failed and was charged; 1 was a slip and is corrected: the log\n"
        f"keeps both values. After {_BATCHES} more batches of four:\n",
    )


def _go_on(study: Study) -> None:
    for _ in range(_BATCHES):
        for request in study.ask(4):
            study.tell(request.number, _truth(request.case, request.feature))


def _look(study: Study, console: Console) -> None:
    print_status(study.status(recent=0), console, times=False)
    case = {"ferritin": "low", "crp": "normal"}
    chances = study.model().predict(case)
    label = max(chances, key=lambda each: chances[each])
    _say(
        console,
        f"\nA new patient with low ferritin and normal CRP: {label}, {chances[label]:.0%}.\n"
        f"Where one anaemia in ten is of that kind: "
        f"{study.model((0.1, 0.9)).predict(case)[label]:.0%}.\n",
    )


def _truth(case: str, feature: str) -> str:
    """What the example's patients would say; a person looks it up in answers.csv."""
    row = next(each for each in answers() if each[0] == case)
    return row[1 + ("ferritin", "transferrin", "crp", "mcv").index(feature)]


def _say(console: Console, words: str) -> None:
    console.print(escape(words), highlight=False)
