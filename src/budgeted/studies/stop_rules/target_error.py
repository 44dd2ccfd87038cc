"""Stop once the classifier is as good as it has to be, and that is sure enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import LearnerError, StopRuleError
from budgeted.problem import Problem, money
from budgeted.studies.events import Parameter
from budgeted.studies.stop_rules.base import (
    Situation,
    Verdict,
    percent,
    share_mistakes,
    whole_percent,
)

if TYPE_CHECKING:
    from budgeted.studies.forecast import Forecast


@dataclass(frozen=True)
class TargetError:
    """Stop when the error is at most a target with a certain probability.

    How probable that is, the classifier of today says itself (`budgeted.learners.prospect`);
    requests under way will be paid in any case, and count when they are back. A forecast, if there
    is one, adds whether the rest of the money can be expected to reach the target.

    Parameters
    ----------
    target_error
        The share of wrong answers on new cases that is good enough.
    probability
        How sure it has to be.
    """

    name: ClassVar[str] = "target-error"
    summary: ClassVar[str] = "the error is at most a target, with a certain probability"

    target_error: float
    probability: float = 0.9

    def __post_init__(self) -> None:
        mistakes = [
            *share_mistakes("target_error", self.target_error, 0, 1),
            *share_mistakes("probability", self.probability, 0.5, 1),
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
