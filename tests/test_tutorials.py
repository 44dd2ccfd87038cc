"""The tutorials: pages whose examples run, and notebooks that say the same and run as well."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from write_notebooks import TUTORIALS, notebook  # noqa: E402

PAGES = sorted(TUTORIALS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_says_what_the_page_says(page):
    text = page.with_suffix(".ipynb").read_text("utf-8")
    assert text == notebook(page.read_text("utf-8")), "run tools/write_notebooks.py"
    nbformat.validate(nbformat.reads(text, 4))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_runs(page, tmp_path):
    """In a process of its own, as somebody would run it; its kernel listens on loopback only."""
    here = Path(sys.executable).parent
    shutil.copy(page.with_suffix(".ipynb"), tmp_path)  # what it writes is written beside it
    done = subprocess.run(
        [here / "jupyter-execute", f"{page.stem}.ipynb", "--inplace"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
             "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = "".join(
        output.get("text", "")
        for cell in nbformat.read(tmp_path / f"{page.stem}.ipynb", 4).cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    assert "command not found" not in printed
    assert "Error: " not in printed
