"""Histories that share a list: each keeps its own beginning, whoever goes on from where."""

import copy
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase, State
from budgeted.state.requests import History


def purchase(number):
    return Purchase(0, 0, 0, 1, number=number)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=40))
def test_every_history_is_the_tuple_it_stands_for(steps):
    """Grow from any earlier history, again and again: none of them changes."""
    grown = [(History(), ())]
    for number, (where, _) in enumerate(steps):
        history, plain = grown[where % len(grown)]
        grown.append((history.then(purchase(number)), (*plain, purchase(number))))
    for (history, plain), (_, at) in zip(grown, [(0, 0), *steps], strict=True):
        assert tuple(history) == plain
        assert history == plain
        assert plain == history
        assert history == History(plain)
        assert hash(history) == hash(History(plain))
        assert len(history) == len(plain)
        assert list(reversed(history)) == list(reversed(plain))
        place = at % (len(plain) + 1)
        assert history[place:] == plain[place:]
        assert history[::-2] == plain[::-2]
        if plain:
            assert history[place - 1] == plain[place - 1]
    assert len({history for history, _ in grown}) == len({plain for _, plain in grown})


def test_places_that_are_none():
    history = History([purchase(1)]).then(purchase(2))
    for place in (2, -3):
        with pytest.raises(IndexError):
            history[place]
    longer = history.then(purchase(3))
    with pytest.raises(IndexError):
        history[2]  # which the longer one has
    assert longer[2] == purchase(3)
    assert history != longer
    assert (history == 7) is False


def test_copies_hold_nothing_of_others():
    one = History().then(purchase(1))
    one.then(purchase(2)).then(purchase(3))
    again = copy.deepcopy(one)
    assert again == one
    assert len(again._shared) == 1


def test_threads_that_go_on_from_one_history_do_not_meet():
    for _ in range(50):
        start, found = History([purchase(0)]), {}
        ready = threading.Barrier(4)

        def grow(name, start=start, found=found, ready=ready):
            ready.wait()
            history = start
            for step in range(20):
                history = history.then(purchase(1000 * name + step))
            found[name] = history

        threads = [threading.Thread(target=grow, args=(name,)) for name in range(1, 5)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for name, history in found.items():
            assert [each.number for each in history] == [
                0, *(1000 * name + step for step in range(20))
            ]  # fmt: skip


def test_one_more_purchase_is_no_copy():
    history = History()
    for number in range(100):
        longer = history.then(purchase(number))
        assert longer._shared is history._shared
        history = longer


def test_a_state_may_be_given_a_tuple():
    problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y"), (0.5, 0.5), 9)
    plain = State.start(problem)
    state = State(problem, plain.belief, plain.remaining, history=(purchase(1),))
    assert state.after(Purchase(0, 0, 1, 1)).history[0] == purchase(1)
