"""Write docs/reproduction.md from the results."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from budgeted.experiment import Experiment
from budgeted.runs import Mean
from reproduction.claims import HOLDS, IN_PART, NOT, Claim, Finding, Results

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reproduction.md"

MARKS = {HOLDS: "✔ holds", IN_PART: "◐ holds in part", NOT: "✘ does not hold"}


@dataclass(frozen=True)
class Circumstances:
    """What the figures depend on."""

    commit: str
    versions: str
    minutes: float
    workers: int

    @classmethod
    def now(cls, minutes: float, workers: int) -> Circumstances:
        """Return those of this run."""
        names = ("budgeted", "numpy", "pyarrow", "vl-convert-python")
        listed = ", ".join(f"{name} {version(name)}" for name in names)
        return cls(_commit(), f"Python {platform.python_version()}, {listed}", minutes, workers)


def _commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    commit = git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return "not a git checkout"
    changed = git("status", "--porcelain", "--", "src", "experiments", "reproduction")
    return f"{commit} with local changes" if changed else commit


def page(
    experiments: Mapping[str, Experiment],
    results: Results,
    findings: list[tuple[Claim, Finding]],
    circumstances: Circumstances,
) -> str:
    """Return the page."""
    first = next(iter(experiments.values()))
    parts = [
        "# The paper reproduced",
        "What of Lizotte, Madani and Greiner, *Budgeted Learning of Naïve-Bayes Classifiers* (2003), "
        "holds when it is computed again, with exact expected losses where the paper sampled.",
        f"Written by `make reproduce`: {first.runs} runs of each policy, seed {first.seed}, commit "
        f"`{circumstances.commit}`, {circumstances.versions}; {circumstances.minutes:.0f} minutes on "
        f"{circumstances.workers} cores. Each experiment is a file in `experiments/`; the rules below "
        "were written into `reproduction/claims.py` before the runs. Intervals are 95 %, of "
        "differences between runs in the same worlds; nothing is corrected for the number of "
        "comparisons.",
        "## Verdicts",
        "| claim | of the paper, in short | verdict |\n| ---: | --- | --- |\n"
        + "\n".join(
            f"| [{claim.number}](#claim-{claim.number}) | {claim.words} | {MARKS[finding.verdict]} |"
            for claim, finding in findings
        ),
    ]
    shown: set[str] = set()
    for claim, finding in findings:
        parts.append(_section(claim, finding, experiments, results, shown))
    parts += ["## All errors", _errors(experiments, results)]
    return "\n\n".join(parts) + "\n"


def _section(
    claim: Claim,
    finding: Finding,
    experiments: Mapping[str, Experiment],
    results: Results,
    shown: set[str],
) -> str:
    lines = [
        f"## Claim {claim.number}",
        f"> {claim.words}",
        f"**{MARKS[finding.verdict]}**",
        "\n".join(f"- {line}" for line in finding.measured),
        f"*Rule.* {claim.rule}",
    ]
    if claim.reading:
        lines.append(f"*Reading.* {claim.reading}")
    for name, decide in claim.other_readings:
        other = decide(results)
        lines.append(f"*Other reading: {name}.* The same rule says: {MARKS[other.verdict]}.")
        lines.append("\n".join(f"- {line}" for line in other.measured))
    for name in claim.experiments:
        if name not in shown:
            shown.add(name)
            title = experiments[name].title
            lines.append(f"![{title}](reproduction/{name}.png)")
            lines.append(f"![{title}: purchases per feature](reproduction/{name}-purchases.png)")
    return "\n\n".join(lines)


def _errors(experiments: Mapping[str, Experiment], results: Results) -> str:
    rows = ["| experiment | policy | after 50 | after 100 | at the end | complete data | best single |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for name, policies in results.items():
        for label, runs in policies.items():
            steps = runs.errors.shape[1]
            cells = [str(Mean.of(runs.error_after(at))) if at <= steps else "" for at in (50, 100)]
            cells.append(f"{Mean.of(runs.error_after(steps))} ({steps})")
            cells += [f"{runs.complete.mean():.3f}", f"{runs.single.mean():.3f}"]
            rows.append(f"| {experiments[name].title} | {label} | {' | '.join(cells)} |")
    return "\n".join(rows)
