import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted.cli.main import PROBLEMS, main
from budgeted.policies import POLICIES
from budgeted.simulation.synthetic import SYNTHETIC
from budgeted.value.loss import GINI, LOSSES, Loss

SMALL = ["simulate", "--budget", "6", "--runs", "3", "--seed", "7"]


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize(
    "command", ["--help", "simulate --help", "demo -h", "study --help", "study ask --help",
                "experiment run --help", "datasets show --help", "optimal --help"],
)  # fmt: skip
def test_help_loads_no_numerics(command):
    heavy = {"numpy", "scipy", "rich", "vl_convert", "sqlalchemy", "pydantic", "pyarrow"}
    script = (
        "import sys\nfrom budgeted.cli.main import main\n"
        f"main({command.split()!r}, standalone_mode=False)\n"
        f"loaded = {heavy!r} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "budgeted", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("budgeted, version")


def test_policies_are_listed_a_line_each():
    lines = run("policies").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(POLICIES)
    listed = json.loads(run("policies", "--json").stdout)
    assert [each["name"] for each in listed] == list(POLICIES)
    assert "max_depth" in next(each for each in listed if each["name"] == "sfl")["parameters"]


def test_the_problems_offered_are_those_there_are():
    assert set(PROBLEMS) == set(SYNTHETIC)


def test_simulate_prints_the_curve_and_the_purchases():
    output = run(*SMALL, "--problem", "figure-3b", "--policy", "sfl", "--max-depth", 10).stdout
    lines = output.splitlines()
    assert lines[0].split() == ["purchases", "spent", "mean", "error", "standard", "error"]
    assert [line.split()[0] for line in lines[1:7]] == ["1", "2", "3", "4", "5", "6"]
    assert "x10" in output


def test_simulate_gives_the_same_numbers_as_json():
    table = run(*SMALL, "--policy", "greedy").stdout.splitlines()
    document = json.loads(run(*SMALL, "--policy", "greedy", "--json").stdout)
    assert document["curve"][5]["purchases"] == 6
    assert float(table[6].split()[2]) == pytest.approx(document["curve"][5]["mean_error"], abs=1e-4)
    assert sum(document["mean_purchases"].values()) == pytest.approx(6)
    again = json.loads(run(*SMALL, "--policy", "greedy", "--json").stdout)
    assert document == again


def test_the_knobs_of_the_problem_are_passed_on():
    document = json.loads(
        run(*SMALL, "--features", 3, "--discriminative", 2, "--strength", 1, "--class-prior", 0.3,
            "--json").stdout
    )  # fmt: skip
    assert len(document["mean_purchases"]) == 3
    assert document["knobs"] == {
        "features": 3, "discriminative": 2, "strength": 1.0, "class_prior": 0.3,
    }  # fmt: skip
    assert document["complete_training_data_error"] < 0.01


def test_a_figure_can_be_drawn(tmp_path):
    run(*SMALL, "--figure", tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--policy", "slf"], "there is no policy 'slf'; did you mean 'sfl'?"),
        (
            ["--policy", "greedy", "--max-depth", "3"],
            "policy 'greedy' has no parameter 'max_depth'",
        ),
        (["--policy", "sfl", "--max-depth", "0"], "max_depth: must be a whole number from 1"),
        (["--budget", "lots"], "budget: must be an amount of money"),
        (["--budget", "-5"], "budget: must be 0 or more"),
        (["--features", "0"], "features: must be at least 1"),
        (["--strength", "7"], "strength: must be from 0 to 1"),
        (["--figure", "curve.gif"], "cannot write '.gif'"),
    ],
)
def test_mistakes_end_in_one_line(arguments, says):
    result = run(*SMALL, *arguments, code=1)
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert result.stderr.startswith("Error: ")


@pytest.mark.parametrize("arguments", [["--runs", "0"], ["--seed", "-3"], ["--loss", "brier"]])
def test_options_out_of_range_are_usage_errors(arguments):
    assert "Invalid value for" in run(*SMALL, *arguments, code=2).stderr


def test_a_budget_that_buys_nothing_says_so():
    assert "nothing was bought" in run(*SMALL, "--budget", "0.5").stdout


@pytest.mark.slow
def test_a_small_demo_writes_its_figure(tmp_path):
    result = run("demo", "--runs", 2, "--figure", tmp_path / "demo.png")
    for name in ("round robin", "biased robin (features)", "lookahead (SFL)"):
        assert name in result.stdout
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    for words in ("And a real study", "corrected: the log", "90 % interval", "A new patient"):
        assert words in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "extra"), [("vl_convert", "figures"), ("sqlalchemy.engine", "studies")]
)
def test_without_an_extra_the_demo_still_shows_its_table(tmp_path, monkeypatch, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    result = run("demo", "--runs", 2, "--figure", tmp_path / "demo.png")
    assert "round robin" in result.stdout
    assert f"pip install 'budgeted[{extra}]'" in result.stderr


def test_numbers_are_means_over_runs():
    one = [
        json.loads(run("simulate", "--budget", 3, "--runs", runs, "--seed", 1, "--json").stdout)
        for runs in (1, 2)
    ]
    assert one[0]["curve"][0]["standard_error"] is None
    assert np.isfinite(one[1]["curve"][0]["standard_error"])


def test_any_parameter_of_a_policy_and_its_learner_can_be_set():
    options = ("--policy", "exp3", "--runs", "2", "--budget", "5", "--features", "3", "--json")
    usual = json.loads(run("simulate", *options).stdout)
    assert (usual["learner"], usual["parameters"]) == ("naive-bayes", {})
    other = json.loads(run("simulate", *options, "--set", "gamma=1.0", "--learner", "hierarchical",
                           "--set", "learner.levels=[0.5, 2]").stdout)  # fmt: skip
    assert other["parameters"] == {"gamma": 1.0}
    assert other["learner"] == "hierarchical"
    assert other["learner_parameters"]["levels"] == [0.5, 2]
    assert other["curve"] != usual["curve"]
    for words, code, says in (
        (("--set", "gamma"), 2, "must be NAME=VALUE"),
        (("--set", "gama=1"), 1, "has no parameter 'gama'"),
        (("--learner", "nobody"), 1, "there is no learner 'nobody'"),
        (("--set", "learner.depth=3"), 1, "learner 'naive-bayes' has no parameter 'depth'"),
    ):
        assert says in run("simulate", *options, *words, code=code).stderr


def test_the_optimum_of_a_loss_that_was_registered():
    mine = Loss("my-loss", GINI.term, GINI.gather, GINI.finish, GINI.largest)
    LOSSES.register(mine)
    try:
        small = ("optimal", "--budget", "2", "--policy", "round-robin", "--json", "--loss")
        found, gini = (json.loads(run(*small, each).stdout) for each in ("my-loss", "gini"))
        assert found["optimal_loss"] == pytest.approx(gini["optimal_loss"])
    finally:
        LOSSES.forget("my-loss")
    assert "there is no loss 'my-loss'" in run(*small, "my-loss", code=2).stderr
