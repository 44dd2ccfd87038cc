"""What the package said before it was rebuilt, as JSON: decisions, numbers, and whole studies.

    make golden     # writes it anew; what changed is read before it is committed

The record says what is known at each step, so that one decision that falls otherwise does not
change those behind it. Where two cells tie, either may be chosen; nothing else may differ. Another
problem, policy or operation is added by hand, to its file, and its results by `make golden`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from budgeted import Feature, Number, Problem
from budgeted.problem.prices.tariff import Tariff

FOLDER = Path(__file__).parent


def problem_of(table):
    """The problem that a table describes."""
    prices = Tariff(**table["tariff"]) if "tariff" in table else None
    features = list(map(feature_of, table["features"]))
    return Problem(features, table["labels"], table["prior"], table["budget"], prices)


def feature_of(table):
    given = dict(table)
    if "number" in given:
        given["kind"] = Number(**given.pop("number"))
    return Feature(**given)


def rounded(number):
    """As many digits as are compared, and one more."""
    return None if number is None or math.isnan(number) else float(f"{number:.10g}")


def close(one, other, within=0.0):
    """Whether two numbers are the same but for rounding, or for what draws may change."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=max(within, 1e-10))


def same(one, other, within=0.0):
    """The same of rows of numbers, and of anything else."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            same(*pair, within) for pair in zip(one, other, strict=True)
        )
    if isinstance(one, float) or isinstance(other, float):
        return close(one, other, within)
    return one == other


def named(kind):
    """The files of a kind."""
    return sorted(file.stem for file in FOLDER.glob(f"{kind}*.json"))


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def write(name, thing, depth=2):
    """Write a file, with a line for each thing that may change by itself."""
    (FOLDER / f"{name}.json").write_text(_text(thing, depth) + "\n", encoding="utf-8")


def _text(thing, depth):
    if depth and thing and isinstance(thing, dict):
        rows = (f"{json.dumps(key)}: {_text(each, depth - 1)}" for key, each in thing.items())
        return "{\n" + ",\n".join(rows) + "\n}"
    if depth and thing and isinstance(thing, list):
        return "[\n" + ",\n".join(_text(each, depth - 1) for each in thing) + "\n]"
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
