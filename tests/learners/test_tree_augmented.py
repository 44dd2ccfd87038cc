"""Tree-augmented naive Bayes: sums against brute force, the evidence of pairs, and copies."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Model, Problem, Purchase
from budgeted.errors import LearnerError, ModelError
from budgeted.learners import Hierarchical, TreeAugmented, learner
from budgeted.learners.forest import Edge, _log_bayes_factors, _together, forest
from budgeted.learners.joined import JoinedShares
from budgeted.learners.layout import layout_of
from tests.learners.test_logistic_regression import a_problem, noisy, whole


def a_forest(rng, sizes, labels):
    """Shares and edges at random: any joint shares of pairs that agree on each feature."""
    shares = [rng.dirichlet([2.0] * size, labels) for size in sizes]
    edges = []
    for two in range(1, len(sizes)):
        if rng.random() < 0.8:
            one = int(rng.integers(two))
            joint = shares[one][:, :, None] * rng.dirichlet(
                [1.0] * sizes[two], (labels, sizes[one])
            )
            shares[two] = joint.sum(axis=1)
            edges.append(Edge(one, two, joint))
    return shares, edges


def by_brute_force(plain, case):
    """What the file says of a case by its formula: a sum over all that it could be."""
    features, edges = plain["predictor"]["features"], plain["predictor"]["edges"]
    tables = [each["probabilities"] for each in features]
    masses = []
    for label, prior in enumerate(plain["prior"]):
        total = 0.0
        for values in product(*(range(len(each[label])) for each in tables)):
            if any(known not in (-1, own) for known, own in zip(case, values, strict=True)):
                continue
            mass = math.prod(table[label][at] for table, at in zip(tables, values, strict=True))
            for each in edges:
                one, two = each["first"], each["second"]
                mass *= each["joint"][label][values[one]][values[two]] / (
                    tables[one][label][values[one]] * tables[two][label][values[two]]
                )
            total += mass
        masses.append(prior * total)
    return [mass / sum(masses) for mass in masses]


@given(
    st.integers(0, 10**6), st.lists(st.integers(2, 3), min_size=1, max_size=5), st.integers(2, 3)
)
@settings(max_examples=40)
def test_what_is_unknown_is_summed_out_exactly(seed, sizes, labels):
    rng = np.random.default_rng(seed)
    problem = Problem(
        [Feature(f"f{at}", [f"v{k}" for k in range(size)], 1) for at, size in enumerate(sizes)],
        [f"l{at}" for at in range(labels)], rng.dirichlet([3.0] * labels).tolist(), 9,
    )  # fmt: skip
    shares, edges = a_forest(rng, sizes, labels)
    made = JoinedShares(problem, np.concatenate(shares, axis=1), tuple(edges), "tree-augmented")
    text = Model.of(made).to_json()
    cases = np.array([[int(rng.integers(-1, size)) for size in sizes] for _ in range(6)])
    again = Model.from_json(text)
    for case, found, read in zip(
        cases.tolist(), made.probabilities(cases), again.probabilities(cases), strict=True
    ):
        expected = by_brute_force(json.loads(text), case)
        assert found.tolist() == pytest.approx(expected, abs=1e-10)
        assert read.tolist() == pytest.approx(expected, abs=1e-10)


def test_the_evidence_of_a_pair_is_that_of_one_case_after_the_other():
    """By predicting each case from those before it, as a Pólya urn does."""
    rng = np.random.default_rng(3)
    problem = Problem([Feature("a", ("x", "y", "z"), 1), Feature("b", ("no", "yes"), 1)],
                      ("well", "ill"), (0.5, 0.5), 99)  # fmt: skip
    labels = rng.integers(2, size=30)
    values = np.stack([rng.integers(3, size=30), rng.integers(2, size=30)])
    bought = whole(values, labels)
    alone = [Purchase(0, 1, 2, 1, "alone"), Purchase(1, 0, 1, 1)]  # say nothing of the pair
    shares = np.array([[0.2, 0.5, 0.3, 0.6, 0.4], [0.1, 0.1, 0.8, 0.5, 0.5]])
    found = _log_bayes_factors(problem, list(_together(problem, bought + alone)), shares, 2.5)
    expected, seen = 0.0, np.zeros((2, 3, 2))
    for label, one, two in zip(labels, *values, strict=True):
        independent = shares[label, one] * shares[label, 3 + two]
        urn = (2.5 * independent + seen[label, one, two]) / (2.5 + seen[label].sum())
        expected += math.log(urn / independent)
        seen[label, one, two] += 1
    assert found[0, 1] == pytest.approx(expected, abs=1e-9)
    assert found[1, 0] == pytest.approx(expected, abs=1e-9)


def test_pairs_keep_what_is_believed_of_each_feature():
    rng = np.random.default_rng(4)
    labels = np.arange(200) % 2
    one = noisy(labels, 0.8, rng)
    made = TreeAugmented().fit(a_problem(2), whole([one, noisy(one, 0.95, rng)], labels))
    (edge,) = made.edges
    np.testing.assert_allclose(edge.joint.sum(axis=2), made.shares(0), atol=1e-10)
    np.testing.assert_allclose(edge.joint.sum(axis=1), made.shares(1), atol=1e-10)
    np.testing.assert_allclose(
        np.hstack([made.shares(0), made.shares(1)]), made.posterior.expected, atol=1e-12
    )


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_values_that_were_never_bought_together_join_nothing(seed):
    rng = np.random.default_rng(seed)
    problem = a_problem(4)
    bought = [Purchase(int(rng.integers(4)), at % 2, int(rng.integers(2)), 1, at)
              for at in range(50)]  # fmt: skip
    made = TreeAugmented().fit(problem, bought)
    assert made.edges == ()
    shares = Hierarchical().fit(problem, bought).posterior.expected
    case = np.array([[0, -1, 1, 1]])
    columns = layout_of(problem).starts + np.array([0, 0, 1, 1])
    masses = shares[:, columns[[0, 2, 3]]].prod(axis=1) / 2
    np.testing.assert_allclose(made.probabilities(case)[0], masses / masses.sum(), atol=1e-12)


def test_a_copy_adds_nothing_and_stands_in_for_the_other():
    rng = np.random.default_rng(5)
    labels = np.arange(400) % 2
    weak, strong = noisy(labels, 0.7, rng), noisy(labels, 0.9, rng)
    bought = whole([weak] * 6 + [strong], labels)
    made = TreeAugmented().fit(a_problem(7), bought)
    assert len(made.edges) == 5
    cases = np.array([[0] * 6 + [-1], [0] + [-1] * 6, [0] * 6 + [1]])
    six, one, both = made.probabilities(cases)[:, 1]
    assert six == pytest.approx(one, abs=0.03)
    naive = learner("naive-bayes").fit(a_problem(7), bought).probabilities(cases)[2, 1]
    assert naive < 0.5 < both


def test_features_that_are_independent_within_labels_are_rarely_joined():
    """Of 30 pairs, 6 in each of 5 worlds: by the prior half an edge for a feature at the most."""
    joined = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        labels = np.arange(80) % 2
        bought = whole([noisy(labels, 0.75, rng) for _ in range(4)], labels)
        joined += len(TreeAugmented().fit(a_problem(4), bought).edges)
    assert joined <= 2


def test_which_features_are_listed_first_does_not_matter_where_pairs_are_as_good():
    rng = np.random.default_rng(6)
    labels = np.arange(120) % 2
    same = noisy(labels, 0.8, rng)
    bought = whole([same] * 4, labels)
    problem = a_problem(4)
    turned = Problem(problem.features[::-1], problem.labels, problem.prior, 9)
    moved = [Purchase(3 - each.feature, each.label, each.value, 1, each.case) for each in bought]
    names = []
    for stated, those in ((problem, bought), (turned, moved)):
        edges = TreeAugmented().fit(stated, those).edges
        names.append({frozenset((stated.features[each.one].name, stated.features[each.two].name))
                      for each in edges})  # fmt: skip
    assert names[0] == names[1]
    assert len(names[0]) == 3


def test_more_values_than_fit_into_memory_are_refused_in_words():
    problem = Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(2501)],
                      ("well", "ill"), (0.5, 0.5), 9)  # fmt: skip
    with pytest.raises(LearnerError, match="pairs of 5002 values are too many; it takes 5000"):
        forest(problem, [], np.full((2, 5002), 0.5), [1.0])


def written():
    labels = np.arange(60) % 2
    same = noisy(labels, 0.8, np.random.default_rng(7))
    return json.loads(
        Model.of(TreeAugmented().fit(a_problem(3), whole([same] * 3, labels))).to_json()
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [({"first": 1, "second": 1}, "must be positions of two features, from 0 to 2"),
     ({"second": 3}, "must be positions of two features"),
     ({"joint": [[[0.5, 0.5], [0.5, 0.5]]] * 2}, "must sum to the probabilities of each of both"),
     ({"joint": [[[1.0]]]}, "must be labels × values × values"),
     ({"joint": [[[-1.0]]]}, "must be numbers above 0"),
     ({"joints": 1}, "an edge must have the keys")],
)  # fmt: skip
def test_an_edge_that_makes_no_sense_is_refused_in_words(change, says):
    plain = written()
    plain["predictor"]["edges"][0] |= change
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


def test_edges_that_go_round_in_a_circle_are_refused():
    plain = written()
    edges = plain["predictor"]["edges"]
    missing = ({(0, 1), (0, 2), (1, 2)} - {(each["first"], each["second"]) for each in edges}).pop()
    edges.append(edges[0] | {"first": missing[0], "second": missing[1]})
    with pytest.raises(ModelError, match="must make a forest"):
        Model.from_json(json.dumps(plain))


def test_strengths_that_make_no_sense():
    with pytest.raises(LearnerError, match="strengths: must be at least 1 number above 0"):
        learner("tree-augmented", strengths=())
