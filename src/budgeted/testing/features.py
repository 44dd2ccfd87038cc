"""What every kind of feature must do, whatever its values are."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, is_dataclass
from typing import Any

from budgeted.errors import ObservationError
from budgeted.problem import Feature
from budgeted.problem.feature_kinds import Kind, parameters_of
from budgeted.problem.feature_kinds.base import check_kind
from budgeted.registry import frozen
from budgeted.testing.words import in_words

_NO_VALUES = (None, b"1", 1j, float("nan"), "", "\x00 no value of anything \x00", ["a list"])
"""What nobody can mean as a value."""


def check_feature(kind: Kind, examples: Sequence[object] = ()) -> None:
    """Raise an error in words unless a kind of feature keeps the contract of all kinds.

    Its parameters can be written as JSON, and make it again. What it keeps of a value reads as
    itself, and has always the same category. What is no value is refused in words. A value that it
    doubts is refused with the reason, and taken by who insists on it.

    Parameters
    ----------
    kind
        With the parameters that it is to be tried with.
    examples
        Values as people may tell them: text or numbers. They are needed where nothing can be
        chosen, and are tried beside the choices. With one that it doubts, that is tried too.

    Examples
    --------
    >>> from budgeted.problem.feature_kinds import kind
    >>> check_feature(kind("categorical", values=("1", "2", "3")), examples=[2, 3.0])
    """
    assert not isinstance(kind, type), f"give an object, such as {kind!r}(…), not its class"
    with in_words("the kind"):
        check_kind(type(kind))
    with in_words("a parameter, or what is made of them,"):
        _check_parameters(kind)
    with in_words("categories, choices or expects"):
        _check_categories(kind)
    values = [*kind.choices, *examples]
    assert values, "nothing can be chosen, so give examples of values"
    for each in values:
        with in_words(f"read({each!r}), or category of what it returned,"):
            _check_value(kind, each)
    for nothing in _NO_VALUES:
        _check_refusal(kind.read, nothing)
        if isinstance(nothing, str):  # a damaged journal may have it
            _check_refusal(kind.category, nothing)


def _check_parameters(kind: Kind) -> None:
    """Studies and models write the parameters down as JSON, and make the kind of them again."""
    assert is_dataclass(kind)
    try:
        json.dumps(asdict(kind), allow_nan=False)
        plain = json.loads(json.dumps(parameters_of(kind), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"JSON cannot hold its parameters: {error}") from error
    again = type(kind)(**{key: frozen(value) for key, value in plain.items()})
    assert again == kind, f"made again of its parameters it is another: {again!r}"
    assert hash(again) == hash(kind), "it must be hashable, as a frozen dataclass is"
    assert deepcopy(kind) == kind, "copied, as for another process, it is another"


def _check_categories(kind: Kind) -> None:
    found = kind.categories
    assert isinstance(found, tuple), f"categories must be a tuple of names, got {found!r}"
    assert len(found) >= 2, f"at least two categories are needed, got {found!r}"
    named = all(isinstance(each, str) and each.strip() for each in found)
    assert named, f"categories must be names: {found!r}"
    assert len(set(found)) == len(found), f"categories must be different: {found!r}"
    assert isinstance(kind.choices, tuple), f"choices must be a tuple, got {kind.choices!r}"
    assert isinstance(kind.expects, str), "expects must be text"
    assert kind.expects.strip(), "expects must say what can be told"
    scale = getattr(kind, "scale", "")
    assert isinstance(scale, str), f"scale must be text, got {scale!r}"
    for each in kind.choices:
        assert kind.read(each) == each, f"the choice {each!r} is kept as {kind.read(each)!r}"


def _check_value(kind: Kind, told: object) -> None:
    kept = kind.read(told)
    assert isinstance(kept, str), f"{told!r} is kept as {kept!r}; it must be text"
    assert kept.strip() == kept not in ("", "?"), f"{told!r} is kept as {kept!r}: that is no value"
    assert kind.read(kept) == kept, f"{told!r} is kept as {kept!r}, which reads as another value"
    at = kind.category(kept)
    assert type(at) is int, f"the category of {kept!r} must be a position, got {at!r}"
    assert 0 <= at < len(kind.categories), f"there is no category {at!r}, that of {kept!r}"
    assert kind.category(kept) == at, f"{kept!r} has once this category, once another"
    feature = Feature("a feature", kind, 1)
    assert feature.value_index(kept) == at
    assert feature.same(kept, kept) is True, f"{kept!r} is not the same as itself"
    _check_doubt(feature, kept)


def _check_doubt(feature: Feature, kept: str) -> None:
    """A doubtful value is refused, with a reason; it is taken by who insists."""
    doubt = getattr(feature.kind, "doubt", lambda _: "")(kept)
    assert isinstance(doubt, str), f"doubt({kept!r}) must be text, got {doubt!r}"
    assert feature.read(kept, force=True) == kept, f"{kept!r} is not taken by who insists on it"
    if not doubt:
        assert feature.read(kept) == kept
        return
    assert doubt.strip(), f"doubt({kept!r}) must say why"
    _check_refusal(feature.read, kept)


def _check_refusal(method: Callable[[Any], object], nothing: object) -> None:
    try:
        kept = method(nothing)
    except ObservationError:
        return
    except Exception as error:
        raise AssertionError(
            f"{nothing!r} must be refused with an ObservationError, got {type(error).__name__}"
        ) from error
    raise AssertionError(f"{nothing!r} is taken for a value, {kept!r}")
