"""What MkDocs needs besides its configuration: the pages as they lie, formulas, and the reference.

The Markdown files refer to each other as they do in the repository, so that they can be read
there. The site keeps that layout: the files are copied into a folder of the same shape, and the
pages of the reference are written beside them.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

from public_names import reference_pages

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "CITATION.cff")
FOLDERS = ("docs", "examples", "deploy")
SHIM = ROOT / "tools" / "site" / "iframe-worker.js"
ELSEWHERE = "https://unpkg.com/iframe-worker/shim"

_staged: list[tempfile.TemporaryDirectory[str]] = []


def on_config(config: Any) -> Any:
    """Let MkDocs read a copy of the pages, with the reference beside them."""
    folder = tempfile.TemporaryDirectory(prefix="budgeted-site-")
    _staged.append(folder)  # it is there until the build is over
    stage(Path(folder.name))
    config["docs_dir"] = folder.name
    reference = next(each["Reference"] for each in config["nav"] if "Reference" in each)
    reference[0] = {"Python": ["reference/index.md", *(
        f"reference/{name}.md" for name in reference_pages() if name != "index")]}  # fmt: skip
    logging.getLogger("mkdocs.plugins.griffe").setLevel(logging.ERROR)  # types are annotations
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show examples with prompts as what they are, so that copying leaves out what is printed."""
    return markdown.replace("```python\n>>> ", "```pycon\n>>> ")


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Take the script that search needs in a folder on disk from the site, not from elsewhere."""
    depth = page.url.count("/")
    return output.replace(ELSEWHERE, "../" * depth + f"assets/{SHIM.name}")


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Do the same for the page for what is not there, whose addresses begin at the top."""
    return output_content.replace(ELSEWHERE, f"/assets/{SHIM.name}")


def on_post_build(config: Any) -> None:
    """Put that script into the site, and remove the copy of the pages."""
    shutil.copy(SHIM, Path(config["site_dir"]) / "assets")
    while _staged:
        _staged.pop().cleanup()


def stage(folder: Path) -> None:
    """Copy all that the site shows into a folder, in the layout of the repository."""
    for name in PAGES:
        shutil.copy(ROOT / name, folder / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "reference").mkdir()
    for name, text in reference_pages().items():
        (folder / "reference" / f"{name}.md").write_text(text, encoding="utf-8")


def formula(source: str, *_: Any, **__: Any) -> str:
    r"""Return a block of LaTeX as MathML, which browsers show without a script.

    Examples
    --------
    >>> formula(r"\frac{1}{2}").count("<mfrac>")
    1
    """
    lines = [convert(each, display="block") for each in source.strip().split("\n\n")]
    return '<div class="math">' + "".join(lines) + "</div>"
