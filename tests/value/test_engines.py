"""Which engine answers, and what is said when one cannot."""

import ast
import copy
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgeted
from budgeted import Belief, Feature, Problem
from budgeted.cache import Cache
from budgeted.errors import AllocationError, EngineError, ObservationError
from budgeted.learners import Hierarchical
from budgeted.memory import Memory
from budgeted.value import (
    ENGINES,
    expected_loss,
    feature_lookahead,
    gains,
    lookahead,
    loss,
    spectral,
)
from budgeted.value.information import Worth
from budgeted.value.loss import GINI, LOSSES, Loss
from tests.beliefs import Doubtful

COPY = Loss("copy", GINI.term, GINI.gather, GINI.finish, GINI.largest)
"""A loss of one's own that is known to be GINI's."""


def a_problem(labels=2, features=2):
    return Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(features)],
                   [f"label {at}" for at in range(labels)], [1 / labels] * labels, 100)  # fmt: skip


def a_belief(labels=2, features=2):
    return Belief.prior(a_problem(labels, features)).observe(0, 1, 1)


@pytest.mark.parametrize(
    ("labels", "features", "kind", "engine"),
    [
        (2, 2, "gini", "spectral"),
        (2, 60, "entropy", "spectral"),
        (2, 2, "zero_one", "grid"),
        (2, 60, "zero_one", "grid"),
        (3, 2, "gini", "enumeration"),
        (3, 2, "zero_one", "enumeration"),
        (3, 60, "gini", "particles"),
    ],
)
def test_the_most_exact_engine_is_chosen_and_named(labels, features, kind, engine):
    belief = a_belief(labels, features)
    assert loss(belief, kind).engine == engine
    depths = np.full((features, labels), 2)
    assert lookahead(belief, depths, kind, particles=50).engine == engine


def test_a_result_is_a_float_that_knows_its_uncertainty():
    found = loss(a_belief(), "gini")
    assert isinstance(found, float)
    assert (found.standard_error, found.resolution) == (0, spectral.RESOLUTION)
    sampled = loss(a_belief(), "gini", engine="particles", particles=100)
    assert sampled.standard_error > 0
    twin = copy.deepcopy(sampled)
    told = (sampled, "particles", sampled.standard_error)
    assert (twin, twin.engine, twin.standard_error) == told


def test_sampling_is_reproducible_and_its_stream_can_be_chosen():
    belief = a_belief(3, features=20)
    first = loss(belief, engine="particles", particles=100)
    assert first == loss(belief, engine="particles", particles=100)
    assert first != loss(belief, engine="particles", particles=100, rng=1)


@pytest.mark.parametrize(
    ("labels", "kind", "engine", "says"),
    [
        (3, "gini", "spectral", "spectral engine is for two labels, this problem has 3"),
        (3, "zero_one", "grid", "grid engine is for two labels"),
        (2, "zero_one", "spectral", "spectral engine has no zero_one loss"),
        (2, "gini", "grid", "grid engine is for zero_one, not gini"),
        (2, "gini", "magic", "there is no engine 'magic'; there are auto"),
        (2, "brier", "auto", "there is no loss 'brier'; there are gini, entropy, zero_one"),
    ],
)
def test_an_engine_that_cannot_says_why(labels, kind, engine, says):
    with pytest.raises(EngineError, match=says):
        loss(a_belief(labels), kind, engine=engine)
    with pytest.raises(EngineError, match=says):
        lookahead(a_belief(labels), np.ones((2, labels), dtype=int), kind, engine=engine)


def test_enumeration_refuses_what_would_take_forever():
    with pytest.raises(EngineError, match="enumeration would need"):
        loss(a_belief(features=40), engine="enumeration")
    with pytest.raises(EngineError, match="enumeration would need"):
        lookahead(a_belief(3, features=40), np.ones((40, 3), dtype=int), engine="enumeration")
    with pytest.raises(EngineError, match="enumeration would need"):
        expected_loss(
            a_belief(), dict.fromkeys([(0, 0), (0, 1), (1, 0)], 1000), engine="enumeration"
        )


@pytest.mark.parametrize(
    ("allocation", "error", "says"),
    [
        ({(0, 0): -1}, AllocationError, r"allocation\[\(0, 0\)\]: must be a whole number"),
        (
            {(0, 0): 1.5},
            AllocationError,
            "whole number of purchases from 0 to 1000000, got 1.5",
        ),
        ({(0, 0): float("nan")}, AllocationError, "got nan"),
        ({(0, 0): True}, AllocationError, "got True"),
        ({0: 1}, AllocationError, r"keys must be \(feature, label\), got 0"),
        ({(9, 0): 1}, ObservationError, "there is no feature number 9"),
        ({("f0", "label 7"): 1}, ObservationError, "there is no label 'label 7'"),
    ],
)
def test_wrong_allocations_are_explained(allocation, error, says):
    with pytest.raises(error, match=says):
        expected_loss(a_belief(), allocation)


@pytest.mark.parametrize(
    "depths", [np.ones((2, 3), dtype=int), np.full((2, 2), -1), np.ones((2, 2)), [[1, 1]]]
)
def test_wrong_depths_are_explained(depths):
    with pytest.raises(AllocationError, match="depths: must be whole numbers from 0"):
        lookahead(a_belief(), depths)


@pytest.mark.parametrize("particles", [0, 1, -5, 2.5, True])
def test_wrong_numbers_of_particles_are_explained(particles):
    with pytest.raises(EngineError, match="particles: must be a whole number from 2"):
        loss(a_belief(), engine="particles", particles=particles)


@given(st.integers(2, 5), st.lists(st.integers(0, 7), max_size=60))
def test_a_memory_forgets_what_was_used_least_recently(entries, asked):
    """One key at a time it misses exactly when `functools.lru_cache` does."""
    memory, _ = room_for(entries)
    peer = lru_cache(maxsize=entries)(lambda key: key)
    for key in asked:
        misses = peer.cache_info().misses
        peer(key)
        assert len(squares(memory, key)) == peer.cache_info().misses - misses


def room_for(entries):
    """A memory for so many squares, and the cache that it has for itself."""
    one = Cache(10**6)
    squares(Memory(one), 1)
    cache = Cache(entries * one.bytes)
    return Memory(cache), cache


def squares(memory, *keys):
    """Ask for the squares of numbers; return those that had to be computed."""
    computed = []

    def compute(missing):
        computed.extend(keys[position] for position in missing)
        return np.array([keys[position] ** 2 for position in missing])

    assert memory.rows(keys, compute).tolist() == [key**2 for key in keys]
    return computed


def test_a_memory_answers_more_keys_than_it_can_keep():
    ask = partial(squares, room_for(2)[0])
    assert ask(1, 2, 3, 4, 5, 2) == [1, 2, 3, 4, 5]
    assert ask(5, 4) == []
    assert ask(6) == [6]
    assert ask(4, 6) == [], "5 was asked for before 4, so it went first"
    assert ask(1, 2, 3, 5) == [1, 2, 3, 5]


def test_a_memory_keeps_what_one_decision_needs_however_much_that_is():
    memory, cache = room_for(2)
    ask = partial(squares, memory)
    assert ask(*range(1000)) == list(range(1000))
    assert ask(*range(1000)) == []
    ask(1001)
    assert cache.bytes < 2_000, "and lets go of it after that"


@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from([0.3, 1.0, (2.0, 0.5, 7.25)]))
def test_few_features_give_what_many_at_once_give(seed, features, prior):
    rng = np.random.default_rng(seed)
    values = [f"value {at}" for at in range(3)]
    problem = Problem(
        [Feature(f"f{at}", values, 1, prior) for at in range(features)],
        ("no", "yes"),
        (0.3, 0.7),
        9,
    )
    belief = Belief(problem, rng.integers(0, 40, (2, 3 * features)))
    given, depths = rng.integers(0, 5, (2, features, 2))
    few = np.stack([spectral._factors_of_one(belief, given, depths, at) for at in range(features)])
    many = spectral._compute_factors(belief, given, depths, np.arange(features))
    assert abs(few - many).max() < 1e-13


def test_the_documentation_lists_every_engine():
    import budgeted.value

    assert all(f"``{engine}``" in budgeted.value.__doc__ for engine in ENGINES)


def test_many_outcomes_of_few_cases_are_enumerated():
    """More outcomes than a tile holds, of fewer cases than there would be tiles."""
    problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y", "z"), (0.5, 0.3, 0.2), 1000)
    belief = Belief.prior(problem)
    sixty = {("a", label): 60 for label in problem.labels}
    every = expected_loss(belief, sixty, "gini", engine="enumeration")
    drawn = expected_loss(belief, sixty, "gini", engine="particles", particles=20_000)
    assert abs(every - drawn) < 5 * drawn.standard_error


@pytest.mark.parametrize("more", [10, 100])
def test_gains_of_a_plain_belief_with_many_labels(more):
    """How many values will be asked about is not known when the engine is chosen."""
    labels = tuple("abcde")
    problem = Problem([Feature("a", ("no", "yes"), 1)], labels, (0.2,) * 5, 1000)
    found = gains(Belief.prior(problem)).gains(np.full((1, 5), more))
    assert found.shape == (1,)
    assert 0 < found[0] < 1


@pytest.mark.parametrize("kind", ["gini", "entropy", "zero_one"])
def test_a_label_that_is_out_of_the_question_is_no_trouble(kind):
    """With many features that are nearly certain, its share of a case is less than any number."""
    belief = Belief.prior(a_belief(3, features=70).problem)
    for feature in range(70):
        for label in range(3):
            belief = belief.observe(feature, label, int(label == 1), 100_000)
    found = lookahead(belief, np.full((70, 3), 20), kind, engine="particles", particles=20)
    assert np.isfinite(found.values).all()
    assert (found.values >= -found.resolution).all()


def test_features_of_which_as_much_is_known_tie_where_cases_are_drawn():
    """What they differ by is rounding: that must not decide which is bought."""
    belief = a_belief(3, features=20)
    found = feature_lookahead(belief, np.full((20, 3), 2), engine="particles", particles=100)
    assert np.ptp(found.values[1:]) <= found.resolution
    assert found.resolution > 0
    assert found.values[0] > found.values[1] + found.resolution


@pytest.mark.parametrize("labels", [2, 3])
def test_a_loss_of_ones_own_is_enumerated_or_drawn(labels):
    belief = Belief.prior(a_problem(labels)).observe("f0", "label 1", "yes", 3)
    bought, depths = {("f0", "label 0"): 2}, np.full((2, labels), 2)
    ours = expected_loss(belief, bought, COPY)
    assert ours.engine == "enumeration"
    assert float(ours) == pytest.approx(float(expected_loss(belief, bought, GINI)), abs=1e-9)
    one, two = (lookahead(belief, depths, each).values for each in (COPY, GINI))
    np.testing.assert_allclose(one, two, atol=1e-9)
    one, two = (feature_lookahead(belief, depths, each).values for each in (COPY, GINI))
    np.testing.assert_allclose(one, two, atol=1e-9)
    large = Belief.prior(a_problem(labels, 30))
    assert loss(large, COPY).engine == "particles"


def test_a_loss_of_ones_own_is_refused_in_words():
    belief = Belief.prior(a_problem())
    with pytest.raises(EngineError, match="spectral engine has no copy loss; use enumeration, par"):
        loss(belief, COPY, engine="spectral")
    with pytest.raises(EngineError, match="grid engine is for zero_one, not copy; use enumeration"):
        loss(belief, COPY, engine="grid")
    known = Hierarchical().believed(belief)
    says = "no engine can compute the copy loss here.*information engine is for gini, not copy"
    with pytest.raises(EngineError, match=says):
        gains(known, COPY)


def test_a_belief_of_another_form_is_refused_in_words():
    """Its cells have something in common, so that closed forms would be wrong."""
    other = Doubtful.prior(a_problem())
    says = "computes with independent Dirichlet counts, which Doubtful has not"
    for ask in (loss, lambda known: lookahead(known, np.ones((2, 2), dtype=int)), gains):
        with pytest.raises(EngineError, match=says):
            ask(other)


def test_gains_of_a_plain_belief_are_differences_of_losses():
    belief = Belief.prior(a_problem(features=3)).observe("f0", "label 1", "yes", 3)
    numbers = np.array([[2, 1], [0, 0], [1, 1]])
    for kind in LOSSES:
        found = gains(belief, kind).gains(numbers)
        assert found[1] == 0
        for at in (0, 2):
            bought = {(f"f{at}", f"label {label}"): int(numbers[at, label]) for label in (0, 1)}
            fall = float(loss(belief, kind)) - float(expected_loss(belief, bought, kind))
            assert found[at] == pytest.approx(fall, abs=1e-5)


def test_gains_of_what_the_hierarchical_learner_believes():
    belief = Belief.prior(a_problem()).observe("f0", "label 1", "yes", 3)
    known, numbers = Hierarchical().believed(belief), np.ones((2, 2), dtype=int)
    np.testing.assert_array_equal(gains(known).gains(numbers), Worth(known).gains(numbers))
    with pytest.raises(EngineError, match="the information engine does not answer this"):
        expected_loss(belief, {}, engine="information")


def test_no_module_asks_for_a_kind_of_belief():
    """Nor of predictor: what can be done with them is asked of themselves."""
    kinds = {"Belief", "Committee", "Members", "Posterior", "Hierarchical", "NaiveBayes"}
    found = []
    for file in Path(budgeted.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            call = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
            if not call and not isinstance(node, ast.Compare):
                continue
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if (call or "type" in names) and names & kinds:
                found.append(f"{file.name}:{node.lineno}")
    assert found == []
