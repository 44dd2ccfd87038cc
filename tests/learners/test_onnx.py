"""The ONNX graph of a model, run by onnxruntime, says what the package says."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from budgeted import Feature, Model, Problem, Purchase
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.learners.formats import model_format
from tests.learners.exported import NAMES, answers, assert_same_labels, cases, model, refused


def session(made):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it remarks on inputs that may be left out
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model_format("onnx").content(made), options, providers=["CPUExecutionProvider"]
    )


def inputs(made, asked, leave_out=()):
    """A column for each feature, as people have them."""
    found = {}
    for each in made.features:
        column = [case.get(each.name) for case in asked]
        if each.kind.name == "number":
            values = [math.nan if cell in (None, "", "?") else cell for cell in column]
            found[each.name] = np.array(values, dtype=float)[:, None]
        else:
            values = [cell if isinstance(cell, str) else "" for cell in column]
            found[each.name] = np.array(values, dtype=object)[:, None]
    return {name: column for name, column in found.items() if name not in leave_out}


@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same(name):
    labels, probabilities, unknown = session(model(name)).run(
        None, inputs(model(name), cases(name))
    )
    assert_same_labels(name, labels, probabilities)
    assert np.abs(probabilities - answers(name)).max() < 1e-6
    assert set(unknown) == {""}


@pytest.mark.parametrize("name", NAMES)
def test_features_may_be_left_out(name):
    made = model(name)
    asked = cases(name)[:50]
    running = session(made)
    for without in made.features:
        known = inputs(made, asked, {without.name})
        _, probabilities, _ = running.run(None, known)
        wanted = made.predict_many({**case, without.name: None} for case in asked)
        np.testing.assert_allclose(
            probabilities, [list(each.values()) for each in wanted], atol=1e-9, rtol=0
        )
    _, probabilities, _ = running.run(None, {})
    np.testing.assert_allclose(probabilities, [list(made.predict({}).values())], atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_package_refuses_is_signalled(name):
    made = model(name)
    wrong = refused(made)
    found = session(made).run(None, inputs(made, [{name: value} for name, value in wrong]))
    labels, probabilities, unknown = found
    assert list(unknown) == [name for name, _ in wrong]
    assert set(labels) == {""}
    assert np.isnan(probabilities).all()


def test_one_wrong_case_does_not_disturb_the_others():
    made = model("numbers")
    asked = [*cases("numbers")[:5], {"fever": "Yes", "fever's": math.inf}, *cases("numbers")[5:9]]
    labels, probabilities, unknown = session(made).run(None, inputs(made, asked))
    assert [at for at, each in enumerate(unknown) if each] == [5]
    assert unknown[5] == "fever"
    np.testing.assert_allclose(
        np.delete(probabilities, 5, axis=0), answers("numbers")[:9], atol=1e-9, rtol=0
    )
    assert labels[5] == ""


@pytest.mark.parametrize("kind", [NaiveBayes, Hierarchical])
def test_features_may_be_called_like_the_outputs(kind):
    problem = Problem([Feature("label", ("a", "b"), 1)], ("well", "ill"), (0.7, 0.3), 9)
    bought = [Purchase(0, label, label, 1) for label in (0, 1)] * 3
    made = Model.of(kind().fit(problem, bought))
    running = session(made)
    assert [each.name for each in running.get_outputs()] == ["label_", "probabilities", "unknown"]
    _, probabilities, _ = running.run(None, {"label": np.array([["a"], ["b"]], dtype=object)})
    wanted = made.predict_many([{"label": "a"}, {"label": "b"}])
    np.testing.assert_allclose(probabilities, [list(each.values()) for each in wanted], atol=1e-9)


def test_features_may_be_called_like_what_is_inside():
    names = ("/constant/0", "_/Concat/3", "/Softmax/1")
    problem = Problem(
        [Feature(each, ("a", "b"), 1) for each in names], ("well", "ill"), (0.7, 0.3), 9
    )
    bought = [Purchase(at, label, label, 1) for at in range(3) for label in (0, 1)]
    made = Model.of(NaiveBayes().fit(problem, bought))
    told = {names[1]: np.array([["b"]], dtype=object)}
    _, probabilities, _ = session(made).run(None, told)
    wanted = list(made.predict({names[1]: "b"}).values())
    np.testing.assert_allclose(probabilities, [wanted], atol=1e-9)


def test_the_lines_of_the_docs_run():
    page = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text("utf-8")
    [lines] = re.findall(r"```python\n(?!>>>)(.*?)```", page.partition("## ONNX")[2], re.DOTALL)[:1]
    problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    known = {"model": Model.of(NaiveBayes().fit(problem, []))}
    exec(lines, known)
    assert known["label"].tolist() == ["well", "well", ""]
    assert known["unknown"].tolist() == ["", "", "fever"]
    np.testing.assert_allclose(known["probabilities"][:2], [[0.7, 0.3]] * 2)


def test_without_the_extra_it_is_named(monkeypatch):
    from budgeted.learners import formats

    monkeypatch.setattr(formats, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'budgeted\[onnx\]'"):
        model_format("onnx").content(model("numbers"))
