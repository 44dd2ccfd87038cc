"""The list of studies: right whoever wrote last, and as quick for fifty as for five."""

import random
import sqlite3
from contextlib import closing, contextmanager
from decimal import Decimal

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

from budgeted import Study
from budgeted.errors import BudgetedError, JournalError
from budgeted.studies.journal import Journal
from budgeted.studies.ledger import Summary, summaries
from budgeted.web import probes
from tests import sample_studies as studies
from tests.webs import client, make_study


def expected(study):
    """What a list should say, from the study itself."""
    told = [each for each in study.requests() if each.fate in ("told", "recorded")]
    return {
        "budget": study.state.problem.budget,
        "spent": sum((each.cost for each in study.state.history), Decimal(0)),
        "reserved": sum((each.cost for each in study.requests("pending")), Decimal(0)),
        "free": study.state.free,
        "bought": sum(each.value is not None for each in told),
        "pending": len(study.requests("pending")),
        "events": study.events,
        "closed": study.closed,
        "features": len(study.created.features),
        "cases": len(study.created.cases),
    }


def do_something(study, draw):
    pending = [each.number for each in study.requests("pending")]
    told = [each for each in study.requests() if each.fate == "told"]
    what = draw.choice(("ask", "tell", "tell", "fail", "cancel", "correct", "withdraw", "budget"))
    if what == "ask":
        study.ask(draw.randint(1, 3))
    elif what == "tell" and pending:
        request = study.request(draw.choice(pending))
        values = next(each.parameters["values"] for each in study.created.features
                      if each.name == request.feature)  # fmt: skip
        study.tell(request.number, draw.choice(values))
    elif what == "fail" and pending:
        study.fail(draw.choice(pending), charged=draw.random() < 0.5, usable=draw.random() < 0.5)
    elif what == "cancel" and pending:
        study.cancel(draw.choice(pending))
    elif what == "correct" and told:
        study.correct(draw.choice(told).number, None)
    elif what == "withdraw":
        study.withdraw(draw.choice(study.created.cases)[0])
    elif what == "budget":
        study.set_budget(study.state.problem.budget + draw.randint(-2, 3))


def end(study):
    study.refresh()
    for request in study.requests("pending"):
        study.cancel(request.number)
    study.close()


@pytest.mark.parametrize("seed", range(3))
def test_a_list_says_what_the_study_says(database, seed):
    draw = random.Random(seed)
    with (
        studies.begin(database, "one", policy="round-robin") as study,
        Study.open(database, "one") as other,
        studies.begin(database, "untouched") as untouched,
    ):
        for at in range(40):
            try:
                do_something(draw.choice((study, other)), draw) if at < 39 else end(other)
            except BudgetedError:
                continue
            study.refresh()
            found = summaries(study._journal)
            for each in (study, untouched):
                kept = found[each.name]
                assert {key: getattr(kept, key) for key in expected(each)} == expected(each)
                snapshot = each.snapshot()
                assert kept == Summary.of(snapshot, snapshot.entries[0], snapshot.entries[-1])
            study.verify()
        assert summaries(study._journal)["one"].closed


@contextmanager
def counted():
    """What is sent to any database, and each new connection; those say PRAGMA and SET by driver."""
    sent = []

    def note(_connection, _cursor, statement, *_):
        sent.append(statement)

    def note_connection(*_):
        sent.append("a new connection")

    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Pool, "connect", note_connection)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        event.remove(Pool, "connect", note_connection)


@pytest.mark.parametrize("path", ["/studies", "/api/studies", "/ready"])
def test_a_list_or_probe_is_one_statement_over_a_connection_that_is_there(
    tmp_path, database, path, monkeypatch
):
    """The defect: each made connections anew and had SQLite check the whole file."""
    monkeypatch.setattr(probes, "_FRESH", 0.0)
    make_study(database).release()
    with client(tmp_path, database) as server:
        assert server.get(path).status_code == 200
        with counted() as sent:
            assert server.get(path).status_code == 200
        *before, asked = sent
        # A probe tells whether somebody could write, for which SQLite is asked for its lock.
        assert before in ([], ["BEGIN IMMEDIATE"] if path == "/ready" else []), sent
        assert asked.strip().startswith("SELECT")
        assert ("budgeted_events" in asked) == (path != "/ready"), "a probe is cheap"


@pytest.mark.parametrize("path", ["/studies", "/api/studies"])
def test_a_list_costs_the_same_for_five_studies_and_for_fifty(tmp_path, path):
    numbers = []
    with client(tmp_path) as server:
        for names in (range(5), range(5, 50)):
            for name in names:
                make_study(tmp_path / "studies.db", f"study {name}").release()
            with counted() as sent:
                answer = server.get(path)
            assert answer.status_code == 200
            shown = "".join(server.get(f"{path}?page={page}").text for page in (1, 2))
            assert all(f"study {name}" in shown for name in names)
            numbers.append(len(sent))
            assert sum("summary" in each for each in sent) == 1
        assert not server.app.state.workers._workers, "no study was opened"
    assert numbers[0] == numbers[1]


def test_what_another_program_did_is_on_the_list(tmp_path):
    with client(tmp_path) as server:
        study = make_study(tmp_path / "studies.db")
        assert server.get("/api/studies").json()["studies"][0]["pending"] == 0
        study.ask(2)
        (card,) = server.get("/api/studies").json()["studies"]
        assert (card["pending"], card["events"], card["last_by"]) == (2, 3, "anna")
        assert card["money"]["reserved"] == str(study.state.reserved)
        assert card == server.get("/api/studies/flu").json()["study"]
        study.release()


@pytest.mark.parametrize(
    "damage",
    [
        "'{'",
        "''",
        "replace(summary, '\"events\": 1', '\"events\": 7')",
        'replace(summary, \'"spent": "0\', \'"spent": "5\')',
        'replace(summary, \'"budget": "20\', \'"budget": "90\')',
    ],
)
def test_a_damaged_summary_hides_nothing(tmp_path, damage):
    with client(tmp_path) as server:
        make_study(tmp_path / "studies.db").release()
        whole = server.get("/api/studies").json()
        with closing(sqlite3.connect(tmp_path / "studies.db")) as database, database:
            (before,) = database.execute("SELECT summary FROM budgeted_heads").fetchone()
            database.execute(f"UPDATE budgeted_heads SET summary = {damage}")
            assert database.execute("SELECT summary FROM budgeted_heads").fetchone() != (before,)
        with Journal(str(tmp_path / "studies.db"), "") as journal:
            assert isinstance(summaries(journal)["flu"], JournalError)
        assert server.get("/api/studies").json() == whole


def test_a_study_without_a_head_is_listed_as_broken(tmp_path):
    with client(tmp_path) as server:
        for name in ("flu", "cough"):
            make_study(tmp_path / "studies.db", name).release()
        with closing(sqlite3.connect(tmp_path / "studies.db")) as database, database:
            database.execute("DELETE FROM budgeted_heads WHERE study = 'flu'")
        for path in ("/studies", "/api/studies"):
            said = server.get(path).text
            assert "flu" in said
            assert str(tmp_path) not in said, "where the database is"
            assert "studies.db" not in said
        found = server.get("/api/studies").json()
        assert [each["name"] for each in found["studies"]] == ["cough"]
        assert len(found["broken"]) == 1
        assert found["broken"][0].startswith("flu: ")
