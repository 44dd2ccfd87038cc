"""Values that are forgotten are shown nowhere, and the study is the same without them."""

import json
import re
import sqlite3
from uuid import uuid4

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Study
from budgeted.cli.main import main
from budgeted.errors import StudyError
from budgeted.studies.log import COLUMNS, as_csv, purchases
from budgeted.studies.projection import fold
from budgeted.web.views.history import history_csv, history_view
from tests.sample_studies import CLOCK, check_everything, check_folded

SECRETS = ("haemolysis", "sickle")
PROBLEM = Problem(
    [Feature("smear", ("normal", *SECRETS), "2.50"), Feature("crp", ("normal", "raised"), "1")],
    ("well", "ill"),
    (0.5, 0.5),
    100,
)
CASES = [(f"P{at}", PROBLEM.labels[at % 2]) for at in range(6)]


@pytest.fixture
def database(tmp_path):
    return f"{tmp_path}/budgeted.db"


def begin(database, name="s"):
    return Study.create(database, name, PROBLEM, CASES, seed=1, by="me", clock=CLOCK)


def secretly(study):
    """Everything that can happen to a value: told, recorded, corrected, undone, all of P1."""
    study.record([("P1", "smear", SECRETS[0])], charge=True)
    study.correct(1, SECRETS[1])
    study.correct(1, SECRETS[0], why="it was right")
    for request in study.ask(12):
        if request.case != "P1":
            study.cancel(request.number)
        else:
            study.tell(request.number, "raised")
            study.undo(request.number)
            study.tell(request.number, "raised", cost="0.5")


def everything_shown(study):
    """All that a person or program can get to see of a study, as one text."""
    snapshot = study.snapshot()
    shown = [
        as_csv(
            COLUMNS, [list(row.values()) for row in purchases(study.history(), study.requests())]
        ),
        "\n".join(each.event.words() for each in study.history()),
        "\n".join(each.event.words() for each in study.status(recent=1000).recent),
        repr(study.history(3)),
        repr(snapshot.entries),
        repr([(each.number, each.value) for each in study.requests()]),
        history_csv(snapshot, "", "", "", "", ""),
        history_view(snapshot, "", "", "", "", "", 1).model_dump_json(),
    ]
    return told(*shown)


def told(*shown):
    """What is told of values, apart from the lists of all that there could be."""
    return re.sub(rf"normal\W+{SECRETS[0]}\W+{SECRETS[1]}", "", "\n".join(shown))


def test_nothing_shows_them_any_more(database):
    with begin(database) as study:
        secretly(study)
        assert SECRETS[0] in everything_shown(study)
        spent = study.state.spent
        observer = Study.open(database, "s")
        study.withdraw("P1", forget=True, why="asked for it")
        observer.refresh()
        with Study.open(database, "s") as anew, observer:
            for each in (study, anew, observer):
                text = everything_shown(each)
                for secret in SECRETS:
                    assert secret not in text
                assert "a value that is forgotten" in text
                assert "and its values forgotten (asked for it)" in text
                assert each.state.spent == spent
                check_everything(each)
                check_folded(each)
        model = study.model()
        assert model.predictor.bought.sum() == 0


def test_the_database_still_holds_them_and_that_is_said(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with begin(database) as study:
        secretly(study)
    said = CliRunner().invoke(main, ["study", "withdraw", "P1", "--forget"])
    assert said.exit_code == 0, said.output
    assert "The database itself still holds them, and so do its backups" in said.stdout
    for command in ("history", "export", "status", "model"):
        for option in ((), ("--json",)):
            shown = CliRunner().invoke(main, ["study", command, *option])
            assert shown.exit_code == 0, shown.output
            assert not any(secret in told(shown.output) for secret in SECRETS)
    with sqlite3.connect(database) as raw:
        assert SECRETS[0] in "\n".join(raw.iterdump())
    raw.close()


def test_a_withdrawn_case_can_be_forgotten_later_also_when_the_study_is_closed(database):
    with begin(database) as study:
        study.record([("P1", "smear", SECRETS[0]), ("P2", "smear", "normal")])
        study.withdraw("P1")
        assert SECRETS[0] in everything_shown(study)
        with pytest.raises(StudyError, match="is withdrawn already"):
            study.withdraw("P1")
        study.close()
        study.withdraw("P1", forget=True)
        assert SECRETS[0] not in everything_shown(study)
        with pytest.raises(StudyError, match="withdrawn and forgotten already"):
            study.withdraw("P1", forget=True)
        with pytest.raises(StudyError, match="are forgotten; it takes no others"):
            study.correct(1, SECRETS[0])
        assert study.correct(1, None, cost="2.50").cost == PROBLEM.features[0].cost
        check_folded(study)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["ask", "tell", "correct", "undo", "record", "forget",
                                           "withdraw"]), st.integers(0, 5)), max_size=14)
       )  # fmt: skip
def test_folding_what_is_shown_leads_to_the_same(tmp_path, steps):
    """Whatever happened: history without the forgotten values is a history of the same study."""
    with begin(f"{tmp_path}/many.db", uuid4().hex) as study:
        for what, at in steps:
            try:
                number = max(1, study.state.next_number - 1 - at)
                if what == "ask":
                    study.ask(1 + at)
                elif what == "tell":
                    study.tell(number, study.state.problem.features[0].values[0])
                elif what == "correct":
                    study.correct(number, "normal" if at % 2 else "raised")
                elif what == "undo":
                    study.undo(number)
                elif what == "record":
                    study.record([(f"P{at}", "smear", SECRETS[at % 2])])
                else:
                    study.withdraw(f"P{at}", forget=what == "forget")
            except ValueError:
                continue
        raw = study._journal.read()
        full, shown = fold(None, raw, "raw"), fold(None, study.history(), "shown")
        assert full.state.belief == shown.state.belief
        assert full.state.spent == shown.state.spent
        assert (full.cells == shown.cells).all()
        assert [full.requests[n].value for n in full.requests] == [
            shown.requests[n].value for n in full.requests
        ]
        check_folded(study)


def test_an_import_says_what_the_values_cost_by_the_list(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with begin(database) as study:
        (pending,) = study.ask()
    rows = "".join(f"P{at};normal;normal\n" for at in range(6))
    (tmp_path / "values.csv").write_text("case;smear;crp\n" + rows, encoding="utf-8")

    def command(*words):
        done = CliRunner().invoke(main, ["study", *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    whole = 6 * (PROBLEM.features[0].cost + PROBLEM.features[1].cost) - pending.cost
    said = command("import", "values.csv")
    assert "11 values recorded" in said
    assert (
        f"11 of the recorded values were not charged; by the price list they cost {whole}" in said
    )
    assert "--charge" in said
    assert "not charged" not in command("import", "values.csv")
    with begin(f"{tmp_path}/c.db"):
        pass
    done = json.loads(command("import", "values.csv", "--charge", "--json", "--db", "c.db"))
    assert done["not_charged"] == {"values": 0, "list_price": "0"}
    assert done["spent"] == "21.00"
    with begin(f"{tmp_path}/d.db"):
        pass
    said = command("record", "P1", "crp", "raised", "--db", "d.db")
    assert "It was not charged; by the price list it costs 1." in said
    assert "costs" not in command("record", "P2", "crp", "raised", "--charge", "1", "--db", "d.db")
