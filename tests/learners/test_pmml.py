"""PMML of naive Bayes, evaluated as its specification says by a reader of our own.

JPMML, a reader of others, gave the same labels and probabilities of 1 000 cases of two such models.
"""

import math
from xml.etree import ElementTree as Xml

import pytest

from budgeted import Feature, Model, Problem
from budgeted.errors import ModelError
from budgeted.learners import NaiveBayes
from budgeted.learners.formats import model_format, model_formats
from budgeted.learners.formula import Formula
from tests.learners import exported
from tests.learners.exported import NUMBERS, answers, assert_same_labels, cases, model, refused

SPACE = "{http://www.dmg.org/PMML-4_4}"


class InvalidError(Exception):
    """A value that the data dictionary does not have."""


class Evaluator:
    """The section "Naïve Bayes" of PMML 4.4, and what it needs of the others.

    Either with count[T] as the denominator, or with the sum of the counts of the feature: the
    specification has both.
    """

    def __init__(self, content, summed):
        root = Xml.fromstring(content)
        self.summed = summed
        self.fields = {each.get("name"): each for each in root.iter(f"{SPACE}DataField")}
        self.bayes = root.find(f"{SPACE}NaiveBayesModel")
        output = self.bayes.find(f"{SPACE}BayesOutput")
        self.shares = self.counts(output)
        assert self.fields[output.get("fieldName")].get("optype") == "categorical"

    @staticmethod
    def counts(parent):
        [table] = parent.findall(f"{SPACE}TargetValueCounts")
        return {each.get("value"): float(each.get("count")) for each in table}

    def value(self, name, told):
        """The value of a field, None where it is missing."""
        field = self.fields[name]
        if told is None or (isinstance(told, float) and math.isnan(told)):
            return None
        if field.get("optype") == "continuous":
            [interval] = field
            if not float(interval.get("leftMargin")) <= told <= float(interval.get("rightMargin")):
                raise InvalidError(name)
            return told
        kinds = {each.get("value"): each.get("property", "valid") for each in field}
        if told not in kinds:
            raise InvalidError(name)
        return told if kinds[told] == "valid" else None

    @staticmethod
    def within(interval, number):
        low, high = interval.get("leftMargin"), interval.get("rightMargin")
        closed = interval.get("closure").startswith("closed")
        above = low is None or number > float(low) or (closed and number == float(low))
        return above and (high is None or number < float(high))

    def chances(self, case):
        found = {label: math.log(count) for label, count in self.shares.items()}
        for each in self.bayes.find(f"{SPACE}BayesInputs"):
            name = each.get("fieldName")
            told = self.value(name, case.get(name))
            if told is None:
                continue
            bins = each.findall(f"{SPACE}DerivedField/{SPACE}Discretize/{SPACE}DiscretizeBin")
            if bins:
                [told] = [one.get("binValue") for one in bins if self.within(one[0], told)]
            pairs = {one.get("value"): self.counts(one) for one in each
                     if one.tag == f"{SPACE}PairCounts"}  # fmt: skip
            for label in found:
                whole = self.shares[label]
                if self.summed:
                    whole = math.fsum(counts[label] for counts in pairs.values())
                found[label] += math.log(pairs[told][label] / whole)
        top = max(found.values())
        masses = {label: math.exp(score - top) for label, score in found.items()}
        return [mass / math.fsum(masses.values()) for mass in masses.values()]


@pytest.fixture(scope="module")
def numbers():
    """Naive Bayes of names and numbers with three labels."""
    features = [Feature("fever", ("no", "yes"), 1), Feature('chol "LDL"', kind=NUMBERS[0], cost=1),
                Feature("temp's", kind=NUMBERS[1], cost=1)]  # fmt: skip
    return exported.learned("naive-bayes", features, (0.5, 0.3, 0.2), 7)


@pytest.mark.parametrize("summed", [False, True])
def test_it_says_the_same(summed):
    made = model("two labels")
    reader = Evaluator(model_format("pmml").content(made), summed)
    said = [reader.chances(case) for case in cases("two labels")]
    labels = [made.labels[max(range(2), key=each.__getitem__)] for each in said]
    assert_same_labels("two labels", labels, said)
    assert len(answers("two labels")) == len(said)


@pytest.mark.parametrize("summed", [False, True])
def test_numbers_are_cut_and_populations_are_weighed(summed, numbers):
    import numpy as np

    made = numbers.with_prior((0.1, 0.2, 0.7))
    reader, rng = Evaluator(model_format("pmml").content(made), summed), np.random.default_rng(3)
    for _ in range(300):
        case = {each.name: exported.random_value(each, rng) if rng.random() < 0.6 else None
                for each in made.features}  # fmt: skip
        assert reader.chances(case) == pytest.approx(list(made.predict(case).values()), abs=1e-9)


def test_it_refuses_what_the_package_refuses(numbers):
    for made in (model("two labels"), numbers):
        reader = Evaluator(model_format("pmml").content(made), True)
        for name, value in refused(made):
            with pytest.raises(InvalidError):
                reader.chances({name: value})
        for unknown in ("", "?"):
            assert reader.chances({"fever": unknown}) == pytest.approx(list(made.prior))
        schema = reader.bayes.find(f"{SPACE}MiningSchema")
        active = [each for each in schema if each.get("usageType") == "active"]
        assert {each.get("invalidValueTreatment") for each in active} == {"returnInvalid"}


@pytest.mark.parametrize("name", ["committee", "three labels", "numbers"])
def test_a_committee_is_refused_in_words(name):
    with pytest.raises(ModelError, match=r"'hierarchical' is a committee of \d+ of them, and feat"):
        model_format("pmml").content(model(name))


def test_what_is_additive_but_no_share_is_refused(monkeypatch):
    """Such as logistic regression: PMML would divide by the sum of the counts."""
    problem = Problem([Feature("f", ("no", "yes"), 1)], ("well", "ill"), (0.3, 0.7), 9)
    made = Model.of(NaiveBayes().fit(problem, []))
    usual = made.predictor.formula()
    other = Formula(usual.features, usual.labels, usual.prior, usual.weights,
                    tuple(each * 0.5 for each in usual.logs), usual.sensitivities,
                    usual.correlations)  # fmt: skip
    monkeypatch.setattr(type(made.predictor), "formula", lambda self: other)
    with pytest.raises(ModelError, match="which add up logarithms of shares"):
        model_format("pmml").content(made)


class Opaque:
    """A classifier of a learner that has no formula."""

    learner = "opaque"

    def __init__(self, problem):
        self.problem = problem


@pytest.mark.parametrize("format", ["pmml", "onnx", "sql", "r", "javascript", "html"])
def test_a_learner_without_a_formula_is_refused_in_words(format):
    problem = Problem([Feature("f", ("no", "yes"), 1)], ("well", "ill"), (0.3, 0.7), 9)
    made = Model(Opaque(problem), problem.prior, {})
    with pytest.raises(ModelError, match=r"the learner 'opaque' makes classifiers that .* cannot"):
        model_format(format).content(made)


@pytest.mark.parametrize("format", [each for each in model_formats() if each != "json"])
@pytest.mark.parametrize("odd", ["\x00", "a\x0b", "\ud800 z"])
def test_control_characters_in_names_are_refused_in_words(format, odd):
    features = [Feature("fever", ("no", "yes"), 1), Feature("pain", ("no", f"x{odd}"), 1)]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), 1)
    with pytest.raises(ModelError, match=r"control character.*JSON"):
        model_format(format).content(Model.of(NaiveBayes().fit(problem, [])))


def test_features_may_be_called_label():
    names = ("label", "Label_", "label of the case")
    problem = Problem(
        [Feature(each, ("no", "yes"), 1) for each in names], ("well", "ill"), (0.5, 0.5), 1
    )
    document = model_format("pmml").content(Model.of(NaiveBayes().fit(problem, [])))
    fields = [each.get("name") for each in Xml.fromstring(document).iter(f"{SPACE}DataField")]
    assert fields == [*names, "label__"]
