"""Write a notebook beside every tutorial, with the same text and the same code.

    python tools/write_notebooks.py

The page is the source: its examples run as doctests, with what they print. The notebook has the
code without prompts and without outputs; whoever runs it sees them. A file that the page shows with
a title is written by a cell, and commands of a console are run by one.
"""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parent.parent / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def notebook(page: str) -> str:
    r"""Return the notebook of a page, as JSON.

    Examples
    --------
    >>> text = "Two and two.\n\n```python\n>>> 2 + 2\n4\n\n```\n"
    >>> [(cell["cell_type"], cell["source"]) for cell in json.loads(notebook(text))["cells"]]
    [('markdown', 'Two and two.'), ('code', '2 + 2')]
    """
    cells: list[dict[str, Any]] = []
    rest = 0
    for block in BLOCK.finditer(page):
        _add(cells, "markdown", page[rest : block.start()])
        _add(cells, "code", _code(*block.groups()))
        rest = block.end()
    _add(cells, "markdown", page[rest:])
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"}}  # fmt: skip
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _add(cells: list[dict[str, Any]], kind: str, source: str) -> None:
    if not source.strip():
        return
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    cells.append({**cell, "source": source.strip()})


def _code(language: str, title: str | None, body: str) -> str:
    """Return what a cell runs in the place of a block."""
    if title is not None:
        return f"%%writefile {title}\n{body}"
    if language == "console":
        return re.sub(r"^\$ ", "!", body, flags=re.MULTILINE)
    if language == "python":
        return "".join(each.source for each in doctest.DocTestParser().get_examples(body))
    raise ValueError(f"a tutorial has a block of {language}, and no title says which file it is")


if __name__ == "__main__":
    for each in sorted(TUTORIALS.glob("*.md")):
        each.with_suffix(".ipynb").write_text(notebook(each.read_text("utf-8")), "utf-8")
