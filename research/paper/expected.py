"""What an independent simulator found, and where this page differs from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research.paper.rules import HOLDS, IN_PART, NOT, VERDICTS, Finding

_FILE = Path(__file__).with_name("expected.toml")
_WORDS = {"h": HOLDS, "p": IN_PART, "n": NOT}


def source() -> str:
    """Return where the expected verdicts come from, in words."""
    return str(_document()["source"])


def verdicts() -> dict[tuple[int, str], str]:
    """Return the expected verdict of each claim in each reading.

    >>> verdicts()[4, "A"], verdicts()[4, "C"]
    ('holds', 'holds in part')
    """
    return {
        (at + 1, reading): _WORDS[letter]
        for reading, letters in _document()["verdicts"].items()
        for at, letter in enumerate(letters)
    }


def differences(findings: Mapping[tuple[int, str], Finding]) -> list[str]:
    """Return in words each cell of the table that differs, and by how much.

    Parameters
    ----------
    findings
        By claim and reading.
    """
    return [
        f"Claim {number}, reading {reading}: expected “{wanted}”, found “{found.verdict}”. "
        + _by_how_much(found, VERDICTS.index(found.verdict) > VERDICTS.index(wanted))
        for (number, reading), wanted in verdicts().items()
        if (found := findings.get((number, reading))) is not None and found.verdict != wanted
    ]


def _by_how_much(found: Finding, less: bool) -> str:
    """The checks that make the difference: those that fail where less holds, else those that pass."""
    return "; ".join(str(each) for each in found.checks if each.passed != less) + "."


def _document() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
