"""The sample study: some weeks old, so that there is something to see."""

from __future__ import annotations

import tempfile

from budgeted.studies.example import answers, write_example
from budgeted.studies.files import read_study
from budgeted.studies.journal import Journal, studies
from budgeted.studies.study import Study

_BATCHES = 6
_FEATURES = ("ferritin", "transferrin", "crp", "mcv")


def put_in_place(database: str) -> bool:
    """Begin the sample study in a database that has no study; tell whether it was needed."""
    Journal(database, "", create=True).release()
    if studies(database):
        return False
    with tempfile.TemporaryDirectory() as folder:
        study_file, cases, *_ = write_example(folder)
        given = read_study(study_file, cases)
    settings = {key: value for key, value in vars(given).items() if key != "problem"}
    truth = {row[0]: dict(zip(_FEATURES, row[1:], strict=True)) for row in answers()}
    with Study.create(database, problem=given.problem, by="anna", **settings) as study:
        for batch in range(_BATCHES):
            for request in study.ask(4):
                if request.number == 6:
                    study.fail(6, charged=True, usable=False, why="the tube broke")
                else:
                    study.tell(request.number, truth[request.case][request.feature])
            study.by = ("anna", "ben")[batch % 2]
        first = study.request(1)
        wrong = next(
            value for value in _choices(study, first.feature)
            if value != truth[first.case][first.feature]
        )  # fmt: skip
        study.correct(1, wrong, why="read the wrong line")
        study.correct(1, truth[first.case][first.feature], why="it was right after all")
        study.ask(3)
    return True


def _choices(study: Study, feature: str) -> tuple[str, ...]:
    problem = study.state.problem
    return problem.features[problem.feature_index(feature)].choices
