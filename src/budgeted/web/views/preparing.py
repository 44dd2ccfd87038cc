"""The steps of a new study: what each of them shows."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, TypeVar

from pydantic import Field

from budgeted.studies.preparing.amounts import written
from budgeted.studies.preparing.columns import CASE, GROUP, IGNORED, LABEL, TEST, USES, facts_of
from budgeted.studies.preparing.described import CATEGORIES, NUMBER, fields_of
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.preparing.steps import STEPS, Placed
from budgeted.web.uploads import Understood
from budgeted.web.views.parts import View

COLUMNS_A_PAGE, TESTS_A_PAGE = 25, 12
_LONGEST = 40
Item = TypeVar("Item")


class Step(View):
    """A step, and the mistakes that are mended there."""

    key: str
    number: int
    title: str
    here: bool


class Pages(View):
    """Which part of a long list is shown."""

    page: int
    pages: int
    total: int


class ColumnRow(View):
    """A column of the list of cases."""

    at: int
    name: str
    examples: str = Field(description="the first different cells")
    known: int = Field(description="cells that are filled in")
    different: int
    use: str


class DescribedTest(View):
    """A test with what stands in its fields."""

    at: int
    fields: dict[str, str]
    known: int = Field(description="values that come with the list of cases")
    column: bool = Field(description="whether it is a column of the list, and named like it")
    source: str = Field(description="where its cuts come from")
    plain: bool = Field(description="whether the fields can describe it")


class Mended(View):
    """What is wrong, step by step."""

    step: str
    title: str
    mistakes: list[str]


class LabelCount(View):
    """How many cases have a label, and its share where cases come from."""

    label: str
    cases: int
    prior: float | None


class Overview(View):
    """What was understood of a study, at a glance."""

    cases: int
    labels: list[LabelCount]
    budget: str
    policy: str
    seed: object
    loss: str


def overview(found: Understood) -> Overview:
    """Return what was understood of a study, at a glance."""
    plain, given = found.plain, found.given
    chooser = plain.get("policy", {})
    named = chooser.get("name", "") if isinstance(chooser, dict) else ""
    priors = dict(zip(given.problem.labels, given.problem.prior, strict=True)) if given else {}
    counts = {label: found.labels.get(label, 0) for label in priors} or found.labels
    return Overview(
        cases=len(found.rows),
        labels=[
            LabelCount(label=label, cases=number, prior=priors.get(label))
            for label, number in counts.items()
        ],
        budget=given.problem.terms.words() if given else str(plain.get("budget", "")),
        policy=given.policy if given else str(named),
        seed=plain.get("seed", 0),
        loss=str(plain.get("loss", "gini")),
    )


def steps_of(here: str) -> list[Step]:
    """Return all steps."""
    return [
        Step(key=key, number=at, title=title, here=key == here)
        for at, (key, title) in enumerate(STEPS.items(), 1)
    ]


def part_of(items: Sequence[Item], page: int, size: int) -> tuple[list[Item], Pages]:
    """Return a page of a list; the last one where there are not so many."""
    pages = max(1, ceil(len(items) / size))
    page = min(max(1, page), pages)
    return list(items[(page - 1) * size : page * size]), Pages(
        page=page, pages=pages, total=len(items)
    )


def column_rows(made: Preparation, page: int) -> tuple[list[ColumnRow], Pages]:
    """Return the columns of a page: those that name the case, label and group come first."""
    assert made.table is not None
    first = {CASE: 0, LABEL: 1, GROUP: 2, TEST: 3, IGNORED: 3}
    every = sorted(enumerate(made.table.header), key=lambda each: first[made.uses[each[1]]])
    shown, pages = part_of(every, page, COLUMNS_A_PAGE)
    rows = []
    for at, name in shown:
        facts = facts_of(made.table.column(name))
        examples = ", ".join(_short(each) for each in facts.examples)
        more = facts.different > len(facts.examples)
        rows.append(
            ColumnRow(
                at=at,
                name=name,
                examples=f"{examples}, …" if more else examples,
                known=facts.known,
                different=facts.different,
                use=made.uses[name],
            )
        )
    return rows, pages


def first_rows(made: Preparation) -> tuple[list[str], list[list[str]]]:
    """Return the first rows of the list, in the columns that are used; some of them."""
    assert made.table is not None
    used = [each for each in made.table.header if made.uses[each] != IGNORED]
    rank = {CASE: 0, LABEL: 1, GROUP: 2}
    used = sorted(used, key=lambda each: rank.get(made.uses[each], 3))[:10]
    places = [made.table.header.index(each) for each in used]
    rows = [[_short(row[at]) for at in places] for row in made.table.rows[:5]]
    return [f"{each} ({USES[made.uses[each]]})" for each in used], rows


def described_tests(made: Preparation, page: int, search: str) -> tuple[list[DescribedTest], Pages]:
    """Return the tests of a page; only those whose name holds the search."""
    wanted = search.casefold()
    every = [
        (at, each)
        for at, each in enumerate(made.features)
        if wanted in str(each.get("name", "")).casefold()
    ]
    shown, pages = part_of(every, page, TESTS_A_PAGE)
    return [_test(made, at, each) for at, each in shown], pages


def _test(made: Preparation, at: int, table: dict[str, Any]) -> DescribedTest:
    name = str(table.get("name", ""))
    known = facts_of(made.known(name)).known if made.uses.get(name) == TEST else 0
    return DescribedTest(
        at=at,
        fields=fields_of(table, made.decimal),
        known=known,
        column=made.uses.get(name) == TEST,
        source=str(table.get("source", "")),
        plain=table.get("kind", CATEGORIES) in (CATEGORIES, NUMBER),
    )


def mended(mistakes: Sequence[Placed]) -> list[Mended]:
    """Return mistakes step by step."""
    return [
        Mended(
            step=key, title=title, mistakes=[each.words for each in mistakes if each.step == key]
        )
        for key, title in STEPS.items()
        if any(each.step == key for each in mistakes)
    ]


def tests_in_words(made: Preparation, most: int) -> list[tuple[str, str, str]]:
    """Return name, values and price of the first tests, as people read them."""
    rows = []
    for each in made.features[:most]:
        fields = fields_of(each, made.decimal)
        words = fields["values"]
        if fields["kind"] == NUMBER:
            unit = f" in {fields['unit']}" if fields["unit"] else ""
            words = f"a number{unit}, cut at {fields['cuts'] or '?'}"
        rows.append((fields["name"], words, written(each.get("cost"), made.decimal)))
    return rows


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
