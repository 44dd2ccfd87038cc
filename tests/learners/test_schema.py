"""The published JSON Schema: every model that the package writes fits; broken ones do not."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from budgeted import Feature, Model, Number, Problem
from budgeted.errors import ModelError
from budgeted.learners import LEARNERS, learner
from budgeted.learners.formats import schema, schema_text
from budgeted.problem.values import kind
from tests.learners.exported import NAMES, model
from tests.learners.test_model import committees
from tests.strategies import priors, purchases

ROOT = Path(__file__).resolve().parents[2]
KNOWN = Draft202012Validator(schema())


@pytest.fixture(scope="module")
def validator():
    Draft202012Validator.check_schema(schema())
    return Draft202012Validator(schema())


def fits(text):
    return KNOWN.is_valid(json.loads(text))


def test_the_one_in_the_docs_is_the_one_in_the_package():
    assert (ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("name", NAMES)
def test_models_of_learners_fit(name, validator):
    validator.validate(json.loads(model(name).to_json()))


@given(committees())
@settings(max_examples=20)
def test_any_committee_fits(made):
    assert fits(Model.of(made, study="a", events=7).to_json())


@given(st.data(), st.sampled_from(sorted(LEARNERS)))
@settings(max_examples=30)
def test_any_feature_fits(data, name):
    """Whatever kinds of features a problem has, and whoever learns."""
    kinds = st.one_of(
        st.builds(lambda cuts, mark, unit: Number(sorted(cuts), unit=unit, decimal=mark),
                  st.sets(st.integers(-99, 99), min_size=1, max_size=4),
                  st.sampled_from(["point", "comma"]), st.sampled_from(["", "mg/dl"])),
        st.just(Number(cuts=[37.5], least=30, most=45.5, source="a book")),
        st.sampled_from([kind("categorical", values=("low", "high"), ordered=True),
                         kind("categorical", values=("no", "yes", "?!"))]),
    )  # fmt: skip
    some = data.draw(st.lists(kinds, min_size=1, max_size=3))
    features = [Feature(f"f {at}", kind=each, cost=1) for at, each in enumerate(some)]
    labels = data.draw(st.integers(2, 3))
    problem = Problem(features, [f"l{at}" for at in range(labels)], data.draw(priors(labels)), 10)
    assert fits(Model.of(learner(name).fit(problem, data.draw(purchases(problem)))).to_json())


def places(plain, path=()):
    """Every place of a JSON value, as the keys that lead there."""
    yield path
    inner = enumerate(plain) if isinstance(plain, list) else getattr(plain, "items", list)()
    for key, each in inner:
        if key != "about":  # anything goes there
            yield from places(each, (*path, key))


def changed(plain, path, change):
    """The same with one place changed."""
    made = copy.deepcopy(plain)
    if not path:
        return change(made)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = change(at[path[-1]])
    return made


def of_another_type(value):
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list):
        return dict(enumerate(value))
    return "1" if isinstance(value, int | float) else 1


@given(st.data())
def test_what_is_broken_is_refused(data):
    """A key too many or missing, a value of another type, a number or a list that cannot be."""
    plain = json.loads(model(data.draw(st.sampled_from(NAMES))).to_json())
    path = data.draw(st.sampled_from(list(places(plain))))
    if path[-1:] in (("least",), ("most",)):
        broken = [lambda value: "many"]
    else:
        broken = [of_another_type]
        found = plain
        for key in path:
            found = found[key]
        if isinstance(found, dict):
            key = data.draw(st.sampled_from(sorted(found)))
            optional = {"ordered"}
            if key not in optional:
                broken.append(lambda value: {each: value[each] for each in value if each != key})
            broken.append(lambda value: {**value, "more": 1})
            broken.append(lambda value: {each.upper(): value[each] for each in value})
        elif isinstance(found, list) and path[-1] not in ("one cause", "copies"):
            broken.append(lambda value: [])
            broken.append(lambda value: [*value, None])
        elif isinstance(found, int | float) and "cuts" not in path:
            broken.append(lambda value: -1)
        elif path[-1] in ("format", "decimal"):
            broken.append(lambda value: f"{value}s")
    made = changed(plain, path, data.draw(st.sampled_from(broken)))
    assert not fits(json.dumps(made))
    with pytest.raises(ModelError):
        Model.from_json(json.dumps(made))


def test_a_predictor_of_another_package_may_be_anything(validator):
    plain = json.loads(model(NAMES[0]).to_json()) | {"learner": "kernel", "predictor": {"alike": 1}}
    validator.validate(plain)
    plain["learner"] = "hierarchical"
    assert not validator.is_valid(plain)
