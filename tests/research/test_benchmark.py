"""The tables as worlds, the problems with bars, and the claims and the page made of the results."""

import json
from dataclasses import replace
from math import nan

import numpy as np
import pytest
from click.testing import CliRunner

from research.quality import report
from research.quality.fixed import BARS
from research.quality.verdicts import (
    OURS,
    PLAIN,
    TAUGHT,
    Kept,
    noisy_coverage,
    verdicts,
)
from research.quality.zoo.entries import ENTRIES, SLOW
from research.quality.zoo.plays import LOOKS
from research.quality.zoo.results import Looks, Results, kept
from research.quality.zoo.tables import TABLES
from research.quality.zoo.traits import PRICES, STRATA

HALVES = [("weak",), ("strong",)] * 10


def names_in(file):
    """Who is in a file of results, with each learner."""
    _, labels = report.KEPT[file]
    return [f"{each.label} / {learner}" for each in ENTRIES if each.label in labels
            for learner in each.learners]  # fmt: skip


def made_up(
    strata=HALVES, errors=None, majority=0.4, predicted=0.22, missed=(0, 1), file="confirmation"
):
    """Results of worlds in which the default errs by .2 and everybody else by .3, or by `errors`.

    The default expects `predicted`, ± .1, but ± .01 in the worlds where it is wrong (`missed`).
    """
    shape = (len(strata), len(LOOKS))
    nothing = np.full(shape, nan)
    looks = {}
    for name in names_in(file):
        error = np.broadcast_to({OURS: 0.2, **(errors or {})}.get(name, 0.3), shape)
        looks[name] = Looks(error, nothing, nothing, nothing, np.full(shape, 2.5))
    said, width = np.full(shape, predicted), np.full(shape, 0.1)
    width[list(missed)] = 0.01
    looks[OURS] = replace(looks[OURS], predicted=said, low=said - width, high=said + width)
    share = np.broadcast_to(majority, len(strata)).astype(float)
    return Results(share, tuple(strata), looks, code="c0ffee")


TRIALS = [(name, pattern) for name in TABLES for pattern in PRICES]


def trials(errors=None, missed=(0, 1)):
    return made_up(TRIALS, errors, missed=missed, file="tables")


def everything():
    """All results of which the page is made, and they are good."""
    few = {name: made_up(HALVES[:4], file=name) for name in SLOW}
    return Kept(made_up(), made_up(file="challengers"), few, trials())


def runs(changed=None):
    """Three runs of each bar in which both learners err by .04, but for ours at some looks."""
    return {
        name: [
            [{TAUGHT: (changed or {}).get((name, at), 0.04), PLAIN: 0.04}
             for at in range(len(bar.looks))]
        ] * 3
        for name, bar in BARS.items()
    }  # fmt: skip


def judged(changed=None):
    """The verdicts of good results, but for some runs of the bars."""
    return verdicts(everything(), runs(changed), np.full(len(TRIALS), 10**6))


def failing(changed):
    """Return the claims that do not hold."""
    return [each.claim for each in judged(changed) if not each.holds]


def test_all_claims_can_hold():
    found = judged()
    assert all(each.holds for each in found)
    assert len({each.claim for each in found}) == len(found) == 9 + 7


@pytest.mark.parametrize(
    ("name", "at"), [(name, at) for name, bar in BARS.items() for at in range(len(bar.looks))]
)
def test_a_bar_holds_up_to_its_height(name, at):
    bar = BARS[name]
    height = 0.04 + bar.above if bar.most is None else bar.most
    assert failing({(name, at): height - 1e-4}) == []
    (claim,) = failing({(name, at): height + 1e-4})
    assert claim.startswith(bar.title)
    assert ("above naive Bayes" in claim) == (bar.most is None)
    assert (f", {bar.looks[at]:.0%} of the money" in claim) == (len(bar.looks) > 1)


def test_the_noise_of_test_rows_by_hand():
    # Said .2, from .15 to .24. Of 100 rows the noise is 1.645² × .26 × .74 / 100 = .0052 at an
    # error of .26, and √(.04² + .0052) = .082 is more than .06; at an error of .13 it is .0031,
    # and √(.05² + .0031) = .075 is more than .07. Of 200 rows they are .065 and .063.
    error = np.array([[0.26, 0.13]])
    said, low, high = (np.full((1, 2), each) for each in (0.2, 0.15, 0.24))
    looks = Looks(error, said, low, high, said)
    assert noisy_coverage(looks, np.array([100])).tolist() == [[True, True]]
    assert noisy_coverage(looks, np.array([200])).tolist() == [[True, False]]
    assert noisy_coverage(looks, np.array([10_000])).tolist() == [[False, False]]
    inside = replace(looks, error=np.array([[0.239, 0.151]]))
    assert noisy_coverage(inside, np.array([10**9])).tolist() == [[True, True]]


WHOLE = [(name,) for name in STRATA] * 4


def text_of(results, played):
    """Return the page, once it has been seen to be whole."""
    rows = np.full(len(results.tables.majority), 100)
    text = report.page(results, played, rows)
    for one in verdicts(results, played, rows):
        says = "holds" if one.holds else "**does not hold**"
        assert f"| {one.claim} | {one.seen} | {says} |\n" in text
    assert "nan" not in text.lower()
    return text


def test_the_page_of_bad_results_says_so():
    errors = {name: 0.1 for file in report.KEPT for name in names_in(file) if name != OURS}
    changed = {(name, at): 0.9 for name, bar in BARS.items() for at in range(len(bar.looks))}
    results = Kept(
        made_up(WHOLE, errors, majority=0.1, predicted=0.3, missed=range(132)),
        made_up(WHOLE, errors, file="challengers"),
        {name: made_up(HALVES, errors, file=name) for name in SLOW},
        trials(errors, missed=range(21)),
    )
    text = text_of(results, runs(changed))
    assert text.count("| **does not hold** |") == 9 + 7 - 1, "all but the tables, of few rows"
    assert text.count(" ▲ |") == len(STRATA)
    assert f"in {len(STRATA)} of {len(STRATA)} strata: 4–9 features (+0.1000 ± 0.0000" in text
    assert "- chess: +0.1000 ± 0.0000 above sfl at the end." in text


def judged_worlds(folder, lacking):
    """Files of worlds as they are judged, each without some entries."""
    numbers = {"error": 0.25, "predicted": None, "low": None, "high": None, "seconds": 1.0}
    facts = {"majority_error": 0.4, "strata": ["weak"], "fingerprint": "c0ffee"}
    for source in ("confirmation", "tables"):
        (folder / source).mkdir()
        for number, without in enumerate(lacking):
            rows = [
                {"entry": each.label, "learner": learner, **numbers}
                for each in ENTRIES if each.label not in without
                for learner in each.learners for _ in LOOKS
            ]  # fmt: skip
            (folder / source / f"{number}.jsonl").write_text(
                "".join(json.dumps(line) + "\n" for line in (facts, *rows))
            )


@pytest.fixture
def packing(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "HERE", tmp_path / "kept")
    monkeypatch.setattr(report, "write", lambda: tmp_path / "benchmark.md")
    return tmp_path


def test_results_are_packed_before_the_page_is_written(packing):
    """Two worlds: with everybody, and without the slow ones."""
    judged_worlds(packing, ((), SLOW))
    result = CliRunner().invoke(report.main, ["--keep", str(packing)])
    assert result.exit_code == 0, result.output
    expected = {"confirmation": 2, "challengers": 2, **dict.fromkeys(SLOW, 1), "tables": 2}
    assert result.output.splitlines() == [
        *(f"{name}: {worlds} worlds, {2 - worlds} left out" for name, worlds in expected.items()),
        f"wrote {packing / 'benchmark.md'}",
    ]
    for name, worlds in expected.items():
        found = kept(packing / "kept" / f"{name}.json.xz")
        assert (list(found.looks), found.code) == (names_in(name), "c0ffee")
        assert found.looks[OURS].error.tolist() == [[0.25] * 5] * worlds


@pytest.mark.slow
def test_the_committed_page_is_what_the_committed_results_say(tmp_path):
    path = report.write(tmp_path)
    committed = (report.DOCS / "benchmark.md").read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8") == committed
    for figure in (tmp_path / "benchmark").iterdir():
        assert (report.DOCS / "benchmark" / figure.name).exists()
