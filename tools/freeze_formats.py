"""Write a sample of every format to tests/frozen, named by its numbers; the tests read all of them.

python tools/freeze_formats.py

A sample that is there is never written again: it stands for files that people have. So this is run
once for each number, after it was raised. (`--replace` is for a number that nobody has used yet.)
The same code writes the same content; only the bytes of SQLite and Parquet files differ between
versions of their libraries.
"""

from __future__ import annotations

import itertools
import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from budgeted import Feature, Problem, Study
from budgeted.studies.journal import Journal
from budgeted.studies.journal.rows import FORMAT as EVENTS
from budgeted.studies.journal.tables import FORMAT as TABLES
from budgeted.studies.journal.tables import metadata

FROZEN = Path(__file__).resolve().parent.parent / "tests" / "frozen"
NAME = "flu, größer"


def play(study: Study) -> None:
    """Do to a study all that can be done to one, each with a key of its own."""
    study.ask(4, key="k1")
    study.tell(1, "yes", key="k2")
    study.tell(2, "no", "2.25", key="k3")
    study.fail(3, charged="0.50", usable=False, why="tube broken", key="k4")
    study.cancel(4, "holidays", key="k5")
    study.undo(4, "a slip", key="k6")
    study.correct(1, "no", cost="1.25", why="misread", key="k7")
    study.record([("P7", "cough", "yes"), ("P8", "fever", "no")], charge=True, key="k8")
    study.set_budget("30.50", "a donation", key="k9")
    study.ask(2, key="k10")
    study.withdraw(study.request(5).case, forget=True, why="asked to", key="k11")
    for number, request in enumerate(study.requests("pending"), 12):
        study.cancel(request.number, key=f"k{number}")
    study.close("enough", key="k99")
    study.reopen("a second wave", key="k100")
    arrived = [("Q1", "ill"), ("Q2", "well")]
    study.add_cases(arrived, known=[("Q2", "fever", "no")], groups={"Q1": "north"}, key="k101")
    study.add_feature(Feature("swab", ("-", "+"), "3.50", prior_counts=(2, 1)), key="k102")
    study.add_value("cough", "barking", key="k103")
    study.rule_out("Q1", "swab", "nosebleeds", key="k104")
    study.allow("Q1", "swab", "they stopped", key="k105")
    study.enter([("Q1", "fever", "yes", "1.25", "at home"), ("Q2", "cough", "no")], key="k106")
    study.undo_batch("k106", "the wrong Q1", key="k107")
    study.note("moved to Bern", case="Q2", key="k108")
    study.note("audited in May", key="k109")
    study.set_stop_rules(cases_per_label=1, binding=True, why="as agreed", key="k113")
    study.ask(key="k114")
    study.close("this time for good", key="k110")
    study.archive("published", key="k111")
    study.unarchive("a question came", key="k112")


def facts_of(study: Study) -> dict[str, Any]:
    """Return what anybody who opens the study must find."""
    state = study.state
    return {
        "study": study.name,
        "events": study.events,
        "digest": study.head.digest,
        "budget": str(state.problem.budget),
        "spent": str(state.spent),
        "reserved": str(state.reserved),
        "closed": study.closed,
        "withdrawn": sorted(study.withdrawn),
        "requests": [
            [
                each.number,
                each.case,
                each.feature,
                each.label,
                str(each.cost),
                each.fate,
                each.value,
            ]
            for each in study.requests()
        ],
        "words": [entry.event.words() for entry in study.history()],
    }


def freeze_journal(folder: Path, target: Path) -> None:
    """Write a study as a packed SQLite file, as SQL for PostgreSQL, and what must be found."""
    made = folder / "studies.db"
    features = [
        Feature("fever", ("no", "yes"), "1.50"),
        Feature("cough", ("no", "yes", "bloody"), "1", prior_counts=0.5),
    ]
    problem = Problem(features, ("well", "ill"), (0.7, 0.3), "20.00")
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(12)]
    clock = map("2026-01-02T03:04:{:02}Z".format, itertools.count()).__next__
    with Study.create(
        str(made), NAME, problem, cases, policy="round-robin", seed=1, by="Ännë", clock=clock,
        groups={"P9": "south"},
    ) as study:  # fmt: skip
        play(study)
        facts = facts_of(study)
    with Journal(str(made), NAME) as journal:
        dump = dump_of(journal)
    target.with_suffix(".db.xz").write_bytes(lzma.compress(made.read_bytes(), preset=9))
    target.with_suffix(".sql").write_text(dump, encoding="utf-8")
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    target.with_suffix(".json").write_text(text, encoding="utf-8")


def dump_of(journal: Journal) -> str:
    """Return the tables of a journal as ``pg_dump --inserts`` writes them."""
    lines = []
    with journal._engine.connect() as connection:
        for table in metadata().sorted_tables:
            made = str(CreateTable(table).compile(dialect=postgresql.dialect())).strip()  # type: ignore[no-untyped-call]
            lines.append("\n".join(line.rstrip() for line in made.splitlines()) + ";")
            for row in connection.execute(select(table).order_by(*table.c)):
                values = ", ".join(_literal(each) for each in row)
                lines.append(f"INSERT INTO {table.name} VALUES ({values});")
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


FORMATS = {
    f"journal-{TABLES.version}-{EVENTS.version}": freeze_journal,
}


def main(replace: bool) -> None:
    """Write what is not there."""
    FROZEN.mkdir(exist_ok=True)
    for name, freeze in FORMATS.items():
        if replace or not list(FROZEN.glob(f"{name}.*")):
            with tempfile.TemporaryDirectory() as folder:
                freeze(Path(folder), FROZEN / name)
            print(f"written: {name}")


if __name__ == "__main__":
    main("--replace" in sys.argv[1:])
