"""What an active classifier advises, in words: why a test, or why none."""

from __future__ import annotations

from budgeted.diagnosis.active import ActiveClassifier, Decision


def reason(active: ActiveClassifier, decision: Decision) -> str:
    """Return why to order a test or to answer: what is expected with it, and without it.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from types import SimpleNamespace
    >>> one = Decision("scan", Decimal(9), "ill", {"ill": 0.6, "well": 0.4}, 40.0, 21.5,
    ...                {"scan": (21.5, Decimal(9))}, True)
    >>> reason(SimpleNamespace(weighs_prices=True), one)
    'An answer now is expected to cost 40.00; with scan, and what may follow, 21.50 including \
the tests.'
    """
    if active.weighs_prices:
        now, then = f"{decision.answer_cost:.2f}", f"{decision.expected_cost:.2f}"
        if decision.test is not None:
            return (
                f"An answer now is expected to cost {now}; with {decision.test}, and what may "
                f"follow, {then} including the tests."
            )
        if decision.offers:
            return f"No test that is left is worth its price: the answer is expected to cost {now}."
    else:
        now, then = f"{decision.answer_cost:.1%}", f"{decision.expected_cost:.1%}"
        if decision.test is not None and decision.expected_cost >= decision.answer_cost:
            return (
                f"An answer now is wrong with a probability of {now}. No test that was weighed "
                f"changes the answer soon, but {decision.test} says most for its price, and what "
                f"follows may."
            )
        if decision.test is not None:
            return (
                f"An answer now is wrong with a probability of {now}; with {decision.test}, and "
                f"what may follow, of {then}."
            )
        if decision.offers:
            return (
                f"No test that is left makes the answer better: it is wrong with a probability of "
                f"{now}."
            )
    return "No other test can be ordered: all are known, ruled out, or beyond the limit."
