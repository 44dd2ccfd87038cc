"""An experiment that is killed, interrupted or loses a worker goes on as if nothing had been."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from threading import Thread
from time import sleep

import pytest

from budgeted.errors import RunnerError
from budgeted.experiments import executors
from budgeted.experiments.runner import run
from budgeted.experiments.spec import parse
from budgeted.experiments.store import Store
from tests import processes
from tests.crashes.experiments import TOML, kept
from tests.thorough import sized

DOCUMENT = {
    "title": "Small",
    "budget": 8,
    "runs": 4,
    "seed": 5,
    "problem": {"synthetic": "figure-3b", "features": 4},
    "policy": [{"name": "round-robin"}, {"name": "sfl"}, {"name": "random-shopper"}],
}


@pytest.fixture
def toml(tmp_path):
    def write(**numbers):
        file = tmp_path / "stopped.toml"
        file.write_text(TOML.format(**numbers))
        return file

    return write


def command(file, out):
    """Return the arguments of Python that run an experiment on two workers."""
    return ("-m", "budgeted", "experiment", "run", file, "--out", out, "--workers", "2",
            "--figure", "none", "--json")  # fmt: skip


@pytest.mark.slow
def test_interrupted_by_hand_it_says_how_to_go_on(tmp_path, toml, ignoring_interrupts):
    """Also if whoever runs the tests ignores SIGINT, as here: the command does not."""
    out = tmp_path / "out"
    with processes.running(*command(toml(budget=60, runs=2000), out)) as process:
        processes.wait_until(lambda: kept(out) >= 3, process)
        process.send_signal(signal.SIGINT)
        # Its workers write to the same pipes: these end when the last of them has ended.
        _, stderr = process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == 130
    assert b"start again to continue" in stderr
    assert b"Traceback" not in stderr
    assert 3 <= kept(out) < 6000


@pytest.mark.slow
def test_started_in_the_background_it_is_not_interrupted(tmp_path, toml):
    """After `nohup`, and `&` in a script, Ctrl-C is meant for others."""
    out = tmp_path / "out"
    file = toml(budget=30, runs=8)
    with processes.running(*command(file, out), interrupt=processes.IGNORED) as process:
        processes.wait_until(lambda: kept(out) >= 1, process)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=processes.PATIENCE)
    assert process.returncode == 0, stderr
    assert kept(out) == 24


@pytest.fixture
def ignoring_interrupts():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_command_that_a_test_forgets_is_ended_with_it():
    with processes.running("-c", "import time; time.sleep(3600)") as process:
        assert process.poll() is None
    assert process.returncode == -signal.SIGKILL


def play_here(experiment, folder):
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder, executor)


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_dead_worker_is_reported_and_nothing_is_lost(tmp_path, monkeypatch):
    experiment = parse(DOCUMENT, "small")
    play_here(experiment.with_runs(2), tmp_path)
    monkeypatch.setattr("budgeted.experiments.runner.play_one", die)
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as executor,
        pytest.raises(RunnerError, match="a worker died; the runs that had ended are kept"),
    ):
        run(experiment, tmp_path, executor)
    assert len(Store(tmp_path, experiment).missing()) == 6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_a_killed_dask_worker_changes_nothing(tmp_path):
    distributed = import_module("distributed")
    experiment = parse({**DOCUMENT, "budget": 40, "runs": sized(16, 40)}, "small")
    whole = play_here(experiment, tmp_path / "whole")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = []

        def kill_one():
            while kept(tmp_path / "dask") < 5:
                sleep(0.02)
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

        killer = Thread(target=kill_one)
        killer.start()
        with executors.dask(cluster.scheduler_address) as executor:
            store = run(experiment, tmp_path / "dask", executor)
        killer.join(timeout=60)
        assert killed
    assert store.results.read_bytes() == whole.results.read_bytes()
