"""Cuts that change in any history: as if they had always been these, and back again bit for bit."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted.policies import policy
from budgeted.policies.base import several
from budgeted.studies import commands as does
from budgeted.studies.creation import creation
from budgeted.studies.drafts import Draft, Sent, plan
from budgeted.studies.events import Entry
from budgeted.studies.growth import CutsChanged
from budgeted.studies.projection import Projection, fold
from budgeted.studies.snapshot import Snapshot
from tests.studies.test_numeric_studies import CASES, CHOLESTEROL, problem_of

AT = "2026-01-02T03:04:05Z"
NUMBERS = st.decimals(50, 600, places=1).map(str)
CUTS = st.lists(st.decimals(51, 600, places=1), min_size=1, max_size=5, unique=True).map(
    lambda cuts: " ".join(map(str, sorted(cuts)))
)
NUMBER = st.integers(1, 14)
COMMANDS = st.one_of(
    st.builds(does.Ask, st.integers(1, 3)),
    st.builds(does.Tell, NUMBER, NUMBERS),
    st.builds(does.Tell, NUMBER, st.sampled_from(("low", "high"))),
    st.builds(does.Correct, NUMBER, st.one_of(NUMBERS, st.none())),
    st.builds(does.Undo, NUMBER),
    st.builds(does.Fail, NUMBER),
    st.builds(
        lambda case, told: does.Record([(case, "chol", told)]),
        st.sampled_from([name for name, _ in CASES]), NUMBERS,
    ),
    st.builds(does.Withdraw, st.sampled_from([name for name, _ in CASES]), st.booleans()),
    st.builds(does.SetCuts, st.just("chol"), CUTS),
    st.builds(does.SetCuts, st.just("chol"), st.sampled_from(("median", "terciles", "labels"))),
)  # fmt: skip


def played(commands):
    """Do what makes sense of some commands; return the projection and all events."""
    created = creation("s", problem_of(CHOLESTEROL), CASES, "round-robin", {}, None, 3, "gini")
    projection, entries = Projection(created), [Entry(1, AT, "me", created)]
    for command in commands:
        draft = Draft.of(projection)
        draft.chooser = several(policy("round-robin"))
        found = plan(draft, [Sent(command, "me")], "s", AT)
        projection.adopt(found.draft)
        entries += [Entry(len(entries) + 1 + at, AT, "me", event)
                    for at, event in enumerate(found.events)]  # fmt: skip
    return projection, entries


def with_these_cuts_from_the_start(entries, kind):
    """The same events in a study that always had these cuts, and no other kind of them."""
    created = entries[0].event
    first = replace(created.features[0], parameters={
        "cuts": kind.cuts, "unit": "mg/dl", "least": 50, "most": 600,
    })  # fmt: skip
    begun = replace(created, features=(first, *created.features[1:]))
    rest = [each for each in entries[1:] if not isinstance(each.event, CutsChanged)]
    return fold(None, [Entry(1, AT, "me", begun), *rest], "here")


@settings(max_examples=60, deadline=None)
@given(st.lists(COMMANDS, min_size=4, max_size=25))
def test_after_any_history_it_is_as_if_the_cuts_had_always_been_these(commands):
    projection, entries = played(commands)
    kind = projection.state.problem.features[0].kind
    straight = with_these_cuts_from_the_start(entries, kind)
    again = fold(None, entries, "here")
    for other in (straight, again):
        assert other.state.belief == projection.state.belief
        assert (other.state.belief.counts == projection.state.belief.counts).all()
        assert other.state.history == projection.state.history
        assert other.state.pending == projection.state.pending
        assert (other.state.cases_left == projection.state.cases_left).all()
        assert (other.state.spent, other.state.reserved) == (
            projection.state.spent, projection.state.reserved,
        )  # fmt: skip
        assert dict(other.requests) == dict(projection.requests)


@settings(max_examples=60, deadline=None)
@given(st.lists(COMMANDS, min_size=4, max_size=20), CUTS)
def test_cuts_that_are_changed_and_changed_back_give_the_same_belief_bit_for_bit(commands, cuts):
    projection, entries = played(commands)
    before = projection.state
    old = before.problem.features[0].kind
    if old.written_cuts.replace(",", "") == cuts:
        return
    there = does.SetCuts("chol", cuts)
    back = does.SetCuts("chol", old.written_cuts)
    for command in (there, back):
        draft = Draft.of(projection)
        found = plan(draft, [Sent(command, "me")], "s", AT)
        if not found.events:  # the same numbers, written in another way
            return
        projection.adopt(found.draft)
    after = projection.state
    assert after.belief == before.belief
    assert after.belief.counts.tobytes() == before.belief.counts.tobytes()
    assert after.history == before.history
    assert after.problem == before.problem
    models = [
        json.loads(Snapshot.of("s", each, ()).model().to_json())["predictor"]
        for each in (projection, fold(None, entries, "here"))
    ]
    assert models[0] == models[1]
