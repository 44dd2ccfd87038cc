"""The loss of a belief and its expectation after purchases: the short name of `budgeted.value`."""

from budgeted.value import ENGINES, Estimate, expected_loss, feature_lookahead, lookahead, loss

__all__ = ["ENGINES", "Estimate", "expected_loss", "feature_lookahead", "lookahead", "loss"]
