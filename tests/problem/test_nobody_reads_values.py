"""Only kinds of features know what a value is; the rest of the package asks them.

A name in ``values`` is that of a category, which is the value itself for some kinds only. So
nothing outside looks a value up among them, which the syntax trees of all modules show.
"""

import ast
from pathlib import Path

import budgeted

ROOT = Path(budgeted.__file__).parent
HOME = "problem/values.py"


def lookups(source):
    """Lines that look something up among the values of something."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="values"), attr="index")):
                yield node.lineno
            case ast.Compare(ops=ops, comparators=places) if any(
                isinstance(op, ast.In | ast.NotIn) for op in ops
            ):
                if any(isinstance(each, ast.Attribute) and each.attr == "values"
                       for each in places):  # fmt: skip
                    yield node.lineno
            case ast.Call(func=ast.Name(id="spelled"), args=[_, ast.Attribute(attr="values")]):
                yield node.lineno


def test_nobody_else_looks_a_value_up():
    guilty = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        found = list(lookups(path.read_text(encoding="utf-8")))
        if found and not name.startswith(HOME):
            guilty[name] = found
    assert not guilty, "ask feature.read(told) and feature.category(kept) instead"


def test_who_does_it_all_the_same_is_found():
    said = "feature.values.index(cell)\ncell in each.values\nspelled(given, feature.values)\n"
    assert list(lookups(said)) == [1, 2, 3]
    assert not list(lookups("x in held.values()\nnames.index(cell)\n"))
