"""What stands in a model file of naive Bayes models with weights; the file explains itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from budgeted.learners.dependence import possible
from budgeted.learners.layout import layout_of

if TYPE_CHECKING:
    from budgeted.learners.members import Members

FORMULA = (
    "P(label | case) is proportional to prior[label] * sum over members m of weights[m] * "
    "product over the features known of the case of probabilities[m][label][value] ** v. For a "
    "feature of sensitivity s the power is v = a + b. a = sum over [rho, chance] in "
    "correlations['one cause'] of chance * max(0, 1 - t / s) / (1 - rho), where t, for each "
    "rho, is the largest over k of rho * (sum of the k largest sensitivities of the known "
    "features) / (1 + rho * (k - 1)); if s is 0, only rho = 0 counts, with its chance. b = sum "
    "over [rho, chance] in correlations['copies'] of chance / (1 + rho * (n - 1)), where n = "
    "(sum of sensitivities)^2 / sum of squared sensitivities of the known features (1 if all "
    "are 0)"
)
"""Stands in every file of this kind."""


def plain(made: Members) -> dict[str, Any]:
    """Return what the members know, as JSON can hold it.

    Parameters
    ----------
    made
        The classifier. Of each feature, in the order of the problem, there are: P(value | label) in
        the eyes of each member; how many of each value were bought (the probabilities are not just
        shares of these: what was believed before is in them, and how strongly features tell labels
        apart); and how well it tells the labels apart by the shares of the study.
    """
    columns = [layout_of(made.problem).columns(at) for at in range(len(made.problem.features))]
    return {
        "formula": FORMULA,
        "weights": made.weights.tolist(),
        "correlations": {
            way: list(map(list, pairs)) for way, pairs in possible(made.correlations).items()
        },
        "features": [
            {
                "probabilities": made.members[:, :, at].tolist(),
                "bought": made.bought[:, at].tolist(),
                "sensitivity": float(sensitivity),
            }
            for at, sensitivity in zip(columns, made.sensitivities, strict=True)
        ],
    }
