"""What a snapshot says is what all events say, however it is kept; and it stays as it is."""

from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.stateful import invariant

from budgeted.state.requests import Numbered
from budgeted.studies.events import numbers_of
from budgeted.studies.projection import fold
from tests import sample_studies as studies
from tests.studies.test_life import Life

_MOST_KEPT = 4


def fast(snapshot):
    """What the indexes say."""
    return {
        "entries": (tuple(snapshot.entries), tuple(reversed(snapshot.entries)), snapshot.events),
        "pending": snapshot.requests("pending"),
        "every": snapshot.requests(),
        "of cases": {case: snapshot.requests_of(case) for case in snapshot.cases},
        "about": {number: snapshot.entries.about(number) for number in snapshot.numbered},
        "last": {number: snapshot.last_about(number) for number in snapshot.numbered},
        "is last": {each.number: snapshot.is_last(each) for each in snapshot.requests()},
        "people": sorted(snapshot.entries.people),
        "kinds": sorted(snapshot.entries.kinds),
    }


def slow(entries):
    """The same, found by looking at everything."""
    projection = fold(None, entries, "here")
    every = [projection.requests[number] for number in sorted(projection.requests)]
    about = {
        each.number: tuple(entry for entry in entries if each.number in numbers_of(entry.event))
        for each in every
    }
    cells = {(each.case, each.feature): each.number for each in every}
    return {
        "entries": (tuple(entries), tuple(entries)[::-1], len(entries)),
        "pending": tuple(each for each in every if each.fate == "pending"),
        "every": tuple(every),
        "of cases": {
            case: tuple(each for each in every if each.case == case) for case in projection.cases
        },
        "about": about,
        "last": {number: found[-1] for number, found in about.items()},
        "is last": {each.number: cells[each.case, each.feature] == each.number for each in every},
        "people": sorted({entry.by for entry in entries}),
        "kinds": sorted({entry.event.kind for entry in entries}),
    }


class Looking(Life):
    """Somebody looks after every step, and holds on to what was seen."""

    @invariant()
    def snapshots_are_right_and_stay(self):
        if not hasattr(self, "study"):
            return
        snapshot = self.study.snapshot()
        told = fast(snapshot)
        assert told == slow(self.study.history())
        self.kept = [*getattr(self, "kept", ()), (snapshot, told)][-_MOST_KEPT:]
        for one, before in self.kept:
            assert fast(one) == before


TestLooking = Looking.TestCase
TestLooking.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


@given(
    steps=some.lists(
        some.tuples(some.sampled_from(["set", "keep", "drop"]), some.integers(1, 600)), max_size=60
    )
)
def test_a_map_by_number_is_a_dictionary_of_which_copies_cost_nothing(steps):
    numbered, plain, kept = Numbered(), {}, []
    for at, (what, number) in enumerate(steps):
        if what == "set":
            numbered[number] = plain[number] = at
        elif what == "drop" and number in plain:
            del numbered[number], plain[number]
        elif what == "keep":
            kept.append((numbered.kept(), dict(plain)))
            if at % 2:  # what was kept can be changed as well
                kept[-1][0][number] = kept[-1][1][number] = -at
        assert dict(numbered) == plain
        assert len(numbered) == len(plain)
        assert all((each in numbered) == (each in plain) for each in (number, number + 1))
    for one, other in kept:
        assert dict(one) == other
        assert len(one) == len(other)
    assert {**numbered.through(str)} == {number: str(held) for number, held in plain.items()}


def test_events_are_shown_changed_to_who_may_not_see_all(tmp_path):
    with studies.begin(str(tmp_path / "s.db")) as study:
        study.ask(2)
        study.tell(1, "no")
        entries = study.snapshot().entries
        seen = entries.through(lambda entry: (entry.seq, "hidden"))
        numbers = [entry.seq for entry in entries]
        assert list(seen) == [(seq, "hidden") for seq in numbers] == list(reversed(seen))[::-1]
        assert (seen[-1], seen[1:2]) == ((numbers[-1], "hidden"), ((2, "hidden"),))
        assert [found for found, _ in seen.about(1)] == [each.seq for each in entries.about(1)]
        study.tell(2, "no")
        assert len(seen) == len(numbers)
        assert len(study.snapshot().entries) == len(numbers) + 1
