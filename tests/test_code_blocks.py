"""Every block of code in the documentation runs: commands, Python, files that are shown.

Examples with prompts are doctests (test_docs.py), and so are the commands of docs/studies.md and
docs/optimal.md, which are compared with what they print. Here is the rest, page by page, in a
folder that has what the pages speak of: the sample study, a pilot table, a model, the examples.
"""

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.studies.example import LABELS, answers, cases

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
LANGUAGES = {"console", "csv", "json", "math", "nginx", "js", "pycon", "python",
             "text", "toml"}  # fmt: skip
ELSEWHERE = {
    "docs/studies.md": "tests/test_docs.py",
    "docs/optimal.md": "tests/test_docs.py",
    "docs/client.md": "tests/client/test_docs_client.py",
}
"""Pages whose commands and programs a test of their own goes through."""
PROGRAMS_ELSEWHERE = ELSEWHERE | {"docs/models.md": "tests/learners/test_onnx.py"}
"""Pages whose programs need what only a test of their own has."""
OTHER_PROGRAMS = {"curl": "tests/web/test_web_api.py"}
"""What is neither `budgeted` nor `make`, and where the same is tried."""
SHORTER = {
    "demo": ["--runs", "2"],
    "experiment run examples": ["--runs", "1"],
    "plan": ["--runs", "5"],
    "simulate": ["--runs", "2"],
    "study forecast": ["--seconds", "1"],
}
"""The same commands with less to compute; what is given twice counts as given last."""
QUICKER = {"seconds=20": "seconds=1", "target=Target": "runs=5, target=Target"}
"""The same for programs."""
FEWER = {"runs = 50": "runs = 2"}
"""The same for files: with `--runs` results have another name than the one that is read next."""


def blocks(page, *languages):
    return [each for each in BLOCK.findall(page.read_text("utf-8")) if each[0] in languages]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder with what the pages speak of."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in ("study example .", "study new study.toml --cases cases.csv", "study ask -n 3",
                      "study tell 1 low", "study tell 2 low"):  # fmt: skip
            carry_out(words)
        carry_out("study model --out model.json")
        carry_out("study fail 3")
    labels = dict(cases())
    rows = [",".join([labels[case], *values]) for case, *values in answers()[:30]]
    (folder / "pilot.csv").write_text("\n".join(["label,ferritin,transferrin,crp,mcv", *rows]))
    assert set(labels.values()) == set(LABELS)
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def carry_out(words, more=()):
    """Carry out a command of `budgeted` in this process, as a shell would."""
    words, _, file = words.partition(" > ")
    given = [
        each
        for word in shlex.split(words, comments=True)
        for each in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    done = CliRunner().invoke(main, [*given, *more])
    assert done.exit_code == 0, f"{words}\n{done.output}\n{done.exception!r}"
    if file:
        Path(file.split()[0]).write_text(done.stdout)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_says_what_it_is(page):
    languages = [language for language, _, _ in BLOCK.findall(page.read_text("utf-8"))]
    assert set(languages) <= LANGUAGES


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [each for each in PAGES if blocks(each, "console") and name_of(each) not in ELSEWHERE],
    ids=name_of,
)
def test_the_commands_of_a_page_can_be_typed_in(page, workshop, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    if page.name == "README.md":
        folder.mkdir()  # it brings everything itself but the pilot
        shutil.copy(workshop / "pilot.csv", folder)
    else:
        shutil.copytree(workshop, folder)
    monkeypatch.chdir(folder)
    if page.name == "planning.md":
        shutil.copy(ROOT / "examples" / "planning" / "study.toml", folder)
    for _, title, body in blocks(page, "toml", "csv", "python"):
        if title:
            quick = body
            for long, short in FEWER.items():
                quick = quick.replace(long, short)
            Path(title).write_text(quick, encoding="utf-8")
    for _, _, body in blocks(page, "console"):
        for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", body, re.MULTILINE):
            program, _, words = command.partition(" ")
            if program == "make":
                assert re.search(rf"^{words.split()[0]}:", (ROOT / "Makefile").read_text(), re.M)
            elif program != "budgeted":
                assert (ROOT / OTHER_PROGRAMS[program]).exists()
            elif words.startswith("serve"):
                there(words)
            else:
                known = [each for each in SHORTER if words.startswith(each)]
                carry_out(words, SHORTER[known[0]] if known else ())


def there(words):
    """Read the options of a command that would wait for people; others try the server itself."""
    name, *options = shlex.split(words, comments=True)
    for each in ("budgeted-passwords", "budgeted-tokens"):
        Path(each).touch()
    assert main.get_command(None, name).make_context(
        name, options, click.Context(main, **main.context_settings)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [each for each in PAGES if name_of(each) not in PROGRAMS_ELSEWHERE and any(
        ">>>" not in body and not title for _, title, body in blocks(each, "python"))],
    ids=name_of,
)  # fmt: skip
def test_the_programs_of_a_page_run(page, workshop, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    shutil.copytree(workshop, folder)
    monkeypatch.chdir(folder)
    if page.name == "planning.md":
        shutil.copy(ROOT / "examples" / "planning" / "study.toml", folder)
        carry_out("datasets export breast-wisconsin --rows 40 > pilot.csv")
    names: dict[str, object] = {}
    for _, title, body in blocks(page, "python"):
        if ">>>" not in body and not title:
            quick = body
            for long, short in QUICKER.items():
                quick = quick.replace(long, short)
            exec(compile(quick, name_of(page), "exec"), names)


@pytest.mark.parametrize(
    "page", [each for each in PAGES if blocks(each, "toml", "json")], ids=name_of
)
def test_the_files_of_a_page_can_be_read(page):
    for language, _, body in blocks(page, "toml", "json"):
        assert (tomllib.loads if language == "toml" else json.loads)(body)


def test_what_is_tried_elsewhere_is_tried_there():
    for page, test in PROGRAMS_ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text("utf-8")
    assert all((ROOT / test).exists() for test in OTHER_PROGRAMS.values())
