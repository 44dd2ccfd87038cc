"""The examples of docs/experiments.md are files that run."""

import random
import re
import tomllib
from pathlib import Path

import pytest

from budgeted.experiments.measured import NAMES
from budgeted.experiments.problems import FILE_KEYS, TABLE_KEYS
from budgeted.experiments.series import series_of
from budgeted.experiments.spec import _KEYS, parse

PAGE = Path(__file__).resolve().parents[1] / "docs" / "experiments.md"
TEXT = PAGE.read_text(encoding="utf-8")
CARS, VISITS, TABLES, MEASURES = re.findall(r"```toml[^\n]*\n(.*?)```", TEXT, re.DOTALL)
(CHEAPEST,) = re.findall(r"```python title[^\n]*\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_is_an_experiment():
    experiment = parse(tomllib.loads(CARS), "cars")
    assert [each.budget for each in experiment.contenders] == ["60", "60", "30"]
    assert experiment.with_runs(1).play(experiment.contenders[2], 0).spent[-1] <= 30


def test_the_examples_of_several_tables_and_of_measures_are_an_experiment():
    document = {**tomllib.loads(CARS), **tomllib.loads(TABLES), **tomllib.loads(MEASURES)}
    found = series_of(document, "cars").tables
    assert {name: each.contenders[0].budget for name, each in found.items()} == {
        "car": "60", "dear cars": "120"}  # fmt: skip
    assert found["car"].wanted.moments == (0.25, 0.5, 1.0)
    assert all(f"| `{name}`" in TEXT for name in NAMES)


def test_the_example_of_an_own_table_and_policy_runs(tmp_path):
    chance = random.Random(1)
    rows = [
        f"{n},2026-01-05,{chance.choice(['yes', 'no', ''])},{chance.randint(1, 90)},"
        f"{chance.choice(['free', 'fluid', '?'])},{chance.choice(['ill', 'well'])}"
        for n in range(80)
    ]
    header = "patient,date,fever,crp,ultrasound,diagnosis"
    (tmp_path / "visits.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "cheapest.py").write_text(CHEAPEST)
    document = tomllib.loads(VISITS)
    document["modules"] = ["cheapest.py"]
    document["policy"].append({"name": "cheapest", "most": 10})
    experiment = parse(document, "visits", folder=tmp_path)
    played = experiment.play(experiment.contenders[-1], 0)
    assert played.names.features == ("fever", "crp", "ultrasound")
    assert played.feature.tolist() == [0] * 10
    assert {played.names.labels[each] for each in played.label} == {"ill", "well"}


@pytest.mark.parametrize("key", sorted({*_KEYS, *FILE_KEYS, *TABLE_KEYS}))
def test_every_key_is_in_the_page(key):
    assert f"`{key}`" in TEXT or f"`problem.{key}`" in TEXT or key in ("problem", "policy")
