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
    "web": "pages, their JSON twins, who is let in",
    "expectation": "= value",
    "datasets": "= simulation.datasets",
    "synthetic": "= simulation.synthetic",
    "runs": "= experiments.runs",
    "experiments": "many runs of many policies, anywhere",
    "sklearn": "estimators",
    "studies": "what people do to a study, and its journal",
    "testing": "the contracts of every seam, for outsiders",
    "simulation": "worlds, judges, tables",
    "optimal": "exact regret",
    "diagnosis": "the next test",
    "policies": "what to buy next",
    "state": "money, history, what is under way, which case",
    "value": "losses, now and expected",
    "learners": "from purchases to the classifier",
    "seeds": "one seed, many streams",
    "problem": "what is for sale, at what price",
    "provenance": "which code it was",
    "client": "a server, from outside",
    "registry": "members by name",
    "formats": "numbered, with upcasts",
    "memory": "results by what they depend on",
    "errors": "what can go wrong",
    "cache": "remembered, within bytes",
    "addresses": "hosts, names",
    "files": "whole or not at all",
    "hints": "what to do instead",
    "listing": "the first of many",
    "nearest": "as meant",
    "statistics": "means, intervals",
    "significance": "tests, ranks",
}

SEAMS = {
    "studies": "Command: decide(draft) → events",
    "policies": "Policy: choose(state, rng) → Choice",
    "value": "Engine: supports(…), expected loss · Loss",
    "learners": "Learner: fit(problem, purchases) → Predictor",
    "problem": "Feature kind: read, category · Price list: quote(order, case)",
    "registry": "Registry: register, entry points",
}
"""Where others can put in members of their own: one interface each."""

PURCHASE = (
    (
        "policies",
        "policy.choose(state, rng) → Choice",
        "which features of a case of which label, and why",
    ),
    ("state.cases", "the case rule", "which case of that label: fresh, overlap or settle"),
    ("problem.prices", "prices.quote(order, case)", "what this order costs on this case, exactly"),
    (
        "studies",
        "Asked, appended to the journal",
        "the decision with its scores; the money is reserved",
    ),
    ("problem.features", "kind.read(told)", "what a laboratory says, as a value of the feature"),
    ("studies", "Told, appended to the journal", "the same for Failed, Cancelled, Corrected, …"),
    ("state", "state.after(purchase)", "paid, observed, remembered: a new state"),
    (
        "learners",
        "learner.fit(problem, history)",
        "the predictor: status, charts, judge and model file use this one",
    ),
)
"""One value, from the question to the classifier; a simulation leaves out the journal."""

BOX, TALL, GAP, LEFT = 44, 50, 14, 24
WIDTH, MIDDLE, RIGHT = 1180, 640, 680
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


def step_box(x: float, y: float, width: float, home: str, call: str, words: str) -> str:
    """Return a step of a purchase: where it is done, by what, and what it is for."""
    return (
        f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{TALL}' rx='6' fill='#f4f1ea' "
        "stroke='#46627f'/>"
        + text(x + 12, y + 18, call, bold=True)
        + text(x + width - 12, y + 18, home, size=11, text_anchor="end", fill="#46627f")
        + text(x + 12, y + 38, words, size=11, fill="#333333")
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
        text(
            LEFT,
            50,
            "A package imports only from rows below its own. Yellow: open to members of others.",
            size=12,
            fill="#555555",
        ),
        text(RIGHT, 30, "One purchase", size=18, bold=True),
        text(
            RIGHT,
            50,
            "Round and round, until choose() says None; each step has one home.",
            size=12,
            fill="#555555",
        ),
    ]
    for number, row in enumerate(rows):
        y = top + number * (BOX + GAP)
        width = (MIDDLE - LEFT - GAP * (len(row) - 1)) / len(row)
        for position, name in enumerate(row):
            x = LEFT + position * (width + GAP)
            fill = "#fbe3b5" if name in SEAMS else "#dfeaf5"
            words = SEAMS.get(name, "") if len(row) == 1 else WHAT[name]
            title = f"{name} — {WHAT[name]}" if words in SEAMS.values() else name
            parts.append(box(x, y, width, title, words or WHAT[name], fill))
    step = (len(rows) * (BOX + GAP) - GAP - TALL) / (len(PURCHASE) - 1)
    for number, (home, call, words) in enumerate(PURCHASE):
        y = top + number * step
        parts.append(step_box(RIGHT + 20, y, WIDTH - RIGHT - 60, home, call, words))
        if number:
            x = (RIGHT + WIDTH - 20) / 2
            parts.append(arrow(f"M{x:g},{y - step + TALL:g} L{x:g},{y - 2:g}"))
    bottom = top + (len(PURCHASE) - 1) * step + TALL / 2
    side = WIDTH - 12
    parts.append(arrow(f"M{WIDTH - 40},{bottom:g} H{side} V{top + TALL / 2:g} H{WIDTH - 38}"))
    return "\n".join([*parts, "</svg>\n"])


def arrow(path: str) -> str:
    """Return a line with a head."""
    line = "fill='none' stroke='#46627f' stroke-width='1.5' marker-end='url(#arrow)'"
    return f"<path d='{path}' {line}/>"


if __name__ == "__main__":
    (ROOT / "docs" / "architecture.svg").write_text(draw(), encoding="utf-8")
