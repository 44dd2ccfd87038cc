"""What can be wrong with names, shares and counts, in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_SHARED = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?/ ?r")
_LEAST_COUNT, _MOST_COUNT = 1e-100, 1e15
"""Prior counts beyond these drown in rounding, or drown all else."""


def name_mistakes(field: str, name: object) -> Iterator[str]:
    """Yield what is wrong with a name."""
    if not isinstance(name, str) or not name.strip():
        yield f"{field}: must be a name (text that is not blank), got {name!r}"


def names_mistakes(field: str, names: Sequence[str], why_not_one: str) -> list[str]:
    """Return what is wrong with names of which there must be two, each its own."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        return [f"{field}: must be a list of names, got {names!r}"]
    mistakes = [
        mistake
        for position, name in enumerate(names)
        for mistake in name_mistakes(f"{field}[{position}]", name)
    ]
    if len(names) < 2:
        mistakes.append(f"{field}: at least two are needed, got {len(names)}; {why_not_one}")
    return mistakes + duplicate_mistakes(field, names)


def duplicate_mistakes(field: str, names: Sequence[Any]) -> list[str]:
    """Return which names are there more than once."""
    seen: set[Any] = set()
    twice: dict[Any, None] = {}
    for name in names:
        if isinstance(name, str) and name in seen:
            twice[name] = None
        elif isinstance(name, str):
            seen.add(name)
    return [f"{field}: {name!r} appears twice; give each its own name" for name in twice]


def prior_mistakes(prior: Sequence[float], labels: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the shares of labels."""
    if isinstance(prior, str | Mapping) or not _is_flat(prior):
        yield f"prior: must be a list of probabilities, one per label, got {prior!r}"
        return
    wrong = [f"prior[{j}]" for j, share in enumerate(prior) if not is_positive_number(share)]
    if wrong:
        yield f"{', '.join(wrong)}: must be a probability above 0, got {tuple(prior)!r}"
    elif not math.isclose(math.fsum(prior), 1, rel_tol=0, abs_tol=1e-9):
        yield f"prior: must sum to 1, sums to {math.fsum(prior):.12g}"
    if isinstance(labels, Sequence) and len(prior) != len(labels):
        yield f"prior: has {len(prior)} entries for {len(labels)} labels; give one per label"


def count_mistakes(counts: Any, size: int) -> Iterator[str]:
    """Yield what is wrong with the prior counts of a feature with so many values."""
    nested = isinstance(counts, tuple) and bool(counts) and isinstance(counts[0], tuple)
    rows = counts if nested else (counts if isinstance(counts, tuple) else (counts,) * size,)
    for position, row in enumerate(rows):
        where = f"prior_counts[{position}]" if nested else "prior_counts"
        if not isinstance(row, tuple) or len(row) != size:
            yield f"{where}: must have one number per value ({size}), got {row!r}"
        elif not all(is_positive_number(count) for count in row):
            yield (
                f"{where}: must be numbers above 0, or a total that the r values share, such as "
                f"'2/r', got {counts!r}"
            )
        elif not all(_LEAST_COUNT <= count <= _MOST_COUNT for count in row):
            yield f"{where}: must be from {_LEAST_COUNT:g} to {_MOST_COUNT:g}, got {counts!r}"


def shared_counts(counts: Any, size: int) -> Any:
    """Return the count of each of so many values that share a total, as in ``"2/r"``.

    So a feature counts the same however finely it is divided (the BDeu prior of Heckerman, 1995).

    >>> shared_counts("2/r", 8), shared_counts(1, 8)
    (0.25, 1)
    """
    total = _SHARED.fullmatch(counts) if isinstance(counts, str) else None
    return counts if total is None else float(total[1]) / size


def frozen_counts(counts: Any) -> Any:
    """Nested sequences as nested tuples of floats; what is not a number is kept for the message."""
    if hasattr(counts, "tolist"):  # an array; NumPy is not imported for `budgeted --help`
        counts = counts.tolist()
    if isinstance(counts, str) or not hasattr(counts, "__len__"):
        return float(counts) if is_positive_number(counts) else counts
    return tuple(frozen_counts(entry) for entry in counts)


def is_positive_number(number: object) -> bool:
    """Whether it is a finite number above 0."""
    try:
        value = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(number, bool | str) and math.isfinite(value) and value > 0


def _is_flat(numbers: object) -> bool:
    return isinstance(numbers, Sequence) or getattr(numbers, "ndim", 0) == 1
