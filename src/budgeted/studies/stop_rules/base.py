"""What a rule for stopping is: it looks at where a study stands, and says whether to stop, and why.

A rule sees a `Situation`: the money, what the classifier of today says of itself, and, where it
looks ahead, a forecast of how the study would go on. It answers with a `Verdict`, which says why in
money and in error. Nothing else of a study is known to it, so that it can be asked in a study, in
a benchmark and in a test alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from budgeted.errors import LearnerError, StopRuleError
from budgeted.learners import Outlook, Predictor
from budgeted.learners.layout import Floats
from budgeted.learners.predictor import outlook_of, possible_errors
from budgeted.learners.prospect import CONFIDENCE
from budgeted.problem import Problem, money
from budgeted.registry import check_dataclass
from budgeted.state import State
from budgeted.state.surcharges import committed
from budgeted.studies.events import STRICT, Parameter

if TYPE_CHECKING:
    from decimal import Decimal

    from budgeted.studies.forecast import Forecast, Point

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Verdict:
    """What a rule says.

    Attributes
    ----------
    rule, stops
        Its name, and whether it says to stop.
    words
        Why, in money and in error; a part of a sentence.
    figures
        The same as numbers; amounts of money are texts.
    about_labels
        Whether it says something of single labels, which not everybody may see.
    """

    rule: str
    stops: bool
    words: str
    figures: dict[str, Parameter] = field(default_factory=dict)
    about_labels: bool = False

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def without_labels(self) -> Verdict:
        """Return it for who must not know the labels.

        >>> Verdict("cases-per-label", False, "ill: 3 of 30", {}, True).without_labels().words
        'it is about single labels, which are not shown here'
        """
        if not self.about_labels:
            return self
        return replace(
            self, words="it is about single labels, which are not shown here", figures={}
        )


class Judged:
    """What the classifier of today says of itself; it is made once, when a rule asks.

    Parameters
    ----------
    predictor
        Makes it; an error of a learner passes through.
    """

    def __init__(self, predictor: Callable[[], Predictor]) -> None:
        self._predictor = predictor

    @cached_property
    def _errors(self) -> Floats | None:
        return possible_errors(self._predictor())

    @cached_property
    def _outlook(self) -> Outlook:
        return outlook_of(self._predictor())

    @property
    def error(self) -> float:
        """The expected error."""
        return self._outlook.error if self._errors is None else float(self._errors.mean())

    def chance(self, target: float) -> float:
        """Return how probable it is that the error is at most a target.

        It is the share of the possible models under which that is so. A predictor that does not
        tell them gives an interval; then the error is taken for normal on either side of what is
        expected, with nine of ten within the interval.
        """
        if self._errors is not None:
            return float((self._errors <= target).mean())
        now = self._outlook
        spread = now.high - now.error if target >= now.error else now.error - now.low
        if spread <= 0:
            return float(now.error <= target)
        return _NORMAL.cdf((target - now.error) / spread * _NORMAL.inv_cdf((1 + CONFIDENCE) / 2))


@dataclass(frozen=True, eq=False)
class Situation:
    """Where a study stands, as far as rules for stopping look at it.

    Attributes
    ----------
    state
        Money, purchases and requests under way, which count as bought.
    judged
        The classifier of today.
    forecast
        How the study would go on; None where nobody looked ahead.
    unforeseen
        Why there is no forecast though one was wanted; empty otherwise.
    """

    state: State
    judged: Judged
    forecast: Forecast | None = None
    unforeseen: str = ""

    @property
    def rest(self) -> Decimal:
        """Money that is neither spent nor reserved."""
        return self.state.free

    @property
    def committed(self) -> Decimal:
        """Money that is spent or reserved."""
        return committed(self.state)

    def measured(self) -> list[int]:
        """Return of how many cases of each label a value is there, or under way."""
        cases: list[set[object]] = [set() for _ in self.state.problem.labels]
        for each in self.state.history:
            if each.value is not None and each.case is not None:
                cases[each.label].add(each.case)
        for request in self.state.pending:
            cases[request.label].add(request.case)
        return [len(each) for each in cases]

    def money_in_words(self) -> str:
        """Return what is spent, reserved and left, as the end of a sentence."""
        return f"{money.show(self.committed)} spent or reserved, {money.show(self.rest)} left"

    def error_in_words(self) -> str:
        """Return the expected error, as the end of a sentence; nothing if it is not known."""
        try:
            return f"; {percent(self.judged.error)} wrong answers are expected now"
        except LearnerError:
            return ""


class StopRule(Protocol):
    """Says when a study has bought enough: a frozen dataclass, whose fields are its parameters.

    The keys of the table ``[stop]`` in a study file are the fields of all rules; a rule holds in a
    study that gives a field of it. Some things more are up to a rule:

    - ``ahead``, a class attribute: whether it needs a forecast, which takes seconds; then it is
      asked only after every tenth of the budget, and what it said last holds in between;
    - ``unfit(problem)``: what is wrong with its parameters in a problem, in words; nothing if they
      are fine;
    - ``out_of_reach(forecast)``: that all the money will not bring what it waits for, in words;
      nothing if it may;
    - ``clearly_goes_on(situation)``: whether a forecast of a few runs is enough for it to go on;
      without it, it is never asked about one.
    """

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def summary(self) -> str:
        """When it says to stop, in a line, for lists."""
        ...

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether to stop, and why."""
        ...

    def words(self) -> str:
        """Return when it says to stop, with its parameters, as the end of "stop …"."""
        ...


def looks_ahead(rule: StopRule | type[StopRule]) -> bool:
    """Tell whether a rule needs a forecast."""
    return bool(getattr(rule, "ahead", False))


def clearly_goes_on(rule: StopRule, situation: Situation) -> bool:
    """Tell whether a forecast of a few runs is enough for a rule to go on."""
    asked: Callable[[Situation], bool] | None = getattr(rule, "clearly_goes_on", None)
    return asked is not None and asked(situation)


def surely_gained(forecast: Forecast, point: Point) -> float:
    """Return the fall of the error until a point: the mean over runs, less its standard error.

    Parameters
    ----------
    forecast
        Of two runs or more.
    point
        One of its points.
    """
    gains = forecast.errors[:, 0] - forecast.errors[:, forecast.points.index(point)]
    return float(gains.mean() - gains.std(ddof=1) / len(gains) ** 0.5)


def unfit_for(rule: StopRule, problem: Problem) -> str:
    """Return what is wrong with a rule in a problem; nothing if it is fine."""
    asked: Callable[[Problem], str] | None = getattr(rule, "unfit", None)
    return "" if asked is None else asked(problem)


def check_kind(kind: type[StopRule]) -> None:
    """Raise an error unless a class can be a rule: a dataclass with ``weigh`` and ``words``."""
    check_dataclass(kind, "stop rule", "weigh(situation)", StopRuleError)
    check_dataclass(kind, "stop rule", "words()", StopRuleError)


def unforeseen(rule: StopRule, situation: Situation) -> Verdict:
    """Return what a rule says that needs a forecast where there is none."""
    why = situation.unforeseen
    said = f"it cannot be weighed: {why}" if why else "it is weighed when something is asked next"
    return Verdict(rule.name, False, said)


def percent(share: float) -> str:
    """Return a share as people read it.

    >>> percent(0.0725)
    '7.2 %'
    """
    return f"{100 * share:.1f} %"


def whole_percent(share: float) -> str:
    """Return a probability as people read it; one that is not quite one does not look like one.

    >>> whole_percent(0.93), whole_percent(0.9984), whole_percent(1.0)
    ('93 %', '99 %', '100 %')
    """
    rounded = round(100 * share)
    return f"{99 if rounded == 100 and share < 1 else rounded} %"


def points(gain: float) -> str:
    """Return a difference of errors in percentage points.

    >>> points(0.0041), points(0.01)
    ('0.4 points', '1 point')
    """
    shown = f"{100 * gain:.1f}".removesuffix(".0")
    return f"{shown} point{'' if shown in ('1', '-1') else 's'}"


def share_mistakes(key: str, value: object, least: float, most: float) -> list[str]:
    """Return what is wrong with a share that must lie between two others."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and least < value < most:  # type: ignore[operator]
        return []
    return [f"stop.{key}: must be a number above {least:g} and below {most:g}, got {value!r}"]
