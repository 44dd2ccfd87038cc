"""Runs are kept as they end; stops, kills and the number of workers leave no trace."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import Decimal
from importlib import import_module
from multiprocessing import get_context
from threading import Thread

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from budgeted import executors
from budgeted.cli import main
from budgeted.errors import RunnerError
from budgeted.experiment import parse
from budgeted.results import Store
from budgeted.runner import run

DOCUMENT = {
    "title": "Small",
    "budget": 8,
    "runs": 4,
    "seed": 5,
    "problem": {"synthetic": "figure-3b", "features": 4},
    "policy": [{"name": "round-robin"}, {"name": "sfl"}, {"name": "random-shopper"}],
}
TOML = """
title = "Small"
budget = {budget}
runs = {runs}
seed = 5

[problem]
synthetic = "figure-3b"

[[policy]]
name = "biased-robin"

[[policy]]
name = "sfl"
"""


@pytest.fixture
def experiment():
    return parse(DOCUMENT, "small")


def content(path):
    return path.read_bytes()


def run_here(experiment, folder):
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder, executor)


def test_results_are_the_same_whatever_computes_them(experiment, tmp_path):
    one = run_here(experiment, tmp_path / "one")
    with executors.processes(3) as executor:
        three = run(experiment, tmp_path / "three", executor)
    with ThreadPoolExecutor(2) as executor:
        threads = run(experiment, tmp_path / "threads", executor)
    assert content(one.results) == content(three.results) == content(threads.results)


def test_results_hold_every_purchase(experiment, tmp_path):
    store = run_here(experiment, tmp_path)
    table = pyarrow.parquet.read_table(store.results).to_pydict()
    assert len(table["run"]) == 3 * 4 * 8
    assert sorted(set(table["policy"])) == ["random-shopper", "round-robin", "sfl"]
    assert table["spent"][7] == Decimal(8)
    for position, contender in enumerate(experiment.contenders):
        loaded = store.load()[contender.label].runs
        for number in range(4):
            fresh = experiment.play(contender, number)
            kept = loaded[number]
            for name in ("feature", "label", "value", "error"):
                np.testing.assert_array_equal(getattr(fresh, name), getattr(kept, name))
            assert fresh.spent == kept.spent
            assert (fresh.complete, fresh.single) == (kept.complete, kept.single)
            assert fresh.discriminative == kept.discriminative
            assert store.run_file(position, number).exists()


def test_what_is_there_is_not_done_again(experiment, tmp_path):
    store = run_here(experiment, tmp_path)
    before = content(store.results)
    store.run_file(1, 2).unlink()
    done = []
    with ThreadPoolExecutor(1) as executor:
        run(experiment, tmp_path, executor, after_run=lambda: done.append(1))
    assert len(done) == 1
    assert content(store.results) == before
    with ThreadPoolExecutor(1) as executor:
        run(experiment.with_runs(6), tmp_path, executor, after_run=lambda: done.append(1))
    assert len(done) == 1 + 2 * 3


def test_another_experiment_of_the_same_name_does_not_reuse_runs(experiment, tmp_path):
    run_here(experiment, tmp_path)
    other = parse({**DOCUMENT, "seed": 6}, "small")
    assert len(Store(tmp_path, other).missing()) == 12


def test_a_damaged_run_is_named(experiment, tmp_path):
    store = run_here(experiment, tmp_path)
    store.run_file(0, 0).write_bytes(b"PAR1 nonsense")
    with pytest.raises(RunnerError, match=r"00-00000\.parquet: cannot be read .* delete it"):
        store.load()


def test_a_folder_that_cannot_be_made_is_named(experiment, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunnerError, match="cannot be made"):
        run_here(experiment, tmp_path / "file" / "results")


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_dead_worker_is_reported_and_nothing_is_lost(experiment, tmp_path, monkeypatch):
    run_here(experiment.with_runs(2), tmp_path)
    monkeypatch.setattr("budgeted.runner.play_one", die)
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as executor,
        pytest.raises(RunnerError, match="a worker died; the runs that had ended are kept"),
    ):
        run(experiment, tmp_path, executor)
    assert len(Store(tmp_path, experiment).missing()) == 6


def start(file, out):
    command = [sys.executable, "-m", "budgeted", "experiment", "run", str(file), "--out", str(out),
               "--workers", "2", "--figure", "none", "--json"]  # fmt: skip
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def kept(out):
    return len(list(out.glob("runs/*/*.parquet")))


def test_killed_twenty_times_gives_the_same_results(tmp_path):
    """SIGKILL at random moments; then it is left to finish."""
    file = tmp_path / "killed.toml"
    file.write_text(TOML.format(budget=40, runs=150))
    moments = random.Random(7)
    partly = 0
    for _ in range(20):
        process = start(file, tmp_path / "killed")
        if moments.random() < 0.3:  # while it starts up, or begins to work
            time.sleep(moments.uniform(0, 2))
        else:  # when some more runs have ended, and others are under way
            enough = kept(tmp_path / "killed") + moments.randint(1, 12)
            while kept(tmp_path / "killed") < enough and process.poll() is None:
                time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        partly += 0 < kept(tmp_path / "killed") < 300
    assert partly >= 10, "the kills must have met it at work"
    process = start(file, tmp_path / "killed")
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    undisturbed = start(file, tmp_path / "whole")
    assert undisturbed.communicate(timeout=300)[1] is not None
    assert json.loads(stdout)["runs"] == 150
    killed, whole = (tmp_path / name / "killed.parquet" for name in ("killed", "whole"))
    assert pyarrow.parquet.read_table(killed).equals(pyarrow.parquet.read_table(whole))
    assert content(killed) == content(whole)


def test_interrupted_by_hand_it_says_how_to_go_on(tmp_path):
    file = tmp_path / "stopped.toml"
    file.write_text(TOML.format(budget=60, runs=400))
    process = start(file, tmp_path / "out")
    deadline = time.monotonic() + 60
    while kept(tmp_path / "out") < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"start again to continue" in stderr
    assert b"Traceback" not in stderr
    assert 3 <= kept(tmp_path / "out") < 800


@pytest.mark.filterwarnings("ignore")
def test_a_killed_dask_worker_changes_nothing(tmp_path):
    distributed = import_module("distributed")
    experiment = parse({**DOCUMENT, "budget": 40, "runs": 40}, "small")
    whole = run_here(experiment, tmp_path / "whole")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = []

        def kill_one():
            while kept(tmp_path / "dask") < 5:
                time.sleep(0.02)
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

        killer = Thread(target=kill_one)
        killer.start()
        with executors.dask(cluster.scheduler_address) as executor:
            store = run(experiment, tmp_path / "dask", executor)
        killer.join(timeout=60)
        assert killed
    assert content(store.results) == content(whole.results)


def test_a_dask_scheduler_that_does_not_answer_is_named(monkeypatch):
    distributed = import_module("distributed")

    def refuse(*_, **__):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with (
        pytest.raises(RunnerError, match="no Dask scheduler answers at"),
        executors.dask("tcp://127.0.0.1:1"),
    ):
        pass


def test_the_command_prints_a_table_and_draws(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        TOML.format(budget=6, runs=2) + '\n[[policy]]\nlabel = "b4"\nname = "sfl"\nbudget = 4\n'
    )
    result = CliRunner().invoke(
        main, ["experiment", "run", str(file), "--out", str(tmp_path / "out"), "--workers", "1",
               "--figure", "svg"]
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "biased-robin" in result.stdout
    for name in ("mine.parquet", "mine.svg", "mine-purchases.svg"):
        assert (tmp_path / "out" / name).exists()


def test_where_costs_differ_the_figure_is_over_money(tmp_path):
    from budgeted.cli_experiment import draw

    document = {**DOCUMENT, "problem": {"table": "car", "costs": dict(
        zip(("buying", "maint", "doors", "persons", "lug_boot", "safety"), range(1, 7), strict=True)
    )}, "policy": [{"name": "round-robin"}, {"name": "greedy"}], "budget": 30}  # fmt: skip
    experiment = parse(document, "car")
    store = run_here(experiment, tmp_path)
    draw(experiment, store.load(), tmp_path, "json")
    figure = json.loads((tmp_path / "car.json").read_text(encoding="utf-8"))
    assert figure["layer"][0]["encoding"]["x"]["title"] == "money spent"
    assert max(row["x"] for row in figure["data"]["values"]) <= 30
