"""Draw docs/architecture.svg: the layers as import-linter enforces them, and one purchase.

The boxes are read from pyproject.toml, so the picture cannot say anything else than the code.

    python tools/draw_architecture.py
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent

WHAT = {
    "cli": "the command line, thin",
    "cli_optimal": "about the optimum",
    "cli_experiment": "about experiments",
    "cli_serve": "about the page",
    "web": "pages, their JSON twins, the door",
    "comparison": "policies side by side",
    "runner": "runs on any executor",
    "learners": "purchases → the classifier, and how wrong it expects to be",
    "executors": "processes, Dask",
    "results": "runs in a folder",
    "changes": "what was another",
    "run_files": "runs as Parquet",
    "dask_files": "files for workers",
    "own_policies": "those of the user",
    "sources": "files of the user",
    "provenance": "which code it was",
    "deciding_code": "the code that decides",
    "fingerprints": "no mixtures",
    "experiment": "TOML → policies, seeds",
    "runs": "whole runs and their curves",
    "cli_datasets": "about tables",
    "cli_study": "its commands about studies",
    "study": "ask, tell, status",
    "journal": "append, read",
    "events": "what can happen",
    "model": "the classifier",
    "streams": "one seed, many streams",
    "synthetic": "the synthetic problems of the paper",
    "datasets": "UCI tables, splits",
    "table": "CSV, dataframes",
    "figures": "Vega-Lite to files",
    "simulation": "simulate()",
    "judging": "errors of classifiers",
    "worlds": "who answers",
    "optimal": "exact regret",
    "testing": "contracts",
    "policies": "choose(state, rng) → Choice",
    "state": "money, history, pending",
    "expectation": "loss, now and expected",
    "cases": "which case",
    "belief": "Dirichlet counts",
    "loss": "gini, entropy, zero_one",
    "purchase": "Purchase, Request",
    "history": "all purchases, oldest first",
    "problem": "Feature, Problem, Action",
    "money": "exact decimals",
    "cache": "remembered, within bytes",
    "memory": "results by what they depend on",
    "registry": "members by name",
    "names": "as given",
    "pending": "requests under way",
    "cli_output": "when nothing can be printed",
    "nearest": "as meant",
    "predictions": "files of cases",
    "errors": "what can go wrong",
    "files": "whole or not at all",
    "listing": "the first of many",
    "hints": "what to do instead",
    "special": "log-gamma, digamma",
    "statistics": "means, intervals",
}

PURCHASE = (
    ("policy.choose(state, rng)", "a pure function: nothing to save, replay or reseed"),
    ("state.depths()", "how often can the free money and the cases left buy each cell?"),
    ("lookahead(belief, depths)", "expected loss of every cell, by the exact engine"),
    ("Choice", "the cell, the scores of all cells, the reason in words"),
    ("stock.buy(action)", "the world picks a case and hands over its value"),
    ("state.after(purchase)", "paid, observed, remembered: a new state"),
    ("validation.error(learner.fit(problem, history))", "a row of the run: error by now"),
)

BOX, GAP, LEFT = 44, 14, 24
WIDTH, MIDDLE, RIGHT = 1080, 610, 650
FONT = "font-family='Helvetica, Arial, sans-serif'"


def layers() -> list[list[str]]:
    """Return the layers, top first, each a list of modules."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contract = tomllib.load(file)["tool"]["importlinter"]["contracts"][0]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def text(x: float, y: float, words: str, *, size: int = 13, bold: bool = False, **more: str) -> str:
    """Return one line of text."""
    weight = " font-weight='bold'" if bold else ""
    extra = "".join(f" {key.replace('_', '-')}='{value}'" for key, value in more.items())
    return (
        f"<text x='{x:g}' y='{y:g}' {FONT} font-size='{size}'{weight}{extra}>{escape(words)}</text>"
    )


def box(x: float, y: float, width: float, title: str, words: str, fill: str) -> str:
    """Return a box with a name and what it is for."""
    return (
        f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{BOX}' rx='6' fill='{fill}' "
        "stroke='#46627f'/>"
        + text(x + width / 2, y + 18, title, bold=True, text_anchor="middle")
        + text(x + width / 2, y + 35, words, size=11, text_anchor="middle", fill="#333333")
    )


def draw() -> str:
    """Return the picture as SVG."""
    rows = layers()
    top = 64.0
    height = top + len(rows) * (BOX + GAP) + 40
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:g}' "
        f"width='{WIDTH}' height='{height:g}'>",
        "<defs><marker id='arrow' markerWidth='9' markerHeight='8' refX='7' refY='4' "
        "orient='auto'><path d='M0,0 L8,4 L0,8 z' fill='#46627f'/></marker></defs>",
        f"<rect width='{WIDTH}' height='{height:g}' fill='white'/>",
        text(LEFT, 30, "The layers", size=18, bold=True),
        text(LEFT, 50, "A module imports only from rows below its own.", size=12, fill="#555555"),
        text(RIGHT, 30, "One purchase", size=18, bold=True),
        text(RIGHT, 50, "Round and round, until choose() says None.", size=12, fill="#555555"),
    ]
    for number, row in enumerate(rows):
        y = top + number * (BOX + GAP)
        width = (MIDDLE - LEFT - GAP * (len(row) - 1)) / len(row)
        for position, name in enumerate(row):
            x = LEFT + position * (width + GAP)
            parts.append(box(x, y, width, name, WHAT[name], "#dfeaf5"))
    step = (len(rows) * (BOX + GAP) - GAP - BOX) / (len(PURCHASE) - 1)
    for number, (call, words) in enumerate(PURCHASE):
        y = top + number * step
        parts.append(box(RIGHT + 30, y, WIDTH - RIGHT - 60, call, words, "#fdf0dc"))
        if number:
            x = (RIGHT + WIDTH) / 2
            parts.append(arrow(f"M{x:g},{y - step + BOX:g} L{x:g},{y - 2:g}"))
    bottom = top + (len(PURCHASE) - 1) * step + BOX / 2
    side = WIDTH - 12
    parts.append(arrow(f"M{WIDTH - 30},{bottom:g} H{side} V{top + BOX / 2:g} H{WIDTH - 26}"))
    return "\n".join([*parts, "</svg>\n"])


def arrow(path: str) -> str:
    """Return a line with a head."""
    line = "fill='none' stroke='#46627f' stroke-width='1.5' marker-end='url(#arrow)'"
    return f"<path d='{path}' {line}/>"


if __name__ == "__main__":
    (ROOT / "docs" / "architecture.svg").write_text(draw(), encoding="utf-8")
