"""Names that are numbers: nothing is taken for a position that could be meant as a name."""

import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Action, Belief, Feature, Model, Problem, Purchase, State, Study, simulate
from budgeted.errors import BudgetedError, ObservationError
from budgeted.learners import of_belief
from budgeted.policies import POLICIES, policy
from budgeted.simulation.worlds import ModelWorld
from budgeted.value import expected_loss
from tests.sample_studies import CLOCK

PAIN = Problem(
    [Feature("cp", ("1", "2", "3", "4"), 1), Feature("fever", ("no", "yes"), 1)],
    ("well", "ill"),
    (0.5, 0.5),
    20,
)
PLAIN = Problem(
    [Feature("a", ("x", "y", "z"), "1"), Feature("b", ("x", "y"), "1.5")],
    ("u", "v"),
    (0.6, 0.4),
    8,
)
numerals = st.lists(st.integers(-3, 6).map(str), min_size=2, max_size=4, unique=True)
words = st.lists(st.sampled_from("abcdef"), min_size=2, max_size=4, unique=True)
given_numbers = st.integers(-2, 7)


@given(values=numerals | words, labels=numerals | words, number=given_numbers, label=given_numbers)
def test_a_number_is_never_taken_for_another_name_than_it_could_mean(values, labels, number, label):
    """If it is taken: it is a position among words, or name and position in one."""
    problem = Problem([Feature("f", values, 1)], labels, [1 / len(labels)] * len(labels), 10)
    belief = Belief.prior(problem)

    def meant(key, names):
        """What somebody who has read the rule expects."""
        inside = 0 <= key < len(names)
        if not re.search("[0-9]", names[0]):
            return key if inside else None
        return key if inside and names[key] == str(key) else None

    expected = meant(number, values), meant(label, labels)
    for act in (belief.observe, lambda *names: belief.observe(*names).retract(*names)):
        if None in expected:
            with pytest.raises(ObservationError):
                act("f", label, number)
    if None not in expected:
        seen = np.argwhere(belief.observe("f", label, number).observed).tolist()
        assert seen == [[expected[1], expected[0]]]
    if expected[0] is None:
        with pytest.raises(ObservationError):
            belief.posterior({"f": number})
    if expected[1] is None:
        with pytest.raises(ObservationError):
            expected_loss(Belief.prior(problem), {("f", label): 1})
        with pytest.raises(ObservationError):
            State.start(problem).reserve(("f", label))
    for named in values:
        at = np.argwhere(belief.observe("f", labels[0], named).observed).tolist()
        assert at == [[0, values.index(named)]]


def test_the_values_of_a_real_table():
    belief = Belief.prior(PAIN)
    with pytest.raises(ObservationError, match="values that are numbers, so 3 could be"):
        belief.observe("cp", "ill", 3)
    assert belief.observe("cp", "ill", "3") == belief.observe_at(0, 1, 2)
    assert belief.observe("fever", "ill", 1) == belief.observe("fever", "ill", "yes")
    with pytest.raises(ObservationError, match="could be"):
        belief.posterior({"cp": 3})
    for wrong in (True, 3.0, None, b"3", "5", "03", 7):
        with pytest.raises(ObservationError):
            belief.observe("cp", "ill", wrong)
    for wrong in ((-1, 0, 0), (0, 0, 4), (0, True, 0), (0, 0, "3")):
        with pytest.raises(ObservationError):
            belief.observe_at(*wrong)


def test_a_purchase_is_all_positions_or_has_names():
    state = State.start(PAIN)
    assert state.after(Purchase(0, 1, 2, 1)).belief.observed[1].tolist() == [0, 0, 1, 0, 0, 0]
    assert state.after(Purchase("cp", "ill", "3", 1)).history[0].value == 2
    with pytest.raises(ObservationError, match="so 3 could be"):
        state.after(Purchase("cp", "ill", 3, 1))
    assert state.after(Purchase("fever", "ill", 1, 1)).history[0].value == 1


def renamed(problem, way):
    """The same problem, whose names are numbers that are none of the positions."""
    if way == "words":
        return problem
    mix = [str(9 - at) for at in range(9)]
    return Problem(
        [Feature(mix[at], mix[: len(each.values)], each.cost)
         for at, each in enumerate(problem.features)],
        mix[: len(problem.labels)], problem.prior, problem.budget,
    )  # fmt: skip


@pytest.mark.parametrize("name", POLICIES)
def test_names_make_no_difference_to_a_policy(name):
    """Everything within works with positions, so that no rule about names can get in its way."""

    runs = []
    for way in ("words", "numbers"):
        problem = renamed(PLAIN, way)
        shares = [[0.6, 0.3, 0.1, 0.8, 0.2], [0.2, 0.3, 0.5, 0.4, 0.6]]
        world = ModelWorld(problem, shares, seed=4)
        runs.append([row[:6] for row in simulate(problem, policy(name), world, seed=3)])
    assert runs[0] == runs[1] != []


@pytest.fixture
def study(tmp_path):
    cases = [(at, "ill" if at % 2 else "well") for at in range(1, 9)]
    with Study.create(f"{tmp_path}/s.db", "pain", PAIN, cases, clock=CLOCK, seed=1) as begun:
        yield begun


def test_a_study_takes_numbers_for_the_names_that_they_spell(study):
    assert study.created.cases[0] == ("1", "ill")
    done = study.record([(1, "cp", 3), (np.int64(2), "cp", np.int64(4)), ("3", "cp", 2.0)])
    assert [(each.case, each.value) for each in done] == [("1", "3"), ("2", "4"), ("3", "2")]
    assert study.record([(1, "cp", "3"), ("1", "cp", 3)]) == ()
    assert study.correct(1, 4).value == "4"
    assert study.correct(np.int64(1), "1", cost=1).cost == Decimal(1)
    request = next(each for each in study.ask(6) if each.feature == "cp")
    assert study.tell(np.int32(request.number), 1).value == "1"
    assert study.tell(request.number, "1") == study.request(request.number)
    study.withdraw(8)
    assert study.withdrawn == {"8"}


@pytest.mark.parametrize("wrong", [5, 0, 1.5, True, None, b"1", ["1"], {"1"}, 1j, "one", "01", ""])
def test_what_is_no_value_is_refused_in_words(study, wrong):
    before = study.events
    study.record([(1, "cp", 1)])
    acts = [lambda: study.record([(2, "cp", wrong)]), lambda: study.tell(1, wrong)]
    if wrong is not None:  # which means here: no value after all
        acts.append(lambda: study.correct(1, wrong))
    for act in acts:
        with pytest.raises(BudgetedError, match="has no value") as caught:
            act()
        said = str(caught.value)
        assert "pydantic" not in said
        assert "JSON" not in said
    assert study.events == before + 1


@pytest.mark.parametrize("wrong", ["1", 1.0, True, None, b"1", [1]])
def test_what_is_no_number_of_a_request_is_refused_in_words(study, wrong):
    study.record([(1, "cp", 1)])
    for act in (
        study.cancel,
        study.fail,
        lambda n: study.tell(n, 1),
        lambda n: study.correct(n, 2),
    ):
        with pytest.raises(BudgetedError, match="number: must be that of a request, such as 3"):
            act(wrong)


def test_other_slips_are_said_in_words(study, tmp_path):
    (request,) = study.ask()
    with pytest.raises(BudgetedError, match="why: must be text, got 5"):
        study.cancel(request.number, why=5)
    with pytest.raises(BudgetedError, match="usable: must be true or false, got 'no'"):
        study.fail(request.number, usable="no")
    with pytest.raises(BudgetedError, match="must be a case, a feature and its value"):
        study.record([("1", "cp")])
    with pytest.raises(BudgetedError, match="there is no feature 'CP'; did you mean 'cp'"):
        study.record([("1", "CP", "1")])
    with pytest.raises(BudgetedError, match="there is no case 99"):
        study.withdraw(99)
    for cases in (
        [("a", 3)],
        [("a", True)],
        [("a",)],
        [3],
        [(None, "ill")],
        [(17, "ill"), ("17", "ill")],
    ):
        with pytest.raises(BudgetedError, match=r"cases\[\d\]"):
            Study.create(f"{tmp_path}/t.db", "t", PAIN, cases)
    with pytest.raises(BudgetedError, match="name: must be text"):
        Study.create(f"{tmp_path}/t.db", 3, PAIN, [("a", "ill")])
    with pytest.raises(BudgetedError, match="no case rule 'per cell'; there are fresh, overlap"):
        Study.create(f"{tmp_path}/t.db", "t", PAIN, [("a", "ill")], case_rule="per cell")
    assert study.requests("pending") == (request,)


def test_labels_that_are_numbers(tmp_path):
    problem = Problem([Feature("f", ("no", "yes"), 1)], ("1", "2"), (0.5, 0.5), 5)
    cases = [(at, 1 + at % 2) for at in range(4)]
    with Study.create(f"{tmp_path}/l.db", "l", problem, cases) as study:
        assert [label for _, label in study.created.cases] == ["1", "2", "1", "2"]
        assert {each.label for each in study.ask(2)} <= {"1", "2"}


def test_a_model_takes_numbers_for_the_names_that_they_spell():
    model = Model.of(of_belief(Belief.prior(PAIN).observe("cp", "ill", "3", 5)))
    for spelled in (3, 3.0, np.int64(3), np.float32(3), "3", "3.0", "3.", "+3"):
        assert model.predict({"cp": spelled}) == model.predict({"cp": "3"})
    for wrong in (2.5, 0, 5, True, "03", "3.1", b"3"):
        with pytest.raises(BudgetedError, match="'cp' has no value"):
            model.predict({"cp": wrong})


def test_an_action_is_positions_whatever_the_names_are():
    problem = renamed(PAIN, "numbers")
    belief = Belief.prior(problem)
    by_name = expected_loss(belief, {("9", "8"): 2})
    assert by_name == expected_loss(belief, {Action(0, 1): 2})
    with pytest.raises(BudgetedError, match="could be a name or a position"):
        expected_loss(belief, {(0, 1): 2})
    start = State.start(problem)
    assert start.reserve(Action(0, 1)).pending == start.reserve(("9", "8")).pending
