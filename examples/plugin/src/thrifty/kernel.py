"""A learner that is no naive Bayes: it compares a case with all those that were bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from budgeted import Problem, Purchase
from budgeted.learners import Outlook
from budgeted.learners.scikit_learn import cross_validated


@dataclass(frozen=True)
class Kernel:
    """How frequent a case is under a label: how alike it is to the bought cases of that label.

    Two values of a feature with r values are alike by a factor `alike` if they are the same, and
    by (1 − alike)/(r − 1) if not; one that is known of the new case only counts 1/r. Each label
    has one case more, of which nothing is known (Aitchison and Aitken, *Multivariate binary
    discrimination by the kernel method*, Biometrika 63, 1976).

    Parameters
    ----------
    alike
        Above 1/2 and below 1; the more, the fewer cases are compared with.
    """

    name: ClassVar[str] = "kernel"
    alike: float = 0.85

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Cases:
        """Return what these purchases give: the cases themselves."""
        return Cases(self, problem, tuple(each for each in purchases if each.value is not None))

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Cases:
        """Return the classifier that was written into a model file."""
        bought = (
            Purchase(feature, row["label"], value, 1, case=at)
            for at, row in enumerate(plain["cases"])
            for feature, value in enumerate(row["values"])
            if value >= 0
        )
        return Cases(cls(plain["alike"]), problem, tuple(bought))


@dataclass(frozen=True)
class Cases:
    """The bought cases, with how alike cases are."""

    kernel: Kernel
    problem: Problem
    purchases: tuple[Purchase, ...]
    learner: ClassVar[str] = Kernel.name

    def table(self) -> list[tuple[int, list[int]]]:
        """Return label and values of each case, -1 where unknown, whenever they were bought."""
        rows: dict[object, tuple[int, list[int]]] = {}
        for at, each in enumerate(self.purchases):
            key = ("alone", at) if each.case is None else each.case
            _, values = rows.setdefault(key, (each.label, [-1] * len(self.problem.features)))
            values[each.feature] = each.value
        return sorted(rows.values())

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """Return P(label | values), cases × labels."""
        sizes = np.array([len(feature.values) for feature in self.problem.features])
        table = [(label, [-1] * len(sizes)) for label in range(len(self.problem.labels))]
        table += self.table()
        labels = np.array([label for label, _ in table])
        known = np.array([row for _, row in table])
        alike = self.kernel.alike
        masses = np.ones((len(values), len(table)))
        for at, size in enumerate(sizes):
            here, there = values[:, at, None], known[None, :, at]
            factor = np.where(here == there, alike, (1 - alike) / (size - 1))
            factor = np.where(there < 0, 1 / size, factor)
            masses *= np.where(here < 0, 1.0, factor)
        of_label = labels[:, None] == np.arange(len(self.problem.labels))
        frequent = masses @ of_label / of_label.sum(axis=0) * np.array(self.problem.prior)
        return frequent / frequent.sum(axis=1, keepdims=True)

    def outlook(self, models: int = 200) -> Outlook:
        """Return the error by cross-validation; there is no model to draw from."""
        return cross_validated(
            lambda part: self.kernel.fit(self.problem, part), self.problem, self.purchases
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the cases, for a model file; who they are is not told."""
        cases = [{"label": label, "values": values} for label, values in self.table()]
        return {"alike": self.kernel.alike, "cases": cases}
