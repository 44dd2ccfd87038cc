"""Idempotency keys: what is sent twice is carried out once, whoever asks and whenever."""

from __future__ import annotations

import inspect
import json
import re

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as some

from budgeted import Feature, Study
from budgeted.cli.main import main
from budgeted.errors import StudyError, UnknownFateError, UnwritableError
from budgeted.studies.commands import Ask
from budgeted.studies.drafts import LONGEST_KEY, Sent
from tests import sample_studies as studies
from tests import webs


@pytest.fixture
def study(tmp_path):
    with studies.begin(str(tmp_path / "studies.db")) as begun:
        yield begun


def again(study):
    """The same study in another process, as far as memory goes."""
    return Study.open(str(study._journal._url.database), by=study.by)


def test_an_ask_that_is_repeated_reserves_nothing_more(study):
    first = study.ask(2, key="one")
    assert study.ask(2, key="one") == first
    assert len(study.requests("pending")) == 2
    assert study.ask(2, key="two") != first


def test_keys_survive_a_restart(study):
    first = study.ask(2, key="one")
    with again(study) as other:
        assert other.ask(2, key="one") == first
        assert len(other.requests()) == 2
        studies.check_folded(other)


def test_a_repeat_says_what_became_of_it_since(study):
    (asked,) = study.ask(key="one")
    study.tell(asked.number, "yes")
    (found,) = study.ask(key="one")
    assert (found.number, found.fate, found.value) == (asked.number, "told", "yes")


OFFERED = [
    name for name, found in inspect.getmembers(Study, inspect.isfunction)
    if not name.startswith("_") and name != "do" and "key" in inspect.signature(found).parameters
]  # fmt: skip
"""What a study offers to do; one that is new and not below fails."""
OPERATIONS = {
    "ask": lambda study, key: study.ask(2, key=key),
    "tell": lambda study, key: study.tell(1, "yes", "0.5", key=key),
    "fail": lambda study, key: study.fail(1, charged=True, why="broken", key=key),
    "cancel": lambda study, key: study.cancel(1, "a slip", key=key),
    "expire": lambda study, key: study.expire(1, key=key),
    "undo": lambda study, key: study.undo(2, "a slip", key=key),
    "correct": lambda study, key: study.correct(2, "no", key=key),
    "withdraw": lambda study, key: study.withdraw("case 5", forget=True, key=key),
    "record": lambda study, key: study.record([("case 7", "f0", "yes")], charge=True, key=key),
    "set_budget": lambda study, key: study.set_budget("99", "more", key=key),
    "close": lambda study, key: study.close("enough", key=key),
    "reopen": lambda study, key: study.reopen("new money", key=key),
    "add_cases": lambda study, key: study.add_cases(
        [("case 5", "label 0"), ("new", "label 1")], known=[("new", "f0", "yes")], key=key
    ),
    "add_feature": lambda study, key: study.add_feature(Feature("f9", ("a", "b"), 2), key=key),
    "add_value": lambda study, key: study.add_value("f0", "maybe", key=key),
    "rule_out": lambda study, key: study.rule_out("case 7", "f0", "pacemaker", key=key),
    "allow": lambda study, key: study.allow("case 8", "f0", key=key),
    "enter": lambda study, key: study.enter([("case 7", "f0", "no", "", "by phone")], key=key),
    "undo_batch": lambda study, key: study.undo_batch("batch", key=key),
    "note": lambda study, key: study.note("moved", case="case 7", key=key),
    "set_stop_rules": lambda study, key: study.set_stop_rules(
        target_error=0.2, force=True, key=key
    ),
}


def closed(study):
    study.cancel(1)
    study.close()


BEFORE = {
    "expire": lambda study: setattr(study, "_clock", lambda: "2030-01-01T00:00:00Z"),
    "close": lambda study: study.cancel(1),
    "reopen": closed,
    "allow": lambda study: study.rule_out("case 8", "f0"),
    "undo_batch": lambda study: study.enter([("case 8", "f0", "no")], key="batch"),
}
"""What must be so for an operation to make sense."""


@pytest.mark.parametrize("operation", OFFERED)
def test_every_operation_takes_a_key(study, operation):
    study.ask(2)
    study.tell(2, "yes")
    BEFORE.get(operation, lambda _: None)(study)
    do = OPERATIONS[operation]
    answer = do(study, "key")
    events = study.history()
    with again(study) as other:
        assert do(other, "key") == answer
        assert other.history() == events
        mine = [each for each in events if each.key == "key"]
        assert mine, "the key is in the journal"
        assert {each.command for each in mine} == {mine[0].command} != {""}
        with pytest.raises(StudyError, match="was used for another command already, by me"):
            other.ask(7, key="key")
        other.by = "you"
        with pytest.raises(StudyError, match="was used for another command already, by me"):
            do(other, "key")
        assert other.history() == events
        studies.check_folded(other)


def test_the_same_key_twice_in_one_write(study):
    sent = [
        Sent(Ask(1), by, key)
        for by, key in (("anna", "a"), ("ben", "b"), ("anna", "a"), ("cy", "a"))
    ]
    first, second, repeated, refused = study.carry_out(sent)
    assert (first.repeated, second.repeated, repeated.repeated) == (False, False, True)
    assert repeated.requests == first.requests != second.requests
    assert isinstance(refused, StudyError)
    assert len(study.requests()) == 2


def test_the_same_key_twice_in_a_write_of_unknown_fate(study, monkeypatch):
    """The second must not be told that it was done: nobody knows."""
    study.ask(key="before")

    def lost(*_, **__):
        raise UnknownFateError("the connection broke", "somewhere")

    monkeypatch.setattr(study._journal, "append", lost)
    sent = [Sent(Ask(1), study.by, key) for key in ("a", "a", "before")]
    first, second, before = study.carry_out(sent)
    assert isinstance(first, UnknownFateError)
    assert isinstance(second, UnknownFateError)
    assert first.key == second.key == "a"
    assert before.repeated


def test_what_was_refused_or_wrote_nothing_leaves_no_key(study):
    with pytest.raises(StudyError):
        study.tell(1, "yes", key="one")
    study.ask()
    assert study.tell(1, "yes", key="one").value == "yes"


@given(some.lists(some.tuples(some.sampled_from("abc"), some.integers(1, 2)), max_size=8))
@settings(max_examples=25)
def test_a_key_counts_once_in_any_order(tmp_path_factory, sent):
    """Against a model: the first command of each key is carried out, and no other."""
    meant = {}
    for key, n in sent:
        meant.setdefault(key, n)
    database = str(tmp_path_factory.mktemp("keys") / "studies.db")
    with studies.begin(database, policy="round-robin") as study:
        for key, n in sent:
            if meant[key] == n:
                assert len(study.ask(n, key=key)) == n
            else:
                with pytest.raises(StudyError):
                    study.ask(n, key=key)
        assert len(study.requests()) == sum(meant.values())


@pytest.mark.parametrize("key", ["a b", "ä", "a\nb", "\0", "x" * (LONGEST_KEY + 1), "\ud800"])
def test_odd_keys_are_refused(study, key):
    with pytest.raises(UnwritableError, match="key: must be 1 to 200 letters"):
        study.ask(key=key)
    assert study.requests() == ()


def test_on_the_command_line(study):
    database = str(study._journal._url.database)

    def run(*arguments):
        return CliRunner().invoke(main, ["study", *arguments, "--db", database, "--json"])

    first = json.loads(run("ask", "-n", "2", "--key", "one").output)
    assert json.loads(run("ask", "-n", "2", "--key", "one").output) == first
    refused = run("ask", "-n", "3", "--key", "one")
    assert refused.exit_code == 1
    assert "was used for another command" in refused.output
    with Study.open(database) as found:
        assert len(found.requests()) == 2


def test_over_http(tmp_path):
    webs.make_study(tmp_path / "studies.db").release()
    with webs.client(tmp_path) as client:
        header = {"Idempotency-Key": "3f2b"}
        first = client.post("/api/studies/flu/ask", json={"n": 2}, headers=header).json()
        assert first["repeated"] is False
        second = client.post("/api/studies/flu/ask", json={"n": 2}, headers=header).json()
        assert second["repeated"] is True
        assert (second["requests"], second["money"]) == (first["requests"], first["money"])
        other = client.post("/api/studies/flu/ask", json={"n": 1}, headers=header)
        assert other.status_code == 409
        assert re.search("another command", other.json()["error"])
        for odd in ("", "a b", "x" * 201):
            answer = client.post("/api/studies/flu/ask", headers={"Idempotency-Key": odd})
            assert answer.status_code == 422
            assert "key: must be 1 to 200" in answer.json()["error"]
