"""Every command keeps what all of them promise, and is the same however it is sent."""

import json

import click
import pytest
from click.testing import CliRunner

from budgeted.cli.studies.options import SHARED, command_from, of_operation
from budgeted.studies.commands import COMMANDS, Result
from budgeted.web.api.operations import body_of
from tests.commands import RESERVED, check_command

EXAMPLES = {
    "enter": [{"results": [["case 8", "fever", "yes", "", "", False]]}],
    "stop-rules": [{"least_gain": 0.01}],
}
"""Of commands whose fields cannot be made up."""
NEEDS_A_KEY = "undo-batch"
"""It is about what was written with a key; the contract has none (tests/studies/test_enter.py)."""


@pytest.fixture(autouse=True)
def _no_forecasts(monkeypatch):
    """Rules for stopping look ahead, which takes long; test_stopping.py has them do it."""
    monkeypatch.setattr("budgeted.studies.weighing.foreseen", lambda *_: (None, "not here"))


@pytest.mark.parametrize("name", [each for each in COMMANDS if each != NEEDS_A_KEY])
def test_every_command_keeps_its_promises(name):
    check_command(COMMANDS[name], EXAMPLES.get(name, ()))


TYPED = {
    "ask": (["--visits", "2", "--case", "case 1", "--only", "fever", "--only", "cough",
             "--without", "cough", "--at-most", "9.50"],
            {"visits": 2, "case": "case 1", "only": ["fever", "cough"], "without": ["cough"],
             "at_most": "9.50"}),
    "tell": (["1", "yes", "--cost", "2.50"], {"number": 1, "value": "yes", "cost": "2.50"}),
    "fail": (["1", "--unusable", "--why", "lost"],
             {"number": 1, "charged": False, "usable": False, "why": "lost"}),
    "cancel": (["1"], {"number": 1}),
    "expire": (["30", "--why", "summer"], {"days": 30, "why": "summer"}),
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
    "enter": (["case 8", "fever", "yes", "2.50", "late", "--force"],
              {"results": [["case 8", "fever", "yes", "2.50", "late", True]]}),
    "undo-batch": (["monday"], {"batch": "monday"}),
    "stop-rules": (["--least-gain", "0.01", "--binding"],
                   {"least_gain": 0.01, "binding": True}),
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
        assert (list(one) if isinstance(one, tuple) else one) == other
    if name != NEEDS_A_KEY:
        check_command(kind, [plain])


def test_the_names_of_common_options_are_reserved():
    assert set(RESERVED) == set(SHARED)
