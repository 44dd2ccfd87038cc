"""Special functions of arrays, without loading SciPy's, which takes longer than a small command."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FAR_UP = 1e8
"""The difference of the gamma function at two numbers beyond has no digits left."""
_HALF_LOG_TWO_PI = 0.5 * float(np.log(2 * np.pi))


def log_gamma(number: Floats) -> Floats:
    """Return the logarithm of the gamma function of positive numbers up to 1e30.

    Stirling's series ten steps further up, where it is good to the last digits, and back by the
    recurrence.

    >>> import math
    >>> numbers = np.array([1e-6, 0.5, 3.0, 170.2, 1e9])
    >>> bool(np.allclose(log_gamma(numbers), [math.lgamma(n) for n in numbers], rtol=1e-13))
    True
    """
    x = number + 10.0
    # Of the ten factors the first and the last are taken together, and so on: (n + i)(n + 9 − i).
    ends = number * (number + 9)
    product = ends * (ends + 8) * (ends + 14) * (ends + 18) * (ends + 20)
    inverse = 1 / (x * x)
    last = 1 / 1260 - inverse * (1 / 1680 - inverse / 1188)
    series = (1 / 12 - inverse * (1 / 360 - inverse * last)) / x
    result: Floats = (x - 0.5) * np.log(x) - x + _HALF_LOG_TWO_PI + series - np.log(product)
    return result


def log_rising(number: Floats, steps: Floats) -> Floats:
    """Return the logarithm of number · (number + 1) ⋯ (number + steps − 1).

    >>> log_rising(np.array([2.0]), np.array([3.0])).round(6).tolist()  # log(2 · 3 · 4)
    [3.178054]
    """
    result: Floats = log_gamma(number + steps) - log_gamma(number)
    if number.max(initial=0.0) > _FAR_UP:
        large = steps * np.log(number) + steps * (steps - 1) / (2 * number)
        result = np.where(number > _FAR_UP, large, result)
    return result


def log_rising_whole(number: float | Floats, steps: Floats) -> Floats:
    """Return `log_rising` of each number over whole steps, from a table of sums of logarithms.

    The result has the axes of the numbers, then those of the steps.

    >>> log_rising_whole(2.0, np.array([0.0, 3.0])).round(6).tolist()
    [0.0, 3.178054]
    >>> log_rising_whole(np.array([1.0, 2.0]), np.array([3.0])).round(6).tolist()
    [[1.791759], [3.178054]]
    """
    numbers, whole = np.asarray(number), steps.astype(np.int64)
    table = np.zeros((*numbers.shape, int(whole.max(initial=0)) + 1))
    factors = numbers[..., None] + np.arange(table.shape[-1] - 1)
    np.cumsum(np.log(factors), axis=-1, out=table[..., 1:])
    result: Floats = table[..., whole]
    return result


def digamma(number: Floats) -> Floats:
    """Return the derivative of `log_gamma` at positive numbers, by the same way up and back.

    >>> digamma(np.array([1.0, 2.0])).round(6).tolist()  # minus Euler's constant, and 1 more
    [-0.577216, 0.422784]
    """
    x = number + 8.0
    inverse = 1 / (x * x)
    last = 1 / 252 - inverse * (1 / 240 - inverse / 132)
    series = np.log(x) - 0.5 / x - inverse * (1 / 12 - inverse * (1 / 120 - inverse * last))
    # Of the eight steps the first and the last are taken together, and so on.
    ends, both = number * (number + 7), 2 * number + 7
    steps = 1 / ends + 1 / (ends + 6) + 1 / (ends + 10) + 1 / (ends + 12)
    result: Floats = series - both * steps
    return result


def trigamma(number: Floats) -> Floats:
    """Return the derivative of `digamma` at positive numbers, by the same way up and back.

    >>> trigamma(np.array([1.0])).round(6).tolist()  # π²/6
    [1.644934]
    """
    x = number + 8.0
    inverse = 1 / (x * x)
    last = 1 / 42 - inverse * (1 / 30 - inverse * 5 / 66)
    series = 1 / x + inverse / 2 + inverse / x * (1 / 6 - inverse * (1 / 30 - inverse * last))
    # 1/a² + 1/b² = ((a + b)² − 2ab) / (ab)², for the first and the last of eight steps, and so on.
    ends, both = number * (number + 7), 2 * number + 7
    steps = [1 / (ends + apart) for apart in (0, 6, 10, 12)]
    singles = steps[0] + steps[1] + steps[2] + steps[3]
    squares = steps[0] ** 2 + steps[1] ** 2 + steps[2] ** 2 + steps[3] ** 2
    result: Floats = series + both**2 * squares - 2 * singles
    return result


def log_sum(logs: Floats) -> Floats:
    """Return the logarithm of a sum of numbers, of which logarithms are given, over the last axis.

    Not all of a sum may be 0. (`numpy.logaddexp.reduce` does the same, in four times the time.)

    >>> log_sum(np.log([1.0, 2.0, 3.0])).round(6).tolist()  # log 6
    1.791759
    """
    top = logs.max(axis=-1, keepdims=True)
    result: Floats = top[..., 0] + np.log(np.exp(logs - top) @ np.ones(logs.shape[-1]))
    return result


_FEW, _FEW_FACTORS = 16, 8
"""Up to so many steps they are gone one by one; fewer where a product might overflow."""


def log_rising_ordered(number: Floats, steps: Floats) -> Floats:
    """Return `log_rising` of rows of numbers, for each row whole steps from 1, the most first.

    >>> log_rising_ordered(np.array([[2.0], [2.0]]), np.array([9.0, 3.0])).round(6).tolist()
    [[15.104413], [3.178054]]
    """
    many, ends = _in_steps(steps, _FEW_FACTORS)
    few = number[many:]
    product = few.copy()
    for step, end in enumerate(ends, start=1):
        product[:end] *= few[:end] + step
    if not many:
        return np.log(product)
    return np.concatenate([log_rising(number[:many], steps[:many, None]), np.log(product)])


def digamma_rising(number: Floats, steps: Floats) -> Floats:
    """Return by how much `digamma` rises over so many steps, in the same way.

    >>> digamma_rising(np.array([[2.0], [2.0]]), np.array([9.0, 2.0])).round(6).tolist()
    [[1.928968], [0.833333]]
    """
    many, ends = _in_steps(steps, _FEW)
    large, few = number[:many], number[many:]
    total = 1 / few
    for step, end in enumerate(ends, start=1):
        total[:end] += 1 / (few[:end] + step)
    if not many:
        return total
    return np.concatenate([digamma(large + steps[:many, None]) - digamma(large), total])


def trigamma_falling(number: Floats, steps: Floats) -> Floats:
    """Return by how much `trigamma` falls over so many steps, in the same way.

    >>> trigamma_falling(np.array([[2.0], [2.0]]), np.array([9.0, 2.0])).round(6).tolist()
    [[0.549768], [0.361111]]
    """
    many, ends = _in_steps(steps, _FEW)
    large, few = number[:many], number[many:]
    total = 1 / (few * few)
    for step, end in enumerate(ends, start=1):
        further = few[:end] + step
        total[:end] += 1 / (further * further)
    if not many:
        return total
    return np.concatenate([trigamma(large) - trigamma(large + steps[:many, None]), total])


def _in_steps(steps: Floats, most: int) -> tuple[int, list[int]]:
    """Return how many of the ordered steps are many, and of the others how many exceed 1, 2, …"""
    many = int(np.searchsorted(-steps, -most))
    few = -steps[many:]
    largest = int(-few[0]) if len(few) else 0
    return many, np.searchsorted(few, -np.arange(1, largest)).tolist()


def log_gamma_draws(shape: Floats, rng: np.random.Generator) -> Floats:
    """Draw logarithms of gamma variables; those of tiny shapes would be 0 themselves.

    A gamma variable of shape a is one of shape a + 1 times u^(1/a), with u uniform.
    """
    result: Floats = np.log(rng.standard_gamma(shape + 1))
    result += np.log1p(-rng.random(shape.shape)) / shape
    return result


def dirichlet_draws(counts: Floats, rng: np.random.Generator) -> Floats:
    """Draw shares with these Dirichlet counts, over the last axis.

    >>> dirichlet_draws(np.full((2, 3), 1e-9), np.random.default_rng(0)).sum(axis=1).tolist()
    [1.0, 1.0]
    """
    logs = log_gamma_draws(counts, rng)
    masses = np.exp(logs - logs.max(axis=-1, keepdims=True))
    result: Floats = masses / masses.sum(axis=-1, keepdims=True)
    return result
