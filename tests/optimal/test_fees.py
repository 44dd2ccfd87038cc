"""The default under visit fees and panels: how much of the optimal reduction it misses."""

import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.errors import OptimalError
from budgeted.optimal import WITH_FEES, compare
from budgeted.optimal.fees import FEES
from budgeted.optimal.report import one_table, steered
from tests.thorough import sized

ROOT = Path(__file__).parents[2]
QUICK = [*(f"2-setup-known-fee-{fee}" for fee in FEES), "3-whole-flat-fee-2", "3-whole-flat-fee-5"]
FEW = [
    "2-setup-flat-fee-2", "2-setup-known-fee-1", "2-whole-flat-fee-0", "2-whole-known-fee-1",
    "3-setup-flat-fee-0", "3-setup-known-fee-5", "3-whole-flat-fee-1", "3-whole-known-fee-0",
]  # fmt: skip
"""One of each sort, with the two on which the default misses most."""
MOST = 0.05
"""Of the optimal reduction."""


@cache
def check_regret(name):
    found = compare(WITH_FEES[name], ["auto", "plain auto"])
    assert found.share("plain auto") <= 0.02
    assert found.share("auto") <= MOST
    return found.share("auto")


@pytest.mark.parametrize("name", QUICK)
def test_the_default_misses_at_most_a_twentieth(name):
    check_regret(name)


@pytest.mark.slow
def test_the_default_misses_a_fiftieth_on_average_and_nowhere_more_than_a_twentieth():
    names = sized(FEW, list(WITH_FEES))
    shares = [check_regret(name) for name in names]
    assert sum(shares) / len(shares) <= 0.02


def test_the_few_are_of_every_sort():
    """Two and three features, both panels, both priors, and every fee."""
    sorts = {name.partition("-fee-")[0] for name in WITH_FEES}
    assert sorted(name.partition("-fee-")[0] for name in FEW) == sorted(sorts)
    assert {int(name[-1]) for name in FEW} == set(FEES)


def test_who_is_blind_to_fees_misses_many_times_as_much():
    for name, least in (("3-whole-flat-fee-2", 0.1), ("2-setup-known-fee-1", 0.2)):
        found = compare(WITH_FEES[name], ["auto", "blind auto"])
        assert found.share("blind auto") > least
        assert found.share("blind auto") > 10 * found.share("auto")


def test_the_grid_is_what_is_stated():
    assert len(WITH_FEES) == 2 * 2 * 2 * len(FEES)
    assert all(name == each.name for name, each in WITH_FEES.items())
    for each in WITH_FEES.values():
        assert len(each.problem.prices.panels) == 1
        mean = sum(feature.cost for feature in each.problem.features) / len(each.problem.features)
        assert each.problem.prices.visit_fee == int(each.name[-1]) * mean


def test_the_table_in_the_docs_is_current():
    """The quickest rows of it."""
    sys.path.insert(0, str(ROOT / "tools"))
    from write_optimal import WITH_FEES_SHOWN

    page = (ROOT / "docs" / "optimal.md").read_text(encoding="utf-8")
    names = ["2-setup-known-fee-1", "3-whole-flat-fee-2"]
    table = one_table([compare(WITH_FEES[name], WITH_FEES_SHOWN) for name in names]).splitlines()
    head, *rows = [line for line in table if not line.startswith(("| **", "| ---"))]
    assert len(rows) == len(names)
    for line in (head, *rows):
        assert line in page, "run tools/write_optimal.py fees"
    assert set(re.findall(r"^\| `([23]-[a-z-]+-fee-\d)` ", page, re.MULTILINE)) == set(WITH_FEES)


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["optimal", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_the_command_takes_fees_and_panels():
    document = json.loads(
        run("--features", 3, "--visit-fee", 2, "--panel", "1,2: setup 0.50", "--budget", 9,
            "--policy", "auto", "--policy", "blind auto", "--json").stdout
    )  # fmt: skip
    assert document["prices"]["list"] == "tariff"
    assert document["prices"]["visit_fee"] == "2"
    assert [each["policy"] for each in document["policies"]] == ["auto", "blind auto"]
    assert all(each["regret"] >= -1e-12 for each in document["policies"])
    named = json.loads(run("--yardstick", "2-whole-flat-fee-5", "--policy", "sfl", "--json").stdout)
    assert named["prices"]["panels"][0]["price"] == "1.5"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--panel", "1,2 setup"), "must be like '1,2: setup 0.50'"),
        (("--panel", "a,b: setup 1"), "must be numbers"),
        (("--panel", "1,9: setup 1"), "there is no feature 'x9'"),
        (("--visit-fee", "dear"), "visit_fee"),
        (("--suite", "--with-fees"), "one at a time"),
        (("--policy", "plain sfl", "--budget", 3), "has the belief of the optimum already"),
        (("--policy", "blind slf"), "did you mean"),
        (("--visit-fee", 1, "--features", 3, "--most-states", 500), "would fit"),
        (("--visit-fee", 1, "--features", 3, "--budget", 25), "lower the budget to"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(arguments, words):
    result = CliRunner().invoke(main, ["optimal", *map(str, arguments)])
    assert result.exit_code in (1, 2)
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_the_suite_with_fees_is_a_table(monkeypatch):
    for name in sized([name for name in WITH_FEES if name not in FEW], []):
        monkeypatch.delitem(WITH_FEES, name)
    lines = run("--with-fees", "--policy", "round-robin").stdout.splitlines()
    assert sum(line.startswith("| `") for line in lines) == len(WITH_FEES)
    assert lines[-2].startswith("| **mean** |")


def test_a_plain_policy_needs_a_belief_to_exchange():
    with pytest.raises(OptimalError, match="belief of the optimum already"):
        steered("plain sfl", "gini")
