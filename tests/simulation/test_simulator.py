from collections import Counter
from decimal import Decimal
from itertools import accumulate, product

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem, simulate
from budgeted.errors import WorldError
from budgeted.learners import of_belief
from budgeted.policies import POLICIES, policy
from budgeted.problem import Order
from budgeted.seeds import OUTLOOK, POLICY, WORLD, stream
from budgeted.simulation.judge import Judge, Validation
from budgeted.simulation.worlds import ModelWorld, TableWorld
from budgeted.state.cases import RULES
from budgeted.value import loss
from tests.cases import pick_case


def a_problem(features=2, budget="12", cost="1"):
    return Problem(
        [Feature(f"f{i}", ("a", "b"), cost) for i in range(features)],
        ("first", "second"),
        (0.5, 0.5),
        budget,
    )


def a_table(problem, cases=40, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, cases)
    values = rng.integers(0, 2, (cases, len(problem.features)))
    return values, labels


def test_every_row_says_what_was_bought_and_how_things_stand():
    problem = a_problem()
    values, labels = a_table(problem)
    world = TableWorld(problem, values, labels, seed=3)
    judge = Validation.of_table(problem, *a_table(problem, seed=1))
    rows = list(simulate(problem, policy("sfl"), world, seed=5, validation=judge))
    assert [row.step for row in rows] == list(range(1, 13))
    belief, spent = Belief.prior(problem), 0
    for row in rows:
        assert values[row.case, row.feature] == row.value
        assert labels[row.case] == row.label
        belief, spent = belief.observe(row.feature, row.label, row.value), spent + row.cost
        assert row.spent == spent
        assert row.loss == pytest.approx(float(loss(belief, "gini")), abs=1e-12)
        assert row.validation_error == judge.error(of_belief(belief))
        assert row.true_error is None
        assert row.engine == "spectral"
    assert len({(row.case, row.feature) for row in rows}) == len(rows)


@pytest.mark.parametrize("name", POLICIES)
def test_each_purchase_costs_what_its_feature_costs(name):
    costs = [Decimal("0.10"), Decimal("0.25"), Decimal("1.70")]
    features = [Feature(f"f{i}", ("a", "b"), cost) for i, cost in enumerate(costs)]
    problem = Problem(features, ("first", "second"), (0.5, 0.5), "6.15")
    world = ModelWorld(problem, np.array([[0.3, 0.7] * 3, [0.6, 0.4] * 3]), seed=2)
    rows = list(simulate(problem, policy(name), world, seed=1, loss=None))
    assert [row.cost for row in rows] == [costs[row.feature] for row in rows]
    assert [row.spent for row in rows] == list(accumulate(row.cost for row in rows))
    assert Decimal("6.05") < rows[-1].spent <= Decimal("6.15")


class Watcher:
    """Goes round, and notes what its generator would draw."""

    name, summary = "watcher", "goes round"

    def __init__(self, note, waste=0):
        self.note, self.waste, self.notes = note, waste, []

    def choose(self, state, rng):
        self.notes.append(self.note(rng))
        rng.random(self.waste)
        return policy("round-robin").choose(state, rng)


def test_each_step_of_a_policy_has_a_stream_of_its_own():
    problem = a_problem(budget="30")
    world = ModelWorld(problem, np.full((2, 4), 0.5))
    draws = {}
    for seed, waste in [(5, 0), (5, 17), (6, 0)]:
        watcher = Watcher(lambda rng: rng.random(), waste)
        list(simulate(problem, watcher, world, seed=seed, loss=None))
        draws[seed, waste] = watcher.notes
    assert draws[5, 0] == draws[5, 17], "what one step draws changes nothing in the next"
    assert len({*draws[5, 0], *draws[6, 0]}) == 62, "30 purchases and the step that finds no money"


@pytest.mark.parametrize("seed", range(3))
def test_policy_and_world_share_no_stream_though_they_share_a_seed(seed):
    """Were a stream shared, the policy could foresee answers, or the order of cases."""
    number = 50
    feature = Feature("f", [str(value) for value in range(number)], 1)
    problem = Problem([feature, Feature("g", feature.values, 1)], ("no", "yes"), (0.5, 0.5), 40)
    foreseen = Watcher(lambda rng: tuple((rng.random(6) * number).astype(int).tolist()))
    world = ModelWorld(problem, np.full((2, 2 * number), 1 / number), seed)
    list(simulate(problem, foreseen, world, seed=seed, loss=None))
    stock = world.open()
    answers = {
        tuple(stock.buy(Order((cell.feature,), cell.label))[0].value for _ in range(6))
        for cell in problem.actions
    }
    assert len(answers) == 4
    assert not answers & set(foreseen.notes)

    table = TableWorld(problem, np.zeros((60, 2), dtype=int), np.zeros(60, dtype=int), seed)
    foreseen = Watcher(lambda rng: rng.permutation(60).tolist())
    list(simulate(problem, foreseen, table, seed=seed, loss=None))
    assert table.order[0].tolist() not in foreseen.notes


def test_streams_of_different_users_and_seeds_are_different():
    paths = [(user, *rest) for user in (WORLD, POLICY, 2, 3, OUTLOOK) for rest in [(), (0,), (1,)]]
    drawn = {stream(seed, *path).random() for seed in (0, 1) for path in paths}
    assert len(drawn) == 30


def test_the_seed_of_the_policy_changes_nothing_in_the_world():
    problem = a_problem(features=3, budget="40")
    table = TableWorld(problem, *a_table(problem, cases=100), seed=7)
    model = ModelWorld(problem, np.array([[0.3, 0.7] * 3, [0.6, 0.4] * 3]), seed=7)
    for world in (table, model):
        first, second = (
            list(simulate(problem, policy("round-robin"), world, seed=seed, loss=None))
            for seed in (1, 2)
        )
        assert first == second
    first, second = (
        list(simulate(problem, policy("random-shopper"), model, seed=seed, loss=None))
        for seed in (1, 2)
    )
    for cell in problem.actions:
        pairs = zip(answers_of(first, cell), answers_of(second, cell), strict=False)
        assert all(one == other for one, other in pairs)
    cells = [[(row.feature, row.label) for row in rows] for rows in (first, second)]
    assert cells[0] != cells[1]


def answers_of(rows, cell):
    return [row.value for row in rows if (row.feature, row.label) == cell]


def test_cases_are_used_in_an_order_that_depends_on_the_seed():
    problem = a_problem()
    values, labels = a_table(problem, cases=60)
    orders = [TableWorld(problem, values, labels, seed).order for seed in range(5)]
    for label in (0, 1):
        cases = np.flatnonzero(labels == label).tolist()
        seen = {tuple(order[label].tolist()) for order in orders}
        assert len(seen) == 5
        assert tuple(cases) not in seen
        assert all(sorted(order) == cases for order in seen)


def test_all_policies_face_the_same_model_world():
    """The n-th answer of a cell is the same whoever asks, and whenever."""
    problem = a_problem(features=3, budget="60")
    world = ModelWorld(problem, np.array([[0.3, 0.7] * 3, [0.6, 0.4] * 3]), seed=9)
    answers = {}
    for name in POLICIES:
        counts = Counter()
        for row in simulate(problem, policy(name), world, seed=1, loss=None):
            key = (row.feature, row.label, counts[row.feature, row.label])
            assert answers.setdefault(key, row.value) == row.value
            counts[row.feature, row.label] += 1
    assert len(answers) > 60


def test_a_model_world_answers_with_its_probabilities():
    problem = a_problem(features=1)
    stock = ModelWorld(problem, [[0.9, 0.1], [0.2, 0.8]], seed=4).open()
    seen = sum(stock.buy(Order((0,), 1))[0].value for _ in range(2_000))
    assert abs(seen - 1_600) < 4 * np.sqrt(2_000 * 0.8 * 0.2)


def test_all_policies_use_the_cases_in_the_same_order():
    problem = a_problem(features=3, budget="20")
    world = TableWorld(problem, *a_table(problem, cases=100), seed=7)
    for name in POLICIES:
        used = {0: [], 1: []}
        for row in simulate(problem, policy(name), world, seed=2, loss=None):
            used[row.label].append(row.case)
        for label, cases in used.items():
            assert cases == world.order[label][: len(cases)].tolist()


def test_fresh_cases_first_then_those_that_lack_the_feature():
    problem = a_problem()
    values, labels = np.zeros((3, 2), dtype=int), np.array([0, 0, 1])
    stock = TableWorld(problem, values, labels, seed=0).open()
    first, second = (stock.buy(Order((feature,), 0))[0].case for feature in (0, 1))
    assert {first, second} == {0, 1}
    assert stock.buy(Order((1,), 0))[0].case == first
    assert stock.buy(Order((0,), 0))[0].case == second
    with pytest.raises(WorldError, match="no case left"):
        stock.buy(Order((0,), 0))


def test_overlap_completes_cases():
    problem = a_problem()
    values, labels = np.zeros((3, 2), dtype=int), np.zeros(3, dtype=int)
    stock = TableWorld(problem, values, labels, seed=0, case_rule="overlap").open()
    assert stock.buy(Order((0,), 0))[0].case == stock.buy(Order((1,), 0))[0].case


def test_no_rule_picks_a_case_that_has_the_feature():
    rng = np.random.default_rng(0)
    for _ in range(200):
        bought = rng.random((5, 3)) < 0.7
        order = rng.permutation(5)[:4]
        for rule in RULES:
            case = pick_case(rule, order, bought, feature=1)
            if case is None:
                assert bought[order, 1].all()
            else:
                assert case in order
                assert not bought[case, 1]


def test_a_missing_value_costs_money_and_brings_nothing():
    problem = a_problem(features=1, budget="3")
    world = TableWorld(problem, np.full((9, 1), -1), np.zeros(9, dtype=int))
    rows = list(simulate(problem, policy("round-robin"), world))
    assert [row.value for row in rows] == [None] * 3
    assert rows[-1].spent == 3
    assert rows[-1].loss == pytest.approx(0.5)


def test_the_true_error_equals_brute_force():
    problem = a_problem(features=3)
    rng = np.random.default_rng(8)
    first = rng.random((2, 3))
    parameters = np.stack([first, 1 - first], axis=2).reshape(2, 6)
    belief = Belief(problem, rng.integers(0, 9, (2, 6)))
    truth = 0.0
    for x in product((0, 1), repeat=3):
        guess = int(belief.posterior(dict(enumerate(x))).argmax())
        chance = np.prod([parameters[1 - guess, 2 * i + value] for i, value in enumerate(x)])
        truth += 0.5 * float(chance)
    assert Validation.of_model(problem, parameters).error(of_belief(belief)) == pytest.approx(truth)


def test_the_judge_knows_the_shares_of_the_labels():
    """Nine to one: before anything is known all are called common, and little evidence is not
    enough to call one rare."""
    features = [Feature("f", ("a", "b"), 1), Feature("g", ("a", "b"), 1)]
    problem = Problem(features, ("common", "rare"), (0.9, 0.1), 10)
    values, labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    table = Validation.of_table(problem, values, labels)
    parameters = np.array([[0.8, 0.2, 0.6, 0.4], [0.3, 0.7, 0.1, 0.9]])
    truth = Validation.of_model(problem, parameters)
    prior = Belief.prior(problem)
    weak = prior.observe("f", "rare", "b", times=3)  # 0.8 to 0.5, against nine to one
    for judge in (table, truth):
        for judged in (judge.error, Judge(judge).error):
            share = 0.25 if judge is table else 0.1
            assert judged(of_belief(prior)) == pytest.approx(share)
            assert judged(of_belief(weak)) == pytest.approx(share)
    # Each feature weighs nine to one: one of them leaves nine to one, both turn it round.
    strong = Belief(problem, np.array([[8, 0, 8, 0], [0, 8, 0, 8]]))
    assert table.error(of_belief(strong)) == 0
    assert truth.error(of_belief(strong)) == pytest.approx(0.9 * 0.2 * 0.4 + 0.1 * (1 - 0.7 * 0.9))


def test_where_labels_tie_the_judge_expects_a_guess():
    problem = a_problem()
    judge = Validation.of_table(problem, *a_table(problem))
    assert judge.error(of_belief(Belief.prior(problem))) == pytest.approx(0.5)


def test_complete_training_data_counts_every_known_value():
    problem = a_problem()
    values = np.array([[0, 1], [1, -1], [1, 1]])
    world = TableWorld(problem, values, np.array([0, 0, 1]))
    assert world.complete_belief().observed.tolist() == [[1, 1, 0, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize(
    ("values", "labels", "says"),
    [
        ([[0, 1, 0]], [0], "values: must be a table of at least one case × 2 features"),
        (np.zeros((0, 2), dtype=int), [], "at least one case"),
        ([[0, 1]], [0, 1], "labels: must be one per case"),
        ([[0, 1], [0, 2]], [0, 1], "values: case 1, column 1 holds 2; positions there go from -1"),
        ([[0, -2]], [0], "values: case 0, column 1 holds -2"),
        ([[0, 1]], [2], "labels: case 0, column 0 holds 2; positions there go from 0 to 1"),
        ([[0.5, 1]], [0], "values: must be positions"),
    ],
)
def test_wrong_tables_are_explained(values, labels, says):
    problem = a_problem()
    labels = np.asarray(labels, dtype=int)
    for build in (TableWorld, Validation.of_table):
        with pytest.raises(WorldError, match=says):
            build(problem, np.asarray(values), labels)


@pytest.mark.parametrize(
    "parameters", [[[0.5, 0.5]], [[0.5, 0.6], [0.5, 0.5]], [[1.5, -0.5], [0.5, 0.5]]]
)
def test_wrong_models_are_explained(parameters):
    with pytest.raises(WorldError, match="parameters: must be probabilities that sum to 1"):
        ModelWorld(a_problem(features=1), parameters)


def test_an_unknown_case_rule_is_explained():
    problem = a_problem()
    with pytest.raises(WorldError, match="no case rule 'nearest'; there are fresh, overlap"):
        TableWorld(problem, *a_table(problem), case_rule="nearest")
