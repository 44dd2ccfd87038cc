"""The crash runs in small; `make crashes` runs them as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.databases import new_postgres_database
from tests.thorough import sized

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def play(story, times, database=None):
    """In a process of its own, because it forks."""
    where = ["--database", database] if database else []
    done = subprocess.run(
        [sys.executable, "-m", "tests.crashes", story, "--times", str(times), *where],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=1_800,  # against hanging; on a machine of its own it takes half a minute
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    sys.stdout.write(done.stdout)  # seen with pytest -rP


@pytest.mark.parametrize(
    ("story", "times"), [("kills", sized(40, 200)), ("crowd", sized(250, 2_000))]
)
def test_processes(story, times, database):
    play(story, times, database)


@pytest.mark.parametrize("story", ["drops", "restores"])
def test_servers(story, postgres):
    url, drop = new_postgres_database(postgres)
    play(story, sized(40, 200), url)
    drop()


@pytest.mark.parametrize(
    ("story", "times"), [("cuts", 40), ("flips", 2_000), ("experiments", sized(12, 40))]
)
def test_files_and_experiments(story, times):
    play(story, times)


@pytest.mark.postgres
def test_a_postmaster_that_is_killed():
    play("postmaster", 1)
