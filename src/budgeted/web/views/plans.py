"""The page of a plan: how far it is, and then what money reaches which error."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from budgeted.web.plans import Known
from budgeted.web.views.parts import View


class PlanPoint(View):
    """What is expected for an amount of money."""

    money: str = Field(examples=["120.00"])
    error: float
    low: float = Field(description="nine of ten possibilities lie from here")
    high: float
    chance: float | None = Field(description="that the target is reached; null: there is none")


class PlanNeeded(View):
    """What reaches the target."""

    money: str | None = Field(description="the least amount that does; null: none that was tried")
    best: float = Field(description="error that the largest amount reaches with this probability")
    chance: float = Field(description="that the largest amount reaches the target")
    possible: bool = Field(description="whether who knows all about the tests would reach it")
    words: str


class PlanCurve(View):
    """Error against money for one design and one way to buy."""

    name: str
    design: str
    policy: str
    floor: float = Field(description="mean error of a classifier that knows the models")
    points: list[PlanPoint]
    needed: PlanNeeded | None = Field(description="null: there is no target")


class PlanTarget(View):
    """What is to be reached."""

    error: float
    probability: float


class PlanResult(View):
    """A plan: the study was played many times in models that are possible."""

    budget: str
    source: str = Field(description="what the models come from, in words")
    runs: int = Field(description="in how many models each design was played")
    target: PlanTarget | None
    curves: list[PlanCurve] = Field(description="the study as planned comes first")
    words: str

    @property
    def rows(self) -> list[tuple[str, bool, list[PlanPoint]]]:
        """Each amount, whether it is the budget of the study, and what each curve says of it."""
        columns = zip(*(curve.points for curve in self.curves), strict=True)
        budget = Decimal(self.budget)
        return [(row[0].money, Decimal(row[0].money) == budget, list(row)) for row in columns]


class PlanView(View):
    """What there is of a plan."""

    id: str = Field(description="made of what was asked: who asks the same gets the same")
    title: str = Field(description="name of the study")
    state: str = Field(
        description="stopped: somebody stopped it, or the server was started anew; it goes on when "
        "the same is asked again",
        examples=["waiting", "running", "done", "failed", "stopped"],
    )
    at: str = Field(description="when it was asked first; prices are those of that day")
    by: str
    done: int = Field(description="runs that there are")
    total: int = Field(description="runs that there are to be")
    progress: float = Field(description="how much of it is done, from 0 to 1")
    message: str = Field(description="why it failed; else empty")
    plan: PlanResult | None = Field(description="null before it is made")

    @property
    def under_way(self) -> bool:
        """Whether it will be there soon."""
        return self.state in ("waiting", "running")

    @property
    def version(self) -> str:
        """Tells it from what it was before."""
        return f"{self.state}-{self.done}"


def plan_view(known: Known) -> PlanView:
    """Return what there is of a plan, for a page or a program."""
    file = known.file
    return PlanView(
        id=file.id,
        title=file.title,
        state=known.state,
        at=file.at,
        by=file.by,
        done=known.done,
        total=file.total,
        progress=round(min(1.0, known.done / file.total), 3),
        message=known.message,
        plan=None if known.plan is None else PlanResult.model_validate(known.plan),
    )
