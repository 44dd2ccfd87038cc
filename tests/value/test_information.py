"""What purchases are worth under the hierarchical belief, against sums over all that may come."""

import itertools
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial

from budgeted import Feature, Problem, Purchase, State
from budgeted.cache import results
from budgeted.learners import Hierarchical
from budgeted.learners.layout import layout_of
from budgeted.learners.strength import strengths
from budgeted.policies.auto import Auto
from budgeted.problem import Action
from budgeted.value import information as module
from budgeted.value import outcomes
from budgeted.value.information import Worth
from budgeted.value.outcomes import imagine
from tests import oracles

BELIEF = Hierarchical()
LEVELS, EVENNESS = BELIEF.levels, BELIEF.evenness
IRRELEVANT = (0, 5)
"""Components: for either β irrelevance and four levels, then as the problem states."""


def a_problem(sizes, prior, prior_counts=1.0, **options):
    features = [
        Feature(f"f{at}", [f"v{value}" for value in range(size)], 1, prior_counts)
        for at, size in enumerate(sizes)
    ]
    return Problem(features, [f"l{at}" for at in range(len(prior))], prior, 1000, **options)


def part(problem, feature):
    start = layout_of(problem).offsets[feature]
    return slice(start, start + layout_of(problem).sizes[feature])


def worth_of(problem, counts):
    return Worth(BELIEF.posterior(problem, counts))


def from_one_urn(alphas, more):
    """Probability of the counts of each label in turn, each from the urn that the last one left."""
    chance = 1.0
    for row in more:
        chance *= dirichlet_multinomial.pmf(row, alphas, row.sum()) if row.any() else 1.0
        alphas = alphas + row
    return chance


def from_their_own_urns(alphas, more):
    """Probability of the counts of each label if these have nothing in common."""
    return math.prod(from_one_urn(*each) for each in zip(alphas, more[:, None], strict=True))


def shares_of(found):
    """Expected common shares after each outcome, outcomes × components × values."""
    return found.common.swapaxes(0, 1) / found.chances[:, :-1, None]


def orders(row):
    """In how many orders so many of each value can come."""
    return math.factorial(int(row.sum())) // math.prod(math.factorial(int(each)) for each in row)


ENUMERATED = [
    ([[0, 0], [0, 0]], [1, 1]),
    ([[3, 1], [0, 5]], [4, 4]),
    ([[2, 0, 7], [1, 1, 0]], [3, 2]),
    ([[2, 0, 1, 5], [1, 1, 0, 0], [0, 0, 3, 0]], [1, 0, 2]),
    ([[0] * 14, [0] * 14], [1, 1]),
]


@pytest.mark.parametrize(("counts", "numbers"), ENUMERATED)
def test_all_outcomes_have_their_exact_probabilities(counts, numbers):
    """Where these have closed forms: of all labels together, or of each one by its own counts."""
    counts = np.array(counts, dtype=float)
    prior = 0.5 + np.arange(counts.size).reshape(counts.shape) % 3
    found = imagine(counts, prior, np.array(numbers), EVENNESS, LEVELS)
    size = counts.shape[1]
    assert len(found.chances) == math.prod(math.comb(n + size - 1, n) for n in numbers)
    np.testing.assert_allclose(found.chances.sum(axis=0), 1, rtol=1e-12)
    before = found.counts.min(axis=0)  # some outcome has nothing new of a value
    both = np.concatenate([before, found.prior]).T.tolist()
    assert sorted(both) == sorted(np.concatenate([counts, prior]).T.tolist())
    more = found.counts - before
    assert (more.sum(axis=2) == numbers).all()
    assert len(np.unique(more, axis=0)) == len(more)
    for at, seen in enumerate(more.astype(int)):
        for component, beta in zip(IRRELEVANT, EVENNESS, strict=True):
            exact = from_one_urn(before.sum(axis=0) + beta, seen)
            assert found.chances[at, component] == pytest.approx(exact, rel=1e-9)
        exact = from_their_own_urns(before + found.prior, seen)
        assert found.chances[at, -1] == pytest.approx(exact, rel=1e-9)
    pooled = found.counts.sum(axis=1)
    for component, beta in zip(IRRELEVANT, EVENNESS, strict=True):
        shares = (pooled + beta) / (pooled + beta).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(shares_of(found)[:, component], shares, rtol=1e-12)


@pytest.mark.parametrize(("counts", "numbers"), ENUMERATED[:2])
def test_outcomes_of_a_level_have_nearly_the_probabilities_of_an_integral(counts, numbers):
    """The evidence is off by 0.05 at most before and after; an outcome so by a tenth."""
    counts = np.array(counts, dtype=float)
    found = imagine(counts, np.ones_like(counts), np.array(numbers), EVENNESS, LEVELS)
    before = found.counts.min(axis=0)
    for component, (beta, level) in enumerate(itertools.product(EVENNESS, (None, *LEVELS))):
        if level is None:
            continue
        now = oracles.log_evidence_of_level(before, level, beta, 4_000)
        for chance, after in zip(found.chances[:, component], found.counts, strict=True):
            ways = math.prod(orders(row) for row in after - before)
            log = oracles.log_evidence_of_level(after, level, beta, 4_000) - now
            assert chance == pytest.approx(ways * math.exp(log), rel=0.1)


def means_expected(found):
    """Chance-weighted parameters as the problem states, and common shares of irrelevance."""
    after = found.counts + found.prior
    stated = after / after.sum(axis=2, keepdims=True)
    return [
        np.einsum("n,nyk->yk", found.chances[:, -1], stated),
        *(found.chances[:, each] @ shares_of(found)[:, each] for each in IRRELEVANT),
    ]


@pytest.fixture
def draw_again(monkeypatch):
    """What is imagined with other draws."""

    def again(seed, *given):
        results.clear()
        monkeypatch.setattr(outcomes, "stream", lambda *_: np.random.default_rng(seed))
        return imagine(*given, EVENNESS, LEVELS)

    yield again
    results.clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "most", "numbers"),
    [((2, 14), 3, [4, 4]), ((3, 6), 2, [4, 4, 4]), ((2, 20), 0, [1, 4])],
)
def test_drawn_outcomes_leave_the_means_where_they_are(shape, most, numbers, draw_again):
    """Within 4 standard errors, of one drawing and of the mean of many, by drawing again."""
    counts = np.random.default_rng(5).integers(0, most + 1, shape).astype(float)
    given_ = counts, np.ones(shape), np.array(numbers)
    found = imagine(*given_, EVENNESS, LEVELS)
    assert len(found.chances) == 11 * outcomes.DRAWN
    np.testing.assert_allclose(found.chances.sum(axis=0), 1, rtol=1e-12)
    again = [means_expected(draw_again(seed, *given_)) for seed in range(150)]
    before = found.counts.min(axis=0)
    assert sorted(before.T.tolist()) == sorted(counts.T.tolist())
    assert ((found.counts - before).sum(axis=2) == numbers).all()
    pooled = before.sum(axis=0)
    exact = [
        (before + 1) / (before + 1).sum(axis=1, keepdims=True),
        *((pooled + beta) / (pooled + beta).sum() for beta in EVENNESS),
    ]
    for truth, one, many in zip(
        exact, means_expected(found), zip(*again, strict=True), strict=True
    ):
        spread = np.std(many, axis=0)
        assert (np.abs(one - truth) < 4 * spread).all()
        assert (np.abs(np.mean(many, axis=0) - truth) < 4 * spread / math.sqrt(len(many))).all()


def all_outcomes(numbers, size):
    ways = [list(oracles.compositions(number, size)) for number in numbers]
    return [np.array(each, dtype=float) for each in itertools.product(*ways)]


def pair_losses(problem, model):
    """GINI of telling each two labels apart, over all cases, added up."""
    masses, total = oracles.all_masses(model, problem.prior), 0.0
    for one, two in itertools.combinations(range(len(problem.labels)), 2):
        pair = masses[:, [one, two]]
        posterior = pair / pair.sum(axis=1, keepdims=True)
        total += float((pair * (1 - posterior)).sum())
    return total


def slow_gain(problem, counts, feature, numbers):
    """Go through all outcomes, and through all cases in each.

    An outcome has its own probability in each component. Those of a level are the evidence after
    and before, and add up to 1.
    """
    now, columns = BELIEF.posterior(problem, counts), part(problem, feature)
    seen, prior = counts[:, columns], layout_of(problem).prior_counts[:, columns]
    chances, parameters = [], []
    for more in all_outcomes(numbers, seen.shape[1]):
        ways = math.prod(orders(each) for each in more)
        row = []
        for beta in EVENNESS:
            row.append(from_one_urn(seen.sum(axis=0) + beta, more))
            logs = [strengths(each[None], [beta], LEVELS).logs[0, 0, 1:]
                    for each in (seen, seen + more)]  # fmt: skip
            row += (ways * np.exp(logs[1] - logs[0])).tolist()
        chances.append([*row, from_their_own_urns(seen + prior, more)])
        whole = counts.copy()
        whole[:, columns] += more
        after = BELIEF.posterior(problem, whole)
        means = after.means[..., columns].reshape(10, *seen.shape)
        parameters.append([*means, after.as_stated[:, columns]])
    chances = np.array(chances)
    joint = now.chances[feature] * chances / chances.sum(axis=0)
    outcome = joint.sum(axis=1)
    model = [now.expected[:, part(problem, at)].tolist() for at in range(len(problem.features))]

    def loss(own):
        return pair_losses(problem, [*model[:feature], own, *model[feature + 1 :]])

    expected = [
        np.tensordot(row / row.sum(), np.array(each), 1)
        for row, each in zip(joint, parameters, strict=True)
    ]
    mean = np.tensordot(outcome, np.array(expected), 1)
    return loss(mean) - math.fsum(
        chance * loss(own) for chance, own in zip(outcome.tolist(), expected, strict=True)
    )


def tolerance(problem, fineness):
    """How far off a gain may be, which is a difference of two losses.

    Cubics through points h apart are off by 3/128 h⁴ of the fourth derivative, which is at most
    5/16 of the height of g. All that is a share of √(P_a P_b), which is √(π_a π_b) in all or less;
    so is what the integral lacks: what
    lies beyond the last frequency. And frequencies in steps of h mix in log-odds that are 2π/h
    away: that is e^(−π/h) of the larger of P_a and P_b, on either side, twice.
    """
    step = math.pi / 16
    beyond = sum(2 * step / math.cosh(math.pi * step * at) for at in range(23, 60))
    mixed = 4 * math.exp(-math.pi / step)
    roots = [math.sqrt(one * two) for one, two in itertools.combinations(problem.prior, 2)]
    cubics = 3 / 128 * 5 / 16 / fineness**4
    return sum(2 * (cubics + beyond) * root + mixed for root in roots)


@pytest.fixture(params=["as it is", "fine"])
def fineness(request, monkeypatch):
    """Of the table of g: as it is, and so fine that almost nothing is lost by it."""
    if request.param == "fine":
        fine(monkeypatch)
    return module._FINENESS


def fine(monkeypatch):
    monkeypatch.setattr(module, "_FINENESS", 512)
    monkeypatch.setattr(module, "_LOG_ODDS", np.arange(-12 * 512, 12 * 512 + 1) / 512)
    waves = np.exp(1j * np.outer(module.FREQUENCIES, module._LOG_ODDS))
    monkeypatch.setattr(module, "_WAVES", waves)


def some_counts(problem, most, seed):
    return np.random.default_rng(seed).integers(0, most + 1, layout_of(problem).shape) * 1.0


@pytest.mark.parametrize("most", [0, 3, 40])
@pytest.mark.parametrize(
    ("sizes", "prior", "numbers"),
    [((2, 3, 2), (0.7, 0.3), (1, 1)), ((3, 2, 4), (0.5, 0.5), (1, 1)),
     ((2, 2, 2), (0.4, 0.6), (4, 4)), ((2, 3, 2), (0.2, 0.8), (0, 2)),
     ((3, 2, 2), (0.5, 0.3, 0.2), (1, 1, 1)), ((2, 3, 2), (0.6, 0.1, 0.3), (2, 0, 1))],
)  # fmt: skip
def test_gains_equal_sums_over_all_outcomes_and_cases(sizes, prior, numbers, most, fineness):
    problem = a_problem(sizes, prior)
    counts = some_counts(problem, most, sum(sizes))
    found = worth_of(problem, counts).gains(np.array([numbers] * 3))
    for feature in (0, 1):
        slow = slow_gain(problem, counts, feature, numbers)
        assert found[feature] == pytest.approx(slow, abs=tolerance(problem, fineness))


@pytest.mark.parametrize(
    ("sizes", "prior", "most"),
    [((6, 2, 3), (0.7, 0.3), 0), ((5, 2, 2), (0.4, 0.6), 3), ((4, 2, 2), (0.5, 0.3, 0.2), 2)],
)
def test_gains_of_drawn_outcomes_are_sums_over_these(sizes, prior, most, fineness):
    """Component by component, value by value; and then over all cases."""
    problem = a_problem(sizes, prior)
    counts, numbers = some_counts(problem, most, 2), np.full(len(prior), 4)
    known, columns = BELIEF.posterior(problem, counts), part(problem, 0)
    drawn = imagine(
        counts[:, columns],
        layout_of(problem).prior_counts[:, columns],
        numbers,
        EVENNESS,
        LEVELS,
        prior,
    )
    assert len(drawn.chances) == 11 * outcomes.DRAWN
    kappas = [math.inf, *(level * math.sqrt(sizes[0] - 1) for level in LEVELS)] * 2
    joint = known.chances[0] * drawn.chances
    parameters = np.zeros((len(joint), *drawn.counts.shape[1:]))
    for outcome, (row, seen) in enumerate(zip(joint, drawn.counts, strict=True)):
        for component, kappa in enumerate(kappas):
            for label, counted in enumerate(seen):
                common = shares_of(drawn)[outcome, component]
                pull = 1.0 if math.isinf(kappa) else kappa / (counted.sum() + kappa)
                own = pull * common + (1 - pull) * counted / counted.sum()
                parameters[outcome, label] += row[component] / row.sum() * own
        own = (seen + 1) / (seen + 1).sum(axis=1, keepdims=True)
        parameters[outcome] += row[-1] / row.sum() * own
    others = [known.expected[:, part(problem, at)].tolist() for at in (1, 2)]
    chances = joint.sum(axis=1)
    mean = np.tensordot(chances, parameters, 1)
    slow = pair_losses(problem, [mean, *others]) - math.fsum(
        chance * pair_losses(problem, [own, *others])
        for chance, own in zip(chances, parameters, strict=True)
    )
    found = Worth(known).gains(np.tile(numbers, (3, 1)))[0]
    assert found == pytest.approx(slow, abs=tolerance(problem, fineness))


@pytest.mark.parametrize("most", [40, 200])
def test_small_gains_are_right_too(most, monkeypatch):
    """Of a feature that is known well; straight lines between points would be off by as much."""
    problem = a_problem((2, 3), (0.6, 0.4))
    counts = some_counts(problem, most, 3)
    numbers = np.array([[4, 4], [4, 4]])
    found = worth_of(problem, counts).gains(numbers)
    fine(monkeypatch)
    assert found == pytest.approx(worth_of(problem, counts).gains(numbers), rel=0.01)


def test_what_is_out_of_the_question_does_not_count():
    """Outcomes are drawn from all components; of a feature known to somebody only one counts."""
    known = Feature("a", ("x", "y"), 1, ((999.0, 1.0), (1.0, 999.0)))
    problem = Problem([known, Feature("b", ("x", "y"), 1)], ("no", "yes"), (0.5, 0.5), 10_000)
    state = State.start(problem)
    for number in range(400):
        state = state.reserve(Action(0, number % 2))
    assert np.isfinite(Auto().worth(state)).all()


def test_a_feature_that_is_known_to_somebody():
    """With informative prior counts it stays as stated, and is weighed so."""
    known = Feature("a", ("x", "y"), 1, ((6.0, 2.0), (1.0, 2.0)))
    problem = Problem([known, Feature("b", ("x", "y"), 1)], ("no", "yes"), (0.5, 0.5), 10)
    counts = np.array([[1.0, 0, 2, 0], [0, 2, 0, 1]])
    found = worth_of(problem, counts).gains(np.array([[2, 1], [1, 1]]))
    for feature, numbers in enumerate(((2, 1), (1, 1))):
        slow = slow_gain(problem, counts, feature, numbers)
        assert found[feature] == pytest.approx(slow, abs=tolerance(problem, 16))


@st.composite
def known_problems(draw, labels=2, sizes=(2, 4), most=6):
    """A problem of three features with its counts; no label is rare."""
    sizes = draw(st.lists(st.integers(*sizes), min_size=3, max_size=3))
    weights = draw(st.lists(st.integers(2, 8), min_size=labels, max_size=labels))
    prior = [weight / sum(weights) for weight in weights]
    prior_counts = draw(st.sampled_from([1.0, 0.5]))
    number = labels * sum(sizes)
    seen = draw(st.lists(st.integers(0, most), min_size=number, max_size=number))
    return a_problem(sizes, prior, prior_counts), np.reshape(seen, (labels, -1)) * 1.0


@given(known_problems(sizes=(2, 3)))
@settings(max_examples=20)
def test_gains_grow_with_the_number_of_values(known):
    """And are never below nothing, as long as they are not lost in the table."""
    worth = worth_of(*known)
    found = np.array([worth.gains(np.full((3, 2), number)) for number in (0, 1, 2, 3, 4)])
    assert (found[0] == 0).all()
    assert (np.diff(found, axis=0) > -1e-9).all()


def test_only_what_is_bought_has_a_gain():
    problem = a_problem((2, 14, 3), (0.5, 0.5))
    worth = worth_of(problem, some_counts(problem, 3, 1))
    numbers = np.array([[0, 0], [1, 1], [0, 0]])
    found = worth.gains(numbers)
    assert (found[[0, 2]] == 0).all()
    assert found[1] == worth.gains(np.array([[4, 4], [1, 1], [1, 2]]))[1]
    assert (worth.gains(np.zeros((3, 2), dtype=np.int64)) == 0).all()


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("most_outcomes", [0, outcomes.MOST_OUTCOMES])
@given(data=st.data(), random=st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_the_order_of_features_labels_and_values_does_not_matter(
    labels, most_outcomes, data, random
):
    """Also where they are drawn, unless labels have the same counts and are bought as often."""
    problem, counts = data.draw(known_problems(labels))
    if data.draw(st.booleans()):
        numbers = np.array([data.draw(st.permutations([1, 2, 3][:labels])) for _ in range(3)])
    else:
        numbers = np.full((3, labels), 2)
        counts[:, layout_of(problem).offsets] += 10 * np.arange(labels)[:, None]
    features, places = [0, 1, 2], list(range(labels))
    values = [list(range(size)) for size in layout_of(problem).sizes]
    for order in (features, places, *values):
        random.shuffle(order)
    columns = [layout_of(problem).offsets[at] + value for at in features for value in values[at]]
    other = Problem(
        [Feature(f"g{at}", [f"w{value}" for value in values[at]], 1,
                 problem.features[at].prior_counts) for at in features],
        [f"m{at}" for at in places], [problem.prior[at] for at in places], 7,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcomes, "MOST_OUTCOMES", most_outcomes)
        results.clear()
        one = worth_of(problem, counts).gains(numbers)
        two = worth_of(other, counts[places][:, columns]).gains(numbers[features][:, places])
    results.clear()
    np.testing.assert_allclose(two, one[features], rtol=1e-9, atol=1e-12)


PRICES = st.lists(st.sampled_from(["0.5", "1", "2.25", "4"]), min_size=3, max_size=3)


def a_state(problem, counts, pending):
    state = State.start(problem)
    for feature, label in itertools.product(range(3), range(len(counts))):
        for value, number in enumerate(counts[label, part(problem, feature)].astype(int)):
            for _ in range(number):
                cost = problem.features[feature].cost
                state = state.after(Purchase(feature, label, value, cost))
    return state.reserve((1, 0)) if pending else state


@given(known_problems(most=2), PRICES, st.sampled_from(["0.01", "3", "700"]), st.booleans())
@settings(max_examples=20)
def test_neither_a_currency_nor_names_change_what_is_bought(known, prices, rate, pending):
    problem, counts = known
    choices, worths = [], []
    for factor, letters in ((Decimal(1), "fvl"), (Decimal(rate), "xyz")):
        features = [
            Feature(f"{letters[0]}{9 - at}", [f"{letters[1]}{value}" for value in each.values],
                    factor * Decimal(price), each.prior_counts)
            for at, (each, price) in enumerate(zip(problem.features, prices, strict=True))
        ]  # fmt: skip
        labels = [f"{letters[2]}{at}" for at in range(2)]
        same = Problem(features, labels, problem.prior, factor * 200)
        state = a_state(same, counts, pending)
        choices.append(Auto().choose(state, np.random.default_rng(3)))
        worths.append(Auto().worth(state) * float(factor))
    one, two = choices
    assert (one.action, one.plan) == (two.action, two.plan)
    np.testing.assert_allclose(*worths, rtol=1e-9)


LITTLE = 0.16
"""Of 3 000 problems drawn at random the worst was 0.146; half of them stayed below 0.02."""


@given(known_problems(), st.integers(1, 8))
@settings(max_examples=20)
def test_a_feature_that_is_constant_so_far_changes_little(known, times):
    """It moves how many features are thought to matter, and so the parameters of the others."""
    problem, counts = known
    counts[:, part(problem, 2)] = 0
    constant = counts.copy()
    constant[:, layout_of(problem).offsets[2]] = times
    before, after = (BELIEF.posterior(problem, each).expected for each in (counts, constant))
    others = slice(0, layout_of(problem).offsets[2])
    assert np.abs(after - before)[:, others].max() < LITTLE


def test_many_values_are_about_as_promising_as_two():
    """Of features that nobody has looked at, at the same price."""
    features = [Feature("two", ("0", "1"), 1), Feature("many", [str(at) for at in range(14)], 1)]
    for prior in ((0.5, 0.5), (0.8, 0.2)):
        state = State.start(Problem(features, ("x", "y"), prior, 100))
        two, many = Auto().worth(state)[:, 0]
        assert 1 / 3 < many / two < 3
