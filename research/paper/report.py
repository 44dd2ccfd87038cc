"""Write docs/reproduction.md from the findings: the verdicts first, then each claim in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from research.paper import facts, figure_3, mushroom, nursery_and_votes, other_claims
from research.paper.figures import DRAWINGS
from research.paper.readings import MAIN, READINGS
from research.paper.rules import HOLDS, IN_PART, NOT, VERDICTS, Claim, Finding, Results

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reproduction.md"

CLAIMS = tuple(
    sorted(
        (*figure_3.CLAIMS, *mushroom.CLAIMS, *nursery_and_votes.CLAIMS, *other_claims.CLAIMS,
         *facts.CLAIMS),
        key=lambda each: each.number,
    )
)  # fmt: skip
"""All claims of the paper but the run times, which are measured and not read from runs."""
RUN_TIMES = other_claims.RUN_TIMES
EVERY = tuple(sorted((*CLAIMS, RUN_TIMES), key=lambda each: each.number))

MARKS = {HOLDS: "✔ holds", IN_PART: "◐ in part", NOT: "✘ does not"}
MOST_CHECKS = 6
"""Of a claim that are all shown; of more, those that are not as the claim wants them."""
_LETTERS = {"h": HOLDS, "p": IN_PART, "n": NOT}
ELSEWHERE = {"A": "hpphnnphppp", "C": "hhhphpnhppp"}
"""Verdicts of claims 1 to 11 by an independent simulator, in another language and with other seeds."""

Findings = Mapping[tuple[int, str], Finding]
"""By claim and reading."""


@dataclass(frozen=True)
class Circumstances:
    """What the figures depend on."""

    code: str  # fingerprint of the code that computed the runs
    versions: str  # under which it ran
    seed: int
    most: int  # runs of each policy
    runs: int  # of all

    def __str__(self) -> str:
        return (
            f"Written by `make reproduce`: {self.most} runs of each policy, {self.runs} in all, seed "
            f"{self.seed}, computed by the code with the fingerprint `{self.code}` ({self.versions})."
        )


def page(findings: Findings, readings: Mapping[str, Results], circumstances: Circumstances) -> str:
    """Return the page."""
    parts = [
        "# The paper reproduced",
        "What of Lizotte, Madani and Greiner, *Budgeted Learning of Naïve-Bayes Classifiers* (2003), "
        "holds when it is computed again, with exact expected losses where the paper sampled. The paper "
        "leaves things open, so it is read in three ways:",
        "\n".join(f"- **{each.name}**: {each.words}" for each in READINGS.values()),
        "## Verdicts",
        _summary(findings),
        _table(findings, circumstances.most),
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
        f"The rule, what was measured in reading {MAIN} (✓ as the claim wants it, ✗ not; of more than "
        f"{MOST_CHECKS} comparisons only the latter), and, where the claim does not hold, why.",
        *(_details(claim, findings, readings) for claim in EVERY),
        "## Compared with another simulator",
        _compared(findings),
        "## How it was computed",
        str(circumstances),
        "Each experiment is a file in `research/paper/experiments/`. Every cell (feature and label) "
        'has a stream of values of its own (`case_rule = "per cell"`), so that what it yields does not '
        "depend on what else was bought; whole patients are bought whole. Errors are 0/1 errors on the "
        "20 % of the cases that nobody may buy. Intervals are 95 %, of differences between runs in the "
        "same worlds; apart from claim 10 nothing is corrected for the number of comparisons.",
        f"## Errors at the end, reading {MAIN}",
        _errors(readings[MAIN]),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(findings: Findings) -> str:
    verdicts = [findings[claim.number, MAIN].verdict for claim in EVERY]
    holds, part, no = (verdicts.count(each) for each in VERDICTS)
    which = {
        each: ", ".join(str(claim.number) for claim, found in zip(EVERY, verdicts, strict=True)
                        if found == each)
        for each in (IN_PART, NOT)
    }  # fmt: skip
    return (
        f"In reading {MAIN}, {holds} of {len(EVERY)} claims hold, {part} hold in part"
        f"{f' ({which[IN_PART]})' * bool(part)}, {no} do not{f' ({which[NOT]})' * bool(no)}."
    )


def _table(findings: Findings, runs: int) -> str:
    rows = [
        f"| claim | of the paper, in short | {' | '.join(READINGS)} | {runs} runs see |",
        f"| ---: | --- | {' | '.join('---' for _ in READINGS)} | --- |",
    ]
    for claim in EVERY:
        cells = [
            MARKS[findings[claim.number, name].verdict] if name in claim.readings else "–"
            for name in READINGS
        ]
        sees = findings[claim.number, MAIN].sees
        seen = "" if isnan(sees) else f"{sees:.2g} {claim.unit}"
        rows.append(
            f"| [{claim.number}](#claim-{claim.number}) | {claim.words} | {' | '.join(cells)} | {seen} |"
        )
    return "\n".join(rows)


def _grid() -> str:
    images = [f"![{each.title}](reproduction/{each.name}.svg)" for each in DRAWINGS]
    rows = ["| | |", "| --- | --- |"]
    rows += [f"| {one} | {other} |" for one, other in zip(images[::2], images[1::2], strict=True)]
    return "\n".join(rows)


def _details(claim: Claim, findings: Findings, readings: Mapping[str, Results]) -> str:
    found = findings[claim.number, MAIN]
    shown = [each for each in found.checks
             if len(found.checks) <= MOST_CHECKS or not each.passed]  # fmt: skip
    parts = [f"### Claim {claim.number}", f"{claim.rule} {claim.open}".rstrip()]
    lines = [*map(str, shown), *found.notes]
    if found.verdict != HOLDS:
        lines += claim.why({name: readings[name] for name in claim.readings})
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in lines)])


def differences(findings: Findings) -> list[str]:
    """Return in words each verdict that is another one than that of the other simulator."""
    return [
        f"claim {number} in reading {name} ({_LETTERS[letter]} there, {found.verdict} here)"
        for name, letters in ELSEWHERE.items()
        for number, letter in enumerate(letters, start=1)
        if (found := findings.get((number, name))) is not None and found.verdict != _LETTERS[letter]
    ]


def _compared(findings: Findings) -> str:
    differing, cells = differences(findings), sum(map(len, ELSEWHERE.values()))
    return (
        "Claims 1 to 11 in readings A and C were judged by an independent simulator as well, in another "
        "language and with other seeds, by rules that compared means where ours compare intervals. "
        f"{cells - len(differing)} of {cells} verdicts are the same; these are not: "
        f"{'; '.join(differing) or 'none'}."
    )


def _errors(results: Results) -> str:
    rows = ["| experiment | error after the last purchase | complete data | best single |",
            "| --- | --- | ---: | ---: |"]  # fmt: skip
    for stem, policies in results.items():
        ends = "; ".join(f"{label} {runs.final.value:.3f}" for label, runs in policies.items())
        first = next(iter(policies.values()))
        rows.append(
            f"| {stem} | {ends} | {first.complete.mean():.3f} | {first.single.mean():.3f} |"
        )
    return "\n".join(rows)
