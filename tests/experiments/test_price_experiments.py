"""A price list is rehearsed on old tables: the examples, and files with everything in them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from budgeted import simulate
from budgeted.cli.main import main
from budgeted.experiments import problems
from budgeted.experiments.spec import parse, read
from budgeted.policies import policy
from budgeted.problem import CaseSoFar, Order, Tariff
from budgeted.simulation.datasets import CATALOGUE
from budgeted.simulation.tables import Reading, parse_csv

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "prices"
VOTES = {
    "budget": 60,
    "runs": 2,
    "problem": {"table": "votes", "costs": "1.50"},
    "prices": {
        "list": "tariff",
        "visit_fee": 5,
        "changes": [{"day": date(2027, 1, 1), "visit_fee": 6}],
        "panels": [{"name": "trade", "features": ["duty-free-exports", "crime"], "setup": "2"}],
    },
    "policy": [{"name": "round-robin", "case_rule": "overlap"}],
}


def stand_in(name):
    """A table with the columns of the one that is rebuilt from the network."""
    chance, entry = random.Random(1), CATALOGUE[name]
    rows = [",".join(entry.columns)]
    for at in range(200):
        rows.append(
            ",".join([*(str(chance.randint(1, 90)) for _ in entry.columns[1:]), f"{at % 2}"])
        )
    return parse_csv("\n".join(rows).encode(), Reading(entry.label), name=name)


@pytest.fixture
def turney(monkeypatch):
    monkeypatch.setattr(problems, "load", stand_in)
    return read(EXAMPLES / "turney.toml")


def test_turneys_prices_are_those_of_his_table(turney):
    problem = turney.rehearsal(0, "100").problem
    names = [each.name for each in problem.features]
    glucose, insulin = names.index("plasma-glucose"), names.index("serum-insulin-2h")

    def costs(*features):
        return str(problem.prices.quote(Order(features, 0), CaseSoFar()))

    assert costs(glucose) == "17.61"
    assert costs(insulin) == "22.78"
    assert costs(glucose, insulin) == "38.29"
    assert costs(*range(8)) == "44.29"
    assert {costs(at) for at in range(8) if at not in (glucose, insulin)} == {"1.00"}


@pytest.mark.parametrize("at", range(4))
def test_every_policy_of_the_examples_plays(turney, at):
    for experiment in (turney, read(EXAMPLES / "clinic.toml")):
        chosen = parse({**experiment.document(), "budget": 200, "policy": [
            {**experiment.contenders[at].document(), "budget": 200}]}, "small")  # fmt: skip
        played = chosen.play(chosen.contenders[0], 0)
        assert 0 < sum(played.cost) <= 200


def test_in_the_clinic_a_patient_comes_once_and_then_each_test_costs_ten():
    world = replace(read(EXAMPLES / "clinic.toml").rehearsal(0, "3000").world, case_rule="overlap")
    bought = list(simulate(world.problem, policy("round-robin"), world, loss=None))
    came: set[int] = set()
    for each in bought:
        assert each.cost == (10 if each.case in came else 60)
        came.add(each.case)
    assert len(bought) > 2 * len(came) > 0


def test_prices_with_days_and_panels_are_written_down_with_the_runs(tmp_path):
    found = parse(VOTES, "votes")
    assert found.rehearsal(0, "60").problem.prices == Tariff(
        **{key: value for key, value in VOTES["prices"].items() if key != "list"}
    )
    written = json.loads(json.dumps(found.document(), default=str))
    assert parse(written, "votes").digest() == found.digest()
    dearer = {**VOTES, "prices": {**VOTES["prices"], "visit_fee": 7}}
    assert parse(dearer, "votes").digest() != found.digest()


SIMULATE = ["simulate", "--policy", "round-robin", "--budget", "30", "--runs", "2", "--features",
            "3", "--json"]  # fmt: skip


def test_simulate_takes_parameters_and_files(tmp_path):
    panel = 'prices.panels=[{name = "kit", features = ["x1", "x2"], whole = true, price = 3}]'
    options = ["--prices", "tariff", "--set", "prices.visit_fee=5", "--set", panel]
    by_option = CliRunner().invoke(main, [*SIMULATE, *options])
    assert by_option.exit_code == 0, by_option.output
    (tmp_path / "study.toml").write_text(
        'name = "a study"\n[prices]\nlist = "tariff"\nvisit_fee = 5\n[[prices.panels]]\n'
        'name = "kit"\nfeatures = ["x1", "x2"]\nwhole = true\nprice = 3\n'
    )
    by_file = CliRunner().invoke(main, [*SIMULATE, "--prices", str(tmp_path / "study.toml")])
    assert json.loads(by_file.output) == json.loads(by_option.output)
    document = json.loads(by_option.output)
    assert document["prices"] == "tariff"
    assert document["price_parameters"]["panels"][0]["price"] == "3"
    assert document["curve"] != json.loads(CliRunner().invoke(main, SIMULATE).output)["curve"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--set", "prices.visit_fee=5"], "name the price list whose parameters are set"),
        (["--prices", "tarif"], "there is no price list 'tarif'; did you mean 'tariff'?"),
        (["--prices", "none.toml"], "none.toml: cannot be read"),
        (["--prices", "empty.toml"], "empty.toml: has no table [prices]"),
        (["--prices", "wrong.toml"], "wrong.toml: is not TOML"),
        (["--prices", "tariff", "--set", "prices.visit_days=5"], "visit_days: there is no visit"),
    ],
)
def test_simulate_says_what_is_wrong_with_prices(options, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.toml").write_text("")
    Path("wrong.toml").write_text("prices = = 3")
    run = CliRunner().invoke(main, [*SIMULATE, *options])
    assert run.exit_code == 2
    assert says in " ".join(run.output.split())
