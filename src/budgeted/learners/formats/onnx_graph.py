"""ONNX: a graph that computes the probabilities, with an input for each feature.

Names come as text, numbers as doubles, cases × 1; an empty text and NaN are not known, and inputs
may be left out altogether. A graph cannot raise errors: where something is no value of its feature,
``unknown`` names the feature, the label is empty, and the probabilities are not numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.formula import Formula, formula_of, reading_of
from budgeted.learners.model import UNKNOWN, Model

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

_OPSET, _ML_OPSET, _IR = 17, 3, 8
"""Of 2022: what runs models today knows them."""
_NOT_KNOWN, _WRONG = -1, -2


def onnx(model: Model) -> bytes:
    """Return a model for ONNX runtimes; the outputs are label, probabilities and unknown."""
    return bytes(graph_of(model).SerializeToString())


def graph_of(model: Model) -> ModelProto:
    """Return the same as an object of the package onnx."""
    from onnx import checker, helper  # noqa: PLC0415 - an extra

    formula = formula_of(model, "ONNX")
    drawn = _Graph([each.name for each in formula.features])
    label, probabilities, unknown = _drawn(drawn, formula, reading_of(formula.features))
    taken = {each.name for each in formula.features}
    outputs = []
    for name, found, kind, shape in (
        ("label", label, "STRING", ["cases"]),
        ("probabilities", probabilities, "DOUBLE", ["cases", len(formula.labels)]),
        ("unknown", unknown, "STRING", ["cases"]),
    ):
        free = _free_name(name, taken)
        drawn.nodes.append(helper.make_node("Identity", [found], [free]))
        outputs.append(helper.make_tensor_value_info(free, _kind(kind), shape))
    graph = helper.make_graph(
        drawn.nodes, "budgeted", drawn.inputs, outputs, drawn.constants + drawn.defaults
    )
    made = helper.make_model(
        graph,
        opset_imports=[
            helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)
        ],
        ir_version=_IR,
        producer_name="budgeted",
        doc_string="P(label | case) of cases known in part; an empty text and NaN are not known. "
        "Where something is no value, the output 'unknown' names its feature.",
    )  # fmt: skip
    helper.set_model_props(made, {"labels": "\n".join(formula.labels), "learner": model.learner})
    checker.check_model(made)
    return made


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is like no other, not even but for capitals; underscores make it so."""
    known = {each.casefold() for each in taken}
    while name.casefold() in known:
        name += "_"
    return name


class _Graph:
    """A graph that is being drawn: operations by name, each result with a name of its own."""

    def __init__(self, taken: Sequence[str]) -> None:
        self._root = ""
        while any(name.startswith(f"{self._root}/") for name in taken):
            self._root += "_"
        self.nodes: list[NodeProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.constants: list[TensorProto] = []
        self.defaults: list[TensorProto] = []

    def op(self, kind: str, *given: str, domain: str = "", **attributes: Any) -> str:
        """Add an operation, and return the name of its result."""
        from onnx import helper  # noqa: PLC0415

        result = f"{self._root}/{kind}/{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(kind, list(given), [result], domain=domain, **attributes)
        )
        return result

    def of(self, values: object, kind: str = "DOUBLE") -> str:
        """Add a constant, and return its name."""
        name = f"{self._root}/constant/{len(self.constants)}"
        self.constants.append(_tensor(name, values, kind))
        return name

    def input(self, name: str, kind: str) -> str:
        """Add an input, cases × 1, that need not be given, and return its name."""
        from onnx import helper  # noqa: PLC0415

        # A length of its own: one that is left out has the single row of its default.
        shape = [f"cases of input {len(self.inputs)}", 1]
        self.inputs.append(helper.make_tensor_value_info(name, _kind(kind), shape))
        self.defaults.append(_tensor(name, [[""]] if kind == "STRING" else [[np.nan]], kind))
        return name


def _drawn(
    graph: _Graph, formula: Formula, readings: Sequence[dict[str, object]]
) -> tuple[str, str, str]:
    """Draw all of it; the names of the label, the probabilities, and the feature that is wrong."""
    told = [_category(graph, each) for each in readings]
    # Inputs that were left out have one row: adding nothing to it for every case makes them equal.
    values = graph.op("Concat", *_of_one_length(graph, told), axis=1)
    known = graph.op(
        "Cast", graph.op("GreaterOrEqual", values, graph.of(0, "INT64")), to=_kind("DOUBLE")
    )
    scores = _scores(graph, formula, values, _powers(graph, formula, known))
    chances = graph.op("Softmax", scores, axis=1)
    wrong = graph.op("Equal", values, graph.of(_WRONG, "INT64"))
    whole = graph.op("Cast", wrong, to=_kind("INT64"))
    any_wrong = graph.op("Cast", graph.op("ReduceMax", whole, axes=[1]), to=_kind("BOOL"))
    flat = graph.op("Squeeze", any_wrong, graph.of([1], "INT64"))
    empty = graph.of("", "STRING")
    names = graph.op(
        "Gather",
        graph.of([each.name for each in formula.features], "STRING"),
        graph.op("ArgMax", whole, axis=1, keepdims=0),
    )
    labels = graph.op(
        "Gather",
        graph.of(list(formula.labels), "STRING"),
        graph.op("ArgMax", chances, axis=1, keepdims=0),
    )
    return (
        graph.op("Where", flat, empty, labels),
        graph.op("Where", any_wrong, graph.of(np.nan), chances),
        graph.op("Where", flat, names, empty),
    )


def _category(graph: _Graph, reading: dict[str, Any]) -> str:
    """Return the position of the category of each case, cases × 1."""
    if "cuts" not in reading:
        names = graph.input(str(reading["name"]), "STRING")
        categories = [each for each in reading["categories"] if each not in UNKNOWN]
        places = [reading["categories"].index(each) for each in categories]
        return graph.op(
            "LabelEncoder",
            names,
            domain="ai.onnx.ml",
            keys_strings=[*categories, *UNKNOWN],
            values_int64s=[*places, *[_NOT_KNOWN] * len(UNKNOWN)],
            default_int64=_WRONG,
        )
    number = graph.input(str(reading["name"]), "DOUBLE")
    largest = float(np.finfo(float).max)
    low = -largest if reading["least"] is None else reading["least"]
    high = largest if reading["most"] is None else reading["most"]
    reached = graph.op("GreaterOrEqual", number, graph.of([reading["cuts"]]))
    above = graph.op(
        "ReduceSum",
        graph.op("Cast", reached, to=_kind("INT64")),
        graph.of([1], "INT64"),
    )
    inside = graph.op(
        "And",
        graph.op("GreaterOrEqual", number, graph.of(low)),
        graph.op("LessOrEqual", number, graph.of(high)),
    )
    found = graph.op("Where", inside, above, graph.of(_WRONG, "INT64"))
    return graph.op("Where", graph.op("IsNaN", number), graph.of(_NOT_KNOWN, "INT64"), found)


def _of_one_length(graph: _Graph, columns: Sequence[str]) -> list[str]:
    """Return columns of which some may have one row only, all with as many rows as the longest."""
    nothing = graph.op("Mul", columns[0], graph.of(0, "INT64"))
    for each in columns[1:]:
        nothing = graph.op("Add", nothing, graph.op("Mul", each, graph.of(0, "INT64")))
    return [graph.op("Add", each, nothing) for each in columns]


def _powers(graph: _Graph, formula: Formula, known: str) -> str:
    """Return how much each feature of each case counts, cases × features."""
    if formula.is_independent:
        return known
    causes = np.array(formula.correlations["one cause"]).reshape(-1, 2)
    copies = np.array(formula.correlations["copies"]).reshape(-1, 2)
    sizes = formula.sensitivities
    says = graph.op("Mul", known, graph.of(sizes))
    total = graph.op("ReduceSum", says, graph.of([1], "INT64"))
    squares = graph.op("ReduceSum", graph.op("Mul", says, says), graph.of([1], "INT64"))
    some = graph.op("Greater", squares, graph.of(0.0))
    number = graph.op(
        "Div",
        graph.op("Mul", total, total),
        graph.op("Where", some, squares, graph.of(1.0)),
    )
    beyond = graph.op("Sub", graph.op("Where", some, number, graph.of(1.0)), graph.of(1.0))
    # cases × correlations, and then over these
    divisor = graph.op("Add", graph.op("Mul", beyond, graph.of(copies[:, 0])), graph.of(1.0))
    power = graph.op(
        "ReduceSum", graph.op("Div", graph.of(copies[:, 1]), divisor), graph.of([1], "INT64")
    )
    zero = causes[:, 0] == 0
    power = graph.op("Add", power, graph.of(causes[zero, 1].sum()))
    powers = graph.op("Mul", known, power)
    if not zero.all():
        powers = graph.op("Add", powers, _of_causes(graph, causes[~zero], sizes, known))
    return powers


def _of_causes(
    graph: _Graph, causes: NDArray[np.float64], sizes: NDArray[np.float64], known: str
) -> str:
    """Return what one cause behind all of them leaves of each feature, cases × features."""
    rho, chance = causes.T
    falling = np.argsort(-sizes, kind="stable")
    of_best = graph.op("Gather", known, graph.of(falling, "INT64"), axis=1)
    axis, last = graph.of(1, "INT64"), graph.of([2], "INT64")
    together = graph.op("CumSum", graph.op("Mul", of_best, graph.of(sizes[falling])), axis)
    before = graph.op(
        "Max",
        graph.op("Sub", graph.op("CumSum", of_best, axis), graph.of(1.0)),
        graph.of(0.0),
    )
    # cases × features × correlations
    together, before = (graph.op("Unsqueeze", each, last) for each in (together, before))
    share = graph.op("Add", graph.op("Mul", before, graph.of(rho)), graph.of(1.0))
    least = graph.op("ReduceMax", graph.op(
        "Div", graph.op("Mul", together, graph.of(rho)), share), axes=[1])  # fmt: skip
    inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    counts = graph.op(
        "Max",
        graph.op("Sub", graph.of(1.0), graph.op("Mul", least, graph.of(inverse[:, None]))),
        graph.of(0.0),
    )
    mean = graph.op(
        "ReduceSum", graph.op("Mul", counts, graph.of(chance / (1 - rho))), last, keepdims=0
    )
    return graph.op("Mul", graph.op("Mul", mean, known), graph.of((sizes > 0).astype(float)))


def _scores(graph: _Graph, formula: Formula, values: str, powers: str) -> str:
    """Return the logarithm of P(label, case), cases × labels."""
    number, labels = len(formula.weights), len(formula.labels)
    sizes = [logs.shape[2] for logs in formula.logs]
    owner = graph.of(np.repeat(np.arange(len(sizes)), sizes), "INT64")
    position = graph.of(np.concatenate([np.arange(size) for size in sizes])[None], "INT64")
    there = graph.op("Equal", graph.op("Gather", values, owner, axis=1), position)
    counted = graph.op(
        "Mul",
        graph.op("Cast", there, to=_kind("DOUBLE")),
        graph.op("Gather", powers, owner, axis=1),
    )
    logs = np.concatenate(formula.logs, axis=2)  # members × labels × columns
    said = graph.op("MatMul", counted, graph.of(logs.reshape(number * labels, -1).T))
    start = np.log(formula.weights)[:, None] + np.log(formula.prior)
    said = graph.op("Add", said, graph.of(start.reshape(-1)))
    by_member = graph.op("Reshape", said, graph.of([-1, number, labels], "INT64"))
    return graph.op("ReduceLogSumExp", by_member, axes=[1], keepdims=0)


def _kind(name: str) -> int:
    from onnx import TensorProto  # noqa: PLC0415

    return int(getattr(TensorProto, name))


def _tensor(name: str, values: object, kind: str) -> TensorProto:
    from onnx import helper  # noqa: PLC0415

    array = np.asarray(values, dtype={"STRING": object, "INT64": np.int64}.get(kind, float))
    flat = [str(each).encode() for each in array.flat] if kind == "STRING" else array.ravel()
    return helper.make_tensor(name, _kind(kind), array.shape, flat)
