"""The contract of kinds of features: it holds of what is registered, and notices what is broken."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

import pytest

from budgeted.problem.feature_kinds import FEATURE_KINDS, kind
from budgeted.problem.feature_kinds.categorical import Categorical
from budgeted.testing import check_feature
from tests.kinds import Measured

SAMPLES = {
    "categorical": [
        ({"values": ("no", "yes", "3")}, ["no", 3, 3.0, "3.0"]),
        ({"values": ("low", "normal", "high"), "ordered": True}, ["low"]),
    ],
    "number": [
        ({"cuts": (200, 240), "unit": "mg/dl", "least": 50, "most": 600},
         ["233", 233, 233.0, Decimal("199.99"), "2333", "-7", " 1e2 "]),
        ({"cuts": (37.5,), "decimal": "comma", "source": "a guideline"}, ["37,5", 37.5, "40"]),
    ],
}  # fmt: skip
"""Parameters of each kind, and values to try it with; of a number also some that it doubts."""
FEVER = {"cuts": (37.5, 38.0), "unit": "°C"}
TOLD = ["36.9", 37.5, 41, "39.25"]


@pytest.mark.parametrize("name", FEATURE_KINDS)
def test_every_kind_keeps_the_contract(name):
    assert name in SAMPLES, "give parameters to try a new kind with"
    for parameters, examples in SAMPLES[name]:
        check_feature(kind(name, **parameters), examples)


def test_a_kind_whose_values_are_written_keeps_it_too():
    check_feature(Measured(**FEVER), TOLD)


def test_examples_are_needed_where_nothing_can_be_chosen():
    with pytest.raises(AssertionError, match="give examples"):
        check_feature(Measured(**FEVER))
    with pytest.raises(AssertionError, match="not its class"):
        check_feature(Measured)


@dataclass(frozen=True)
class Rounds(Measured):
    def read(self, given):
        return f"{float(super().read(given)) + 1:g}"


@dataclass(frozen=True)
class KeepsNumbers(Measured):
    def read(self, given):
        return float(super().read(given))


@dataclass(frozen=True)
class TakesAll(Measured):
    def read(self, given):
        return str(given)

    def category(self, kept):
        return 0


@dataclass(frozen=True)
class RaisesOther(Measured):
    def read(self, given):
        return str(float(given))


@dataclass(frozen=True)
class OutOfRange(Measured):
    def category(self, kept):
        self.read(kept)
        return 7


@dataclass(frozen=True)
class Wavers(Measured):
    calls: ClassVar[list[str]] = []

    def category(self, kept):
        self.read(kept)
        self.calls.append(kept)
        return len(self.calls) % 2


@dataclass(frozen=True)
class OneCategory(Measured):
    @property
    def categories(self):
        return ("all",)


@dataclass(frozen=True)
class Silent(Measured):
    @property
    def expects(self):
        return ""


@dataclass(frozen=True)
class DoubtsInNumbers(Measured):
    def doubt(self, kept):
        return 1


@dataclass(frozen=True)
class DoubtsInSilence(Measured):
    def doubt(self, kept):
        return " "


@dataclass(frozen=True)
class Unlike(Measured):
    def same(self, kept, other):
        return False


@dataclass(frozen=True)
class Unwritable(Measured):
    extra: object = field(default_factory=lambda: {1, 2})


class NoDataclass:
    name = "measured"
    categories, choices, expects = ("a", "b"), (), "a"


@dataclass(frozen=True)
class WrongChoices(Categorical):
    name: ClassVar[str] = "wrong choices"
    values: tuple[str, ...]

    def __init__(self, values, ordered=False):
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "ordered", ordered)

    @property
    def choices(self):
        return ("maybe",)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Rounds(**FEVER), "which reads as another value"),
        (KeepsNumbers(**FEVER), "it must be text"),
        (TakesAll(**FEVER), "is taken for a value"),
        (RaisesOther(**FEVER), "must be refused with an ObservationError"),
        (OutOfRange(**FEVER), "there is no category 7"),
        (Wavers(**FEVER), "once this category, once another"),
        (OneCategory(**FEVER), "at least two categories"),
        (Silent(**FEVER), "must say what can be told"),
        (DoubtsInNumbers(**FEVER), "must be text, got 1"),
        (DoubtsInSilence(**FEVER), "must say why"),
        (Unlike(**FEVER), "not the same as itself"),
        (Unwritable(**FEVER), "JSON cannot hold"),
        (NoDataclass(), "must be a dataclass"),
        (WrongChoices(("no", "yes")), "has no value 'maybe'"),
    ],
)
def test_a_broken_kind_is_noticed(broken, says):
    with pytest.raises(AssertionError, match=says):
        check_feature(broken, TOLD)
