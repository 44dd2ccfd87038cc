"""Output that nobody can read: one line on stderr, an exit code, and nothing done twice."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from budgeted import Study
from budgeted.cli.main import main
from budgeted.studies.example import write_example
from budgeted.studies.files import read_study

FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def folder(tmp_path):
    study_file, cases, *_ = write_example(tmp_path)
    made = read_study(study_file, cases)
    with Study.create(
        f"{tmp_path}/budgeted.db", "anaemia", made.problem, made.cases, seed=7
    ) as new:
        new.ask(2)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run a command in this process, which is quick, with what it prints going somewhere else."""

    def command(*words, stdout):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdout", stdout)
        monkeypatch.setattr(sys, "stderr", sys.stderr)  # click may change both
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words)], prog_name="budgeted")
        with suppress(BrokenPipeError):
            stdout.close()
        return ended.value.code, capsys.readouterr().err

    return command


def run_apart(folder, *words, **options):
    """Run a command as people do, and see what Python says at its end."""
    done = subprocess.run(
        [sys.executable, "-m", "budgeted", *map(str, words)],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **options,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.returncode, done.stderr


def events(folder):
    with Study.open(f"{folder}/budgeted.db") as study:
        return study.events


LOOKS = (("--help",), ("--version",), ("policies",), ("policies", "--json"), ("study", "--help"),
         ("study", "status"), ("study", "export"), ("study", "model"), ("study", "history"),
         ("datasets",))  # fmt: skip
CHANGES = (("ask", "-n", 2), ("tell", 1, "low"), ("fail", 2, "--json"), ("withdraw", "P03"))


@full
@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_full_disk_is_said_in_a_line(folder, run, words):
    before = events(folder)
    code, said = run(*words, stdout=FULL.open("w"))
    assert (code, said) == (1, "Error: the output could not be written: no space is left\n")
    assert events(folder) == before


@full
def test_what_was_done_is_said_though_it_cannot_be_printed(folder, run):
    for words in CHANGES:
        before = events(folder)
        code, said = run("study", *words, stdout=FULL.open("w"))
        written = events(folder) - before
        assert written >= 1
        assert code == 1
        assert "no space is left; but all was done, and is recorded" in said
        assert f"budgeted study history --last {written}" in said
    new = ("new", "study.toml", "--cases", "cases.csv", "--db", "b.db")
    _, said = run("study", *new, stdout=FULL.open("w"))
    assert "but all was done, and is recorded" in said


@pytest.mark.parametrize("words", [("ask",), ("ask", "--json"), ("history",), ("export",)])
def test_nobody_reads(folder, run, words):
    """As with ``| head``: quiet for those who only look, words for those who change something."""
    before = events(folder)
    reading, writing = os.pipe()
    os.close(reading)
    code, said = run("study", *words, stdout=os.fdopen(writing, "w"))
    assert code == 1
    assert ("is recorded" in said) == (events(folder) > before) == (words[0] == "ask")


@full
@pytest.mark.slow
def test_python_does_not_complain_at_the_end(folder):
    with FULL.open("w") as nowhere:
        code, said = run_apart(folder, "study", "ask", stdout=nowhere)
    assert code == 1
    assert "is recorded" in said


def test_a_closed_stdout_does_nothing(folder):
    before = events(folder)
    code, said = run_apart(folder, "study", "ask", preexec_fn=lambda: os.close(1))
    assert code == 1
    assert "there is no stdout; nothing was done" in said
    assert events(folder) == before


@full
def test_a_file_that_cannot_be_written(folder, run):
    out = (folder / "out.txt").open("w")
    code, said = run("study", "export", "--out", "/dev/full", stdout=out)
    assert code == 1
    assert "/dev/full: could not be written in full: no space is left" in said
