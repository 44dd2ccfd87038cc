"""What is wrong with a study that is being prepared, step by step."""

from __future__ import annotations

from budgeted.studies.preparing.columns import LABEL
from budgeted.studies.preparing.preparation import RESERVED, Preparation
from budgeted.studies.preparing.steps import Placed, placed
from budgeted.studies.preparing.tables import Table
from budgeted.web.settings import Limits
from budgeted.web.uploads import Row, Understood, Upload, understand


def checked(
    made: Preparation, validation: Table | None, limits: Limits
) -> tuple[Understood, list[Placed]]:
    """Return what a study is so far, and all that is wrong with it, each with its step.

    Parameters
    ----------
    made, validation
        What was said so far, and cases known in full.
    limits
        Of the server.
    """
    upload = Upload(
        {"budget": "", "features": [], **made.plain},
        made.to_csv(as_in_file=True) if not made.mistakes() else b"",
        validation=validation_csv(validation, made),
    )
    found = understand(upload, limits)
    wrong = [placed(each, made.plain) for each in found.study_mistakes]
    if made.table is None:
        wrong.insert(0, Placed("cases", "there is no list of cases yet"))
    elif made.mistakes():
        wrong = [Placed("columns", each) for each in made.mistakes()] + wrong
    else:
        wrong += [Placed("cases", each) for each in found.case_mistakes]
    rows = [_row(row) for row in found.rows if row.wrong]
    if rows:  # whether there are enough labels is seen when these are mended
        wrong = [each for each in wrong if not each.words.startswith("the labels: at least")]
    wrong += rows
    wrong += [
        Placed("tests", f"test {each.get('name')!r}: give it another name; a column of that name "
               "in the list of cases means something else")
        for each in made.features if each.get("name") in RESERVED
    ]  # fmt: skip
    if not made.features:
        wrong = [each for each in wrong if each.step != "tests"]
        wrong.append(Placed("tests", "there is no test yet; add one"))
    wrong += [Placed("budget", f"validation cases: {each}") for each in found.validation_mistakes]
    return found, list(dict.fromkeys(wrong))


def _row(row: Row) -> Placed:
    """What is wrong with a row: a value that its test does not have is mended at the tests."""
    case = f"case {row.case}: " if row.case else ""
    value = row.wrong.startswith("feature '")
    step = "tests" if value else "columns" if "there is no label" in row.wrong else "cases"
    said = row.wrong.removeprefix("feature ") if value else row.wrong
    return Placed(step, f"line {row.line}: {case}{'test ' if value else ''}{said}")


def validation_csv(table: Table | None, made: Preparation) -> bytes | None:
    """Return validation cases with a column ``label``, as they are checked and kept."""
    if table is None:
        return None
    label = next((name for name, use in made.uses.items() if use == LABEL), LABEL)
    uses = {name: LABEL if name == label else "test" for name in table.header}
    features = [{"name": name} for name in table.header if name != label]
    return Preparation({"features": features}, table, uses).to_csv(as_in_file=True)
