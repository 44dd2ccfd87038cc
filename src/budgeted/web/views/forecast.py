"""How good the classifier is expected to be when the rest of the money is spent."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from pydantic import Field

from budgeted.experiments.figures import fan_rows
from budgeted.studies.snapshot import Snapshot
from budgeted.web.forecasts import Known
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

TOP = 5
"""Tests that are named by themselves on the page; the others are added up."""


class ForecastPoint(View):
    """What is expected once an amount of money is spent."""

    money: str = Field(examples=["120.00"])
    error: float
    low: float = Field(description="nine of ten possibilities lie from here")
    high: float


class ForecastFeature(View):
    """What will probably be bought of a feature until the budget is spent."""

    feature: str
    values: float = Field(description="how many more, on average")
    share: float = Field(description="of the money that will be spent")


class ForecastResult(View):
    """A forecast: the study went on many times in models that are still possible."""

    events: int = Field(description="after how many it was made")
    runs: int = Field(description="how many ways to go on it is made of")
    words: str
    points: list[ForecastPoint] = Field(description="from now to a fifth above the budget")
    end: ForecastPoint = Field(description="when the budget is spent")
    less: ForecastPoint | None = Field(description="with a fifth less; null: that is spent already")
    more: ForecastPoint | None = Field(description="with a fifth more; null: of a soft budget")
    features: list[ForecastFeature] = Field(description="what takes most of the money comes first")

    @property
    def scenarios(self) -> list[tuple[str, ForecastPoint]]:
        """The amounts of money that are compared, with their names."""
        named = (("a fifth less", self.less), ("as planned", self.end), ("a fifth more", self.more))
        return [(name, point) for name, point in named if point is not None]

    @property
    def top(self) -> list[ForecastFeature]:
        """The tests that most money will go to, and the others together, if there are more."""
        rest = self.features[TOP:]
        if len(rest) < 2:  # one more is as short as the sum
            return self.features
        together = ForecastFeature(
            feature=f"{len(rest)} others",
            values=sum(each.values for each in rest),
            share=sum(each.share for each in rest),
        )
        return [*self.features[:TOP], together]


class ForecastView(View):
    """What there is of a forecast, and how far the next one is."""

    study: StudyCard
    seq: int = Field(description="number of the last event of the study")
    state: str = Field(
        description="none: nobody wanted one; done: there is one; waiting, running: another is "
        "under way; failed: the last attempt came to nothing",
        examples=["none", "waiting", "running", "done", "failed"],
    )
    current: bool = Field(description="whether nothing happened since it was made")
    exact: bool = Field(description="whether more runs would add nothing that could be seen")
    runs: int = Field(description="ways to go on that there are by now")
    progress: float = Field(description="how much of what is under way is done, about, from 0 to 1")
    message: str = Field(description="why it failed; else empty")
    why_not: str = Field(description="why none can be made; empty if one can")
    seconds: int = Field(description="about how long it takes, unless told otherwise")
    forecast: ForecastResult | None = Field(description="the last one; null if there is none")

    @property
    def under_way(self) -> bool:
        """Whether there will be another soon."""
        return self.state in ("waiting", "running")

    @property
    def version(self) -> str:
        """Tells it from what it was before; while something is under way it always differs."""
        made = (0, 0) if self.forecast is None else (self.forecast.events, self.forecast.runs)
        under_way = f"{self.runs}-{self.progress}" if self.under_way else ""
        return f"{self.state}-{self.seq}-{made[0]}-{made[1]}-{under_way}"


def forecast_view(study: Snapshot, known: Known) -> ForecastView:
    """Return what there is of a forecast of a study."""
    making, failed = known.making, known.failed
    if making is not None:
        state = "waiting" if making.begun is None else "running"
    else:
        state = "failed" if failed else "none" if known.head is None else "done"
    if failed and study.blind:  # what went wrong may be about a label
        failed = "it could not be made; ask who manages the study"
    return ForecastView(
        study=card_of(study),
        seq=known.events,
        state=state,
        current=known.current,
        exact=known.exact,
        runs=known.runs if making is None else making.runs,
        progress=0.0 if making is None else making.share,
        message=failed,
        why_not="the study is closed" if study.closed else "",
        seconds=round(known.seconds),
        forecast=None if known.head is None else _result(known.head.forecast),
    )


def fan_of(known: Known) -> Sequence[dict[str, float]]:
    """Return what is to come, as a chart takes it; nothing if there is no forecast."""
    return () if known.head is None else fan_rows(known.head.forecast["points"])


def _result(plain: dict[str, Any]) -> ForecastResult:
    features = [{"feature": name, **each} for name, each in plain["features"].items()]
    points = {
        key: None if plain[key] is None else _point(plain[key]) for key in ("end", "less", "more")
    }
    return ForecastResult(
        **plain | points | {"features": features, "points": list(map(_point, plain["points"]))}
    )


def _point(plain: dict[str, Any]) -> dict[str, Any]:
    """A point whose money is written to the cent: amounts on the way are no prices."""
    cents = Decimal(plain["money"]).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return plain | {"money": f"{cents:f}"}
