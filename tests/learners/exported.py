"""Five models and cases to hold every exported form against, and what the package says of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from budgeted import Feature, Model, Number, Problem, Purchase
from budgeted.learners import learner
from budgeted.learners.layout import layout_of

CASES = 1_000
NUMBERS = (
    Number(cuts=[200, 240], unit="mg/dl", least=50, most=600),
    Number(cuts=[36.5, 37.5, 39], unit="°C", decimal="comma"),
)
NAMES = ("two labels", "committee", "three labels", "numbers", "another population")


@cache
def model(name):
    """One of five models; all were made by a learner, of cases with several values."""
    if name == "two labels":
        return learned("naive-bayes", _categories(2, 3, 2, 4), (0.62, 0.38), 1)
    if name == "committee":
        return learned("hierarchical", _categories(2, 3, 2, 4, 2, 3), (0.57, 0.43), 2, copies=True)
    if name == "three labels":
        return learned("hierarchical", _categories(3, 2, 4, 2), (0.45, 0.32, 0.23), 3)
    if name == "numbers":
        features = [*_categories(2, 3), Feature('chol "LDL"', kind=NUMBERS[0], cost=1),
                    Feature("fever's", kind=NUMBERS[1], cost=1)]  # fmt: skip
        return learned("hierarchical", features, (0.55, 0.45), 4)
    found = learned("hierarchical", _categories(3, 3, 2, 2, 4), (0.52, 0.48), 5, copies=True)
    return found.with_prior((0.83, 0.17))


def _categories(*sizes):
    names = ("fever", "serum <iron>", "päin", "1st test", "label", "id & more")
    odd = ("no", "yes", 'Don\'t "know"', "3.5 </script>")
    return [Feature(name, odd[:size], 1) for name, size in zip(names, sizes, strict=False)]


def learned(name, features, prior, seed, copies=False):
    """What a learner makes of cases, in which every second feature may repeat the one before it."""
    labels = [f"label {at}" for at in range(len(prior))]
    problem, rng = Problem(features, labels, prior, 10), np.random.default_rng(seed)
    sizes = layout_of(problem).sizes
    truth = [rng.dirichlet([0.9] * size, len(labels)) for size in sizes]
    bought = []
    for case in range(60):
        label, last = case % len(labels), 0.0
        for at, size in enumerate(sizes):
            last = last if copies and at % 2 else rng.random()
            value = int(np.searchsorted(truth[at][label].cumsum(), last))
            if rng.random() < 0.6:
                bought.append(Purchase(at, label, min(value, size - 1), 1, f"case {case}"))
    return Model.of(learner(name).fit(problem, bought), study=f"of {len(labels)} labels")


@cache
def cases(name, number=CASES, seed=20):
    """Random cases known in part: for each a share of features that is known, then values."""
    made, rng = model(name), np.random.default_rng(seed)
    found = []
    for _ in range(number):
        share = rng.random()
        found.append(
            {
                each.name: random_value(each, rng) if rng.random() < share else unknown(rng)
                for each in made.features
            }
        )
    return tuple(found)


def random_value(feature, rng):
    if feature.kind.name == "categorical":
        return feature.choices[rng.integers(len(feature.choices))]
    cuts = feature.kind.cuts
    at = cuts[rng.integers(len(cuts))]
    return float(rng.choice([at, np.nextafter(at, 0), at + rng.normal(), round(at - 0.1, 1)]))


def unknown(rng):
    return (None, "", float("nan"))[rng.integers(3)]


@cache
def answers(name):
    """What the package says: probabilities, cases × labels."""
    found = model(name).predict_many(cases(name))
    return np.array([list(each.values()) for each in found])


def assert_same_labels(name, labels, probabilities, most=1e-9, number=CASES):
    """What a form says of the first cases, all unless told, is what the package says.

    Where two labels are as probable as each other but for rounding, either may be said.
    """
    wanted = answers(name)[:number]
    np.testing.assert_allclose(probabilities, wanted, rtol=0, atol=most)
    best = np.asarray(model(name).labels)[wanted.argmax(axis=1)]
    first, second = np.sort(wanted, axis=1)[:, :-3:-1].T
    close = first - second <= 2 * most
    assert close.mean() < 0.01, "these cases say nothing about labels"
    same = np.asarray(labels) == best
    assert (same | close).all()
    assert len(set(labels)) > 1


def refused(made):
    """For each feature, values that the package refuses."""
    found = []
    for each in made.features:
        wrong = ["Yes", "no ", "nonsense", "toString", "0"]
        if each.kind.name == "number":
            wrong = [float("inf"), float("-inf"), *([601, 49.9] if each.ranged else [])]
        found += [(each.name, value) for value in wrong]
    return found
