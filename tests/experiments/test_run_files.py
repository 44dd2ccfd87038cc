"""What is in a run file, that pandas understands it, and that no damage goes unnoticed."""

import json
import platform
import random
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import budgeted
from budgeted import __version__
from budgeted.cli.main import main
from budgeted.errors import DamagedError, RunnerError
from budgeted.experiments import run_files
from budgeted.experiments.runner import run
from budgeted.experiments.runs import Names, Run
from budgeted.experiments.spec import parse
from budgeted.experiments.store import read_results
from budgeted.provenance import Provenance
from tests.thorough import sized

TOML = """
title = "Small"
budget = "7.5"
runs = 3
seed = 5

[problem]
table = "car"
costs = {buying = 1, maint = "1.25", doors = 2, persons = 3, lug_boot = 2, safety = 5}

[[policy]]
name = "round-robin"

[[policy]]
label = "short"
name = "sfl"
max_depth = 2
learner = "naive-bayes"
budget = "6"
"""


def run_here(experiment, folder, **more):
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder, executor, **more)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return run_here(parse(tomllib.loads(TOML), "small"), folder)


def test_a_run_file_says_what_it_is_and_where_it_comes_from(done):
    told = json.loads(pyarrow.parquet.read_schema(done.run_file(1, 2)).metadata[b"budgeted"])
    contender = {"label": "short", "name": "sfl", "budget": "6", "learner": "naive-bayes",
                 "max_depth": 2}  # fmt: skip
    assert told["contender"] == contender
    assert (told["run"], told["experiment"]["seed"], told["experiment"]["name"]) == (2, 5, "small")
    assert told["provenance"]["fingerprint"] == Provenance.here().fingerprint
    assert (told["provenance"]["budgeted"], told["provenance"]["python"],
            told["provenance"]["numpy"]) == (
        budgeted.__version__, platform.python_version(), np.__version__
    )  # fmt: skip
    problem = done.experiment.rehearsal(2, "6").problem
    assert told["names"] == {
        "features": [each.name for each in problem.features],
        "labels": list(problem.labels),
        "values": [list(each.values) for each in problem.features],
    }


def test_the_experiment_can_be_run_again_from_its_results(done):
    told, _ = read_results(done.results)
    again = dict(told["experiment"])
    assert parse(again, again.pop("name")) == done.experiment


def test_pandas_alone_reads_names(done):
    """The oracle is the world: the rows of the table that were sold, by name."""
    frame = pandas.read_parquet(done.results)
    assert list(frame["policy"].unique()) == ["round-robin", "short"]
    for position, contender in enumerate(done.experiment.contenders):
        for number in range(3):
            rows = frame[(frame["policy"] == contender.label) & (frame["run"] == number)]
            world = done.experiment.rehearsal(number, contender.budget)
            played = done.experiment.play(contender, number)
            features = [world.problem.features[each] for each in played.feature]
            assert rows["feature"].tolist() == [each.name for each in features]
            assert rows["label"].tolist() == [world.problem.labels[at] for at in played.label]
            assert rows["value"].tolist() == [
                feature.values[at] for feature, at in zip(features, played.value, strict=True)
            ]
            assert rows["cost"].tolist() == [feature.cost for feature in features]
            assert rows["spent"].tolist()[-1] == sum(each.cost for each in features)
            assert done.run_file(position, number).exists()


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
amounts = st.decimals(0, 10**12, places=6)


@st.composite
def plays(draw):
    """A run of any names, with values that did not come, or of nothing at all."""
    values = draw(st.lists(st.lists(words, min_size=2, max_size=3), min_size=1, max_size=3))
    names = Names(
        tuple(draw(words) for _ in values), tuple(draw(st.lists(words, min_size=2, max_size=3))),
        tuple(map(tuple, values)),
    )  # fmt: skip
    bought = draw(st.lists(st.tuples(st.integers(0, len(values) - 1), amounts), max_size=4))
    features = [feature for feature, _ in bought]
    costs = tuple(cost for _, cost in bought)
    return Run(
        np.array(features, dtype=np.int64),
        np.array([draw(st.integers(0, len(names.labels) - 1)) for _ in bought], dtype=np.int64),
        np.array(
            [draw(st.integers(-1, len(values[each]) - 1)) for each in features], dtype=np.int64
        ),
        costs,
        tuple(accumulate(costs)),
        np.array([draw(st.floats(0, 1)) for _ in bought], dtype=float),
        draw(st.floats(0, 1)),
        draw(st.floats(0, 1)),
        tuple(sorted(draw(st.sets(st.integers(0, len(values) - 1))))),
        names,
    )


@given(plays(), words)
@settings(max_examples=60)
@pytest.mark.slow
def test_any_run_comes_back_as_it_was(played, label):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.parquet")
        told = {**run_files.facts_of(played, Provenance.here()), "contender": label}
        run_files.write(run_files.as_table(label, 3, played), told, path)
        table, found = run_files.read(path)
        back = run_files.run_of(table, found)
        assert set(table["policy"].to_pylist()) <= {label}
    assert found["contender"] == label
    for name in ("feature", "label", "value", "error"):
        np.testing.assert_array_equal(getattr(played, name), getattr(back, name))
    for name in ("cost", "spent", "complete", "single", "discriminative", "names"):
        assert getattr(played, name) == getattr(back, name)


def damages(content, pages):
    """The file cut anywhere, and single bits of its pages flipped."""
    yield b""
    yield b"PAR1 nonsense"
    chance = random.Random(3)
    for _ in range(30):
        yield content[: chance.randrange(len(content))]
    for bit in chance.sample(range(8 * pages.start, 8 * pages.stop), sized(100, 300)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


@pytest.mark.filterwarnings("error")
def test_damage_is_never_believed(done):
    """What cannot be read as it was written is refused."""
    for file, read in (
        (done.run_file(0, 1), done.load),
        (done.results, lambda: read_results(done.results)),
    ):
        content, before = file.read_bytes(), read()
        group = pyarrow.parquet.ParquetFile(file).metadata.row_group(0)
        pages = range(4, 4 + sum(group.column(at).total_compressed_size
                                 for at in range(group.num_columns)))  # fmt: skip
        try:
            for damaged in damages(content, pages):
                file.write_bytes(damaged)
                try:
                    found = read()
                except DamagedError:
                    continue
                assert str(found) == str(before)
        finally:
            file.write_bytes(content)


def test_a_newer_file_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    monkeypatch.setattr(run_files, "FORMAT", 2)
    run_files.write(pyarrow.table({"a": [1]}), {}, path)
    monkeypatch.undo()
    with pytest.raises(DamagedError, match="written by a newer version of budgeted: update"):
        run_files.read(path)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "empty", "flipped"])
def test_a_damaged_run_is_named_and_done_again(damage, done, tmp_path):
    content = done.results.read_bytes()
    whole = done.run_file(0, 1).read_bytes()
    broken = {"cut": whole[:700], "empty": b"",
              "flipped": whole[:100] + bytes([whole[100] ^ 4]) + whole[101:]}[damage]  # fmt: skip
    done.run_file(0, 1).write_bytes(broken)
    assert done.missing() == [(0, 1)]
    assert done.survey().damaged == [done.run_file(0, 1)]
    file = tmp_path / "small.toml"
    file.write_text(TOML)
    result = CliRunner().invoke(
        main, ["experiment", "run", str(file), "--out", str(done.folder), "--workers", "1",
               "--figure", "none"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert f"{done.run_file(0, 1)}: is damaged; this run is done again" in result.stderr
    assert done.run_file(0, 1).read_bytes() == whole
    assert done.results.read_bytes() == content


def test_readers_name_what_is_damaged(tmp_path):
    store = run_here(parse(tomllib.loads(TOML), "small"), tmp_path)
    file = store.run_file(1, 2)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(RunnerError, match=rf"{file.name}: is damaged.*run the experiment again"):
        store.load()
    finished = store.load_finished()
    assert [len(runs) for runs in finished.values()] == [3, 2], "left out, not believed"


def test_a_run_of_other_code_that_was_put_here_is_done_again(done):
    """Somebody copied a file by hand: it is whole, but not what would be computed here."""
    whole = done.run_file(0, 0).read_bytes()
    other = replace(Provenance.here(), code="other")
    try:
        done.keep(0, 0, done.load()["round-robin"].runs[0], other)
        assert done.missing() == [(0, 0)]
        with pytest.raises(RunnerError, match=r"00-00000\.parquet: .*other code computed it"):
            done.load()
    finally:
        done.run_file(0, 0).write_bytes(whole)


def test_showing_a_file_of_results(done, tmp_path):
    result = CliRunner().invoke(main, ["experiment", "show", str(done.results)])
    assert result.exit_code == 0, result.output
    assert f"code {Provenance.here().fingerprint}; budgeted {__version__}" in result.stdout
    assert '"seed": 5' in result.stdout
    result = CliRunner().invoke(main, ["experiment", "show", str(done.results), "--json"])
    assert json.loads(result.stdout)["experiment"]["policy"][1]["max_depth"] == 2
    for wrong, says in ((done.run_file(0, 0), "holds a single run"),
                        (tmp_path / "none.parquet", "cannot be read")):  # fmt: skip
        result = CliRunner().invoke(main, ["experiment", "show", str(wrong)])
        assert result.exit_code == 1
        assert says in result.output


def test_the_table_has_columns_of_money(done):
    """Prices from 1 to 5: after n purchases everybody has spent something else."""
    result = CliRunner().invoke(main, ["experiment", "show", str(done.results)])
    rows = {
        cells[0].strip(): [each.strip() for each in cells[1:]]
        for line in result.stdout.splitlines()
        if len(cells := line.strip("│┃ ").replace("┃", "│").split("│")) == 6
    }
    assert rows["policy"] == ["budget", "25 % spent", "50 % spent", "at the end", "spent"]
    for label, runs in done.load().items():
        budget = Decimal({"round-robin": "7.5", "short": "6"}[label])
        assert rows[label][0] == str(budget)
        spent = sum(each.spent[-1] for each in runs.runs) / 3
        assert 0 <= spent - Decimal(rows[label][4]) < Decimal("0.01")
        for column, share in ((1, Decimal("0.25")), (2, Decimal("0.5")), (3, Decimal(1))):
            errors = []
            for each in runs.runs:
                within = [at for at, spent in enumerate(each.spent) if spent <= budget * share]
                errors.append(each.error[within[-1]] if within else None)
            if None in errors:
                assert rows[label][column] == "–"
            else:
                mean, sem = np.mean(errors), np.std(errors, ddof=1) / np.sqrt(3)
                assert rows[label][column] == f"{mean:.3f} ± {sem:.3f}"
    assert "" not in rows["round-robin"] + rows["short"]
