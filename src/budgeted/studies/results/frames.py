"""Results in a dataframe, read as a laboratory's file is: the same columns, layouts and questions.

>>> import polars
>>> frame = polars.DataFrame({"patient": ["P1", "P2"], "crp": [3.5, None]})
>>> [each[:3] for each in results_of(frame, ["crp", "mcv"], Reading())]
[('P1', 'crp', 3.5)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from budgeted.errors import StudyFileError
from budgeted.simulation.tables.contents import Cell as Held
from budgeted.simulation.tables.dataframes import columns_of
from budgeted.studies.commands.enter import Result
from budgeted.studies.results.files import Reading, results_in
from budgeted.studies.results.tables import Cell, Most, Table, tabulated

NAME = "the dataframe"


def results_of(frame: Any, features: Sequence[str], how: Reading) -> tuple[Result, ...]:
    """Return the results that a dataframe holds; null, NaN and empty cells are none.

    What is not understood is an error that lists all of it, and says how to answer.
    """
    header, columns = columns_of(frame, NAME, exact=True)
    cells = [[_cell(each) for each in column] for column in columns]
    most = Most()
    numbered = enumerate([list(header), *map(list, zip(*cells, strict=True))])
    names, rows, lines = tabulated(numbered, NAME, most, "row")
    found = results_in(Table(names, rows, lines, NAME), NAME, features, how, most)
    if found.missing:
        say = "case=…" if found.missing == ("case",) else "the names case, test and value"
        raise StudyFileError(NAME, [f"{each}; give {say}" for each in found.said_of_missing])
    if found.questions:
        mistakes = []
        for each in found.questions:
            guess = f"did you mean {each.guess!r}? " if each.guess else ""
            answer = f"{{{each.name!r}: {each.guess or ''!r}}}"
            mistakes.append(
                f"column or test {each.name!r}: is no feature of the study; {guess}Rename or drop "
                f"it, or give meant={answer}; '' leaves it out"
            )
        raise StudyFileError(NAME, mistakes)
    return found.results


def _cell(held: Held) -> Cell:
    """Return a cell as a workbook would have it: a column with gaps makes floats of whole numbers.

    >>> _cell(3.0), _cell(3.5), _cell(None), _cell("low")
    (3, 3.5, '', 'low')
    """
    if held is None:
        return ""
    if isinstance(held, float) and held.is_integer():
        return int(held)
    return held
