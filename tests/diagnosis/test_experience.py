"""Cases that were seen: they say how tests go together, by the shares of the labels, in part."""

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase
from budgeted.diagnosis import ActiveClassifier, Experience, Strategy
from budgeted.diagnosis.shrinkage import Shrinkage
from budgeted.errors import DiagnosisError
from budgeted.learners import NaiveBayes
from budgeted.learners.model import Model


def exclusive_or(number=400):
    """Two tests that mean nothing alone: ill are those of whom just one of both is yes."""
    rng = np.random.default_rng(1)
    values = rng.integers(2, size=(number, 2))
    labels = values[:, 0] ^ values[:, 1]
    features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b")]
    shares = np.bincount(labels) / number
    problem = Problem(features, ("well", "ill"), tuple(shares), 10)
    bought = [
        Purchase(at, int(label), int(row[at]), 1)
        for row, label in zip(values, labels, strict=True)
        for at in (0, 1)
    ]
    return Model.of(NaiveBayes().fit(problem, bought)), Experience(values, labels)


def test_tests_that_mean_something_only_together_are_seen():
    model, seen = exclusive_or()
    prices = {"a": 1, "b": 1}
    blind = Strategy.of(ActiveClassifier(model, prices, wrong=100))
    sighted = Strategy.of(ActiveClassifier(model, prices, wrong=100, experience=seen))
    assert blind.error > 0.4
    assert sighted.error < 0.02  # a case's worth of a model that knows nothing, beside 100
    assert sighted.frequencies == pytest.approx({"a": 1.0, "b": 1.0})
    assert model.next_test({}, prices, wrong=100, experience=seen).test is not None


def test_chances_are_the_estimate_that_is_written_down():
    model, seen = exclusive_or()
    case = (seen.values == [1, 0]).all(axis=1)
    found = ActiveClassifier(model, {"a": 1}, experience=seen).next_test({"a": "yes", "b": "no"})
    said = model.predict({"a": "yes", "b": "no"})["ill"]
    strength = Shrinkage(model, seen).lesson((0, 1)).strength
    expected = (case.sum() + strength * said) / (case.sum() + strength)
    assert found.chances["ill"] == pytest.approx(expected)


def test_values_that_are_not_known_count_nowhere():
    values = np.array([[0, -1], [1, 1], [0, 0], [1, -1]])
    experience = Experience(values, np.array([0, 0, 1, 1]))
    both, first = (experience.seen(tests, (0.5, 0.5)) for tests in ((0, 1), (0,)))
    assert both.cases.sum() == 2
    assert first.cases.sum() == 4
    assert both.cases_like(np.array([[1, 1], [1, 0]])).tolist() == [[1, 0], [0, 0]]
    assert both.places.tolist() == [1, 2]
    nobody = Experience(values[:0], values[:0, 0]).seen((0,), (0.5, 0.5))
    assert nobody.cases_like(np.array([[1, 1]])).tolist() == [[0, 0]]


def test_labels_count_by_their_shares_and_none_for_more_than_a_case():
    """Nine of ten cases are of one label, which has half of the population: it counts a ninth."""
    experience = Experience(np.zeros((10, 1), dtype=int), np.array([0] * 9 + [1]))
    assert experience.seen((0,), (0.5, 0.5)).cases[0].tolist() == pytest.approx([1, 1])


def test_situations_of_many_tests_are_told_apart():
    """Numbers of situations of seventy tests do not fit into a machine's integers."""
    values = np.zeros((2, 70), dtype=int)
    values[1, 0] = 1
    experience = Experience(values, np.array([0, 1]))
    assert experience.seen(range(70), (0.5, 0.5)).cases.tolist() in (
        [[1, 0], [0, 1]],
        [[0, 1], [1, 0]],
    )


def test_a_label_that_was_never_seen_leaves_all_to_the_model():
    model, _ = exclusive_or()
    one_sided = Experience(np.array([[0, 0]] * 30), np.zeros(30, dtype=int))
    case = {"a": "no", "b": "no"}
    found = ActiveClassifier(model, {"a": 1}, experience=one_sided).next_test(case)
    assert found.chances == pytest.approx(model.predict(case))


def test_cases_that_make_no_sense_get_words_all_at_once():
    model, _ = exclusive_or(40)
    with pytest.raises(DiagnosisError) as raised:
        Experience.of(model, [{"a": "purple"}, {"a": "no"}], ["ill", "dead"])
    assert len(raised.value.mistakes) == 2
    assert "case 1: " in raised.value.mistakes[0]
    assert "case 2: there is no label 'dead'" in raised.value.mistakes[1]
    assert Experience.of(model, [{"a": "no"}], ["ill"]).values.tolist() == [[0, -1]]
