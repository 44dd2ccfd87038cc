"""Write docs/reproduction.md from the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from budgeted.experiments.spec import Experiment
from budgeted.statistics import Mean
from research.paper.claims import HOLDS, IN_PART, NOT, Claim, Finding, Results
from research.paper.origin import DOCS, Origin

PAGE = DOCS / "reproduction.md"

MARKS = {HOLDS: "✔ holds", IN_PART: "◐ holds in part", NOT: "✘ does not hold"}


@dataclass(frozen=True)
class Circumstances:
    """What the figures depend on, and what it took to write the page."""

    origin: Origin
    computed: int
    runs: int
    minutes: float
    workers: int

    def __str__(self) -> str:
        return (
            f"computed {self.origin}. {self.computed} of all {self.runs} runs were computed for this "
            f"page, the others before; it took {self.minutes:.0f} minutes on {self.workers} cores"
        )


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
        f"Written by `make reproduce`: {first.runs} runs of each policy, seed {first.seed}, "
        f"{circumstances}. Each experiment is a file in `research/paper/experiments/`; the rules below were "
        "written into `research/paper/claims.py` before the runs. Intervals are 95 %, of "
        "differences between runs in the same worlds; nothing is corrected for the number of "
        "comparisons. `make reproduce` also draws how often each policy bought each feature "
        "(`docs/reproduction/*-purchases.svg`, not kept in the repository).",
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
            lines.append(f"![{title}](reproduction/{name}.svg)")
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
