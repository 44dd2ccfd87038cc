"""Runs are kept as they end; stops, kills and the number of workers leave no trace."""

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from importlib import import_module

import numpy as np
import pyarrow.parquet
import pytest

from budgeted.errors import RunnerError
from budgeted.experiments import executors
from budgeted.experiments.runner import run
from budgeted.experiments.spec import parse
from budgeted.experiments.store import Store

DOCUMENT = {
    "title": "Small",
    "budget": 8,
    "runs": 4,
    "seed": 5,
    "problem": {"synthetic": "figure-3b", "features": 4},
    "policy": [{"name": "round-robin"}, {"name": "sfl"}, {"name": "random-shopper"}],
}
READING = {
    "budget": 20,
    "runs": 2,
    "seed": 5,
    "problem": {"table": "votes", "missing": "not sold", "case_rule": "per cell",
                "prior_counts": "2/r"},
    "policy": [{"label": "whole cases", "name": "round-robin", "over": "cases"},
               {"name": "biased-robin", "next_label": "fewest"},
               {"label": "drawn", "name": "sfl", "engine": "particles", "particles": 20}],
}  # fmt: skip
"""What readings of the paper ask for."""


@pytest.fixture
def experiment():
    return parse(DOCUMENT, "small")


def content(path):
    return path.read_bytes()


def run_here(experiment, folder):
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder, executor)


@pytest.mark.slow
@pytest.mark.parametrize("document", [DOCUMENT, READING], ids=["small", "reading"])
def test_results_are_the_same_whatever_computes_them(document, tmp_path):
    experiment = parse(document, "small")
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


@pytest.mark.parametrize("document", [DOCUMENT, READING], ids=["small", "reading"])
def test_what_is_there_is_not_done_again(document, tmp_path):
    experiment = parse(document, "small")
    store = run_here(experiment, tmp_path)
    before = content(store.results)
    store.run_file(1, 1).unlink()
    done = []
    with ThreadPoolExecutor(1) as executor:
        run(experiment, tmp_path, executor, after_run=lambda: done.append(1))
    assert len(done) == 1
    assert content(store.results) == before
    with ThreadPoolExecutor(1) as executor:
        more = experiment.with_runs(experiment.runs + 2)
        run(more, tmp_path, executor, after_run=lambda: done.append(1))
    assert len(done) == 1 + 2 * len(experiment.contenders)


def test_another_experiment_of_the_same_name_does_not_reuse_runs(experiment, tmp_path):
    run_here(experiment, tmp_path)
    other = parse({**DOCUMENT, "seed": 6}, "small")
    assert len(Store(tmp_path, other).missing()) == 12


def test_a_folder_that_cannot_be_made_is_named(experiment, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunnerError, match="cannot be made"):
        run_here(experiment, tmp_path / "file" / "results")


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


def test_where_costs_differ_the_figure_is_over_money(tmp_path):
    from budgeted.cli.experiments import draw

    document = {**DOCUMENT, "problem": {"table": "car", "costs": dict(
        zip(("buying", "maint", "doors", "persons", "lug_boot", "safety"), range(1, 7), strict=True)
    )}, "policy": [{"name": "round-robin"}, {"name": "greedy"}], "budget": 30}  # fmt: skip
    experiment = parse(document, "car")
    store = run_here(experiment, tmp_path)
    draw(experiment, store.load(), tmp_path, "json")
    figure = json.loads((tmp_path / "car.json").read_text(encoding="utf-8"))
    assert figure["layer"][0]["encoding"]["x"]["title"] == "money spent"
    assert max(row["x"] for row in figure["data"]["values"]) <= 30


def test_a_pool_that_did_its_work_is_over():
    """One that still ends when Python does complains on stderr."""
    with executors.processes(1) as pool:
        assert pool.submit(abs, -3).result() == 3
        workers = list(pool._processes.values())
    assert [worker.is_alive() for worker in workers] == [False]
