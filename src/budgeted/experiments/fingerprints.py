"""The code behind runs that are shown together: each kind once, in words, and never a mixture."""

from __future__ import annotations

from collections.abc import Iterable

from budgeted.errors import RunnerError
from budgeted.experiments.runs import Runs
from budgeted.provenance import Provenance


def provenances(results: Iterable[Runs]) -> list[Provenance]:
    """Return what runs were computed with, each once."""
    found: list[Provenance] = []
    for runs in results:
        found += [each for each in runs.provenance if each not in found]
    return found


def versions(results: Iterable[Runs]) -> str:
    """Return the versions under the code behind runs, for people."""
    known = provenances(results)
    named = (
        ("budgeted", [each.budgeted for each in known]),
        ("Python", [each.python for each in known]),
        ("NumPy", [each.numpy for each in known]),
    )
    return ", ".join(f"{name} {' and '.join(dict.fromkeys(each))}" for name, each in named if each)


def one_fingerprint(results: Iterable[Runs]) -> str:
    """Return the fingerprint of the code behind runs; a mixture is refused.

    Empty where nothing is recorded, as with runs that were not read from files.
    """
    found = {each.fingerprint for each in provenances(results)}
    if len(found) > 1:
        listed = ", ".join(sorted(found))
        raise RunnerError(f"runs of different code cannot be put into one report: {listed}")
    return found.pop() if found else ""
