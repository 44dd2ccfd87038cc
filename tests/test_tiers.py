"""Every test that could depend on rounding is marked so, and what is skipped is said."""

import ast
from pathlib import Path

import pytest

from tests import thorough, tiers

FILES = {path.stem: path for path in Path(__file__).parent.rglob("test_*.py")}


def imports(file):
    """Names of the modules that a file imports."""
    tree = ast.parse(FILES[file].read_text(encoding="utf-8"))
    found = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    return found | {
        alias.name
        for each in ast.walk(tree)
        if isinstance(each, ast.Import)
        for alias in each.names
    }


@pytest.mark.parametrize("file", sorted(tiers.WITHOUT_NUMBERS))
def test_files_without_numbers_exist_and_approximate_nothing(file):
    text = FILES[file].read_text(encoding="utf-8")
    assert not {"numpy", "numpy.testing", "scipy"} & imports(file)
    for word in ("approx" + "(", "allclose" + "(", "isclose" + "("):
        assert word not in text, f"{file} compares floating-point numbers: take it off the list"


class Report:
    def __init__(self, reason):
        self.longrepr = ("tests/some.py", 7, f"Skipped: {reason}")


def test_what_was_skipped_is_said_once_with_its_reason():
    lines = tiers.closing_lines([Report("there is no browser"), Report("there is no browser"),
                                 Report("offline")])  # fmt: skip
    assert lines == [
        "Skipped: 2 tests, because there is no browser",
        "Skipped: 1 test, because offline",
    ]


class Config:
    """Remembers what was deselected."""

    def __init__(self):
        self.hook, self.left_out = self, []

    def pytest_deselected(self, items):
        self.left_out += items


@pytest.mark.parametrize("wanted", ["", "1"])
def test_long_versions_run_where_they_are_asked_for(request, monkeypatch, wanted):
    monkeypatch.setenv(thorough.THOROUGH, wanted)
    monkeypatch.delenv(tiers.ORDER, raising=False)
    long = pytest.Function.from_parent(request.node.parent, name="long", callobj=list)
    long.add_marker("thorough")
    items, config = [request.node, long], Config()
    tiers.pytest_collection_modifyitems(config, items)
    assert items == ([request.node, long] if wanted else [request.node])
    assert config.left_out == ([] if wanted else [long])
    assert thorough.sized("small", "large") == ("large" if wanted else "small")
