"""Files of SQLite that lose their end, the end of their log, or their last weeks."""

from __future__ import annotations

import random
import shutil
import sqlite3
import tempfile
from pathlib import Path

from budgeted.errors import BudgetedError
from budgeted.studies.journal import Journal
from tests import sample_studies as studies
from tests.crashes import Tally, operations

COPIED = ("studies.db", "studies.db-wal", "studies.db-heads")


def play(_, times, seed=9):
    """Cut a file so often, or put an older one in its place: all events, or an error."""
    rng, tally = random.Random(seed), Tally("file cut or older", times)
    with tempfile.TemporaryDirectory() as folder:
        stages = _stages(Path(folder), rng, times // 4 + 2)
        for _ in range(times):
            older, now = sorted(rng.sample(range(len(stages)), 2))
            (old, _), (new, events) = stages[older], stages[now]
            copy = Path(shutil.copytree(new, Path(folder) / "copy"))
            what = rng.choice(("file cut", "log cut", "log gone", "older file"))
            if what == "older file":  # without its log, as who copies the file alone puts it back
                shutil.copy(old / "studies.db", copy / "studies.db")
                (copy / "studies.db-wal").unlink()
            elif what == "log gone":
                (copy / "studies.db-wal").unlink()
            else:
                damaged = copy / COPIED[what == "log cut"]
                content = damaged.read_bytes()
                damaged.write_bytes(content[: rng.randrange(max(1, len(content)))])
            outcome = _opened(copy / "studies.db", events)
            tally.said[f"{what}: {outcome}"] += 1
            tally.lost += outcome == "shorter"
            shutil.rmtree(copy)
        tally.acknowledged = stages[-1][1]
    return tally


def _stages(folder, rng, number):
    """Copies of a study as it grows, with all that lies beside it, and how many events it has."""
    (folder / "live").mkdir()
    found = []
    path = folder / "live" / "studies.db"
    with studies.begin(str(path), problem=operations.problem("10000"), per_label=9 * number,
                       policy="round-robin") as study:  # fmt: skip
        for stage in range(number):
            for _ in range(rng.randint(1, 9)):
                study.ask(rng.randint(1, 3))
            if rng.random() < 0.5:  # what was in the log goes into the file
                with sqlite3.connect(path) as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.close()
            kept = folder / f"stage {stage}"
            kept.mkdir()
            for name in COPIED:
                shutil.copy(path.parent / name, kept / name)
            found.append((kept, study.events))
    return found


def _opened(path, events):
    try:
        with Journal(str(path), "study") as journal:
            return "whole" if len(journal.read()) == events else "shorter"
    except BudgetedError:
        return "error"
