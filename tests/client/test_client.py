"""The client and a real server: what is asked and told over HTTP is in the journal."""

import json
from decimal import Decimal

import pytest

from budgeted import Study
from budgeted.client import Client, Done, Request
from budgeted.errors import (
    AccessError,
    ServerError,
    StudyError,
    UnknownError,
)
from budgeted.learners.model import Model
from tests import webs
from tests.client.servers import TOKEN, guarded


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("client")


@pytest.fixture(scope="module")
def address(folder):
    with guarded(folder) as found:
        yield found


@pytest.fixture
def client(address):
    with Client(address, token=TOKEN, pause=0.001) as found:
        yield found


@pytest.fixture
def study(client, request):
    """A study of its own for each test."""
    name = request.node.name.replace("[", " ").rstrip("]")
    return client.create_study(webs.STUDY.replace("flu", name), webs.CASES)


def test_a_laboratory_asks_and_tells_in_five_lines(address, folder, study):
    with Client(address, token=TOKEN) as client:
        found = client.study(study.name)
        order = found.ask(2)
        found.tell(order[0].request, "no")
    with Study.open(str(folder / "studies.db"), study.name) as there:
        assert [(each.number, each.fate) for each in there.requests()] == [
            (1, "told"), (2, "pending")]  # fmt: skip
        assert {each.by for each in there.history(after=1)} == {"robot"}


def test_what_is_seen_is_what_the_study_says_itself(study, folder):
    study.ask(3)
    study.tell(1, "no", cost="2.25")
    status = study.status()
    with Study.open(str(folder / "studies.db"), study.name) as there:
        state = there.state
        money = status.study.money
        assert (money.budget, money.spent, money.reserved, money.free) == (
            state.problem.budget, state.spent, state.reserved, state.free)  # fmt: skip
        assert isinstance(money.free, Decimal)
        assert status.seq == len(there.history())
        assert [(each.number, each.case, each.feature, each.cost) for each in study.pending()] == [
            (each.number, each.case, each.feature, each.cost) for each in there.requests("pending")
        ]
        assert [each.words for each in study.history()] == [
            entry.event.words() for entry in there.history()
        ]
        case = {"fever": "yes"}
        assert study.predict(case).chances == pytest.approx(there.model().predict(case))
        assert Model.from_json(study.model()) == there.model()
    assert study.request(1).value == "no"
    assert status.pending == study.pending()
    assert study.table("long").startswith("request,")
    assert study.price(2).cost > 0
    assert study.next().features


def test_every_change_is_carried_out(study):
    """Each method once; which of them there are is compared in test_openapi.py."""
    asked = study.ask(2, only=["fever"])
    assert isinstance(asked, Done)
    assert isinstance(asked[0], Request)
    assert [each.feature for each in asked] == ["fever", "fever"]
    study.tell(asked[0], "yes")
    assert study.correct(asked[0], "no", why="misread")[0].value == "no"
    assert study.undo(asked[0])[0].fate == "pending"
    assert study.fail(asked[1], charged="0.50", usable=False).money.spent == Decimal("0.50")
    assert study.cancel(asked[0]).money.reserved == 0
    case, feature = asked[0].case, "cough"
    study.record([{"case": case, "feature": feature, "value": "yes"}], charge=True)
    results = [{"case": case, "feature": "fever", "value": "no", "cost": "1"}]
    assert study.preview(results).recorded == 1
    entered = study.enter(results)
    assert study.undo_batch(entered).events
    study.note("the centrifuge was loud", case=case)
    study.add_cases([{"case": "P99", "label": "ill"}],
                    known=[{"case": "P99", "feature": "cough", "value": "no"}])  # fmt: skip
    study.add_feature({"name": "b12", "values": ["low", "normal"], "cost": "0.25"})
    study.add_value("b12", "high")
    study.rule_out("P99", "b12", why="vitamins")
    study.allow("P99", "b12")
    study.withdraw("P99", forget=True)
    study.set_budget(Decimal("25.50"), why="a gift")
    study.set_stop_rules(least_gain=0.01, binding=False)
    assert study.diagnose({"cough": "yes"}, wrong=300).expected_cost > 0
    assert study.expire(30).requests == ()
    study.close(why="enough")
    study.reopen("more money")
    kinds = [each.kind for each in study.history()]
    assert len(kinds) == study.status().seq > 20


def test_refusals_are_errors_of_the_package_in_the_words_of_the_server(client, study):
    with pytest.raises(UnknownError, match="no study 'nobody'"):
        client.study("nobody").status()
    study.ask()
    study.tell(1, "no")
    with pytest.raises(StudyError, match="request 1"):
        study.tell(1, "yes")
    with pytest.raises(ServerError, match="there are 'no', 'yes'"):
        study.correct(1, "perhaps")
    with pytest.raises(ServerError, match="n: "):
        study.ask(0)
    with pytest.raises(ServerError, match="cannot be sent"):
        study.correct(1, object())


def test_without_the_token_nothing_is_said(address):
    with Client(address) as client, pytest.raises(AccessError, match="token"):
        client.studies()
    with Client(address, token="another") as client, pytest.raises(AccessError):
        client.studies()
    with Client(address, token=TOKEN) as client:
        assert TOKEN not in repr(client) + repr(client.study("flu"))


def test_names_are_quoted_as_the_server_wants_them(client):
    for name in ("a/b", "100 %", "..", "é?#", "back\\slash"):
        text = json.dumps(name, ensure_ascii=False)
        made = client.create_study(webs.STUDY.replace('"flu"', text), webs.CASES)
        assert made.status().study.name == name
        made.ask()
        assert {each.name for each in client.studies(name)} >= {name}


def test_all_pages_of_studies_and_of_the_log_are_read(client, study):
    for at in range(30):
        study.note(f"note {at}")
    assert [each.seq for each in study.history()] == list(range(1, 32))
    assert [each.words for each in study.history(after=29)][-1].endswith("note 29")
    assert len(study.history(after=29)) == 2
    for at in range(26):
        client.create_study(webs.STUDY.replace("flu", f"sheet {at}"), webs.CASES)
    assert len(client.studies("sheet")) == 26
