"""Forecasts that are kept: the same events need no second one, and more time goes on behind it."""

import json

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.studies.forecast import forecast, kept, kept_forecast, read_head
from budgeted.studies.forecast.runs import run
from tests.webs import make_study

NOW = "2026-01-05T09:30:00Z"


@pytest.fixture
def study(tmp_path):
    with make_study(tmp_path / "budgeted.db") as found:
        found.ask(2)
        yield found


@pytest.fixture
def counted(monkeypatch):
    """The numbers of the runs that were made."""
    made = []

    def counting(projection, seed, number, at):
        made.append(number)
        return run(projection, seed, number, at)

    monkeypatch.setattr("budgeted.studies.forecast.summary.run", counting)
    return made


def test_the_same_events_need_no_second_one(study, tmp_path, counted):
    file = tmp_path / "kept.jsonl"
    first = kept_forecast(file, study.history(), NOW, seconds=0, least=4)
    again = kept_forecast(file, study.history(), "2026-02-01T00:00:00Z", seconds=0, least=4)
    assert counted == [0, 1, 2, 3]
    assert again == first == forecast(study.history(), NOW, seconds=0, least=4)
    assert json.loads(file.read_text().splitlines()[0])["forecast"] == first.to_plain()


def test_more_goes_on_behind_what_there_is_and_less_is_its_beginning(study, tmp_path, counted):
    file = tmp_path / "kept.jsonl"
    kept_forecast(file, study.history(), NOW, seconds=0, least=2)
    more = kept_forecast(file, study.history(), NOW, seconds=0, least=5)
    assert counted == [0, 1, 2, 3, 4]
    assert more == forecast(study.history(), NOW, seconds=0, least=5)
    counted.clear()
    fewer = kept_forecast(file, study.history(), NOW, seconds=0, least=3, most=3)
    assert counted == []
    assert fewer == forecast(study.history(), NOW, seconds=0, least=3)
    assert read_head(file).forecast["runs"] == 5


def test_time_that_was_taken_before_counts(study, tmp_path, counted):
    file = tmp_path / "kept.jsonl"
    kept_forecast(file, study.history(), NOW, seconds=0.2, least=2, most=400)
    made = len(counted)
    kept_forecast(file, study.history(), NOW, seconds=0.2, least=2, most=400)
    assert len(counted) == made
    longer = kept_forecast(file, study.history(), NOW, seconds=0.3, least=2, most=made + 1)
    assert longer.runs == made + 1


def test_another_event_code_or_seed_begins_anew(study, tmp_path, counted, monkeypatch):
    file = tmp_path / "kept.jsonl"

    def numbers(**options):
        counted.clear()
        kept_forecast(file, study.history(), NOW, seconds=0, least=2, **options)
        return counted

    assert numbers() == [0, 1]
    study.tell(1, "yes")
    assert numbers() == [0, 1]
    assert numbers() == []
    assert numbers(seed=1) == [0, 1]
    monkeypatch.setattr(kept, "code", lambda: "newer")
    assert numbers(seed=1) == [0, 1]


@pytest.mark.parametrize("harm", ["", "{", '{"format": 0}\n', "[]\n", "cut"])
def test_a_damaged_file_is_as_if_there_were_none(study, tmp_path, counted, harm):
    file = tmp_path / "kept.jsonl"
    whole = kept_forecast(file, study.history(), NOW, seconds=0, least=3)
    text = file.read_text()
    file.write_text("".join(text.splitlines(keepends=True)[:-1]) if harm == "cut" else harm)
    counted.clear()
    assert kept_forecast(file, study.history(), NOW, seconds=0, least=3) == whole
    assert counted == [0, 1, 2]
    assert file.read_text() == text


def test_a_head_knows_its_history_and_what_came_later(study, tmp_path):
    file = tmp_path / "kept.jsonl"
    kept_forecast(file, study.history(), NOW, seconds=0, least=2)
    head = read_head(file)
    assert head.is_of(study.history())
    assert not head.is_of(study.history()[:-1])
    study.tell(1, "yes")
    assert head.is_of(study.history())
    with make_study(tmp_path / "other.db") as other:
        for _ in range(4):
            other.ask(1)
        assert not head.is_of(other.history())
    assert read_head(tmp_path / "none.jsonl") is None


def test_a_folder_that_is_not_there_costs_nothing_but_the_file(study, tmp_path):
    file = tmp_path / "nowhere" / "kept.jsonl"
    assert kept_forecast(file, study.history(), NOW, seconds=0, least=2).runs == 2
    assert not file.exists()


def test_the_command_keeps_it_and_draws_it(study, tmp_path, counted, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    figure = tmp_path / "forecast.json"
    command = ["study", "forecast", "--db", str(tmp_path / "budgeted.db"), "--seconds", "0",
               "--runs", "3", "--workers", "1", "--json"]  # fmt: skip
    first = CliRunner().invoke(main, command)
    assert first.exit_code == 0, first.output
    again = CliRunner().invoke(main, [*command, "--figure", str(figure)])
    assert again.stdout == first.stdout
    assert counted == [0, 1, 2]
    drawn = json.loads(figure.read_text())
    said = json.loads(first.stdout)
    assert drawn["description"] == said["words"]
    assert [row["error"] for row in drawn["data"]["values"]] == [
        each["error"] for each in said["points"]
    ]
    refused = CliRunner().invoke(main, [*command, "--figure", str(tmp_path / "a.gif")])
    assert refused.exit_code != 0
    assert "use .png" in refused.output
