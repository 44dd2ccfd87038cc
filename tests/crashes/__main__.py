"""The crash runs: python -m tests.crashes [STORY …] [--times N] [--database URL] [--full]."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from importlib import import_module

from tests.crashes import HEAD
from tests.databases import new_postgres_database, postgres_server

SQLITE, POSTGRES, OWN = "SQLite", "PostgreSQL", ""
STORIES = {
    "kills": ("kills", SQLITE, 300, 2_000),
    "kills-postgres": ("kills", POSTGRES, 150, 1_000),
    "postmaster": ("postmaster", OWN, 5, 40),
    "drops": ("drops", POSTGRES, 80, 800),
    "restores": ("restores", POSTGRES, 60, 600),
    "cuts": ("cuts", OWN, 200, 2_000),
    "flips": ("flips", OWN, 1_500, 150_000),
    "experiments": ("experiments", OWN, 30, 100),
    "crowd": ("crowd", SQLITE, 500, 2_000),
    "crowd-postgres": ("crowd", POSTGRES, 500, 2_000),
}
"""Which file plays each of them, on what, and how often: usually, and in full."""


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.crashes", description=__doc__)
    parser.add_argument("stories", nargs="*", metavar="STORY", help=", ".join(STORIES))
    parser.add_argument("--times", type=int, help="how often each of them strikes")
    parser.add_argument("--database", help="an empty one to play on, instead of one that is made")
    parser.add_argument("--full", action="store_true", help="for an hour, not for minutes")
    given = parser.parse_args()
    wanted = given.stories or list(STORIES)
    if unknown := set(wanted) - set(STORIES):
        parser.error(f"there is no story {', '.join(unknown)}; there are {', '.join(STORIES)}")
    sys.stdout.write(f"{HEAD}\n")
    clean = [played(each, given) for each in wanted]  # all of them, whatever the first says
    return 0 if all(clean) else 1


def played(story, given):
    """Play a story on a database of its own and print its row; tell whether all is well."""
    name, kind, usually, full = STORIES[story]
    module = import_module(f"tests.crashes.{name}")  # some import much
    times = given.times or (full if given.full else usually)
    began = time.monotonic()
    try:
        tally = _on(given.database, kind, lambda database: module.play(database, times))
    except AssertionError:
        sys.stdout.write(f"{story:<22}{traceback.format_exc()}")
        return False
    where = f", {kind}" if kind else ""
    sys.stdout.write(f"{tally.row()}{where}, {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()
    return tally.clean


def _on(database, kind, play):
    if database or kind == OWN:
        return play(database)
    if kind == SQLITE:
        with tempfile.TemporaryDirectory() as folder:
            return play(f"{folder}/studies.db")
    with postgres_server() as server:
        url, drop = new_postgres_database(server)
        try:
            return play(url)
        finally:
            drop()


if __name__ == "__main__":
    sys.exit(main())
