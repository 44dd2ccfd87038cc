"""What a page says about where its figures come from, and where a page may be written."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from budgeted.experiments.runs import Runs, one_fingerprint, provenances, versions
from budgeted.provenance import code

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
"""The committed pages are here."""


@dataclass(frozen=True)
class Origin:
    """The code behind the runs of a page.

    Attributes
    ----------
    fingerprint
        Of that code; empty where nobody recorded it.
    versions
        Under which it ran.
    commit
        That has this very code; empty where that is not known.
    """

    fingerprint: str
    versions: str = ""
    commit: str = ""

    @classmethod
    def of(cls, results: Iterable[Runs]) -> Origin:
        """Return that of these runs; runs of different code are refused.

        A commit is named only if the code in this checkout is that of the runs: today's commit says
        nothing about yesterday's runs.
        """
        runs = list(results)
        fingerprint = one_fingerprint(runs)
        same = {each.code for each in provenances(runs)} == {code()}
        return cls(fingerprint, versions(runs), commit(ROOT) if same else "")

    def __str__(self) -> str:
        if not self.fingerprint:
            return "by code that is not recorded"
        known = (
            f", that of commit `{self.commit}`" if self.commit else ", which no commit is known of"
        )
        return f"by the code with the fingerprint `{self.fingerprint}`{known} ({self.versions})"


def commit(root: Path) -> str:
    """Return the commit of a checkout, or nothing if its sources are not those of a commit."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    return (
        "" if git("status", "--porcelain", "--", "src") else git("rev-parse", "--short=12", "HEAD")
    )


def folder_of_page(wanted: str | None, results: Path, look: str) -> Path:
    """Return the folder that a page goes to: that of the committed ones only if this is no look.

    Parameters
    ----------
    wanted
        The folder that was asked for, if any.
    results
        Folder of the runs; a look goes beside them.
    look
        Why this is no full page; empty if it is one.
    """
    if wanted is None:
        return results / "look" if look else DOCS
    if look and Path(wanted).resolve() == DOCS:
        raise click.UsageError(
            f"this is a look ({look}) and must not overwrite the committed page; "
            "leave --docs out, or name another folder"
        )
    return Path(wanted)
