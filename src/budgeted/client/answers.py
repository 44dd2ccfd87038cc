"""What a server answers, as frozen dataclasses: amounts are exact decimals, times are datetimes.

Each field has the name that it has in the OpenAPI document of the server; a test compares the two,
so that a server that says something else is noticed. The answers leave out what only a page needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import overload


@dataclass(frozen=True)
class Money:
    """Where the money of a study is; budget = spent + reserved + free, exactly."""

    budget: Decimal
    spent: Decimal
    reserved: Decimal
    free: Decimal
    terms: str = ""
    surcharge: Decimal | None = None


@dataclass(frozen=True)
class Request:
    """A request or a recorded value, and what became of it.

    Attributes
    ----------
    number
        By which it is told, also called `request`.
    order, together
        What was ordered together, and the other requests of that order.
    label
        Empty for those who must not know it.
    fate
        pending, told, recorded, failed or cancelled.
    value, values, expects
        What came back, what can, and the same in words.
    """

    number: int
    order: int | None
    together: tuple[int, ...]
    case: str
    feature: str
    label: str
    cost: Decimal
    fate: str
    value: str | None
    values: tuple[str, ...]
    expects: str
    why: str
    at: datetime
    by: str
    policy: str

    @property
    def request(self) -> int:
        """The number by which it is told."""
        return self.number


@dataclass(frozen=True)
class Done(Sequence[Request]):
    """What a change did: a sequence of the requests that it is about.

    Attributes
    ----------
    requests, money
        As they are right after.
    events
        What was written for it, in words; nothing if it is repeated.
    repeated
        Whether it had been carried out before, with the same key.
    stopped
        Why less was asked for than wanted, where there was money.
    key
        The idempotency key that it was sent with; `RemoteStudy.undo_batch` takes one.
    """

    requests: tuple[Request, ...]
    money: Money
    events: tuple[str, ...] = ()
    repeated: bool = False
    stopped: str = ""
    key: str = ""

    @overload
    def __getitem__(self, at: int) -> Request: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Request, ...]: ...
    def __getitem__(self, at: int | slice) -> Request | tuple[Request, ...]:
        return self.requests[at]

    def __iter__(self) -> Iterator[Request]:
        return iter(self.requests)

    def __len__(self) -> int:
        return len(self.requests)


@dataclass(frozen=True)
class Card:
    """A study in a line; `events` counts its journal, `id` tells it from others of its name."""

    name: str
    id: str
    state: str
    money: Money
    features: int
    cases: int
    labels: tuple[str, ...]
    policy: str
    bought: int
    pending: int
    events: int
    started_at: datetime
    started_by: str
    last_at: datetime
    last_by: str
    last_words: str


@dataclass(frozen=True)
class Studies:
    """A page of the list of studies, and those that cannot be read."""

    studies: tuple[Card, ...]
    broken: tuple[str, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True)
class Outlook:
    """The error that the classifier expects of itself, and that of the most frequent label."""

    error: float
    low: float
    high: float
    confidence: float
    majority: str
    majority_error: float


@dataclass(frozen=True)
class Cell:
    """A feature and a label: what was bought of it, what is left, and what more is worth."""

    feature: str
    label: str
    cost: Decimal | None
    bought: int
    pending: int
    failed: int
    left: int
    worth: float | None


@dataclass(frozen=True)
class Status:
    """Where a study stands; `seq` is the number of its last event."""

    study: Card
    seq: int
    can_ask: bool
    why_not: str
    outlook: Outlook | None
    pending: tuple[Request, ...]
    cells: tuple[Cell, ...]
    withdrawn: tuple[str, ...]
    case_rule: str
    seed: int
    package: str


@dataclass(frozen=True)
class Worklist:
    """The requests under way, and what they cost together."""

    seq: int
    requests: tuple[Request, ...]
    total: Decimal


@dataclass(frozen=True)
class Price:
    """What asking would cost now; nothing was asked."""

    seq: int
    wanted: int
    placed: int
    requests: int
    cost: Decimal | None
    free: Decimal | None
    words: str


@dataclass(frozen=True)
class Next:
    """What would be asked next, and why; nothing was asked."""

    seq: int
    features: tuple[str, ...]
    case: str
    label: str
    cost: Decimal | None
    why: str
    why_not: str


@dataclass(frozen=True)
class Chance:
    """A label, and how probable it is."""

    name: str
    probability: float
    best: bool


@dataclass(frozen=True)
class Prediction:
    """What the classifier says of a case that is known in part."""

    seq: int
    labels: tuple[Chance, ...]
    known: int

    @property
    def label(self) -> str:
        """The most probable label."""
        return next(each.name for each in self.labels if each.best)

    @property
    def chances(self) -> dict[str, float]:
        """Label → probability."""
        return {each.name: each.probability for each in self.labels}


@dataclass(frozen=True)
class NextTest:
    """The test to order next of a new case."""

    name: str
    price: str
    choices: tuple[str, ...]
    expects: str


@dataclass(frozen=True)
class Diagnosis:
    """Which test a new case needs next and why; or, where that is None, what to answer."""

    seq: int
    test: NextTest | None
    answer: str
    reason: str
    labels: tuple[Chance, ...]
    answer_cost: float
    expected_cost: float
    exact: bool


@dataclass(frozen=True)
class PreviewLine:
    """What would become of a result that needs a look, and why."""

    case: str
    feature: str
    value: str
    becomes: str
    cost: str
    why: str


@dataclass(frozen=True)
class Preview:
    """What entering results would do; nothing was written."""

    told: int
    recorded: int
    known: int
    doubtful: int
    refused: int
    attention: tuple[PreviewLine, ...]
    digest: str


@dataclass(frozen=True)
class Event:
    """An event of the journal: who did what, when, and about which request and case."""

    seq: int
    at: datetime
    by: str
    kind: str
    words: str
    number: int | None
    case: str | None


@dataclass(frozen=True)
class Line:
    """A line of a page of the log."""

    event: Event


@dataclass(frozen=True)
class History:
    """A page of the log, newest first."""

    seq: int
    lines: tuple[Line, ...]
    page: int
    pages: int
