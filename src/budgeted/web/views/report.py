"""The report of a study for a board: design, prices, money, error, and what proves it."""

from __future__ import annotations

from pydantic import Field

from budgeted import __version__
from budgeted.learners import Learner
from budgeted.learners.formats import offered
from budgeted.problem.money import show
from budgeted.studies.account import Account, account_of
from budgeted.studies.beginning import learner_of
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.classifier import MeasuredView, OutlookView
from budgeted.web.views.parts import View, people_time
from budgeted.web.views.studies import StudyCard, card_of

_MOST_TESTS, _MOST_LABELS, _MOST_PRICES = 25, 6, 12


class LabelLine(View):
    """A label: its share, its cases, and what was spent on them."""

    name: str
    share: float
    cases: int
    values: int
    spent: str


class TestRow(View):
    """A test: what it tells, what it costs, and what was spent on it."""

    __test__ = False  # no test of this package

    name: str
    tells: str = Field(description="its values, or its unit and cuts, in words")
    price: str = Field(description="its list price, without fees")
    values: int
    failed: int
    spent: str
    of_labels: list[str] = Field(description="spent on the cases of each label, in their order")


class ErrorView(View):
    """How often the classifier is wrong, as far as that is known."""

    outlook: OutlookView | None = Field(description="null: there is no classifier here")
    unknown: str = Field(description="why there is none")
    measured: MeasuredView | None = Field(description="error on the validation cases")


class Download(View):
    """Something to take away."""

    title: str
    path: str = Field(description="below the address of the study")
    group: str = Field(examples=["tables", "model"])


class ReportView(View):
    """All of the report that comes from the journal alone."""

    study: StudyCard
    seq: int
    digest: str
    version: str
    package: str = Field(description="with which the study began")
    terms: str
    surcharge: str = Field(description="so far, where the budget is soft; else empty")
    policy: str
    parameters: dict[str, bool | int | float | str | None]
    learner: str
    learner_parameters: dict[str, str]
    case_rule: str
    seed: int
    loss: str
    price_list: str
    prices: list[str] = Field(description="fees, panels and other terms")
    prices_more: int
    labels: list[LabelLine]
    tests: list[TestRow] = Field(description="those that most was spent on")
    tests_more: int
    counts: dict[str, int]
    charged_in_vain: str
    started: str
    last: str
    downloads: list[Download]


def report_view(study: Snapshot) -> ReportView:
    """Return the report of a study, but for what a model says."""
    account, created, problem = account_of(study), study.created, study.state.problem
    tests = _tests(study, account)
    first, last = study.entries[0], study.entries[-1]
    return ReportView(
        study=card_of(study),
        seq=study.events,
        digest=study.digest,
        version=__version__,
        package=created.package,
        terms=problem.terms.words(),
        surcharge="" if account.surcharge is None else show(account.surcharge),
        policy=created.policy,
        parameters=dict(created.parameters),
        learner=created.learner,
        learner_parameters={name: str(held) for name, held in created.learner_parameters.items()},
        case_rule=created.case_rule,
        seed=created.seed,
        loss=created.loss,
        price_list=problem.prices.name,
        prices=list(account.prices[:_MOST_PRICES]),
        prices_more=max(0, len(account.prices) - _MOST_PRICES),
        labels=_labels(study, account),
        tests=tests[:_MOST_TESTS],
        tests_more=max(0, len(tests) - _MOST_TESTS),
        counts=dict(account.counts),
        charged_in_vain=show(account.charged_in_vain),
        started=f"{people_time(first.at)}, {first.by}",
        last=f"{people_time(last.at)}, {last.by}",
        downloads=downloads(learner_of(created)),
    )


def downloads(learner: Learner) -> list[Download]:
    """Return what can be taken away; formats of models that others add are among them."""
    found = [
        Download(title="Case × test: a row per case, values as they were told (CSV)",
                 path="tables/wide.csv", group="tables"),
        Download(title="Values: a row per request and recorded value, one column per thing (CSV)",
                 path="tables/long.csv", group="tables"),
        Download(title="History: a row per event, one column per thing (CSV)",
                 path="tables/events.csv", group="tables"),
        Download(title="Cases at a glance (CSV)", path="cases.csv", group="tables"),
    ]  # fmt: skip
    found += [
        Download(title=each.title, path=f"models/{each.name}", group="model")
        for each in offered(learner)
    ]
    return found


def _labels(study: Snapshot, account: Account) -> list[LabelLine]:
    problem = study.state.problem
    numbers = dict.fromkeys(problem.labels, 0)
    for each in study.case_records.values():
        numbers[each.label] += 1
    return [
        LabelLine(
            name=each.name,
            share=share,
            cases=numbers[each.name],
            values=each.values,
            spent=show(each.spent),
        )
        for each, share in zip(account.by_label, problem.prior, strict=True)
    ][:_MOST_TESTS]


def _tests(study: Snapshot, account: Account) -> list[TestRow]:
    """The tests, those first that most was spent on."""
    problem = study.state.problem
    labels = problem.labels[:_MOST_LABELS]
    rows = []
    for feature, spending in zip(problem.features, account.by_test, strict=True):
        tells = feature.scale or ", ".join(feature.values[:8])
        tells += " …" if not feature.scale and len(feature.values) > 8 else ""
        of = [account.of_label.get((feature.name, label)) for label in labels]
        rows.append((spending.spent, feature.name, tells, spending, of))
    rows.sort(key=lambda row: -row[0])
    names = [each.name for each in problem.features]
    prices = map(show, problem.feature_prices) if problem.has_prices else [""] * len(names)
    listed = dict(zip(names, prices, strict=True))
    return [
        TestRow(
            name=name,
            tells=tells,
            price=listed[name],
            values=spending.values,
            failed=spending.failed,
            spent=show(spending.spent),
            of_labels=["" if cost is None else show(cost) for cost in of],
        )
        for _, name, tells, spending, of in rows
    ]
