"""Documentation that runs, and says what is so."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from budgeted.policies import POLICIES

ROOT = Path(__file__).resolve().parent.parent
PLAIN = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "PATH": "",
         "PYTHONPATH": os.environ.get("PYTHONPATH", "")}  # fmt: skip
PLAIN |= {
    name: os.environ[name]
    for name in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES")
    if name in os.environ  # what tools/portability.py pretends holds for the commands, too
}
sys.path.insert(0, str(ROOT / "tools"))


DIGEST = "34c11a87d592513ca4c7a5a29cc653dd290aaad12569c4c3f93aead2dfb3f380"


def console_examples(path):
    """Each ``$ budgeted …`` of a console block with the output that follows it."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    for block in blocks:
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            if command.startswith("budgeted") and output.strip():
                yield command, output


@pytest.mark.slow
def test_the_python_of_the_readme_runs():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 15
    assert failed == 0


def printed(command, folder):
    """What a command prints when it is run in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=PLAIN,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tidy(text):
    return [line.rstrip() for line in text.strip().splitlines()]


DEMO = "budgeted demo"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        # Its worlds take half a minute; `make test` plays two of them, see below.
        pytest.param(*example, marks=[pytest.mark.thorough] if example[0] == DEMO else [])
        for page in (ROOT / "README.md", ROOT / "docs" / "optimal.md")
        for example in console_examples(page)
    ],
    ids=lambda each: each[:30],
)
@pytest.mark.slow
def test_the_commands_of_the_docs_print_what_they_show(command, output, tmp_path):
    assert tidy(printed(command, tmp_path)) == tidy(output)


@pytest.mark.slow
def test_two_worlds_of_the_demo_print_all_that_the_readme_shows_but_the_figures(tmp_path):
    """The figures are of thirty worlds; the study behind them is the same to the letter."""
    shown = dict(console_examples(ROOT / "README.md"))[DEMO]
    worlds, _, study = shown.partition("And a real study")
    assert study
    found, _, found_study = printed(f"{DEMO} --runs 2", tmp_path).partition("And a real study")
    assert tidy(found_study) == tidy(study)
    assert [re.sub(r" *\d[\d.]*", "#", line) for line in tidy(found)] == [
        re.sub(r" *\d[\d.]*", "#", line) for line in tidy(worlds)
    ]


@pytest.mark.slow
def test_the_tutorial_of_studies_runs_from_top_to_bottom(tmp_path):
    """Its commands one after the other in one folder; only the times differ, and digests."""
    page = ROOT / "docs" / "studies.md"
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    steps = [each for block in blocks for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) > 8
    files = re.findall(
        r"```csv title=\"(\S+)\"\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    for step in steps:
        command, _, output = step.partition("\n")
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={**PLAIN, "USER": "anna"},
        )
        assert done.returncode == 0, done.stderr
        shown = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-01-05 09:30:00", done.stdout)
        shown = re.sub("digest [0-9a-f]{64}", f"digest {DIGEST}", shown)  # the times are in it
        lines = [[line.rstrip() for line in each.strip("\n").splitlines()]
                 for each in (shown, output)]  # fmt: skip
        assert lines[0] == lines[1], command


# docs/client.md needs a server: tests/client/test_docs_client.py
WITH_EXAMPLES = [
    each
    for each in sorted((ROOT / "docs").rglob("*.md"))
    if ">>> " in each.read_text(encoding="utf-8") and each.name != "client.md"
]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_the_python_of_the_docs_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = {*POLICIES}
    failed, tried = doctest.testfile(str(page), module_relative=False)
    for name in {*POLICIES} - before:  # what a page registers is not for other tests
        POLICIES.forget(name)
    assert tried > 0
    assert failed == 0


def test_the_command_reference_is_current():
    from write_cli_reference import reference

    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), (
        "run tools/write_cli_reference.py"
    )


def test_the_glossary_is_alphabetical():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| ")][2:]
    assert len(words) > 50
    assert words == sorted(set(words))


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]),
                         ids=lambda page: page.name)  # fmt: skip
def test_links_within_the_project_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
