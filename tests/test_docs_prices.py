"""docs/prices.md: its files can be read, its keys are all there, its table of amounts is so."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from budgeted import Feature
from budgeted.problem import Tariff
from budgeted.problem.prices import Panel, Statement, from_table, parameter_names_of

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "prices.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml[^\n]*\n(.*?)```", TEXT, re.DOTALL)
FEATURES = [
    Feature(name, ("low", "high"), "17.61")
    for name in ("glucose", "insulin", "crp", "pulse", "pressure", "duration")
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_file_of_the_page_is_a_tariff(block):
    table = tomllib.loads(block)["prices"]
    assert isinstance(from_table(table, FEATURES, ("well", "ill")), Tariff)


def test_there_are_three_and_one_has_everything():
    assert len(BLOCKS) == 3
    keys = set(tomllib.loads(BLOCKS[-1])["prices"])
    assert keys == {"list", *parameter_names_of(Tariff)}


@pytest.mark.parametrize(
    "key",
    sorted({*parameter_names_of(Tariff), *(each.name for kind in (Panel, Statement)
                                          for each in fields(kind))}),
)  # fmt: skip
def test_every_key_is_in_the_tables(key):
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    named = re.findall(r"`([a-z_]+)`", " ".join(row.split("|")[1] for row in rows))
    assert key in named or key in ("name", "features")
    assert f"`{key}`" in TEXT
