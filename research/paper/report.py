"""Write docs/reproduction.md from the findings: the verdicts first, what is behind them folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from budgeted.experiments.runs import Runs
from budgeted.statistics import Mean
from research.paper import expected
from research.paper.figures import DRAWINGS, OF_THE_PAPER
from research.paper.origin import DOCS, Origin
from research.paper.readings import MAIN, READINGS
from research.paper.rules import HOLDS, IN_PART, NOT, VERDICTS, Claim, Finding, Results
from research.paper.spent import Spent

PAGE = DOCS / "reproduction.md"

MARKS = {HOLDS: "✔ holds", IN_PART: "◐ in part", NOT: "✘ does not"}

Findings = Mapping[tuple[int, str], Finding]
"""By claim and reading."""


@dataclass(frozen=True)
class Circumstances:
    """What the figures depend on, and what it took to write the page."""

    origin: Origin
    seed: int
    most: int
    runs: int
    spent: Spent
    workers: int

    def __str__(self) -> str:
        return (
            f"Written by `make reproduce`: {self.most} runs of each policy, "
            f"seed {self.seed}, computed {self.origin}. These are {self.runs} runs; computing "
            f"{self.spent.runs} of them took {self.spent.minutes:.0f} minutes, and "
            f"{self.spent.processor:.0f} minutes of processor time, with {self.workers} workers."
        )


def page(
    claims: Sequence[Claim],
    findings: Findings,
    readings: Mapping[str, Results],
    circumstances: Circumstances,
) -> str:
    """Return the page."""
    differing = expected.differences(findings)
    parts = [
        "# The paper reproduced",
        "What of Lizotte, Madani and Greiner, *Budgeted Learning of Naïve-Bayes Classifiers* (2003), "
        "holds when it is computed again, with exact expected losses where the paper sampled. The paper "
        "leaves things open, so it is read in three ways:",
        "\n".join(f"- **{each.name}**: {each.words}" for each in READINGS.values()),
        "## Verdicts",
        _summary(claims, findings),
        _table(claims, findings, circumstances.most),
        "A dash: the reading makes no difference. The last column is the least true difference that the "
        f"{circumstances.most} runs of reading {MAIN} would see four times of five, in the least sharp check of "
        "the claim; a smaller one may be there and was missed.",
        "## Beside the paper's figures",
        f"Reading {MAIN}. The paper's pictures are not shown here: these have its axes, as far as its text gives "
        "them (purchases up to the budget, 0/1 error, the line of complete training data, □ and ○ for "
        "depth 30 with a budget of 300 and of 50). The ends of its vertical axes are not in the text; "
        "ours begin at 0. Bands and the best single feature are ours.",
        _grid(),
        "## Claim by claim",
        "Unfold a claim for its rule, what was measured (✓ as the claim wants it, ✗ not), and, where it "
        f"does not hold in reading {MAIN}, why.",
        *(_details(claim, findings, readings) for claim in claims),
        "## Compared with another simulator",
        _compared(differing),
        "## How it was computed",
        str(circumstances),
        "Each experiment is a file in `research/paper/experiments/`. Every cell (feature and label) "
        'has a stream of values of its own (`case_rule = "per cell"`), so that what it yields does not '
        "depend on what else was bought; whole patients are bought whole. Errors are 0/1 errors on the "
        "20 % of the cases that nobody may buy. Intervals are 95 %, of differences between runs in the "
        "same worlds; apart from claim 10 nothing is corrected for the number of comparisons.",
        _folded("All errors", _errors(readings)),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(claims: Sequence[Claim], findings: Findings) -> str:
    verdicts = [findings[claim.number, MAIN].verdict for claim in claims]
    holds, part, no = (verdicts.count(each) for each in VERDICTS)
    which = {
        each: ", ".join(str(claim.number) for claim, found in zip(claims, verdicts, strict=True)
                        if found == each)
        for each in (IN_PART, NOT)
    }  # fmt: skip
    return (
        f"In reading {MAIN}, {holds} of {len(claims)} claims hold, {part} hold in part"
        f"{f' ({which[IN_PART]})' * bool(part)}, {no} do not{f' ({which[NOT]})' * bool(no)}."
    )


def _table(claims: Sequence[Claim], findings: Findings, runs: int) -> str:
    names = list(READINGS)
    rows = [
        f"| claim | of the paper, in short | {' | '.join(names)} | {runs} runs see |",
        f"| ---: | --- | {' | '.join('---' for _ in names)} | --- |",
    ]
    for claim in claims:
        cells = [
            MARKS[findings[claim.number, name].verdict] if name in claim.readings else "–"
            for name in names
        ]
        sees = findings[claim.number, MAIN].sees
        seen = "" if isnan(sees) else f"{sees:.2g} {claim.unit}"
        rows.append(
            f"| [{claim.number}](#claim-{claim.number}) | {claim.words} | {' | '.join(cells)} | {seen} |"
        )
    return "\n".join(rows)


def _grid() -> str:
    images = [f"![{each.title}](reproduction/{each.name}.svg)" for each in OF_THE_PAPER]
    rows = ["| | |", "| --- | --- |"]
    rows += [f"| {one} | {other} |" for one, other in zip(images[::2], images[1::2], strict=True)]
    return "\n".join(rows)


def _details(claim: Claim, findings: Findings, readings: Mapping[str, Results]) -> str:
    found = {name: findings[claim.number, name] for name in READINGS if name in claim.readings}
    verdicts = ", ".join(f"{name}: {MARKS[each.verdict]}" for name, each in found.items())
    parts = [f"*Rule.* {claim.rule}"]
    if claim.open:
        parts.append(f"*Left open.* {claim.open}")
    for name, each in found.items():
        lines = [*map(str, each.checks), *each.notes]
        parts.append(f"**Reading {name}: {MARKS[each.verdict]}**")
        parts.append("\n".join(f"- {line}" for line in lines))
    if found[MAIN].verdict != HOLDS:
        why = [f"- {line}" for line in claim.why({name: readings[name] for name in found})]
        if why:
            parts += ["**Why not**", "\n".join(why)]
    for name in claim.figures:
        parts.append(f"![{DRAWINGS[name].title}](reproduction/{name}.svg)")
    title = f"<b>Claim {claim.number}</b> {claim.words} <i>{verdicts}</i>"
    return f'<a id="claim-{claim.number}"></a>\n' + _folded(title, "\n\n".join(parts))


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def _compared(differing: Sequence[str]) -> str:
    cells = len(expected.verdicts())
    first = (
        f"The verdicts of claims 1 to 11 in readings A and C are known from {expected.source()} "
        "(`research/paper/expected.toml`), by rules that compared means where ours compare intervals. "
    )
    if not differing:
        return first + f"All {cells} are the same here."
    same = cells - len(differing)
    listed = "\n".join(f"- {each}" for each in differing)
    return first + f"{same} of {cells} are the same here; these are not:\n\n{listed}"


def _errors(readings: Mapping[str, Results]) -> str:
    rows = ["| experiment | reading | policy | after 50 | after 100 | at the end | complete data | best single |",
            "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for stem in readings[MAIN]:
        seen: list[Runs] = []
        for name, results in readings.items():
            for label, runs in results.get(stem, {}).items():
                if any(runs is each for each in seen):
                    continue  # shared with a reading before
                seen.append(runs)
                rows.append(f"| {stem} | {name} | {label} | {' | '.join(_cells(runs))} |")
    return "\n".join(rows)


def _cells(runs: Runs) -> Iterable[str]:
    steps = runs.errors.shape[1]
    yield from (str(Mean.of(runs.error_after(at))) if at <= steps else "" for at in (50, 100))
    yield f"{Mean.of(runs.error_after(steps))} ({steps})"
    yield f"{runs.complete.mean():.3f}"
    yield f"{runs.single.mean():.3f}"
