"""One version number: everything that names one takes it from the package."""

import re
import tomllib
from pathlib import Path

from click.testing import CliRunner

import budgeted
from budgeted.cli.main import main

ROOT = Path(__file__).resolve().parent.parent


def test_the_build_reads_the_version_from_the_package():
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    source = ROOT / settings["tool"]["hatch"]["version"]["path"]
    written = re.findall(r'^__version__ = "(.+)"$', source.read_text("utf-8"), re.MULTILINE)
    assert written == [budgeted.__version__]


def test_the_command_says_the_version():
    done = CliRunner().invoke(main, ["--version"])
    assert done.output == f"budgeted, version {budgeted.__version__}\n"


def test_the_citation_names_the_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    named = re.findall(r"^version: (.+)$", citation, re.MULTILINE)
    assert named == [budgeted.__version__]


def test_the_public_names_are_there():
    for name in budgeted.__all__:
        assert getattr(budgeted, name) is not None
    assert budgeted.policy("round-robin").name == "round-robin"
    assert budgeted.Feature("f", budgeted.Categorical(("no", "yes")), 1).values == ("no", "yes")
