"""Workers that are killed, and workers that crowd: on both databases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("what", ["crash", "together"])
@pytest.mark.slow
def test_workers(what, database):
    done = subprocess.run(
        [sys.executable, "-m", "tests.workers", what, database],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,  # against hanging; on a machine of its own it takes half a minute
    )
    assert done.returncode == 0, done.stderr[-3000:]
    sys.stdout.write(done.stdout)  # seen with pytest -rP
