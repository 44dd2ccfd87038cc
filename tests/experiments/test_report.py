"""Tables for papers: the numbers are those of the runs, the tests those of SciPy."""

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import altair
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from budgeted.cli.main import main
from budgeted.errors import RunnerError
from budgeted.experiments import report as reports
from budgeted.experiments import report_tables as tables
from budgeted.experiments.figures import ranks_figure, save
from budgeted.experiments.report import AREA, ERROR, Ranking, report_of
from budgeted.experiments.runner import run
from budgeted.experiments.series import read_all, series_of
from budgeted.experiments.significance import Pair, holm

DOCUMENT = {
    "title": "Three", "budget": 8, "runs": 4, "seed": 5, "measures": ["brier", "auc"],
    "moments": [0.5],
    "problem": [
        {"synthetic": "figure-3b", "features": 3, "name": "a_1 & b"},
        {"synthetic": "figure-3b", "features": 4, "name": "four"},
        {"synthetic": "figure-3a", "features": 3, "name": "three"},
    ],
    "policy": [{"name": "round-robin", "label": "robin 100 %"}, {"name": "random-shopper"},
               {"name": "uniform-expenditure", "label": "even|money", "budget": 9}],
}  # fmt: skip
LABELS = ["robin 100 %", "random-shopper", "even|money"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    series = series_of(DOCUMENT, "all")
    with ThreadPoolExecutor(1) as executor:
        for each in series.tables.values():
            run(each, folder, executor)
    return series.gather(folder)


@pytest.fixture(scope="module")
def report(file):
    return report_of([file])


@pytest.fixture(scope="module")
def results(file):
    return {name: found for name, _, found in read_all(file)}


def ends(results, table, measure):
    """What each policy reached at the end of each run."""
    limit = {label: Decimal(9 if label == "even|money" else 8) for label in LABELS}
    return {
        label: runs.errors[:, -1] if measure == ERROR
        else runs.area_under_curve(limit[label]) if measure == AREA
        else np.array([each.measures[measure][-1] for each in runs.runs])
        for label, runs in results[table].items()
    }  # fmt: skip


def test_means_and_intervals_are_those_of_the_runs(report, results):
    assert {row.measure for row in report.rows} == {ERROR, AREA, "brier", "auc"}
    assert len(report.rows) == 3 * 3 * (2 + 1 + 2 + 2)
    for row in report.rows:
        if row.share < 1:
            continue
        numbers = ends(results, row.table, row.measure)[row.policy]
        assert row.mean == pytest.approx(numbers.mean())
        assert row.standard_error == pytest.approx(stats.sem(numbers))
        if row.standard_error > 0:
            expected = stats.t.interval(0.95, 3, row.mean, row.standard_error)
            assert (row.low, row.high) == pytest.approx(expected)
    half = next(row for row in report.rows if row.share == 0.5 and row.measure == "brier")
    taken = [each.measures["brier"][3] for each in results[half.table][half.policy].runs]
    assert half.mean == pytest.approx(np.mean(taken))


def test_the_best_of_each_column_is_said(report):
    for row in report.rows:
        rivals = [
            each.mean
            for each in report.rows
            if (each.table, each.measure, each.share) == (row.table, row.measure, row.share)
        ]
        best = max(rivals) if row.measure == "auc" else min(rivals)
        assert row.best == (abs(row.mean - best) < 1e-12)


def test_differences_are_tested_as_scipy_does_and_corrected_for_their_number(file, results):
    for test, attribute in (("t", "p_t"), ("wilcoxon", "p_wilcoxon")):
        report = report_of([file], test=test)
        for measure in (ERROR, AREA, "brier", "auc"):
            found = [each for each in report.differences if each.measure == measure]
            assert len(found) == 9
            for each in found:
                one, other = (ends(results, each.table, measure)[name]
                              for name in (each.one, each.other))  # fmt: skip
                gap = np.round(one - other, 12)
                assert each.mean == pytest.approx(gap.mean(), abs=1e-12)
                if gap.std() > 0:
                    tested = stats.ttest_rel(one, other)
                    assert each.p_t == pytest.approx(tested.pvalue)
                    interval = tested.confidence_interval()
                    assert (each.low, each.high) == pytest.approx((interval.low, interval.high))
                if len({*np.abs(gap)}) == 4 and gap.all():
                    assert each.p_wilcoxon == pytest.approx(stats.wilcoxon(gap).pvalue)
            assert [each.corrected for each in found] == holm(
                [getattr(each, attribute) for each in found]
            )


def test_all_may_be_compared_with_one(file):
    report = report_of([file], against="random-shopper")
    assert {(each.one, each.other) for each in report.differences} == {
        ("robin 100 %", "random-shopper"), ("even|money", "random-shopper")}  # fmt: skip
    with pytest.raises(RunnerError, match=r"no policy 'random'; .*there are: robin 100 %"):
        report_of([file], against="random")


def test_what_cannot_be_compared_is_said(file, tmp_path):
    """A table that lacks a policy is not passed over without a word."""
    other = tmp_path / "other.toml"
    other.write_text(
        'budget = 8\nruns = 4\nseed = 5\n[problem]\ntable = "car"\n'
        '[[policy]]\nlabel = "robin 100 %"\nname = "round-robin"\n[[policy]]\nname = "greedy"\n'
    )
    ran = CliRunner().invoke(main, ["experiment", "run", str(other), "--out", str(tmp_path),
                                    "--figure", "none", "--workers", "1"])  # fmt: skip
    assert ran.exit_code == 0, ran.output
    files = [file, tmp_path / "other.parquet"]
    found = report_of(files, against="random-shopper")
    wanted = "no paired differences on other: there is no policy 'random-shopper' there, only robin"
    assert any(each.startswith(wanted) for each in found.left_out), found.left_out
    assert any(each.startswith("no ranks of greedy: it is not on ") for each in found.left_out)
    assert not any("of robin" in each for each in found.left_out)
    for form in (tables.markdown, tables.latex, tables.plain):
        assert "there is no policy 'random" in form(found).replace("\\", "")
    told = CliRunner().invoke(main, ["experiment", "report", *map(str, files),
                                     "--against", "random-shopper"])  # fmt: skip
    assert "left out: no paired differences on other" in told.stderr


def test_policies_are_ranked_over_the_tables(report):
    (ranking,) = (each for each in report.rankings if each.measure == "auc")
    scores = np.array([
        [next(row.mean for row in report.rows if row.share == 1 and row.measure == "auc"
              and (row.table, row.policy) == (table, policy)) for policy in ranking.policies]
        for table in ranking.tables
    ])  # fmt: skip
    ranks = stats.rankdata(-scores.round(12), axis=1)
    assert ranking.ranks == pytest.approx(ranks.mean(axis=0))
    assert list(ranking.ranks) == sorted(ranking.ranks)
    if not (ranks == ranks[:, :1]).all():
        assert ranking.friedman == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)
    assert len(ranking.pairs) == 3


def test_results_of_different_code_or_on_the_same_table_are_refused(file, monkeypatch):
    with pytest.raises(RunnerError, match="two results on 'a_1 & b'"):
        report_of([file, file])
    found = read_all(file)
    name, told, results = found[1]
    other = {label: replace(runs, provenance=(replace(runs.provenance[0], code="other"),))
             for label, runs in results.items()}  # fmt: skip
    monkeypatch.setattr(reports, "read_all", lambda _: [found[0], (name, told, other), found[2]])
    with pytest.raises(RunnerError, match="different code cannot be put into one report"):
        report_of([file])


def test_a_single_table_has_no_ranks(file):
    report = report_of([file.parent / "all-four.parquet"])
    assert report.rankings == ()
    assert "ranks" not in tables.csv_tables(report)
    assert "Mean ranks" not in tables.markdown(report)


def test_csv_holds_every_number_in_full(report):
    found = tables.csv_tables(report)
    rows = list(csv.DictReader(io.StringIO(found["by-money"])))
    assert [(row["table"], row["measure"], row["policy"], float(row["mean"])) for row in rows] == [
        (row.table, row.measure, row.policy, row.mean) for row in report.rows
    ]
    rows = list(csv.DictReader(io.StringIO(found["differences"])))
    assert [float(row["corrected"]) for row in rows] == [e.corrected for e in report.differences]
    ranks = list(csv.DictReader(io.StringIO(found["ranks"])))
    assert [float(row["mean_rank"]) for row in ranks] == [
        rank for each in report.rankings for rank in each.ranks
    ]
    assert len(list(csv.reader(io.StringIO(found["rank-tests"])))) == 1 + 3 * len(report.rankings)
    assert json.loads(tables.plain(report))["rows"][0]["mean"] == report.rows[0].mean


def unescaped(text):
    """What LaTeX would print."""
    text = re.sub(r"\\textbf\{(.*)\}$", r"\1", text)
    codes = {r"$\pm$": "±", "$-$": "\u2212", "$<$": "<", "$|$": "|", "--": "–"}
    for code, sign in codes.items():
        text = text.replace(code, sign)
    return re.sub(r"\\([&%$#_{}])", r"\1", text)


def test_latex_says_what_the_tables_say(report):
    text = tables.latex(report)
    found = re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.DOTALL)
    sheets = tables.sheets_of(report)
    assert (
        len(found)
        == len(sheets)
        == text.count(r"\begin{table}[htbp]")
        == text.count(r"\end{table}")
    )
    for (columns, body), sheet in zip(found, sheets, strict=True):
        lines = [line.strip().removesuffix(r" \\") for line in body.splitlines() if " & " in line]
        cells = [[unescaped(each) for each in re.split(r"(?<!\\) & ", line)] for line in lines]
        assert cells == [list(sheet.header), *([each.text for each in row] for row in sheet.rows)]
        assert len(columns) == len(sheet.header)
        assert body.count(r"\textbf") == sum(each.bold for row in sheet.rows for each in row)
    _, _, body = text.partition(r"\begin{table}")  # before it, comments
    plain = re.sub(r"\\[&%$#_{}\\]", "", body)
    assert not re.findall("[#_%]", plain)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert text.isascii()


def test_markdown_says_what_the_tables_say(report):
    blocks = tables.markdown(report).split("### ")[1:]
    for block, sheet in zip(blocks, tables.sheets_of(report), strict=True):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        cells = [[each.replace("**", "").replace("\\", "") for each in line[2:-2].split(" | ")]
                 for line in lines]  # fmt: skip
        assert cells[0] == list(sheet.header)
        assert cells[2:] == [[each.text for each in row] for row in sheet.rows]


def test_the_command_prints_and_writes_all_forms(file, tmp_path):
    def invoke(*options):
        done = CliRunner().invoke(main, ["experiment", "report", str(file), *map(str, options)])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert invoke().startswith("### a_1 & b: 0/1 error")
    assert invoke("--format", "latex").startswith("% code ")
    assert invoke("--format", "csv").startswith("table,measure,policy,share,runs,mean")
    assert json.loads(invoke("--format", "json", "--test", "wilcoxon"))["test"] == "wilcoxon"
    invoke("--out", tmp_path / "paper", "--figure", "json")
    assert {each.name for each in (tmp_path / "paper").iterdir()} == {
        "report.md", "report.tex", "report.json", "by-money.csv", "differences.csv", "ranks.csv",
        "rank-tests.csv", "ranks-0-1-error.json", "ranks-area-under-the-curve.json",
        "ranks-brier.json", "ranks-auc.json",
    }  # fmt: skip
    assert (tmp_path / "paper" / "report.md").read_text(encoding="utf-8") == invoke()


RANKING = Ranking(
    ERROR, tuple("abcdefgh"), ("auto", "sfl", "greedy", "biased robin", "uniform", "random"),
    (1.4, 2.1, 3.2, 3.9, 4.9, 5.5), 0.0003,
    tuple(Pair(one, other, 0.01, 0.04) for one in range(6) for other in range(one + 1, 6)),
    ((0, 1), (1, 2, 3), (4, 5)),
)  # fmt: skip


def test_the_diagram_is_valid_and_joins_what_does_not_differ(tmp_path):
    figure = ranks_figure(RANKING)
    altair.LayerChart.from_dict(figure).to_dict()
    shown = figure["data"]["values"]
    assert [row["rank"] for row in shown] == list(RANKING.ranks)
    assert len({(row["side"], row["y"]) for row in shown}) == 6
    bars = figure["layer"][-1]["data"]["values"]
    for bar, group in zip(bars, RANKING.groups, strict=True):
        inside = [at for at, rank in enumerate(RANKING.ranks) if bar["from"] <= rank <= bar["to"]]
        assert tuple(inside) == group
    assert bars[0]["y"] != bars[1]["y"]
    assert save(figure, tmp_path / "ranks.svg").read_text().startswith("<svg")
