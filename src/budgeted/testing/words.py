"""What a member raises, said in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn whatever a member raises into an `AssertionError` that says so.

    >>> with in_words("choose"):
    ...     {}["nothing"]
    Traceback (most recent call last):
    ...
    AssertionError: choose raised KeyError: 'nothing'
    """
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error
