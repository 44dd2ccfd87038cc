"""What benchmarks write into the documentation: tables between two marks, of numbers that are short."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def replace_between(page: Path, name: str, text: str) -> None:
    """Write a text between the marks of that name, in place of what was there."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def rounded(thing: Any) -> Any:
    """Return what JSON holds with four digits behind the point, which is all that tables show."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [rounded(each) for each in thing]
    return round(thing, 4) if isinstance(thing, float) else thing
