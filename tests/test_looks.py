"""Pages of the benchmark and the reproduction: which code they name, and where they go."""

import subprocess
from dataclasses import replace

import pytest
import reproduction.__main__ as reproduce
from benchmark import report
from benchmark.__main__ import main as benchmark
from benchmark.problems import Line
from click.testing import CliRunner
from reproduction import origin
from reproduction.origin import Origin, folder_of_page

from budgeted import provenance
from budgeted.errors import RunnerError
from budgeted.executors import processes
from budgeted.provenance import Provenance
from budgeted.results import Store
from budgeted.runner import run
from budgeted.runs import Runs

pytestmark = pytest.mark.slow

LINES = (Line("figure-3b", 4, 2), Line("figure-3b", 3, 2))
BROAD = Line("figure-3b", 2, 2, broad=True)


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of committed pages that nothing must touch."""
    folder = tmp_path / "docs"
    (folder / "benchmark").mkdir(parents=True)
    (folder / "reproduction").mkdir()
    for name in ("benchmark.md", "reproduction.md", "benchmark/figure-3b.png",
                 "reproduction/figure-3a.png"):  # fmt: skip
        (folder / name).write_text("committed")
    monkeypatch.setattr(origin, "DOCS", folder)
    return folder


def untouched(docs):
    return {each.read_text() for each in docs.rglob("*.*") if each.is_file()} == {"committed"}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with processes(1) as executor:
        for line in (*LINES, BROAD):
            run(line.experiment(), folder, executor)
    return folder


@pytest.fixture
def small(monkeypatch):
    """A benchmark of two lines and a broad one, of two runs each."""
    read = report.Material.read
    monkeypatch.setattr("benchmark.__main__.MUST_HOLD", LINES)
    monkeypatch.setattr("benchmark.__main__.BROAD", (BROAD,))
    monkeypatch.setattr(
        report.Material, "read",
        lambda results, runs=None, fingerprint="": read(
            results, runs, LINES, (BROAD,), fingerprint
        ),
    )  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--only", "figure-3b"], "--only"),
        (["--runs", "2"], "--runs"),
        (["--only", "figure-3b", "--runs", "2"], "--only, --runs"),
    ],
)
def test_a_look_at_the_benchmark_leaves_the_committed_page_alone(options, why, docs, played):
    command = ["--results", str(played), "--tier", "all", "--workers", "1", *options]
    result = CliRunner().invoke(benchmark, command)
    assert result.exit_code == 0, result.output
    assert f"wrote {played / 'look' / 'benchmark.md'}" in result.output
    assert f"this is a look ({why}); the committed page is as it was" in result.output
    assert (played / "look" / "benchmark" / "differences.png").exists()
    assert untouched(docs)
    result = CliRunner().invoke(benchmark, [*command, "--docs", str(docs)])
    assert result.exit_code == 2
    assert "must not overwrite the committed page" in result.output
    assert untouched(docs)


@pytest.mark.usefixtures("small")
def test_a_benchmark_without_all_runs_leaves_the_committed_page_alone(docs, tmp_path):
    result = CliRunner().invoke(benchmark, ["--results", str(tmp_path / "none"), "--report-only"])
    assert result.exit_code == 0, result.output
    assert "this is a look (figure-3b-4 lacks runs, figure-3b-3 lacks runs" in result.output
    assert untouched(docs)


@pytest.mark.usefixtures("small")
def test_the_whole_benchmark_writes_the_committed_page_and_names_its_code(docs, played):
    result = CliRunner().invoke(benchmark, ["--results", str(played), "--tier", "all"])
    assert result.exit_code == 0, result.output
    page = (docs / "benchmark.md").read_text(encoding="utf-8")
    assert f"the code with the fingerprint `{Provenance.here().fingerprint}`" in page
    assert (docs / "benchmark" / "figure-3b.png").read_bytes() != b"committed"


@pytest.mark.usefixtures("small")
def test_a_report_of_older_runs_does_not_name_the_commit_of_today(docs, played, monkeypatch):
    """The same runs, when the code has been changed since."""
    old = Provenance.here().fingerprint
    monkeypatch.setattr(origin, "commit", lambda root: "c0ffee")
    monkeypatch.setattr(provenance, "parts", lambda: {"budgeted.policies.greedy": "changed"})
    command = ["--results", str(played), "--report-only"]
    result = CliRunner().invoke(benchmark, command)
    assert f"runs with the fingerprint {old} (" in result.stderr
    assert "0 of 49 promises hold" in result.output
    assert untouched(docs)
    result = CliRunner().invoke(benchmark, [*command, "--fingerprint", old])
    assert result.exit_code == 0, result.output
    page = (docs / "benchmark.md").read_text(encoding="utf-8")
    assert f"the code with the fingerprint `{old}`, which no commit is known of" in page
    assert "c0ffee" not in page
    result = CliRunner().invoke(benchmark, ["--fingerprint", old])
    assert result.exit_code == 2


@pytest.mark.usefixtures("small")
def test_a_report_names_a_damaged_file_and_promises_nothing(docs, played):
    file = Store(played, LINES[0].experiment()).run_file(1, 0)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    try:
        result = CliRunner().invoke(benchmark, ["--results", str(played), "--report-only"])
    finally:
        file.write_bytes(whole)
    assert result.exit_code == 1
    assert f"Error: {file}: is damaged" in result.output
    assert "is done again" not in result.output
    assert untouched(docs)


def test_a_page_of_different_code_is_refused(played):
    material = report.Material.read(played, None, LINES, (BROAD,))
    first, second = material.found.values()
    here = next(iter(second.runs.values())).provenance[0]
    other = {
        name: replace(runs, provenance=(replace(here, code="other"),))
        for name, runs in second.runs.items()
    }
    mixed = {"one": first, "two": replace(second, runs=other)}
    with pytest.raises(RunnerError, match="different code cannot be put into one report"):
        _ = replace(material, found=mixed).origin


def test_a_commit_is_named_only_for_its_own_code(monkeypatch):
    monkeypatch.setattr(origin, "commit", lambda root: "c0ffee")
    here = Provenance.here()
    assert "that of commit `c0ffee`" in str(Origin.of([Runs(("x",), (), (here,))]))
    yesterday = str(Origin.of([Runs(("x",), (), (replace(here, code="other"),))]))
    assert "c0ffee" not in yesterday
    assert "no commit is known of" in yesterday
    assert str(Origin.of([Runs(("x",), ())])) == "by code that is not recorded"


def test_a_commit_with_changes_on_top_is_none(tmp_path):
    def git(*words):
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b",
                        *words], check=True, capture_output=True)  # fmt: skip

    git("init")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n")
    git("add", ".")
    git("commit", "-m", "one")
    assert len(origin.commit(tmp_path)) == 12
    (tmp_path / "README").write_text("words\n")
    assert len(origin.commit(tmp_path)) == 12
    (tmp_path / "src" / "a.py").write_text("x = 2\n")
    assert origin.commit(tmp_path) == ""


def test_a_look_at_the_reproduction_leaves_the_committed_page_alone(docs, tmp_path, monkeypatch):
    small = tmp_path / "root" / "experiments"
    small.mkdir(parents=True)
    (small / "figure-4a.toml").write_text(
        'budget = 4\n[problem]\nsynthetic = "figure-3a"\n[[policy]]\nname = "round-robin"\n'
    )
    monkeypatch.setattr(reproduce, "ROOT", small.parent)
    monkeypatch.setattr(reproduce, "CLAIMS", ())
    monkeypatch.setattr(reproduce, "run_times", lambda seconds: reproduce_finding())
    out = tmp_path / "out"
    command = ["--runs", "2", "--workers", "1", "--out", str(out)]
    result = CliRunner().invoke(reproduce.main, command)
    assert result.exit_code == 0, result.output
    assert f"wrote {out / 'look' / 'reproduction.md'}" in result.output
    assert "this is a look (2 runs instead of 50)" in result.output
    page = (out / "look" / "reproduction.md").read_text(encoding="utf-8")
    assert f"fingerprint `{Provenance.here().fingerprint}`" in page
    assert "2 of all 2 runs were computed for this page" in page
    assert untouched(docs)
    result = CliRunner().invoke(reproduce.main, [*command, "--docs", str(docs)])
    assert "must not overwrite the committed page" in result.output
    assert untouched(docs)


def reproduce_finding():
    from reproduction.claims import HOLDS, Finding

    return Finding(HOLDS, ())


def test_pages_go_where_they_are_wanted(docs, tmp_path):
    assert folder_of_page(None, tmp_path, "") == docs
    assert folder_of_page(None, tmp_path, "a look") == tmp_path / "look"
    assert folder_of_page(str(tmp_path / "x"), tmp_path, "a look") == tmp_path / "x"
