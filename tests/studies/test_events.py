"""Events as JSON: nothing is lost, and nothing unknown is let in."""

import json
from dataclasses import fields
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.errors import JournalError
from budgeted.studies import availability, created, events, growth, notes
from budgeted.studies.journal.rows import from_json, to_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
amounts = st.decimals(0, 10**15, places=2)
numbers = st.integers(1, 10**6)
scores = st.lists(st.tuples(texts, texts, st.floats(-9, 9)), max_size=3).map(tuple)
lines = st.lists(st.builds(events.Line, numbers, texts, amounts), min_size=1, max_size=3).map(tuple)
spreads = st.none() | st.builds(events.Spread, numbers, *[st.floats(-9, 9)] * 3)
parameters = st.dictionaries(
    texts, st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | texts, max_size=3
)
counts = st.sampled_from([1.0, (1.0, 2.0), ((1.0, 0.5), (0.25, 1.0))])
kinds = st.fixed_dictionaries({"values": st.lists(texts, max_size=3).map(tuple)})
for_sale = st.builds(created.ForSale, texts, texts, kinds | parameters, amounts, counts)
names = st.lists(texts, max_size=3).map(tuple)
cuts = st.lists(st.integers(-9, 9) | st.floats(-9, 9), max_size=3).map(tuple)
EVENTS = [
    st.builds(
        created.Created,
        st.lists(for_sale, max_size=2).map(tuple), names,
        st.lists(st.floats(0, 1), max_size=3).map(tuple), amounts, texts, parameters, texts,
        st.integers(0, 2**40), texts, st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
        texts, price_list=texts,
        price_parameters=st.dictionaries(texts, texts | st.lists(texts, max_size=2), max_size=2),
        groups=st.dictionaries(texts, texts, max_size=2),
    ),
    st.builds(
        events.Asked, texts, texts, lines, scores, spreads, texts, texts, texts,
        parameters, texts,
    ),
    st.builds(events.Told, numbers, texts, amounts),
    st.builds(events.Failed, numbers, amounts, st.booleans(), texts),
    st.builds(events.Cancelled, numbers, texts),
    st.builds(events.Recorded, numbers, texts, texts, texts, texts, amounts),
    st.builds(
        events.Corrected, numbers, st.none() | texts, st.none() | texts, amounts, amounts, texts
    ),
    st.builds(
        events.Undone, numbers, st.sampled_from(["told", "failed", "cancelled", "recorded"]),
        st.none() | texts, amounts, amounts, texts,
    ),
    st.builds(events.Repriced, st.lists(st.tuples(numbers, amounts), max_size=3).map(tuple)),
    st.builds(events.Withdrawn, texts, texts),
    st.builds(events.BudgetChanged, amounts, amounts, texts),
    st.builds(events.Closed, texts),
    st.builds(events.Reopened, texts),
    st.builds(
        growth.CasesAdded, st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
        st.dictionaries(texts, texts, max_size=3),
    ),
    st.builds(growth.FeatureAdded, for_sale),
    st.builds(growth.ValueAdded, texts, texts, counts),
    st.builds(growth.CutsChanged, texts, cuts, cuts, texts, texts),
    st.builds(availability.RuledOut, texts, texts, texts),
    st.builds(availability.Allowed, texts, texts, texts),
    st.builds(notes.Noted, texts, st.none() | numbers, texts, texts),
]  # fmt: skip


def test_no_kind_of_event_is_forgotten_here():
    homes = [each.__name__ for each in (events, created, growth, availability, notes)]
    ours = [each for each in events.EVENTS.values() if each.__module__ in homes]
    assert len(EVENTS) == len(ours)
    for kind in ours:
        assert fields(kind)[-1].name == "kind"


def test_two_kinds_of_event_cannot_have_the_same_name():
    with pytest.raises(JournalError, match="there is a kind of event 'told' already"):
        type("Whispered", (events.Event,), {"kind": "told"})


@given(st.one_of(EVENTS))
def test_events_survive_json(event):
    text = to_json(event)
    assert text.isascii()
    assert from_json(text) == event


@given(st.one_of(EVENTS), st.sampled_from(["more", "Number", "__class__"]))
def test_unknown_keys_are_refused(event, key):
    plain = {key: 1} | json.loads(to_json(event))
    with pytest.raises(JournalError, match="makes no sense"):
        from_json(json.dumps(plain, separators=(",", ":")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"kind":"told"}',
        '{"number":"7","value":"yes","cost":"1","kind":"told"}',
        '{"number":7,"value":"yes","cost":"NaN","kind":"told"}',
        '{"number":7,"value":null,"cost":"1","kind":"told"}',
        '{"number":7,"value":"yes","cost":"1","kind":"sold"}',
        '{"number":7,"value":"yes","cost":"1","kind":"told","version":5}',
    ],
)
def test_other_texts_are_no_events(text):
    with pytest.raises(JournalError):
        from_json(text)


def test_an_event_of_a_newer_package_says_so():
    with pytest.raises(JournalError, match="kind 'sold', which this budgeted does not know: a new"):
        from_json('{"number":7,"kind":"sold"}')


def test_what_is_no_event_is_not_written():
    for wrong in (
        events.Told(7, "yes", float("nan")),
        events.Told("seven", "yes", Decimal(1)),
        events.Cancelled(1, "\ud800"),
    ):
        with pytest.raises(JournalError, match="cannot be written as JSON"):
            to_json(wrong)
