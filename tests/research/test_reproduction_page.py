"""The committed docs/reproduction.md: from a full run, by the rules as they are now."""

from pathlib import Path

from research.paper import expected, report
from research.paper.claims import CLAIMS, RUN_TIMES
from research.paper.figures import DRAWINGS
from research.paper.readings import READINGS

MARKED = {mark: verdict for verdict, mark in report.MARKS.items()}


def table_of(page):
    """The verdicts of a page, by claim and reading."""
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| [")]
    return {
        (int(row[0].split("[")[1].split("]")[0]), name): MARKED[cell]
        for row in rows
        for name, cell in zip(READINGS, row[2:5], strict=True)
        if cell in MARKED
    }


def test_the_committed_page_comes_from_a_full_run_of_these_rules():
    page = Path(report.PAGE).read_text(encoding="utf-8")
    assert "50 runs of each policy" in page
    assert "seed 2003, " in page
    assert "no commit is known" not in page
    for claim in (*CLAIMS, RUN_TIMES):
        assert f'<a id="claim-{claim.number}"></a>' in page
        assert claim.words in page
        assert claim.rule in page, f"claim {claim.number} was decided by another rule"


def test_the_committed_page_lists_each_cell_that_differs():
    page = Path(report.PAGE).read_text(encoding="utf-8")
    found = table_of(page)
    assert set(found) == {(claim.number, name) for claim in (*CLAIMS, RUN_TIMES)
                          for name in claim.readings}  # fmt: skip
    for cell, wanted in expected.verdicts().items():
        said = f"- Claim {cell[0]}, reading {cell[1]}: expected “{wanted}”, found “{found[cell]}”."
        assert (said in page) == (found[cell] != wanted), cell


def test_the_committed_figures_are_those_of_the_page():
    page = Path(report.PAGE).read_text(encoding="utf-8")
    there = {path.stem for path in (report.PAGE.parent / "reproduction").glob("*.svg")}
    assert there == set(DRAWINGS)
    assert all(f"(reproduction/{name}.svg)" in page for name in there)
