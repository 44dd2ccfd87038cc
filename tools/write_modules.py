"""Write what lives where into docs/architecture.md, from the first sentence of every module.

    python tools/write_modules.py

So the page names every module, and says of it what the module says of itself.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "budgeted"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- begin of what lives where -->\n", "<!-- end of what lives where -->\n"
PACKAGES = ("problem", "learners", "value", "state", "policies", "simulation", "optimal",
            "diagnosis", "testing", "experiments", "sklearn", "studies", "cli", "web",
            "client", "registry", "provenance")  # fmt: skip
"""From what everything else needs to what people see; the last two serve all of them."""


def first_sentence(file: Path) -> str:
    """Return the first paragraph of what a module says of itself, without its last dot."""
    words = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(words.split("\n\n")[0].split()).rstrip(".").replace("|", "\\|")


def name_of(file: Path) -> str:
    """Return the name of a module as one would say it, without the name of the package."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tables() -> str:
    """Return a table for each package, and one for the modules beside them."""
    parts = []
    for package in PACKAGES:
        inside = sorted((SOURCE / package).rglob("*.py"), key=name_of)
        home, *others = inside
        parts.append(f"### {package}\n\n{first_sentence(home)}.\n\n{_table(others)}")
    beside = [file for file in sorted(SOURCE.glob("*.py")) if not file.name.startswith("__")]
    parts.append(f"### Beside the packages\n\n{_table(beside)}")
    return "\n\n".join(parts) + "\n"


def _table(files: list[Path]) -> str:
    rows = [f"| `{name_of(each)}` | {first_sentence(each)} |" for each in files]
    return "\n".join(["| module | its one story |", "| --- | --- |", *rows])


def page(text: str) -> str:
    """Return the page with these tables in the place of those that it had."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
