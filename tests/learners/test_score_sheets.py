"""Score sheets: as few points as change less than 1 % of the decisions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from budgeted import Feature, Model, Problem, Purchase
from budgeted.errors import ModelError
from budgeted.learners import NaiveBayes
from budgeted.learners.formats import model_format
from budgeted.learners.formats import score_sheet as sheets
from budgeted.learners.formats.additive import additive, reference_cases
from budgeted.learners.formats.score_sheet import labels_of, score_sheet
from tests.learners.exported import NAMES, answers, cases, model


@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same_of_99_per_cent(name):
    """Of random cases, and of cases as the model expects them, drawn here by another way."""
    made, sheet = model(name), score_sheet(model(name))
    wanted = [made.labels[at] for at in answers(name).argmax(axis=1)]
    assert (
        np.mean([sheet.label(case) == one for case, one in zip(cases(name), wanted, strict=True)])
        >= 0.99
    )
    expected = drawn(made, 1_000)
    said = [max(each, key=each.get) for each in made.predict_many(expected)]
    assert (
        np.mean([sheet.label(case) == one for case, one in zip(expected, said, strict=True)])
        >= 0.99
    )


def drawn(made, number):
    """Label by the population, member by weight, values by the member, not all of them known."""
    rng, members = np.random.default_rng(8), made.predictor
    found = []
    for _ in range(number):
        label = rng.choice(len(made.labels), p=made.prior)
        member = rng.choice(len(members.weights), p=members.weights)
        known = rng.permutation(len(made.features))[: rng.integers(len(made.features) + 1)]
        formula = members.formula()
        row = [-1] * len(made.features)
        for at in known:
            chances = np.exp(formula.logs[at][member, label])
            row[at] = rng.choice(len(chances), p=chances / chances.sum())
        found.append(told(made, row))
    return found


def told(made, row):
    """A case with these positions of values; a number is one of its category."""
    case = {}
    for feature, at in zip(made.features, row, strict=True):
        if at >= 0 and feature.kind.name == "number":
            cuts = feature.kind.cuts
            case[feature.name] = cuts[at - 1] if at else cuts[0] - 1
        elif at >= 0:
            case[feature.name] = feature.values[at]
    return case


@pytest.mark.parametrize("name", ["two labels", "three labels", "numbers"])
def test_the_figure_on_the_sheet_is_right(name):
    """Counted again, case by case, by brute force."""
    import itertools

    made, sheet = model(name), score_sheet(model(name))
    assert sheet.complete
    sizes = [len(each.values) for each in made.features]
    rows = list(itertools.product(*(range(-1, size) for size in sizes)))
    assert sheet.cases == len(rows)
    shares = [made.shares(each) for each in made.features]
    changed, total, even = 0.0, 0.0, 0.0
    for row in rows:
        known = [at for at, value in enumerate(row) if value >= 0]
        subset = 1 / math.comb(len(row), len(known)) / (len(row) + 1)
        chance = sum(
            prior * math.prod(shares[at][label, row[at]] for at in known)
            for label, prior in enumerate(made.prior)
        )
        case = told(made, row)
        said = made.predict(case)
        other = sheet.label(case) != max(said, key=said.get)
        changed += other * subset * chance
        even += other * subset / math.prod(sizes[at] for at in known)
        total += subset * chance
    assert total == pytest.approx(1)
    assert sheet.changed == pytest.approx((changed, even), abs=1e-12)


@pytest.mark.parametrize("name", ["two labels", "three labels"])
def test_smaller_points_would_change_too_much(name):
    """No scale of the same additive scores with smaller points keeps below 1 %."""
    sheet, found = score_sheet(model(name)), reference_cases(model(name))
    exact = additive(found)
    numbers = exact[:, 1:] - exact[:, :1]
    if len(sheet.start) > 1:
        numbers = exact - exact.min(axis=1, keepdims=True)
    seen, largest = found.indicators, np.abs(numbers[1:]).max()
    for scale in np.linspace(0.56, sheet.largest - 0.46, 200) / largest:
        rounded = np.rint(numbers * scale)
        for away in range(-2, 3) if len(sheet.start) == 1 else (0,):
            rounded[0] = np.rint(numbers[0] * scale) + away
            changed = found.changed(labels_of((seen @ rounded).astype(int)))
            assert changed.max() >= 0.01 or np.abs(rounded[1:]).max() >= sheet.largest


def test_what_is_additive_is_found_exactly():
    """Naive Bayes: the fit gives back its logarithms, and so changes no decision."""
    made = model("two labels")
    found = reference_cases(made)
    exact = additive(found)
    assert found.changed((found.indicators @ exact).argmax(axis=1)).max() == 0
    logs = np.concatenate([each[0] for each in made.predictor.formula().logs], axis=1)
    ratio = exact[1:, 1] - exact[1:, 0]
    close = np.polyfit(logs[1] - logs[0], ratio, 1)
    np.testing.assert_allclose(np.polyval(close, logs[1] - logs[0]), ratio, atol=1e-3)


def test_many_features_are_found_out_by_drawing():
    rng = np.random.default_rng(2)
    features = [Feature(f"f{at}", ("a", "b", "c"), 1) for at in range(9)]
    problem = Problem(features, ("well", "ill"), (0.7, 0.3), 9)
    bought = [Purchase(at, label, int(rng.integers(1 + label, 3)) if rng.random() < 0.4 else 0, 1)
              for at in range(9) for label in (0, 1) for _ in range(12)]  # fmt: skip
    made = Model.of(NaiveBayes().fit(problem, bought))
    sheet = score_sheet(made)
    assert not sheet.complete
    assert max(sheet.changed) < 0.01
    other = reference_cases(made, seed=5)
    assert max(other.changed(labels_of(sheet.sums(other.values)))) < 0.011


class Parity:
    """A classifier that no sum can be: ill if an odd number of tests is positive."""

    learner = "parity"

    def __init__(self, problem):
        self.problem = problem

    def probabilities(self, values):
        odd = (values == 1).sum(axis=1) % 2 == 1
        return np.where(odd[:, None], [0.1, 0.9], [0.9, 0.1])


def test_what_does_not_add_up_is_refused_with_what_was_reached():
    problem = Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(4)],
                      ("well", "ill"), (0.6, 0.4), 9)  # fmt: skip
    made = Model(Parity(problem), problem.prior, {})
    with pytest.raises(
        ModelError, match=r"would change 2\d\.\d% of its decisions, even with"
    ) as it:
        score_sheet(made)
    assert "take another form" in str(it.value)
    assert score_sheet(made, limit=0.5).largest < 10


def test_nothing_to_tell_apart():
    """No value says anything: the more frequent label, whatever is known."""
    problem = Problem([Feature("f", ("no", "yes"), 1)], ("well", "ill"), (0.3, 0.7), 9)
    for prior, label in (((0.3, 0.7), "ill"), ((0.7, 0.3), "well")):
        sheet = score_sheet(Model.of(NaiveBayes().fit(replace(problem, prior=prior), [])))
        assert {sheet.label(case) for case in ({}, {"f": "no"}, {"f": "yes"})} == {label}


@pytest.mark.parametrize("name", NAMES)
def test_all_points_stand_on_paper(name):
    from html import unescape

    sheet = score_sheet(model(name))
    said = unescape(model_format("score-sheet").content(model(name)).decode())
    for feature, table in zip(sheet.model.features, sheet.points, strict=True):
        assert feature.name in said
        for value, column in zip(feature.values, table.T, strict=True):
            numbers = [str(each).replace("-", "−") for each in column]
            lines = [part for part in said.replace("<tr", "\n<tr").splitlines()
                     if value in part and all(each in part for each in numbers)]  # fmt: skip
            assert lines, (value, numbers)
    assert "were equally frequent); less than 1 % was asked for" in said
    assert "<script" not in said.replace("</script>", "").replace("3.5 <script", "")
    assert "http" not in said.replace('http-equiv="Content', "")


def test_a_broken_search_would_be_noticed(monkeypatch):
    """Points that are rounded away change decisions, and the sheet says so."""
    monkeypatch.setattr(sheets, "_MOST_POINTS", 1)
    with pytest.raises(ModelError, match="of its decisions, even with points to 1,"):
        score_sheet(model("committee"))


def test_a_model_that_always_says_the_same_says_so():
    """A threshold that no sum reaches would look like a test."""
    problem = Problem([Feature("a", ("no", "yes"), 1)], ("well", "ill"), (0.9, 0.1), 9)
    bought = [Purchase(0, label, label, 1) for label in (0, 1)]
    made = Model.of(NaiveBayes().fit(problem, bought))
    for prior, always in (((0.9, 0.1), "well"), ((0.1, 0.9), "ill")):
        text = model_format("score-sheet").content(made.with_prior(prior)).decode()
        assert f"Always {always}: whatever is known" in text
    even = model_format("score-sheet").content(made.with_prior((0.5, 0.5))).decode()
    assert "Always" not in even
    assert " or more: ill; less: well." in even
