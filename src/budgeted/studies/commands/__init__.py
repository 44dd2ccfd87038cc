"""What people do to a study: one frozen dataclass each, and a registry of all of them.

>>> Tell(3, "yes")
Tell(number=3, value='yes', cost=None, force=False)
>>> ", ".join(COMMANDS)
'ask, tell, fail, cancel, expire, correct, undo, withdraw, record, budget, close, reopen, \
add-cases, add-feature, add-value, rule-out, allow, enter, undo-batch, note, stop-rules, \
cuts'
"""

from __future__ import annotations

from budgeted.studies.commands.answers import Cancel, Expire, Fail, Tell
from budgeted.studies.commands.ask import Ask
from budgeted.studies.commands.base import Amount, Command, Value, amount, parameter
from budgeted.studies.commands.batches import UndoBatch
from budgeted.studies.commands.budget import SetBudget
from budgeted.studies.commands.cuts import SetCuts
from budgeted.studies.commands.enter import Enter, Result
from budgeted.studies.commands.growth import AddCases, AddFeature, AddValue, NewCase
from budgeted.studies.commands.record import Record, RecordedValue
from budgeted.studies.commands.slips import Correct, Undo
from budgeted.studies.commands.stop_rules import SetStopRules
from budgeted.studies.commands.whole import Allow, Close, Note, Reopen, RuleOut, Withdraw

__all__ = [
    "COMMANDS", "AddCases", "AddFeature", "AddValue", "Allow", "Amount", "Ask", "Cancel",
    "Close", "Command", "Correct", "Enter", "Expire", "Fail", "NewCase", "Note", "Record",
    "RecordedValue", "Reopen", "Result", "RuleOut", "SetBudget", "SetCuts", "SetStopRules", "Tell",
    "Undo", "UndoBatch", "Value", "Withdraw", "amount", "parameter",
]  # fmt: skip

COMMANDS: dict[str, type[Command]] = {
    each.name: each
    for each in (
        Ask, Tell, Fail, Cancel, Expire, Correct, Undo, Withdraw, Record, SetBudget, Close, Reopen,
        AddCases, AddFeature, AddValue, RuleOut, Allow, Enter, UndoBatch, Note, SetStopRules,
        SetCuts,
    )
}  # fmt: skip
"""Every operation of a study by its name."""
