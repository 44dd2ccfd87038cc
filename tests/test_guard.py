"""Weights of features against loops over cases, and classifiers that carry them."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Model, Problem, Purchase, guard
from budgeted.errors import ModelError
from budgeted.guard import HELPFUL, check_classifier, deliver
from budgeted.judging import Judge, Validation
from budgeted.relevance import RelevanceBelief
from budgeted.strength import StrengthBelief
from tests.strategies import ordinary_counts, problems

KINDS = [Belief, RelevanceBelief, StrengthBelief]


def make_problem(features=3, labels=2, values=2, prior=None):
    return Problem(
        [Feature(f"f{at}", [str(value) for value in range(values)], 1) for at in range(features)],
        [f"l{at}" for at in range(labels)],
        [1 / labels] * labels if prior is None else prior,
        10_000,
    )


def believed(kind, problem, purchases):
    belief = kind.prior(problem)
    for each in purchases:
        if each.value is not None:
            belief = belief.observe(each.feature, each.label, each.value)
    return belief


def bought(values, labels, known=None):
    """All values of a table of cases, but those not known."""
    return [
        Purchase(feature, int(label), int(values[case, feature]), 1, case)
        for case, label in enumerate(labels)
        for feature in range(values.shape[1])
        if known is None or known[case, feature]
    ]


def weights(belief, purchases):
    """The weights in units of the temperature, which has a test of its own: the leader's is 1."""
    found = guard.weights(belief, purchases)
    return found / found.max()


def slow_weights(belief, purchases):
    """As described: the leader, then whether the others help where it is known."""
    prior, number = belief.problem.prior, len(belief.problem.features)
    cases = {}
    for at, each in enumerate(purchases):
        if each.value is None:
            continue
        without = belief.retract(each.feature, each.label, each.value)
        column = belief.problem.offsets[each.feature] + each.value
        says = [math.log(chance) for chance in without.means[:, column].tolist()]
        key = f"no case {at}" if each.case is None else each.case
        cases.setdefault(key, (each.label, {}))[1][each.feature] = says
    if not cases:
        return [1.0] * number

    def likelihood(label, features, trust):
        scores = [
            math.log(share) + trust * math.fsum(says[other] for says in features)
            for other, share in enumerate(prior)
        ]
        top = max(scores)
        return scores[label] - top - math.log(math.fsum(math.exp(each - top) for each in scores))

    def alone(feature, trust=1.0, among=None):
        return math.fsum(
            likelihood(label, [says[feature]] if feature in says else [], trust)
            for label, says in (cases.values() if among is None else among)
        )

    leader = max(range(number), key=alone)
    judged = [case for case in cases.values() if leader in case[1]]
    temperatures = (1, 0.7, 0.5, 0.35, 0.25, 0.15)
    led = max(alone(leader, trust, judged) for trust in temperatures)
    everything = max(
        math.fsum(likelihood(label, list(says.values()), trust) for label, says in judged)
        for trust in temperatures
    )
    odds = math.log(0.98 / 0.02) + everything - led
    trust = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
    return [1.0 if feature == leader else trust for feature in range(number)]


@st.composite
def purchase_lists(draw, problem, most=25):
    """Purchases of a few cases, some without a case, some without a value."""
    labels = draw(st.lists(st.integers(0, len(problem.labels) - 1), min_size=1, max_size=6))
    seen, made = set(), []
    for _ in range(draw(st.integers(0, most))):
        feature = draw(st.integers(0, len(problem.features) - 1))
        case = draw(st.integers(-1, len(labels) - 1))
        value = draw(st.integers(0, problem.sizes[feature] - 1) | st.none())
        if case < 0:
            label = draw(st.integers(0, len(problem.labels) - 1))
            made.append(Purchase(feature, label, value, 1))
        elif (case, feature) not in seen:
            seen.add((case, feature))
            made.append(Purchase(feature, labels[case], value, 1, f"case {case}"))
    return made


@pytest.mark.parametrize("kind", [Belief, RelevanceBelief])  # left out = retracted, all in all
@pytest.mark.parametrize("labels", [2, 3])
@given(data=st.data())
@settings(max_examples=25)
def test_weights_equal_the_slow_ones(kind, labels, data):
    problem = data.draw(
        problems(labels=labels, features=(1, 4), values=(2, 3), prior_counts=ordinary_counts)
    )
    purchases = data.draw(purchase_lists(problem))
    belief = believed(kind, problem, purchases)
    slow, found = slow_weights(belief, purchases), weights(belief, purchases)
    # Two leaders that do equally well but for rounding give the same trust to different features.
    assert sorted(found) == pytest.approx(sorted(slow), abs=1e-8)
    assert (found == 1).any()


def a_leader_and_copies(cases, rng, copied):
    """A leader right in 95 %, and five features right in 70 %: copies of one, or independent."""
    labels = np.arange(cases) % 2
    right = rng.random((cases, 6)) < [0.95] + [0.7] * 5
    if copied:
        right[:, 2:] = right[:, 1:2]
    return np.where(right, labels[:, None], 1 - labels[:, None]), labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_copies_that_outvote_a_better_leader_lose_their_weight(kind, seed):
    problem = make_problem(features=6)
    values, labels = a_leader_and_copies(200, np.random.default_rng(seed), copied=True)
    purchases = bought(values, labels)
    found = weights(believed(kind, problem, purchases), purchases)
    assert found[0] == 1
    assert (found[1:] < 0.01).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_independent_features_keep_their_weight(kind, seed):
    problem = make_problem(features=6)
    values, labels = a_leader_and_copies(200, np.random.default_rng(seed), copied=False)
    purchases = bought(values, labels)
    found = weights(believed(kind, problem, purchases), purchases)
    assert found[0] == 1
    assert (found[1:] > 0.95).all()


@pytest.mark.parametrize("copied", [False, True])
def test_where_nothing_was_bought_together_nothing_is_learned(copied):
    """Each value from a case of its own: the same copies cannot be seen."""
    problem = make_problem(features=6)
    values, labels = a_leader_and_copies(120, np.random.default_rng(0), copied=copied)
    purchases = [
        Purchase(each.feature, each.label, each.value, 1) for each in bought(values, labels)
    ]
    found = weights(believed(Belief, problem, purchases), purchases)
    np.testing.assert_allclose(found, [1, *[HELPFUL] * 5])


def test_the_guarded_classifier_is_better_where_copies_outvote_the_leader():
    problem = make_problem(features=6)
    rng = np.random.default_rng(3)
    values, labels = a_leader_and_copies(200, rng, copied=True)
    purchases = bought(values, labels)
    belief = believed(RelevanceBelief, problem, purchases)
    judge = Validation.of_table(problem, *a_leader_and_copies(2000, rng, copied=True))
    assert judge.error(belief) > 0.2
    assert judge.error(*deliver("guarded", belief, purchases)) < 0.08


@pytest.mark.parametrize("kind", KINDS)
def test_the_leader_is_judged_without_its_own_values(kind):
    """A feature with a value for every case fits best what it has seen, and predicts nothing."""
    problem = Problem(
        [Feature("name", [str(at) for at in range(40)], 1), Feature("test", ("no", "yes"), 1)],
        ("l0", "l1"), (0.5, 0.5), 1000,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    test = np.where(rng.random(40) < 0.8, labels, 1 - labels)
    purchases = bought(np.stack([np.arange(40), test], axis=1), labels)
    found = weights(believed(kind, problem, purchases), purchases)
    assert found[1] == 1
    assert found[0] < 1


def test_what_is_delivered():
    problem = make_problem()
    belief, one = Belief.prior(problem), [Purchase(0, 1, 1, 1, "a")]
    missing = [Purchase(0, 1, None, 1, "a")]
    for nothing in ([], missing):
        assert deliver("guarded", belief, nothing) == (belief, None)
    seen = believed(RelevanceBelief, problem, one)
    assert deliver("naive", seen, one) == (seen, None)
    guarded = deliver("guarded", seen, one)
    assert guarded.belief == StrengthBelief(problem, seen.observed)
    np.testing.assert_array_equal(guarded.weights, guard.weights(guarded.belief, one))
    assert weights(belief, missing).tolist() == [1, 1, 1]


def test_values_that_are_missing_do_not_count():
    problem = make_problem()
    values, labels = np.arange(30).reshape(10, 3) % 2, np.arange(10) % 2
    purchases = bought(values, labels)
    missing = [Purchase(0, 1, None, 1, "elsewhere"), Purchase(1, 0, None, 1)]
    belief = believed(Belief, problem, purchases)
    np.testing.assert_array_equal(
        weights(belief, [*missing, *purchases]), weights(belief, purchases)
    )


def test_the_order_of_purchases_does_not_matter():
    problem = make_problem(features=6)
    values, labels = a_leader_and_copies(40, np.random.default_rng(1), copied=True)
    purchases = bought(values, labels, known=np.random.default_rng(2).random((40, 6)) < 0.5)
    belief = believed(RelevanceBelief, problem, purchases)
    np.testing.assert_allclose(weights(belief, purchases[::-1]), weights(belief, purchases))


def test_an_unknown_classifier_is_explained():
    with pytest.raises(ModelError, match="no classifier 'wise'; there are naive, guarded"):
        check_classifier("wise")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [2, 3])
def test_a_model_with_weights_predicts_as_the_judge_does(kind, labels):
    """Error on cases with missing values: model, validation, and one judge for many beliefs."""
    rng = np.random.default_rng(labels)
    problem = make_problem(4, labels, 3, prior=rng.dirichlet([2] * labels).tolist())
    truth = rng.dirichlet([0.6] * 3, size=(labels, 4))
    where = rng.integers(0, labels, 150)
    values = np.array(
        [[rng.choice(3, p=truth[label, at]) for at in range(4)] for label in where.tolist()]
    )
    values[rng.random(values.shape) < 0.2] = -1
    validation = Validation.of_table(problem, values, where)
    judge = Judge(validation)
    belief = kind.prior(problem)
    for trust in ([1, 1, 1, 1], [0.3, 1, 0.3, 0.3], [0, 0, 1, 0], [1, 0.9, 0.9, 0.9]):
        for case, label in enumerate(where.tolist()[:40]):
            at = case % 4
            if values[case, at] >= 0:
                belief = belief.observe(at, label, int(values[case, at]))
        how = np.array(trust, dtype=float)
        model = Model.from_belief(belief, how)
        again = Model.from_json(model.to_json())
        wrong = 0.0
        for row, label in zip(values.tolist(), where.tolist(), strict=True):
            known = {f"f{at}": str(value) for at, value in enumerate(row) if value >= 0}
            chances = np.array(list(again.predict(known).values()))
            best = chances > chances.max() - 1e-12
            wrong += 1 - best[label] / best.sum()
        assert wrong / len(where) == pytest.approx(validation.error(belief, how), abs=1e-12)
        assert judge.error(belief, how) == validation.error(belief, how)
        assert judge.error(belief) == validation.error(belief)
        slow = belief.log_means[:, [each + 3 * at for at, each in enumerate((2, 0, 1, 1))]] @ how
        fast = belief.log_likelihoods(np.array([[2, 0, 1, 1]]), how)[0]
        np.testing.assert_allclose(fast, slow, rtol=1e-12)


def test_weights_by_hand():
    problem = make_problem(features=2)
    belief = Belief.prior(problem).observe(0, 1, 1, 7).observe(1, 1, 0, 2)
    chances = Model.from_belief(belief, np.array([1.0, 0.25])).predict({"f0": "1", "f1": "0"})
    odds = (8 / 9) / (1 / 2) * ((3 / 4) / (1 / 2)) ** 0.25
    assert chances["l1"] / chances["l0"] == pytest.approx(odds)


@pytest.fixture
def plain():
    belief = RelevanceBelief.prior(make_problem()).observe(0, 1, 1, 7)
    model = Model.from_belief(belief, np.array([1.0, 0.5, 0.5]), study="a")
    return json.loads(model.to_json())


def test_weights_stand_in_the_file(plain):
    assert [each["weight"] for each in plain["features"]] == [1.0, 0.5, 0.5]
    text = json.dumps(plain)
    model = Model.from_json(text)
    assert json.loads(model.to_json()) == plain
    assert Model.from_json(model.to_json()) == model


def test_a_relevance_model_has_the_means_and_says_what_was_bought(plain):
    belief = RelevanceBelief.prior(make_problem()).observe(0, 1, 1, 7)
    np.testing.assert_allclose(plain["features"][0]["probabilities"], belief.mean(0), rtol=1e-15)
    assert plain["features"][0]["bought"] == [[0, 0], [0, 7]]


@pytest.mark.parametrize("weight", [-0.1, 1.1, "1", None, True, [1], 1e999])
def test_weights_that_make_no_sense(plain, weight):
    plain["features"][1]["weight"] = weight
    text = json.dumps(plain).replace("Infinity", "1e999")
    with pytest.raises(ModelError, match=r"feature 'f1': weight: must be a number from 0 to 1"):
        Model.from_json(text)


@pytest.mark.parametrize("version", [1, 2, 4, True, "3", None])
def test_other_versions_are_refused(plain, version):
    plain["version"] = version
    with pytest.raises(ModelError, match="this package knows version 3"):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.6, 0.4), (0.9, 0.1)])
def test_the_temperature_is_the_mean_under_the_likelihood_of_the_bought_labels(seed, prior):
    """Only the first feature is bought, each value on a case of its own: all by hand."""
    rng = np.random.default_rng(seed)
    number = 1 + seed * 6
    features = [Feature(f"f{at}", ("no", "yes"), 1) for at in range(number)]
    problem = Problem(features, ("x", "y"), prior, 100)
    purchases = [
        Purchase(0, label, int(rng.random() < (0.7, 0.4)[label]), 1, at)
        for at, label in enumerate(rng.integers(2, size=14).tolist())
    ]
    belief = believed(Belief, problem, purchases)
    bought = [sum(each.label == label for each in purchases) for label in (0, 1)]
    logs = []
    for temperature in (1, 0.7, 0.5, 0.35, 0.25, 0.15, 0):
        log, before = 0.0, Belief.prior(problem)
        for each in purchases:
            masses = [
                bought[label] * before.mean(0)[label][each.value] ** temperature for label in (0, 1)
            ]
            log += math.log(masses[each.label] / sum(masses))
            before = before.observe(0, each.label, each.value)
        logs.append(log)
    # None of n features matters if a share s does: the mean of (1 - s)^n under Beta(2, 1).
    shares = (np.arange(10_000) + 0.5) / 10_000
    none, of_nine = (np.mean(2 * shares * (1 - shares) ** many) for many in (max(number, 6), 9))
    odds = (10 * (prior[0] - prior[1])) ** 2.5 * none / of_nine
    at_first = [0.5, 0.1, 0.1, 0.1, 0.1, 0.1, odds]
    chances = [old * math.exp(each - max(logs)) for old, each in zip(at_first, logs, strict=True)]
    mean = np.average((1, 0.7, 0.5, 0.35, 0.25, 0.15, 0), weights=chances)
    assert guard.weights(belief, purchases).max() == pytest.approx(mean, rel=1e-5)
