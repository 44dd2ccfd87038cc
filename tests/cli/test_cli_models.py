"""Models to take away, on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Purchase
from budgeted.cli.main import main
from budgeted.learners import Hierarchical
from budgeted.learners.formats import FORMATS
from budgeted.learners.model import Model

ROOT = Path(__file__).resolve().parents[2]
MODEL = "model.json"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with the model of a small study."""
    monkeypatch.chdir(tmp_path)
    problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    bought = [Purchase(0, at % 2, at % 2, 1) for at in range(8)]
    Path(MODEL).write_text(Model.of(Hierarchical().fit(problem, bought)).to_json())


def run(*words):
    return CliRunner().invoke(main, ["model", *words])


def test_every_format_is_listed():
    said = run("formats")
    assert said.exit_code == 0
    for name, each in FORMATS.items():
        assert f"{name} " in said.output
        assert each.title in said.output
    listed = json.loads(run("formats", "--json").output)
    assert [each["name"] for each in listed] == list(FORMATS)


def test_the_ending_of_the_file_says_which(tmp_path):
    for name, each in FORMATS.items():
        if each.missing:
            continue
        by_name, by_ending = tmp_path / f"{name}-model", tmp_path / f"{name}.{each.ending}"
        assert run("export", MODEL, "--format", name, "--out", str(by_name)).exit_code == 0
        assert by_name.read_bytes()
        assert run("export", MODEL, "--out", str(by_ending)).exit_code == 0
        if each.is_text:
            first = next(one for one in FORMATS.values() if one.ending == each.ending)
            assert by_ending.read_bytes() == first.content(Model.read(MODEL))


def test_json_survives_with_another_population():
    said = run("export", MODEL, "--prior", "well=0.9", "--prior", "ill=0.1")
    assert Model.from_json(said.stdout).prior == (0.9, 0.1)
    assert Model.from_json(said.stdout).with_prior(Model.read(MODEL).prior) == Model.read(MODEL)


def test_the_schema_is_printed():
    assert run("schema").output == (ROOT / "docs" / "model.schema.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("export", MODEL, "--format", "onyx"), "there is no format 'onyx'"),
        (("export", MODEL, "--prior", "well=1"), "prior: must have the labels 'well', 'ill'"),
        (("export", MODEL, "--out", "model.slq"), "no form ends in '.slq'; there are .html, .js"),
        (("export", str(ROOT / "README.md")), "README.md: this is no JSON"),
        (("export", MODEL, "--out", "/nowhere/model.json"), "/nowhere/model.json: No such file"),
    ],
)
def test_what_cannot_be_is_said_in_words(words, says):
    said = run(*words)
    assert said.exit_code in (1, 2)
    assert says in said.output
    assert "Traceback" not in said.output
