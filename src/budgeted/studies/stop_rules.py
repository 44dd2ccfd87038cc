"""Rules that say when a study has bought enough, and why, in money and in error.

A study states them in a table of its file::

    [stop]
    target_error = 0.10     # good enough,
    probability = 0.9       # if it is this sure
    least_gain = 0.01       # or nothing left would lower the error by more than a point
    binding = false         # advice; true makes it a rule that asking follows

>>> from_table({"least_gain": 0.01}).words()
'stop when nothing left is expected to lower the error by more than 1 point: advice'
>>> from_table({"target": 0.1})
Traceback (most recent call last):
...
budgeted.errors.StopRuleError: stop.target: there is no such key; did you mean 'target_error'? \
There are target_error, probability, least_gain, binding

A rule sees a `Situation`: the money, what the classifier of today says of itself, and a forecast of
how the study would go on, if there is one. It answers with a `Verdict`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import LearnerError, StopRuleError
from budgeted.learners import Outlook, Predictor
from budgeted.learners.layout import Floats
from budgeted.learners.predictor import outlook_of, possible_errors
from budgeted.learners.prospect import CONFIDENCE
from budgeted.problem import Problem, money
from budgeted.state import State
from budgeted.state.surcharges import committed
from budgeted.studies.events import STRICT, Parameter
from budgeted.studies.naming import there_are

if TYPE_CHECKING:
    from decimal import Decimal

    from budgeted.studies.forecast import Forecast

_NORMAL = NormalDist()
BINDING = "binding"
KEYS = ("target_error", "probability", "least_gain", BINDING)


@dataclass(frozen=True)
class Verdict:
    """What a rule says."""

    rule: str
    stops: bool
    words: str  # why, in money and in error; a part of a sentence
    figures: dict[str, Parameter] = field(default_factory=dict)

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


class Judged:
    """What the classifier of today says of itself; it is made once, when a rule asks."""

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
    """Where a study stands, as far as rules for stopping look at it."""

    state: State  # money, purchases and requests under way, which count as bought
    judged: Judged  # the classifier of today
    forecast: Forecast | None = None  # how the study would go on; None where nobody looked ahead
    unforeseen: str = ""  # why there is no forecast though one was wanted; empty otherwise

    @property
    def rest(self) -> Decimal:
        """Money that is neither spent nor reserved."""
        return self.state.free

    def money_in_words(self) -> str:
        """Return what is spent, reserved and left, as the end of a sentence."""
        return (
            f"{money.show(committed(self.state))} spent or reserved, {money.show(self.rest)} left"
        )


@dataclass(frozen=True)
class TargetError:
    """Stop when the error is at most a target with a certain probability.

    How probable that is, the classifier of today says itself (`budgeted.learners.prospect`);
    requests under way will be paid in any case, and count when they are back. A forecast, if there
    is one, adds whether the rest of the money can be expected to reach the target.
    """

    name: ClassVar[str] = "target-error"

    target_error: float
    probability: float = 0.9

    def __post_init__(self) -> None:
        mistakes = [
            *_share_mistakes("target_error", self.target_error, 0, 1),
            *_share_mistakes("probability", self.probability, 0.5, 1),
        ]
        if mistakes:
            raise StopRuleError(mistakes)

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether the target is reached."""
        try:
            chance = situation.judged.chance(self.target_error)
            now = situation.judged.error
        except LearnerError as error:
            return Verdict(self.name, False, f"it cannot be weighed: {error}")
        stops = chance >= self.probability
        target, wanted = percent(self.target_error), whole_percent(self.probability)
        figures: dict[str, Parameter] = {
            "target_error": self.target_error,
            "probability": self.probability,
            "chance": chance,
            "error": now,
            "rest": money.show(situation.rest),
        }
        words = (
            f"an error of at most {target} is reached with a probability of "
            f"{whole_percent(chance)}, and {wanted} "
            f"{'is enough' if stops else 'is wanted'}: {percent(now)} is expected now; "
            f"{situation.money_in_words()}"
        )
        if situation.forecast is not None and not stops:
            reached = situation.forecast.chance(self.target_error)
            end = situation.forecast.end
            figures |= {"end_error": end.error, "end_chance": reached}
            words += (
                f". With all the money {percent(end.error)} is expected, and the target is met "
                f"with a probability of {whole_percent(reached)}"
            )
        return Verdict(self.name, stops, words, figures)

    def unfit(self, problem: Problem) -> str:
        """Return that nothing need be bought for this target, if that is so."""
        wrong = no_target(self.target_error, problem)
        return f"stop.target_error: {wrong}" if wrong else ""

    def out_of_reach(self, forecast: Forecast) -> str:
        """Return that the target is below what all the money can bring; nothing if it is not.

        It is out of reach if no run of the forecast meets it, at any amount of money, and less is
        expected of none.
        """
        until = forecast.points.index(forecast.end) + 1
        best = min(forecast.points[:until], key=lambda point: point.error)
        lowest = float(forecast.errors[:, :until].min())
        if min(best.error, lowest) <= self.target_error:
            return ""
        return (
            f"stop.target_error: {percent(self.target_error)} is below what all the money can be "
            f"expected to bring: at best {percent(best.error)}, once {money.show(best.money)} are "
            f"spent (nine of ten possibilities: {percent(best.low)} to {percent(best.high)}; of "
            f"{forecast.runs} the best has {percent(lowest)})"
        )

    def words(self) -> str:
        """Return when it says to stop."""
        target, sure = percent(self.target_error), whole_percent(self.probability)
        return f"at an error of at most {target}, with a probability of {sure}"


@dataclass(frozen=True)
class LeastGain:
    """Stop when nothing left is expected to lower the error by more than so much.

    What is expected is read off a forecast, which takes seconds: the error once what is under way
    has come back, and the lowest one at any amount from there to the end of the budget.
    """

    name: ClassVar[str] = "least-gain"

    # ε, by which the error, from 0 to 1, must be expected to fall for the rest of the money: 0.01
    # is a percentage point.
    least_gain: float

    def __post_init__(self) -> None:
        mistakes = _share_mistakes("least_gain", self.least_gain, 0, 1)
        if mistakes:
            raise StopRuleError(mistakes)

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether the rest of the money is expected to bring enough."""
        forecast, rest, least = situation.forecast, situation.rest, self.least_gain
        if forecast is None:
            why = situation.unforeseen
            said = f"it cannot be weighed: {why}" if why else (
                "it is weighed when something is asked next"
            )  # fmt: skip
            return Verdict(self.name, False, said)
        now, end = forecast.now, forecast.end
        until = forecast.points.index(end) + 1
        best = min(forecast.points[:until], key=lambda point: point.error)
        gain = now.error - best.error
        stops = gain <= least
        figures: dict[str, Parameter] = {
            "least_gain": least,
            "gain": gain,
            "error": now.error,
            "best_error": best.error,
            "best_at": money.show(best.money),
            "end_error": end.error,
            "rest": money.show(rest),
            "runs": forecast.runs,
        }
        if not stops:
            words = (
                f"the remaining {money.show(rest)} are expected to lower the error by "
                f"{points(gain)}, from {percent(now.error)} to {percent(best.error)}; more than "
                f"{points(least)} is wanted"
            )
            return Verdict(self.name, stops, words, figures)
        words = (
            f"nothing left is expected to lower the error by more than {points(least)} for "
            f"the remaining {money.show(rest)}: {percent(now.error)} is expected now, "
            f"{percent(end.error)} when it is spent"
        )
        if best.error < min(now.error, end.error):
            words += f", and {percent(best.error)} at best, once {money.show(best.money)} are spent"
        return Verdict(self.name, stops, words, figures)

    def words(self) -> str:
        """Return when it says to stop."""
        return (
            f"when nothing left is expected to lower the error by more than "
            f"{points(self.least_gain)}"
        )


@dataclass(frozen=True)
class StopRules:
    """The rules of a study."""

    rules: tuple[TargetError | LeastGain, ...] = ()  # none where the study has none
    binding: bool = False  # whether asking follows them; else they are advice

    @property
    def look_ahead(self) -> bool:
        """Whether one of them needs a forecast."""
        return any(isinstance(each, LeastGain) for each in self.rules)

    @property
    def target(self) -> TargetError | None:
        """The one that a forecast can show to be out of reach."""
        return next((each for each in self.rules if isinstance(each, TargetError)), None)

    def to_table(self) -> dict[str, Any]:
        """Return them as a study file and a journal have them; `from_table` gives them back."""
        table: dict[str, Any] = {}
        for each in self.rules:
            table |= asdict(each)
        if table.get("probability") == TargetError.probability:
            del table["probability"]
        return table | ({BINDING: True} if self.binding and self.rules else {})

    def words(self) -> str:
        """Return when to stop, and whether that is advice or a rule."""
        if not self.rules:
            return "nothing says when to stop"
        return f"stop {', or '.join(each.words() for each in self.rules)}: {self._kind}"

    def lines(self) -> list[str]:
        """Return the same with a line for each rule, where there are several."""
        if len(self.rules) < 2:
            said = self.words()
            return [f"{said[0].upper()}{said[1:]}."]
        return [f"Stop as soon as one of these holds ({self._kind}):"] + [
            f"- {each.words()}" for each in self.rules
        ]

    @property
    def _kind(self) -> str:
        return "a rule that asking follows" if self.binding else "advice"

    def unfit(self, problem: Problem) -> list[str]:
        """Return what is wrong with them in a problem."""
        wrong = "" if self.target is None else self.target.unfit(problem)
        return [wrong] if wrong else []

    def weigh(self, situation: Situation) -> tuple[Verdict, ...]:
        """Return what each rule says."""
        return tuple(each.weigh(situation) for each in self.rules)


def from_table(table: object) -> StopRules:
    """Return the rules that a table states; an error lists all that is wrong with it."""
    if not isinstance(table, Mapping):
        raise StopRuleError([f"stop: must be a table with the rules to stop by, got {table!r}"])
    mistakes = [
        f"stop.{key}: there is no such key; {there_are(str(key), KEYS)}"
        for key in table
        if key not in KEYS
    ]
    binding = table.get(BINDING, False)
    if not isinstance(binding, bool):
        mistakes.append(f"stop.{BINDING}: must be true or false, got {binding!r}")
    if "probability" in table and "target_error" not in table:
        mistakes.append("stop.probability: belongs to target_error, which is missing")
    rules: list[TargetError | LeastGain] = []
    for kind, keys in ((TargetError, KEYS[:2]), (LeastGain, KEYS[2:3])):
        if keys[0] in table:
            try:
                rules.append(kind(**{key: table[key] for key in keys if key in table}))
            except StopRuleError as error:
                mistakes += error.mistakes
    if mistakes:
        raise StopRuleError(mistakes)
    return StopRules(tuple(rules), binding)


def no_target(error: float, problem: Problem) -> str:
    """Return that an error is reached without any purchase; nothing if it is not.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("crp", ("no", "yes"), 1)], ("well", "ill"), (0.6, 0.4), 9)
    >>> no_target(0.4, problem)
    "always saying 'well' is wrong in 40.0 % of cases, so that 40.0 % is no target; give a lower \
one"
    """
    most = max(problem.prior)
    if error < 1 - most:
        return ""
    label = problem.labels[problem.prior.index(most)]
    return (
        f"always saying {label!r} is wrong in {percent(1 - most)} of cases, so that "
        f"{percent(error)} is no target; give a lower one"
    )


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


def _share_mistakes(key: str, value: object, least: float, most: float) -> list[str]:
    """What is wrong with a share that must lie between two others."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and least < value < most:  # type: ignore[operator]
        return []
    return [f"stop.{key}: must be a number above {least:g} and below {most:g}, got {value!r}"]
