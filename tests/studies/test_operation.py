"""An operation of one's own: a dataclass and its event, and all surfaces have it."""

import json
from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest
from click.testing import CliRunner

from budgeted import Study
from budgeted.cli.main import main
from budgeted.errors import StudyError
from budgeted.studies import events
from budgeted.studies.commands import COMMANDS, Ask, Command, parameter
from budgeted.studies.commands.base import number_of_request
from budgeted.studies.projection import FOLDS
from budgeted.web.app import create_app
from budgeted.web.settings import Settings
from tests import sample_studies as studies
from tests.webs import client


@dataclass(frozen=True)
class Annotated(events.Event):
    """Somebody has something to say of a request."""

    number: int
    note: str
    loud: bool = False
    kind: Literal["annotated"] = "annotated"

    def words(self):
        return f"request {self.number}: {self.note}{'!' if self.loud else ''}"


SEEN = []
"""Numbers as the surfaces gave them."""


@dataclass(frozen=True)
class Annotate(Command):
    """Note something about a request."""

    name: ClassVar[str] = "annotate"
    number: int = number_of_request()
    note: str = parameter("What there is to say.", longest=200)
    loud: bool = parameter("Whether it is important.", False)
    times: int | None = parameter("How often.", None, least=1)
    share: float | None = parameter("How much of it.", None)
    origin: str = parameter("Which page it comes from.", "", hidden=True)

    def __post_init__(self):
        SEEN.append((self.times, self.share))

    def decide(self, draft):
        number = draft.request(self.number).number
        if not self.note.strip():
            raise StudyError("note: must not be blank")
        return [Annotated(number, self.note, self.loud)]


def keep_note(projection, entry, event):
    notes = projection.extras.get("notes", {})
    said = (*notes.get(event.number, ()), f"{entry.by}: {event.note}")
    projection.extras["notes"] = notes | {event.number: said}


@dataclass(frozen=True)
class Remark(Command):
    """Say something of the study as a whole."""

    name: ClassVar[str] = "remark"
    text: str = parameter("What there is to say.", longest=200)

    def decide(self, draft):
        return [Remarked(self.text)]


@dataclass(frozen=True)
class Remarked(events.Event):
    """Somebody has something to say of the study."""

    text: str
    kind: Literal["remarked"] = "remarked"

    def words(self):
        return f"remark: {self.text}"


@dataclass(frozen=True)
class Resumed(events.Event):
    """The study goes on."""

    kind: Literal["resumed"] = "resumed"

    allowed_after_closing = True


@dataclass(frozen=True)
class Resume(Command):
    """Go on with a study that is closed."""

    name: ClassVar[str] = "resume"

    def decide(self, draft):
        return [Resumed()]


def go_on(projection, entry, event):
    projection.closed = False


@dataclass(frozen=True)
class Batch(Command):
    """Ask for a batch."""

    name: ClassVar[str] = "batch"
    sized_by: ClassVar[tuple[str, ...]] = ("members",)
    members: int = parameter("How many requests.", 1, least=1)

    def decide(self, draft):
        return Ask(self.members).decide(draft)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(FOLDS, Annotated, keep_note)
    COMMANDS.register(Annotate)
    monkeypatch.setitem(FOLDS, Resumed, go_on)
    mine = (Annotate, Remark, Resume, Batch)
    for each in mine:
        COMMANDS.register(each)
    yield
    for each in mine:
        COMMANDS.forget(each.name)


@pytest.fixture
def database(tmp_path):
    found = str(tmp_path / "studies.db")
    with studies.begin(found, "flu") as study:
        study.ask(2)
    return found


def test_a_study_has_it(database):
    with Study.open(database, by="anna") as study:
        done = study.do(Annotate(1, "the tube was warm"), key="once")
        assert done.requests == (study.request(1),)
        assert study.do(Annotate(1, "the tube was warm"), key="once").repeated
        with pytest.raises(StudyError, match="there is no request 7"):
            study.do(Annotate(7, "?"))
        with pytest.raises(StudyError, match="note: must not be blank"):
            study.do(Annotate(1, " "))
        assert study._projection.extras == {"notes": {1: ("anna: the tube was warm",)}}
        studies.check_folded(study)
    with Study.open(database) as again:
        assert again.history()[-1].event == Annotated(1, "the tube was warm")
        assert again._projection.extras == {"notes": {1: ("anna: the tube was warm",)}}
        assert again.history()[-1].event.words() == "request 1: the tube was warm"


def test_the_command_line_has_it(database):
    def run(*words):
        return CliRunner().invoke(main, ["study", *words, "--db", database])

    assert "annotate" in CliRunner().invoke(main, ["study", "--help"]).output
    shown = CliRunner().invoke(main, ["study", "annotate", "--help"]).output
    assert "NUMBER NOTE" in shown
    assert "Note something about a request." in shown
    assert "--loud" in shown
    assert "Whether it is important." in shown
    done = run("annotate", "2", "late", "--loud", "--json")
    assert json.loads(done.output)["request"]["number"] == 2
    assert "request 2: late!" in run("history").output
    assert "there is no request 9" in run("annotate", "9", "late").output
    assert run("remark", "slow week").output.startswith("remark: slow week\n")


def test_the_api_has_it(tmp_path, database):
    document = create_app(Settings(database)).openapi()
    path = "/api/studies/{name}/requests/{number}/annotate"
    assert document["paths"][path]["post"]["description"] == "Note something about a request."
    body = document["components"]["schemas"]["Annotate"]
    assert body["required"] == ["note"]
    assert body["properties"]["loud"]["description"] == "Whether it is important."
    with client(tmp_path, database) as site:
        address = "/api/studies/flu/requests/1/annotate"
        done = site.post(address, json={"note": "warm"}, headers={"Idempotency-Key": "k"})
        assert done.status_code == 200
        assert done.json()["requests"][0]["number"] == 1
        again = site.post(address, json={"note": "warm"}, headers={"Idempotency-Key": "k"})
        assert again.json()["repeated"]
        assert site.post(address, json={"note": "x" * 201}).status_code == 422
        assert site.post(address, json={"note": "warm", "tone": 1}).status_code == 422
        assert site.post(address).status_code == 422
        log = site.get("/api/studies/flu/history").json()
        assert "request 1: warm" in json.dumps(log)


def test_numbers_that_may_be_missing_are_numbers_on_every_surface(tmp_path, database):
    def run(*words):
        return CliRunner().invoke(main, ["study", "annotate", "1", "x", *words, "--db", database])

    SEEN.clear()
    assert run("--times", "3", "--share", "0.5").exit_code == 0
    assert run().exit_code == 0
    with client(tmp_path, database) as site:
        body = {"note": "x", "times": 3, "share": 0.5}
        assert site.post("/api/studies/flu/requests/1/annotate", json=body).status_code == 200
    assert SEEN == [(3, 0.5), (None, None), (3, 0.5)]
    assert [type(each) for each in SEEN[0]] == [int, float]
    assert run("--times", "often").exit_code == 2
    assert run("--times", "0").exit_code == 2


def test_a_hidden_field_is_on_no_surface(tmp_path, database):
    schemas = create_app(Settings(database)).openapi()["components"]["schemas"]
    assert "origin" not in schemas["Annotate"]["properties"]
    assert "shown" not in schemas["Undo"]["properties"]
    assert "origin" not in CliRunner().invoke(main, ["study", "annotate", "--help"]).output
    with client(tmp_path, database) as site:
        body = {"note": "x", "origin": "elsewhere"}
        assert site.post("/api/studies/flu/requests/1/annotate", json=body).status_code == 422


def test_an_event_says_whether_it_may_happen_in_a_closed_study(database):
    with Study.open(database) as study:
        study.cancel(1)
        study.cancel(2)
        study.close()
        with pytest.raises(StudyError, match="is closed; only corrections are possible"):
            study.do(Remark("too late"))
        study.do(Resume())
        assert not study.closed
        study.do(Remark("in time"))
        studies.check_folded(study)


def test_a_server_limits_an_operation_that_asks_for_requests(tmp_path, database):
    with client(tmp_path, database) as site:
        said = site.post("/api/studies/flu/batch", json={"members": 201})
        assert said.status_code == 409
        assert "members: must be from 1 to 200, got 201" in said.text
        assert site.post("/api/studies/flu/batch", json={"members": 2}).status_code == 200


def test_a_class_that_is_none_is_refused_in_words():
    class Loud(Command):
        """Not a dataclass."""

        name = "loud"

    with pytest.raises(StudyError, match="operation 'loud': must be a dataclass"):
        COMMANDS.register(Loud)

    @dataclass(frozen=True)
    class Mute(Command):
        name: ClassVar[str] = "mute"

    with pytest.raises(StudyError, match="operation 'mute': its docstring must say what it does"):
        COMMANDS.register(Mute)

    @dataclass(frozen=True)
    class Ask(Command):
        """Ask in another way."""

        name: ClassVar[str] = "ask"

        def decide(self, draft):
            return []

    with pytest.raises(StudyError, match="there is an operation 'ask' already; rename yours"):
        COMMANDS.register(Ask)


def test_an_operation_must_decide():
    @dataclass(frozen=True)
    class Idle(Command):
        """Do nothing."""

        name: ClassVar[str] = "idle"

    with pytest.raises(StudyError, match=r"'idle': must have decide\(draft\)"):
        COMMANDS.register(Idle)
