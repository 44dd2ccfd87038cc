"""Prices come from price lists: no other module of the package reads the cost of a feature.

Requests, purchases and events have a ``cost`` too, which is what was reserved or charged. Which
is which is a question of types, so the type checker is asked: every ``x.cost`` whose x may be a
`Feature` counts.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from mypy import build
from mypy.modulefinder import BuildSource
from mypy.options import Options

import budgeted
from tests import cost_plugin

ALLOWED = {
    "studies/beginning.py",  # writes a feature down as it was given
}
INTRUDES = "budgeted.policies.intruder"
INTRUDER = """
from budgeted.problem import Feature, Problem
from budgeted.problem.orders import Purchase
from budgeted.state import State

def by_position(problem: Problem) -> object:
    return problem.features[0].cost

def in_a_loop(state: State) -> object:
    return [each.cost for each in state.problem.features]

def by_another_name(owner: Feature | Purchase) -> object:
    return owner.cost

def what_was_charged(state: State) -> object:
    return [each.cost for each in (*state.history, *state.pending)]
"""


@pytest.fixture(scope="module")
def reads():
    """For each module the lines that read the cost of a feature."""
    root = Path(budgeted.__file__).parent
    sources = [BuildSource(None, INTRUDES, INTRUDER)]
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources.append(BuildSource(str(path), name))
    options = Options()
    options.plugins = [cost_plugin.__file__]
    options.config_file = str(root.parents[1] / "pyproject.toml")  # plugins need one
    options.follow_imports = "skip"  # numpy and others: their insides do not matter here
    options.ignore_missing_imports = options.check_untyped_defs = True
    options.incremental = False
    said = build.build(sources, options).errors
    found: dict[str, list[int]] = {}
    for each in said:
        if cost_plugin.SAID in each:
            path, line, _ = each.split(":", 2)
            inside = Path(path).resolve()
            known = inside.is_relative_to(root)
            name = str(inside.relative_to(root)) if known else INTRUDES
            found.setdefault(name, []).append(int(line))
    return found


@pytest.mark.thorough
def test_only_price_lists_read_the_cost_of_a_feature(reads):
    guilty = {
        name: lines for name, lines in reads.items()
        if name not in (*ALLOWED, INTRUDES) and not name.startswith("problem/prices/")
    }  # fmt: skip
    assert not guilty, f"ask the price list instead, as with state.price(cell): {guilty}"
    assert reads["problem/prices/base.py"], "it looks at nothing"


@pytest.mark.thorough
def test_who_reads_one_all_the_same_is_found(reads):
    lines = INTRUDER.splitlines()
    assert [lines[at - 1].strip() for at in reads[INTRUDES]] == [
        "return problem.features[0].cost",
        "return [each.cost for each in state.problem.features]",
        "return owner.cost",
    ]


FEATURE = re.compile(r"(?<!self\.)\bfeatures?(\[.*\])?$")
"""How an expression for a feature is mostly written; ``self.feature`` is what an event keeps."""


def test_nobody_asks_for_it_by_name():
    root = Path(budgeted.__file__).parent
    for path in root.rglob("*.py"):
        own = path.relative_to(root).as_posix() in ALLOWED
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "cost" and not own:
                assert not FEATURE.search(ast.unparse(node.value)), f"{path}, line {node.lineno}"
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("getattr", "attrgetter")
            ):
                told = [each.value for each in node.args if isinstance(each, ast.Constant)]
                assert "cost" not in told, f"{path}, line {node.lineno}"
