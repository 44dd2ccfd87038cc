import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Feature, Model, Problem, Purchase
from budgeted.errors import ModelError
from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes, learner, of_belief
from budgeted.learners.dependence import CORRELATIONS, WAYS
from budgeted.learners.layout import layout_of
from budgeted.learners.members import FORMULA
from budgeted.simulation.judge import Judge, Validation
from tests.sample_studies import make_problem
from tests.strategies import beliefs, ordinary_counts, priors, purchases
from tests.thorough import sized

BOUGHT = [Purchase(0, 1, 1, 1)] * 3
COMMITTEES = ("hierarchical", "naive-bayes")
"""Learners that make committees of naive Bayes models; others write other files."""


@pytest.fixture(params=LEARNERS)
def delivered(request):
    return Model.of(learner(request.param).fit(make_problem(), BOUGHT), study="a")


@pytest.fixture
def model():
    """Of a single member, so that a table of probabilities is easily replaced."""
    return Model.of(NaiveBayes().fit(make_problem(), BOUGHT), study="a")


@st.composite
def committees(draw):
    """What either learner makes of purchases, and committees as no purchases give them."""
    labels = draw(st.integers(2, 3))
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    problem = Problem(
        [Feature(f"feature {at}", [f"value {value}" for value in range(size)], 1,
                 draw(ordinary_counts)) for at, size in enumerate(sizes)],
        [f"label {at}" for at in range(labels)], draw(priors(labels)), 10,
    )  # fmt: skip
    name = draw(st.sampled_from(COMMITTEES))
    made = learner(name).fit(problem, draw(purchases(problem)))
    if draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 10**6)))
        number = draw(st.integers(1, 4))
        members = [rng.dirichlet([1.0] * size, (number, labels)) for size in sizes]
        correlations = np.zeros((len(WAYS), len(CORRELATIONS)))
        some = draw(st.integers(1, correlations.size))
        correlations.flat[rng.permutation(correlations.size)[:some]] = rng.dirichlet([1.0] * some)
        made = replace(
            made,
            weights=rng.dirichlet([1.0] * number),
            members=np.concatenate(members, axis=2),
            correlations=correlations,
        )
    return made


@given(committees(), st.data())
@pytest.mark.slow
def test_it_predicts_what_the_committee_says_and_survives_json(made, data):
    again = Model.from_json(Model.of(made, study="a", events=7).to_json())
    assert again == Model.of(made, study="a", events=7)
    case = data.draw(cases_of(made.problem))
    row = [
        each.values.index(case[each.name]) if each.name in case else -1
        for each in made.problem.features
    ]
    chances = list(again.predict(case).values())
    assert chances == pytest.approx(made.probabilities(np.array([row]))[0].tolist(), abs=1e-9)
    assert math.fsum(chances) == pytest.approx(1)


@st.composite
def cases_of(draw, problem):
    """A case known in part, by its names."""
    return {each.name: draw(st.sampled_from(each.values)) for each in problem.features
            if draw(st.booleans())}  # fmt: skip


def test_the_prior_of_the_population(delivered):
    rare = delivered.with_prior({"label 1": 0.01, "label 0": 0.99})
    assert rare.predict({}) == pytest.approx({"label 0": 0.99, "label 1": 0.01})
    odds = [each.predict({"f0": "yes"}) for each in (delivered, rare)]
    factor = [each["label 1"] / each["label 0"] for each in odds]
    assert factor[1] / factor[0] == pytest.approx(0.01 / 0.99)
    for wrong in ((0.5,), (0.5, 0.6), (1.0, 0.0), (np.nan, 0.5), {"label 0": 1.0}):
        with pytest.raises(ModelError, match="prior: must"):
            delivered.with_prior(wrong)


def by_hand(text, case):
    """What the file says of a case, by the formula in the file and school arithmetic."""
    plain = json.loads(text)
    plain |= plain["predictor"] | {"features": [
        one | two for one, two in zip(plain["features"], plain["predictor"]["features"],
                                      strict=True)
    ]}  # fmt: skip
    known = [each for each in plain["features"] if each["name"] in case]
    sizes = sorted((each["sensitivity"] for each in known), reverse=True)
    squares = sum(each**2 for each in sizes)
    n = sum(sizes) ** 2 / squares if squares > 0 else 1
    powers = []
    for feature in known:
        power = sum(chance / (1 + rho * (n - 1)) for rho, chance in plain["correlations"]["copies"])
        for rho, chance in plain["correlations"]["one cause"]:
            t = max(rho * sum(sizes[:k]) / (1 + rho * (k - 1)) for k in range(1, len(sizes) + 1))
            if feature["sensitivity"] > 0:
                power += chance * max(0, 1 - t / feature["sensitivity"]) / (1 - rho)
            elif rho == 0:
                power += chance
        powers.append(power)
    masses = []
    for label, prior in enumerate(plain["prior"]):
        together = 0
        for m, weight in enumerate(plain["weights"]):
            product = weight
            for feature, power in zip(known, powers, strict=True):
                value = feature["values"].index(case[feature["name"]])
                product *= feature["probabilities"][m][label][value] ** power
            together += product
        masses.append(prior * together)
    return [mass / sum(masses) for mass in masses]


@given(st.one_of(committees(), beliefs(features=(1, 4)).map(of_belief)), st.data())
def test_the_file_alone_gives_the_same_predictions(made, data):
    model = Model.of(made)
    case = data.draw(cases_of(made.problem))
    text = model.to_json()
    assert by_hand(text, case) == pytest.approx(list(model.predict(case).values()), abs=1e-9)


def check_file(plain, counts, problem):
    """What is called bought is what was bought, and rows are shares."""
    plain = plain["predictor"]
    for at, feature in enumerate(plain["features"]):
        start, size = layout_of(problem).offsets[at], layout_of(problem).sizes[at]
        assert feature["bought"] == counts[:, start : start + size].tolist()
        for table in feature["probabilities"]:
            assert len(table) == len(problem.labels)
            for row in table:
                assert sum(row) == pytest.approx(1)
    assert "counts" not in json.dumps(plain["features"])
    assert plain["formula"] == FORMULA
    assert "weights[m] * product" in FORMULA
    assert "probabilities[m][label][value] ** v" in FORMULA


@given(st.data(), st.sampled_from(COMMITTEES))
def test_what_was_paid_in_vain_is_not_called_bought(data, name):
    """Nor does it change anything else."""
    problem = make_problem(labels=3)
    every = data.draw(purchases(problem))
    came = [each for each in every if each.value is not None]
    found = Model.of(learner(name).fit(problem, every))
    counts = np.zeros((3, 4), dtype=int)
    for each in came:
        counts[each.label, 2 * each.feature + each.value] += 1
    check_file(json.loads(found.to_json()), counts, problem)
    assert found == Model.of(learner(name).fit(problem, came))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.slow
def test_a_model_predicts_as_the_judge_does(name, labels):
    """Error on cases with missing values: model, validation, and one judge for many committees."""
    rng = np.random.default_rng(labels)
    problem = Problem(
        [Feature(f"f{at}", ("0", "1", "2"), 1) for at in range(4)],
        [f"l{at}" for at in range(labels)], rng.dirichlet([2] * labels).tolist(), 10,
    )  # fmt: skip
    truth = rng.dirichlet([0.6] * 3, size=(labels, 4))
    where = rng.integers(0, labels, 120)
    values = np.array(
        [[rng.choice(3, p=truth[label, at]) for at in range(4)] for label in where.tolist()]
    )
    values[rng.random(values.shape) < 0.2] = -1
    validation = Validation.of_table(problem, values, where)
    judge, bought, errors = Judge(validation), [], set()
    few = name == "scikit-learn"  # whose forests take long
    for case in (*range(8), *range(80, 80 + sized(8 if few else 16, 40))):
        bought += [
            Purchase(at, int(where[case]), int(values[case, at]), 1, case)
            for at in range(4)
            if values[case, at] >= 0 and (case + at) % 2
        ]
        made = learner(name).fit(problem, bought)
        again = Model.from_json(Model.of(made).to_json())
        wrong = 0.0
        for row, label in zip(values.tolist(), where.tolist(), strict=True):
            known = {f"f{at}": str(value) for at, value in enumerate(row) if value >= 0}
            chances = np.array(list(again.predict(known).values()))
            best = chances > chances.max() - 1e-12
            wrong += 1 - best[label] / best.sum()
        assert wrong / len(where) == pytest.approx(validation.error(made), abs=1e-12)
        assert judge.error(made) == validation.error(made)
        errors.add(validation.error(made))
        # One of another kind in between: what the judge remembers must not get into it.
        other = (NaiveBayes() if name == Hierarchical.name else Hierarchical()).fit(problem, bought)
        assert judge.error(other) == validation.error(other)
    assert len(errors) > 4


def test_names_that_the_model_does_not_have(delivered):
    with pytest.raises(ModelError, match="no feature 'F0'; did you mean 'f0'"):
        delivered.predict({"F0": "yes"})
    with pytest.raises(ModelError, match="'f0' has no value 'Yes'; did you mean 'yes'"):
        delivered.predict({"f0": "Yes"})
    with pytest.raises(ModelError, match="the model has no feature 0"):
        delivered.predict({0: "yes"})
    for wrong in (1, True, b"yes", ["yes"]):
        with pytest.raises(ModelError, match="'f0' has no value"):
            delivered.predict({"f0": wrong})
    with pytest.raises(ModelError, match="case: must map"):
        delivered.predict([("f0", "yes")])
    for unknown in ("", "?", None, float("nan"), np.float64("nan")):
        assert delivered.predict({"f0": unknown}) == delivered.predict({})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda plain: plain.update(format="onnx"), "this is no model"),
        (lambda plain: plain.update(colour=1), "must have the keys"),
        (lambda plain: plain.pop("prior"), "must have the keys"),
        (lambda plain: plain.pop("study_prior"), "must have the keys"),
        (lambda plain: plain.update(learner="oracle"), "made by the learner 'oracle', which alone"),
        (lambda plain: plain.update(learner=3), "made by the learner 3"),
        (lambda plain: plain["features"][0].pop("values"), "values"),
        (lambda plain: plain["features"][0].pop("kind"), "must have the keys kind, name"),
        (lambda plain: plain["features"][0].update(values=["a", "b"]), "must be those of its kind"),
        (
            lambda plain: plain["features"][0].update(kind="colour"),
            "there is no feature kind 'colour'; there are categorical, number",
        ),
        (lambda plain: plain["features"].pop(), "one for each of 1 features, got 2"),
        (lambda plain: plain.update(prior=[0.5, 0.6]), "must sum to 1"),
        (lambda plain: plain.update(about=[]), "makes no sense"),
    ],
)
def test_a_model_that_makes_no_sense(model, change, says):
    plain = json.loads(model.to_json())
    change(plain)
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


GONE = object()


@pytest.mark.parametrize(
    ("place", "found", "says"),
    [
        *(
            (("features", 0, "probabilities"), found, says)
            for found, says in (
                ([[[0.5, 0.5]]], "2 rows"),
                ([[[1.0]] * 2], "2 rows"),
                ([[[2, -1], [0.5, 0.5]]], "sum to 1"),
                ([[[0.5, 0.6]] * 2], "sum to 1"),
                ([[["a", "b"]] * 2], "sum to 1"),
                ([[[1, 0], [0.5, 0.5]]], "above 0"),
                ([[0.5, 0.5]] * 2, "each of 1 we"),
                ([], "each of 1 weights, got 0"),
                ([0.5], "makes no sense"),
            )
        ),
        (("features", 0, "bought"), GONE, "must have the keys"),
        (("features", 0, "bought"), [[1.5, 0], [0, 0]], "whole numbers"),
        (("features", 0, "sensitivity"), 9, "does not follow"),
        (("features",), 3, "makes no sense"),
        *(
            (("weights",), found, "weights: must be numbers above 0 that sum to 1")
            for found in ([], [0.5], [2, -1], ["1"], [True])
        ),
        (("weights",), [0.5, 0.5], "each of 2 weights, got 1"),
        (("weights",), 1, "makes no sense"),
        (("correlations",), [], "correlations must have the keys copies, one"),
        (("correlations", "one cause"), GONE, "must have the keys copies, one"),
        (("correlations", "one cause"), [[0, 0.5]], "must .* sum to"),
        (("correlations", "copies"), [[0, 0.5]], "must .* sum to"),
        (("correlations", "copies"), [], "the probabilities: must"),
        (("correlations", "copies"), [1], "makes no sense"),
        *(
            (("correlations", "copies"), [pair], "pairs of a corr")
            for pair in ([1.1, 1], [1, 1], [-0.1, 1], ["0", 1], [True, 1], [0, 1, 0])
        ),
    ],
)
def test_members_that_make_no_sense(model, place, found, says):
    plain = json.loads(model.to_json())
    *path, last = ("predictor", *place)
    inside = plain
    for key in path:
        inside = inside[key]
    if found is GONE:
        del inside[last]
    else:
        inside[last] = found
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("size", [-0.1, "1", None, True, [1], 1e999])
def test_sensitivities_that_make_no_sense(model, size):
    plain = json.loads(model.to_json())
    plain["predictor"]["features"][1]["sensitivity"] = size
    text = json.dumps(plain).replace("Infinity", "1e999")
    with pytest.raises(ModelError, match=r"feature 'f1': sensitivity: must be a number from 0"):
        Model.from_json(text)


@pytest.mark.parametrize("version", [0, 2, True, "1", None])
def test_other_versions_are_refused(delivered, version):
    plain = json.loads(delivered.to_json())
    assert plain["version"] == 1
    plain["version"] = version
    with pytest.raises(
        ModelError,
        match="and version 1 is known here: it was written by a newer"
        if version == 2
        else "and version 1 is known",
    ):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("text", ["", "[]", "3", '{"a": NaN}', "[" * 100_000])
def test_other_texts_are_no_models(text):
    with pytest.raises(ModelError):
        Model.from_json(text)


@pytest.mark.parametrize("error", [IndexError("list index out of range"), ZeroDivisionError("oh")])
def test_a_learner_that_cannot_read_is_named_in_words(model, monkeypatch, error):
    class Fragile(NaiveBayes):
        name = "fragile"

        @classmethod
        def read(cls, problem, plain):
            raise error

    LEARNERS.register(Fragile)
    plain = json.loads(model.to_json()) | {"learner": "fragile"}
    says = f"its learner 'fragile' cannot read it: {type(error).__name__}: {error}"
    try:
        with pytest.raises(ModelError, match=says):
            Model.from_json(json.dumps(plain))
    finally:
        LEARNERS.forget("fragile")
