"""The example package, installed into a fresh environment: by name, in every place.

A study, an experiment, the command line, and a Dask scheduler and worker that are processes of
their own use its policy, learner, loss and price list. A worker without it says what is missing,
and where.
"""

import csv
import io
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from decimal import Decimal

import pytest

import budgeted
from tests.processes import PATIENCE
from tests.wheels import PLUGIN, ROOT, Environment, pack

pytestmark = pytest.mark.slow

STUDY = """
name = "paid"
budget = 40
labels = ["well", "ill"]
prior = [0.5, 0.5]
loss = "bhattacharyya"
learner = {name = "kernel", alike = 0.9}
[policy]
name = "thrifty"
[prices]
list = "visit-fee"
fee = "2.50"
[[features]]
name = "fever"
values = ["no", "yes"]
cost = 1
[[features]]
name = "scan"
values = ["no", "yes"]
cost = 3
"""
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(8))
EXPERIMENT = """
budget = 30
runs = 3
seed = 1
[problem]
synthetic = "figure-3b"
features = 3
[prices]
list = "visit-fee"
fee = "2.50"
[[policy]]
name = "thrifty"
learner = {name = "kernel", alike = 0.75}
[[policy]]
name = "greedy"
loss = "bhattacharyya"
"""


BUILT = pytest.param("built", marks=pytest.mark.network)
WAYS = ["packed", pytest.param("built", marks=[pytest.mark.network, pytest.mark.thorough])]
"""What a build backend makes is the same package: the command line shows it in `make test`."""


@pytest.fixture(scope="module", params=WAYS)
def installed(request, tmp_path_factory):
    """An environment with both packages: from wheels that tests pack, or built by their backend."""
    folder = tmp_path_factory.mktemp("installed")
    made = Environment(folder / "venv")
    if request.param == "packed":
        made.install(
            "--no-index", pack(ROOT, ROOT / "src" / "budgeted", budgeted.__version__, folder),
            pack(PLUGIN, PLUGIN / "src" / "thrifty", "0.1.0", folder),
        )  # fmt: skip
    else:
        if made.run(sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "hatchling",
                    "--dest", folder).returncode:  # fmt: skip
            pytest.skip("there is no package index to build with")
        made.install(ROOT, PLUGIN)
    made.lend_dependencies()
    where = made.succeed(made.python, "-c", "import budgeted, thrifty; print(budgeted.__file__, "
                         "thrifty.__file__)", cwd=folder)  # fmt: skip
    assert where.count(str(made.folder)) == 2, "not what was installed here"
    return made


@pytest.mark.parametrize("installed", ["packed", BUILT], indirect=True)
def test_all_are_known_to_the_command_line(installed, tmp_path):
    listed = json.loads(installed.budgeted("policies", "--json"))
    assert listed[-1]["name"] == "thrifty"
    assert "visit-fee" in installed.budgeted("price-lists")
    options = ("--runs", "2", "--budget", "20", "--features", "3", "--json")
    played = json.loads(installed.budgeted(
        "simulate", "--policy", "thrifty", "--learner", "kernel", "--set", "learner.alike=0.75",
        "--prices", "visit-fee", *options,
    ))  # fmt: skip
    assert (played["policy"], played["learner"], played["prices"]) == (
        "thrifty", "kernel", "visit-fee",
    )  # fmt: skip
    assert played["learner_parameters"]["alike"] == 0.75
    assert played["mean_purchases"]
    installed.budgeted("simulate", "--policy", "greedy", "--loss", "bhattacharyya", *options)
    found = json.loads(installed.budgeted(
        "optimal", "--budget", "2", "--loss", "bhattacharyya", "--policy", "thrifty", "--json"
    ))  # fmt: skip
    assert found["loss"] == "bhattacharyya"


def test_a_study_uses_them(installed, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "cases.csv").write_text(CASES)

    def study(*words):
        return installed.budgeted("study", *words, cwd=tmp_path)

    study("new", "study.toml", "--cases", "cases.csv")
    asked = json.loads(study("ask", "-n", "3", "--json"))["requests"]
    first = {each["case"]: each["cost"] for each in reversed(asked)}
    assert set(first.values()) <= {"3.50", "5.50"}, "a fee with the first of each case"
    assert sum(Decimal(each["cost"]) > 3 for each in asked) == len(first), "and with no other"
    for each in asked:
        study("tell", each["number"], "yes" if each["label"] == "ill" else "no")
    assert 0 <= json.loads(study("status", "--json"))["outlook"]["error"] <= 1
    assert "chosen by thrifty of budgeted-thrifty 0.1.0" in study("why", "1")
    assert json.loads(study("model"))["learner"] == "kernel"
    (tmp_path / "new.csv").write_text("fever,scan\nyes,\n")
    assert len(list(csv.reader(io.StringIO(study("predict", "new.csv"))))) == 2
    study("verify")


@pytest.fixture
def mine(installed, tmp_path):
    (tmp_path / "mine.toml").write_text(EXPERIMENT)

    def run(out, *words):
        command = (installed.folder / "bin" / "budgeted", "experiment", "run", "mine.toml", "--out",
                   out, "--figure", "none", *words)  # fmt: skip
        return installed.run(*command, cwd=tmp_path)

    return run


def test_an_experiment_and_a_cluster_of_separate_processes_compute_the_same(
    installed, mine, tmp_path
):
    alone = mine("alone", "--workers", "1", "--json")
    assert alone.returncode == 0, alone.stderr
    with cluster(installed.python, tmp_path) as address:
        spread = mine("spread", "--dask", address, "--json")
    assert spread.returncode == 0, spread.stderr
    assert "thrifty" in alone.stdout
    found, other = (
        {path.name: path.read_bytes() for path in (tmp_path / out).glob("*.parquet")}
        for out in ("alone", "spread")
    )
    assert len(found) == 1
    assert found == other


def test_a_worker_without_the_package_says_what_is_missing_and_where(installed, mine, tmp_path):
    """It has this very code of budgeted, in another environment."""
    bare = Environment(tmp_path / "bare")
    bare.install(
        "--no-index", pack(ROOT, ROOT / "src" / "budgeted", budgeted.__version__, tmp_path)
    )
    bare.lend_dependencies()
    with cluster(bare.python, tmp_path) as address:
        refused = mine("refused", "--dask", address)
    assert refused.returncode == 1
    said = " ".join(refused.stderr.split())
    assert "Traceback" not in said
    assert (
        "the policy 'thrifty' and the learner 'kernel' and the price list 'visit-fee' are" in said
    )
    assert "not installed on" in said
    assert str(bare.python) in said, "which worker"


@contextmanager
def cluster(python, folder):
    """A scheduler and a worker, each a process of its own on this machine; gives the address."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    loopback = ("--host", "127.0.0.1", "--no-dashboard")
    file = folder / f"scheduler-{python.parts[-3]}.json"
    scheduler = ("-m", "distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", file)
    worker = ("-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--no-nanny",
              "--nthreads", "1", "--local-directory", folder)  # fmt: skip
    started = []
    try:
        with (folder / "cluster.txt").open("w") as log:
            for command in (scheduler, worker):
                started.append(subprocess.Popen(
                    list(map(str, (python, *command, *loopback))), stdout=log, stderr=log,
                    env=plain, cwd=folder,
                ))  # fmt: skip
                limit = time.monotonic() + PATIENCE
                while not file.exists():
                    assert started[0].poll() is None, (folder / "cluster.txt").read_text()
                    assert time.monotonic() < limit
                    time.sleep(0.05)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
