"""PMML: a naive Bayes model as counts, for models that are one; a committee is none.

PMML knows P(value | label) as count[value, label] / count[label], or divided by the sum of the
counts of the feature under the label. Here both are the same: the counts of a label are its share,
those of a value the share times P(value | label), and so nothing is left to the reader's choice.
What is not known is left out of the product, in PMML as in the package.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.program import free_name
from budgeted.learners.formula import Formula, formula_of, reading_of
from budgeted.learners.model import UNKNOWN, Model

_ALL = 1_000.0
"""Of all counts together; only their ratios matter."""
_ROUNDING = 1e-9
_LARGEST = repr(sys.float_info.max)


def pmml(model: Model) -> bytes:
    """Return a document with a NaiveBayesModel, or raise an error that says why that cannot be."""
    formula = formula_of(model, "PMML")
    _check(formula, model)
    readings = reading_of(formula.features, "PMML")
    label = free_name("label", [each.name for each in formula.features])
    root = Xml.Element("PMML", version="4.4", xmlns="http://www.dmg.org/PMML-4_4")
    header = Xml.SubElement(root, "Header", description="P(label | case) of cases known in part")
    Xml.SubElement(header, "Application", name="budgeted")
    fields = Xml.SubElement(root, "DataDictionary", numberOfFields=str(1 + len(readings)))
    for each in readings:
        _data_field(fields, each)
    target = Xml.SubElement(
        fields, "DataField", name=label, optype="categorical", dataType="string"
    )
    for name in formula.labels:
        Xml.SubElement(target, "Value", value=name)
    made = Xml.SubElement(
        root, "NaiveBayesModel", modelName=model.learner, functionName="classification",
        threshold="0",
    )  # fmt: skip
    _mining_schema(made, readings, label)
    output = Xml.SubElement(made, "Output")
    for name in formula.labels:
        Xml.SubElement(
            output, "OutputField", name=f"probability({name})", optype="continuous",
            dataType="double", feature="probability", value=name,
        )  # fmt: skip
    inputs = Xml.SubElement(made, "BayesInputs")
    for each, logs in zip(readings, formula.logs, strict=True):
        _bayes_input(inputs, each, np.exp(logs[0]), formula)
    shares = Xml.SubElement(
        Xml.SubElement(made, "BayesOutput", fieldName=label), "TargetValueCounts"
    )
    _counts(shares, formula.labels, [_ALL * share for share in formula.prior])
    Xml.indent(root, " ")
    document: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _check(formula: Formula, model: Model) -> None:
    """Raise an error unless this is a single naive Bayes model."""
    if not formula.is_additive:
        number = len(formula.weights)
        several = f"a committee of {number} of them" if number > 1 else "none"
        repeated = (
            "" if formula.is_independent else ", and features that repeat each other count less"
        )
        raise ModelError(
            f"PMML has naive Bayes models in which every feature counts in full; a model of the "
            f"learner {model.learner!r} is {several}{repeated}. Take another form, such as ONNX, "
            f"or the learner 'naive-bayes'"
        )
    if any(abs(np.exp(logs).sum(axis=2) - 1).max() > _ROUNDING for logs in formula.logs):
        raise ModelError(
            f"PMML has naive Bayes models, which add up logarithms of shares; those of the learner "
            f"{model.learner!r} are none. Take another form, such as ONNX"
        )


def _data_field(fields: Xml.Element, reading: dict[str, Any]) -> None:
    """What a feature can be; anything else is invalid."""
    if "cuts" not in reading:
        field = Xml.SubElement(
            fields, "DataField", name=reading["name"], optype="categorical", dataType="string"
        )
        for value in reading["categories"]:
            if value not in UNKNOWN:
                Xml.SubElement(field, "Value", value=value)
        for value in UNKNOWN:
            Xml.SubElement(field, "Value", value=value, property="missing")
        return
    field = Xml.SubElement(
        fields, "DataField", name=reading["name"], optype="continuous", dataType="double"
    )
    low, high = reading["least"], reading["most"]
    Xml.SubElement(
        field,
        "Interval",
        closure="closedClosed",
        leftMargin=f"-{_LARGEST}" if low is None else repr(low),
        rightMargin=_LARGEST if high is None else repr(high),
    )


def _mining_schema(made: Xml.Element, readings: Sequence[dict[str, Any]], label: str) -> None:
    schema = Xml.SubElement(made, "MiningSchema")
    for each in readings:
        Xml.SubElement(
            schema, "MiningField", name=each["name"], usageType="active",
            invalidValueTreatment="returnInvalid",
        )  # fmt: skip
    Xml.SubElement(schema, "MiningField", name=label, usageType="target")


def _bayes_input(
    inputs: Xml.Element, reading: dict[str, Any], shares: Any, formula: Formula
) -> None:
    """What a feature says, value by value; a number is put into its category first."""
    found = Xml.SubElement(inputs, "BayesInput", fieldName=reading["name"])
    if "cuts" in reading:
        derived = Xml.SubElement(found, "DerivedField", optype="categorical", dataType="string")
        cut = Xml.SubElement(derived, "Discretize", field=reading["name"])
        ends = [None, *reading["cuts"], None]
        for name, low, high in zip(reading["categories"], ends, ends[1:], strict=False):
            margins = {"leftMargin": low, "rightMargin": high}
            Xml.SubElement(
                Xml.SubElement(cut, "DiscretizeBin", binValue=name),
                "Interval",
                {key: repr(end) for key, end in margins.items() if end is not None},
                closure="openOpen" if low is None else "closedOpen",
            )
    for value, column in zip(reading["categories"], shares.T, strict=True):
        pair = Xml.SubElement(found, "PairCounts", value=value)
        counts = [_ALL * prior * share for prior, share in zip(formula.prior, column, strict=True)]
        _counts(Xml.SubElement(pair, "TargetValueCounts"), formula.labels, counts)


def _counts(parent: Xml.Element, labels: Sequence[str], counts: Sequence[float]) -> None:
    for name, count in zip(labels, counts, strict=True):
        Xml.SubElement(parent, "TargetValueCount", value=name, count=repr(float(count)))


PMML = ModelFormat(
    "pmml",
    "PMML, for naive Bayes models",
    "application/xml",
    pmml,
    of_formula=True,
    learners=("naive-bayes",),
)
