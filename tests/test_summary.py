"""The list of studies: right whoever wrote last, and as quick for fifty as for five."""

import random
import sqlite3
from contextlib import closing, contextmanager
from decimal import Decimal

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from budgeted import Study
from budgeted.errors import BudgetedError, JournalError
from budgeted.study.summary import Summary, summaries
from tests import studies
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
        values = next(each.values for each in study.created.features
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
            found = summaries(database)
            for each in (study, untouched):
                kept = found[each.name]
                assert {key: getattr(kept, key) for key in expected(each)} == expected(each)
                snapshot = each.snapshot()
                assert kept == Summary.of(snapshot, snapshot.entries[0], snapshot.entries[-1])
        assert summaries(database)["one"].closed


@contextmanager
def counted():
    """How many statements are sent to any database."""
    sent = []

    def note(_connection, _cursor, statement, *_):
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


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
            assert all(f"study {name}" in answer.text for name in names)
            numbers.append(len(sent))
            assert sum("summary" in each for each in sent) == 1
        assert not server.app.state.office._desks, "no study was opened"
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
    "damage", ["'{'", "''", "replace(summary, '\"events\": 1', '\"events\": 7')"]
)
def test_a_damaged_summary_hides_nothing(tmp_path, damage):
    with client(tmp_path) as server:
        make_study(tmp_path / "studies.db").release()
        whole = server.get("/api/studies").json()
        with closing(sqlite3.connect(tmp_path / "studies.db")) as database, database:
            database.execute(f"UPDATE budgeted_heads SET summary = {damage}")
        assert isinstance(summaries(str(tmp_path / "studies.db"))["flu"], JournalError)
        assert server.get("/api/studies").json() == whole


def test_a_study_without_a_head_is_listed_as_broken(tmp_path):
    with client(tmp_path) as server:
        for name in ("flu", "cough"):
            make_study(tmp_path / "studies.db", name).release()
        with closing(sqlite3.connect(tmp_path / "studies.db")) as database, database:
            database.execute("DELETE FROM budgeted_heads WHERE study = 'flu'")
        found = server.get("/api/studies").json()
        assert [each["name"] for each in found["studies"]] == ["cough"]
        assert len(found["broken"]) == 1
        assert found["broken"][0].startswith("flu: ")
