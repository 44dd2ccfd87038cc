"""Write all of the record anew, of the problems, policies and operations that it has."""

from __future__ import annotations

import sys

from tests.golden import FOLDER, decisions, histories, named, numbers, read, write


def main():
    for name in named("decisions"):
        table, runs = read(name).values()
        again = [decisions.record(table, run["policy"], run["parameters"]) for run in runs]
        write(name, {"problem": table, "runs": again}, depth=4)
    tables = {name: read(name)["problem"] for name in named("decisions")}
    write("losses", {name: numbers.losses(table) for name, table in tables.items()})
    write("outlooks", {name: numbers.outlooks(table) for name, table in tables.items()})
    write("optima", {name: numbers.optimum(name) for name in read("optima")})
    for name in named("history"):
        write(name, histories.record(read(name)))
    size = sum(file.stat().st_size for file in FOLDER.glob("*.json"))
    sys.stdout.write(f"{size // 1000} kB; git diff says what is new\n")


if __name__ == "__main__":
    main()
