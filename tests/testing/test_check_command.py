"""The contract of commands: kept by all that are registered, and broken in many ways."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Literal

import click
import pytest
from click.testing import CliRunner

from budgeted.cli.studies.options import SHARED, command_from, of_operation
from budgeted.studies import events
from budgeted.studies.commands import (
    COMMANDS,
    Amount,
    Ask,
    Cancel,
    Command,
    Result,
    amount,
    parameter,
)
from budgeted.studies.commands.base import number_of_request
from budgeted.testing import check_command
from budgeted.testing.command_fields import RESERVED
from budgeted.web.api.operations import body_of

EXAMPLES = {"enter": [{"results": [["case 8", "fever", "yes", "", "", False]]}]}
"""Of commands whose fields cannot be made up."""
NEEDS_A_KEY = "undo-batch"
"""It is about what was written with a key; the contract has none (tests/studies/test_enter.py)."""


@pytest.fixture(autouse=True)
def _no_forecasts(monkeypatch):
    """Rules for stopping look ahead, which takes long; test_stopping.py has them do it."""
    monkeypatch.setattr("budgeted.studies.weighing.foreseen", lambda *_: (None, "not here"))


@pytest.mark.parametrize("name", [each for each in COMMANDS if each != NEEDS_A_KEY])
def test_every_registered_command_keeps_the_contract(name):
    check_command(COMMANDS[name], EXAMPLES.get(name, ()))


TYPED = {
    "ask": (["-n", "2"], {"n": 2}),
    "tell": (["1", "yes", "--cost", "2.50"], {"number": 1, "value": "yes", "cost": "2.50"}),
    "fail": (["1", "--unusable", "--why", "lost"],
             {"number": 1, "charged": False, "usable": False, "why": "lost"}),
    "cancel": (["1"], {"number": 1}),
    "correct": (["2", "--no-value"], {"number": 2, "value": None}),
    "undo": (["2", "--why", "a slip"], {"number": 2, "why": "a slip"}),
    "withdraw": (["case 1", "--forget"], {"case": "case 1", "forget": True}),
    "record": (["case 8", "fever", "yes"], {"values": [["case 8", "fever", "yes"]]}),
    "budget": (["99"], {"budget": "99"}),
    "close": (["--why", "enough"], {"why": "enough"}),
    "cuts": (["weight", "70 90.5"], {"feature": "weight", "cuts": "70 90.5"}),
    "reopen": (["--why", "new money"], {"why": "new money"}),
    "add-cases": (["case 9", "ill", "north"], {"cases": [["case 9", "ill", "north"]]}),
    "add-feature": (['{"name": "scan", "values": ["-", "+"], "cost": 2}'],
                    {"feature": {"name": "scan", "values": ["-", "+"], "cost": 2}}),
    "add-value": (["fever", "high", "--prior-count", "1"],
                  {"feature": "fever", "value": "high", "prior_count": 1}),
    "rule-out": (["case 3", "cough", "--why", "mute"],
                 {"case": "case 3", "feature": "cough", "why": "mute"}),
    "allow": (["case 8", "cough"], {"case": "case 8", "feature": "cough"}),
    "archive": (["--why", "published"], {"why": "published"}),
    "unarchive": ([], {}),
    "enter": (["case 8", "fever", "yes", "2.50", "late", "--force"],
              {"results": [["case 8", "fever", "yes", "2.50", "late", True]]}),
    "undo-batch": (["monday"], {"batch": "monday"}),
    "stop-rules": (["--least-gain", "0.01", "--point-worth", "2.50", "--binding"],
                   {"least_gain": 0.01, "point_worth": "2.50", "binding": True}),
    "note": (["moved", "--case", "case 8"], {"text": "moved", "case": "case 8"}),
}  # fmt: skip
"""What somebody types, and the same as JSON."""


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_typed_and_what_is_sent_as_json_are_the_same(name):
    kind, made = COMMANDS[name], []
    words, plain = TYPED[name]

    def keep(**given):
        made.append(command_from(kind, given))

    for option in reversed(of_operation(kind)):
        keep = option(keep)
    done = CliRunner().invoke(click.command()(keep), words)
    assert done.exit_code == 0, done.output
    body = {key: value for key, value in plain.items() if key != "number"}
    fields = [field for field in body_of(kind).model_fields if field in body]
    several = {"record": ("values", ("case", "feature", "value")),
               "add-cases": ("cases", ("case", "label", "group")),
               "enter": ("results", Result._fields)}  # fmt: skip
    if name in several:
        held, parts = several[name]
        body[held] = [dict(zip(parts, each, strict=True)) for each in body[held]]
    sent = body_of(kind).model_validate(json.loads(json.dumps(body)))
    for field in fields:
        one, other = getattr(made[0], field), getattr(sent, field)
        if name in several:
            one, other = [list(each) for each in one], [list(dict(each).values()) for each in other]
        assert one == other
    if name != NEEDS_A_KEY:
        check_command(kind, [plain])


def test_the_names_of_common_options_are_reserved():
    assert set(RESERVED) == set(SHARED)


@dataclass(frozen=True)
class Noted(events.Event):
    """Somebody said something."""

    text: str
    price: Any = None
    kind: Literal["noted in a contract"] = "noted in a contract"

    def words(self):
        return f"noted: {self.text}" if self.text != "quiet" else ""


@dataclass(frozen=True)
class Note(Command):
    """Note something."""

    name: ClassVar[str] = "note"
    text: str = parameter("What there is to say.", "well", longest=200)

    def decide(self, draft):
        return [Noted(self.text)]


def test_one_of_ones_own_keeps_it():
    check_command(Note)
    check_command(Note, [{"text": "ill"}])


@dataclass
class Thawed(Command):
    """Note something."""

    name: ClassVar[str] = "thawed"
    text: str = parameter("What there is to say.", "well")

    def decide(self, draft):
        return [Noted(self.text)]


@dataclass(frozen=True)
class Undocumented(Note):
    """Has a field without a word."""

    more: str = ""


@dataclass(frozen=True)
class Dated(Note):
    """Has a field that no surface has."""

    when: date | None = parameter("When.", None)  # noqa: RUF009


@dataclass(frozen=True)
class Sets(Note):
    """Has a list of numbers."""

    every: Sequence[int] = parameter("All of them.", ())


@dataclass(frozen=True)
class Keyed(Note):
    """Has a field that every command has."""

    key: str = parameter("Opens what?", "")


@dataclass(frozen=True)
class Switch(Command):
    """Note something."""

    name: ClassVar[str] = "switch"
    loud: bool = parameter("Whether to shout.")

    def decide(self, draft):
        return [Noted("loud" if self.loud else "low")]


@dataclass(frozen=True)
class Ends(Note):
    """Closes the draft."""

    def decide(self, draft):
        draft.closed = True
        return super().decide(draft)


@dataclass(frozen=True)
class Tries(Note):
    """Does not return what it tries."""

    def decide(self, draft):
        draft.attempt(events.BudgetChanged(Decimal(50), Decimal(60)))
        return super().decide(draft)


@dataclass(frozen=True)
class Digs(Note):
    """Changes what lies below the draft."""

    def decide(self, draft):
        draft.requests.maps[-1].clear()
        return super().decide(draft)


@dataclass(frozen=True)
class Moody(Note):
    """Is another each time."""

    moods: ClassVar[list] = []

    def decide(self, draft):
        self.moods.append(1)
        return [Noted(f"mood {len(self.moods)}")]


@dataclass(frozen=True)
class Crashes(Note):
    """Reads any text as a number."""

    def decide(self, draft):
        return [Noted(str(int(self.text)))]


@dataclass(frozen=True)
class Odd(Note):
    """Takes usual texts only."""

    def decide(self, draft):
        return [Noted({"well": "a", "some text": "b"}[self.text])]


@dataclass(frozen=True)
class Unwritable(Note):
    """Notes what JSON cannot hold."""

    def decide(self, draft):
        return [Noted(self.text, price=float("inf"))]


@dataclass(frozen=True)
class Returned(Note):
    """Comes back as text."""

    def decide(self, draft):
        return [Noted(self.text, price=Decimal("1.50"))]


@dataclass(frozen=True)
class Quiet(Note):
    """Has nothing to say."""

    def decide(self, draft):
        return [Noted("quiet")]


@dataclass(frozen=True)
class Talks(Note):
    """Returns no events."""

    def decide(self, draft):
        return ["well"]


@dataclass(frozen=True)
class Idle(Note):
    """Does nothing."""

    def decide(self, draft):
        return []


@dataclass(frozen=True)
class Priced(Command):
    """Note a price."""

    name: ClassVar[str] = "priced"
    price: Amount = parameter("How much.")  # noqa: RUF009

    def decide(self, draft):
        return [Noted("a price", price=self.price if self.price == "2.50" else None)]


@dataclass(frozen=True)
class Careless(Priced):
    """Does not look at the price."""

    def decide(self, draft):
        return [Noted("a price")]


@dataclass(frozen=True)
class Exact(Priced):
    """Reads the price."""

    def decide(self, draft):
        return [Noted(str(amount("price", self.price).normalize()))]


@dataclass(frozen=True)
class Numbered(Command):
    """Note something of a request."""

    name: ClassVar[str] = "numbered"
    number: int = number_of_request()

    def decide(self, draft):
        return [Noted(f"of {self.number}")]


@dataclass(frozen=True)
class Bounded(Command):
    """Note something so many times."""

    name: ClassVar[str] = "bounded"
    times: int = parameter("How many.", 1, least=1)

    def decide(self, draft):
        return [Noted("again")] * self.times


@dataclass(frozen=True)
class Unsized(Ask):
    """Ask, and leave it to the server how much that is."""

    sized_by: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Missized(Ask):
    """Ask for as many as a field that is not there."""

    sized_by: ClassVar[tuple[str, ...]] = ("many",)


def test_amounts_that_are_read_keep_it():
    check_command(Exact)


BROKEN = [
    (Thawed, "must be a frozen dataclass"),
    (Undocumented, "field more: must say what it is"),
    (Dated, "field when: JSON and the command line have no"),
    (Sets, "field every: must be of texts, or named tuples of texts"),
    (Keyed, "field key: the command line has such an option"),
    (Switch, "field loud: must have a default"),
    (Ends, "changes the draft other than by trying events: closed"),
    (Tries, "tries events on the draft that it does not return"),
    (Digs, "changes the study itself|other than by trying events: requests"),
    (Moody, "leads to .*mood 1.* and then to .*mood 2"),
    (Crashes, "raised ValueError"),
    (Odd, "raised KeyError"),
    (Unwritable, "raised UnwritableError"),
    (Returned, "raised UnwritableError.*comes back as something else"),
    (Quiet, "has no words"),
    (Talks, "must return events, got 'well'"),
    (Idle, "nothing that was tried leads to an event; give examples"),
    (Priced, "leads to something else with price"),
    (Careless, "price='a lot'.* must be refused"),
    (Numbered, "number='0'.* must be refused"),
    (Unsized, "asks for 1, and sized_by says that it is 0"),
    (Missized, "sized_by: no field 'many' is a number"),
    (Bounded, "times='0'.* must be refused"),
]


@pytest.mark.parametrize(("kind", "says"), BROKEN, ids=lambda each: getattr(each, "__name__", ""))
def test_what_is_broken_is_said_in_words(kind, says):
    with pytest.raises(AssertionError, match=says):
        check_command(kind)


def test_what_is_no_command_is_said_in_words():
    with pytest.raises(AssertionError, match="give the class"):
        check_command(Cancel(1))
    with pytest.raises(AssertionError, match="must be a dataclass"):
        check_command(dict)
