"""Answers become a study file that gives the same study; spreadsheets are read as saved."""

import csv
import io
import tomllib
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgeted.errors import TableError
from budgeted.studies.case_lists import case_list
from budgeted.studies.csv_rows import parse_rows
from budgeted.studies.files import feature_names, study_of
from budgeted.studies.preparing import Preparation, Table, guessed_uses, read_table, to_toml
from budgeted.studies.preparing.amounts import amount, written
from budgeted.studies.preparing.columns import use_mistakes
from budgeted.studies.preparing.described import described_test, fields_of
from budgeted.studies.preparing.money_terms import (
    budget_fields,
    budget_of,
    panel_fields,
    panel_of,
    prices_of,
)
from budgeted.studies.preparing.pasted import pasted_tests
from budgeted.studies.preparing.steps import STEPS, placed

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.recursive(
    st.one_of(TEXT, st.integers(-(2**60), 2**60), st.booleans(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3),
                            st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=12,
)  # fmt: skip
MONEY = st.integers(1, 99_999).map(lambda cents: f"{cents // 100},{cents % 100:02}")
WORD = st.text("abcdefghij µäß'\"-", min_size=1, max_size=6).map(str.strip).filter(bool)
NAMES = st.lists(WORD, min_size=2, max_size=5, unique=True).filter(
    lambda names: not {"case", "label", "group"} & {*names}
)


@given(st.dictionaries(TEXT, PLAIN, max_size=5))
def test_what_is_written_as_toml_is_read_as_the_same(plain):
    assert tomllib.loads(to_toml(plain)) == plain


@st.composite
def answers(draw):
    """What somebody types, with decimal commas; and the cases."""
    names = draw(NAMES)
    features = []
    for name in names:
        if draw(st.booleans()):
            cuts = sorted(draw(st.sets(st.integers(-50, 50), min_size=1, max_size=3)))
            fields = {
                "name": name,
                "kind": "number",
                "unit": draw(st.sampled_from(["", "mg/l"])),
                "cuts": "; ".join(f"{cut},5" for cut in cuts),
                "cost": draw(MONEY),
            }
        else:
            values = draw(st.lists(WORD, min_size=2, max_size=3, unique=True))
            fields = {
                "name": name,
                "values": "; ".join(values),
                "cost": draw(MONEY),
                "ordered": draw(st.sampled_from(["", "yes"])),
            }
        features.append(described_test(fields, "comma"))
    panels = []
    if draw(st.booleans()):
        panels.append(
            panel_of(
                {
                    "name": "panel",
                    "features": "; ".join(names),
                    "how": "setup",
                    "amount": draw(MONEY),
                    "days": draw(st.sampled_from(["", "9"])),
                },
                "comma",
            )
        )
    fee = draw(st.one_of(st.just(""), MONEY))
    prices = prices_of({}, fee, "30" if fee else "", panels, "comma")
    kind = draw(st.sampled_from(["firm", "soft"]))
    fields = {
        "kind": kind,
        "amount": "100,5",
        "limit": "2000",
        "rate": "20 %",
        "point_worth": draw(MONEY),
    }
    plain = {
        "name": draw(WORD),
        "decimal": "comma",
        "features": features,
        "budget": budget_of(fields, "comma"),
    }
    rows = tuple((f"P{at}", ("ill", "well")[at % 2], *("" for _ in names)) for at in range(4))
    uses = {"patient": "case", "kind": "label"} | dict.fromkeys(names, "test")
    assume(len(uses) == 2 + len(names))
    table = Table(tuple(uses), rows, (2, 3, 4, 5))
    return Preparation({}, table, uses).with_plain(**plain, prices=prices)  # fmt: skip


def study(plain, cases):
    header, rows, _ = parse_rows(cases, "cases")
    return study_of(plain, case_list(header, rows, "cases", feature_names(plain)), "study")


@given(answers())
def test_the_file_gives_the_same_study_as_the_answers(made):
    cases = made.to_csv()
    directly = study(made.plain, cases)
    read = study(tomllib.loads(made.to_toml()), cases)
    assert read == directly
    assert read.problem.features == directly.problem.features
    assert directly.problem.features[0].cost == Decimal(made.features[0]["cost"])


@given(answers())
def test_fields_that_nobody_touches_change_nothing(made):
    for each in made.features:
        assert described_test(fields_of(each, "comma"), "comma", each) == each
    prices = made.plain.get("prices", {})
    for each in prices.get("panels", []):
        assert panel_of(panel_fields(each, "comma"), "comma") == each
    budget = made.plain["budget"]
    assert budget_of(budget_fields(budget, "comma"), "comma", budget) == budget


def test_keys_that_no_field_shows_are_kept():
    given = {"name": "fever", "values": ["a;b", "c,d"], "prior_counts": [1, 2], "cost": 3}
    made = described_test(fields_of(given, "point") | {"cost": "4"}, "point", given)
    assert made == {**given, "cost": "4"}
    steps = {"amount": 1, "limit": 9, "point_worth": 1, "steps": [{"beyond": 0, "rate": "0.1"}]}
    assert budget_of(budget_fields(steps, "point"), "point", steps) == steps


CELL = st.text("abcäöü 0123.'", max_size=5).map(str.strip).filter(lambda cell: cell[:1] != "'")


@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_spreadsheet_is_read_however_it_was_saved(rows, mark, encoding, end):
    rows = [[f"P{at}", *row[1:]] for at, row in enumerate(rows)]
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator=end).writerows([["Fall", "Größe", "x"], *rows])
    table = read_table(out.getvalue().encode(encoding), "list.csv")
    assert table.header == ("Fall", "Größe", "x")
    assert [list(row) for row in table.rows] == rows
    assert table.lines == tuple(range(2, 2 + len(rows)))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_table_or_refused_in_words(content):
    try:
        table = read_table(content, "list.csv")
    except TableError:
        return
    assert all(len(row) == len(table.header) for row in table.rows)
    uses = guessed_uses(table)
    assert {*uses} == {*table.header}
    assert not [each for each in use_mistakes(uses) if "both" in each]


@given(st.text(max_size=300))
def test_whatever_is_pasted_is_taken_or_refused_in_words(text):
    found, wrong = pasted_tests(text, "comma")
    assert found or wrong
    assert len({each["name"] for each in found}) == len(found)


@given(st.integers(0, 10**9), st.sampled_from(["point", "comma"]))
def test_an_amount_is_typed_and_shown_in_the_same_way(cents, decimal):
    said = f"{cents // 100}.{cents % 100:02}"
    assert amount(written(said, decimal), decimal) == said


def test_lists_change_and_what_was_chosen_stays():
    first = read_table(b"id;typ;crp\n1;a;3\n2;b;9\n", "x")
    made = Preparation({"name": "s"}).with_table(first)
    made = made.with_uses({"crp": "ignored"})
    assert not made.features
    again = made.with_table(read_table(b"id;typ;crp\n1;a;3\n2;b;9\n3;a;1\n", "x"))
    assert again.uses["crp"] == "ignored"
    assert [each["name"] for each in again.with_uses({"crp": "test"}).features] == ["crp"]


def test_the_lines_of_the_file_are_kept_for_messages():
    table = read_table(b"case,label\n\nA,ill\n\n\nB,well\n", "x")
    made = Preparation().with_table(table)
    _, _, lines = parse_rows(made.to_csv(as_in_file=True), "x")
    assert tuple(lines) == table.lines == (3, 6)


@pytest.mark.parametrize("key", ["features[0].cost", "prices: panels[0].name", "budget.limit",
                                 "prior", "labels", "name", "seed", "policy"])  # fmt: skip
def test_every_mistake_has_its_step(key):
    found = placed(f"{key}: must be mended", {})
    assert found.step in STEPS
    assert "[" not in found.words
