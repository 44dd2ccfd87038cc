"""Pages of the reproduction: which code they name, and where they go."""

import subprocess
from dataclasses import replace

import pytest
from click.testing import CliRunner

import research.paper.__main__ as reproduce
from budgeted.errors import RunnerError
from budgeted.experiments.runs import Runs
from budgeted.provenance import Provenance
from research.paper import origin
from research.paper.origin import Origin, folder_of_page
from research.paper.rules import HOLDS, Finding

pytestmark = pytest.mark.slow


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of committed pages that nothing must touch."""
    folder = tmp_path / "docs"
    (folder / "reproduction").mkdir(parents=True)
    for name in ("reproduction.md", "reproduction/figure-3a.png"):
        (folder / name).write_text("committed")
    monkeypatch.setattr(origin, "DOCS", folder)
    return folder


def untouched(docs):
    return {each.read_text() for each in docs.rglob("*.*") if each.is_file()} == {"committed"}


def test_a_page_of_different_code_is_refused():
    here = Provenance.here()
    mixed = [Runs(("x",), (), (each,)) for each in (here, replace(here, code="other"))]
    with pytest.raises(RunnerError, match="different code cannot be put into one report"):
        Origin.of(mixed)


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
    small = tmp_path / "experiments"
    small.mkdir(parents=True)
    (small / "car.toml").write_text(
        'budget = 4\n[problem]\nsynthetic = "figure-3a"\n'
        '[[policy]]\nlabel = "round robin"\nname = "round-robin"\n'
    )
    monkeypatch.setattr(reproduce, "EXPERIMENTS", small)
    monkeypatch.setattr(reproduce, "CLAIMS", ())
    monkeypatch.setattr(reproduce, "_run_times", lambda planned: Finding(HOLDS))
    out = tmp_path / "out"
    command = ["--runs", "2", "--workers", "1", "--out", str(out)]
    result = CliRunner().invoke(reproduce.main, command)
    assert result.exit_code == 0, result.output
    assert f"wrote {out / 'look' / 'reproduction.md'}" in result.output
    assert "this is a look (2 runs instead of 50)" in result.output
    page = (out / "look" / "reproduction.md").read_text(encoding="utf-8")
    assert f"fingerprint `{Provenance.here().fingerprint}`" in page
    assert "These are 4 runs; computing 4 of them took" in page, "A and own share theirs"
    assert (out / "look" / "reproduction" / "car.svg").exists()
    assert untouched(docs)
    CliRunner().invoke(reproduce.main, command)
    again = (out / "look" / "reproduction.md").read_text(encoding="utf-8")
    assert "These are 4 runs; computing 4 of them took" in again, "in an earlier sitting"
    result = CliRunner().invoke(reproduce.main, [*command, "--docs", str(docs)])
    assert "must not overwrite the committed page" in result.output
    assert untouched(docs)


def test_pages_go_where_they_are_wanted(docs, tmp_path):
    assert folder_of_page(None, tmp_path, "") == docs
    assert folder_of_page(None, tmp_path, "a look") == tmp_path / "look"
    assert folder_of_page(str(tmp_path / "x"), tmp_path, "a look") == tmp_path / "x"
