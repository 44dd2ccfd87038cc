"""A feature as a study file or a form gives it: a table of plain texts, numbers and lists.

``kind`` says what its values are, ``categorical`` unless given; the parameters of the kind stand
beside it in the same table::

    [[features]]
    name = "ferritin"
    values = ["low", "normal", "high"]
    cost = "18.00"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from budgeted.errors import BudgetedError, ProblemError
from budgeted.problem import Feature
from budgeted.problem.values import KINDS, USUAL, Kind, from_table
from budgeted.registry import parameter_names, required_names
from budgeted.studies.naming import there_are

_STAND_IN = ("a", "b")
"""Values in the place of those that make no sense, so that the rest can be checked too."""


def feature_of(table: Mapping[str, Any]) -> Feature:
    """Return the feature of a table.

    >>> feature_of({"name": "fever", "values": ["no", "yes"], "cost": "1.50"}).values
    ('no', 'yes')
    """
    others = {key: table[key] for key in ("cost", "prior_counts") if key in table}
    return Feature(table["name"], _kind(table), **others)


def feature_mistakes(table: object, where: str) -> tuple[Feature | None, list[str]]:
    """Return the feature of a table, if there is one, and what is wrong with it in words.

    >>> feature_mistakes({"name": "fever", "value": ["no", "yes"], "cost": 1}, "features[0]")[1]
    ["features[0].value: there is no such key; did you mean 'values'? There are name, kind, \
values, ordered, cost, prior_counts", 'features[0].values: is missing']
    """
    if not isinstance(table, dict):
        keys = ", ".join(_keys(USUAL))
        return None, [f"{where}: must be a table with {keys}, got {table!r}"]
    name = table.get("kind", USUAL)
    if not isinstance(name, str) or name not in KINDS:
        return None, [f"{where}.kind: must be one of {', '.join(KINDS)}, got {name!r}"]
    mistakes = list(_key_mistakes(table, where, _keys(name), _required(name)))
    # What is missing was said; with something in its place the rest can be checked too.
    values: Kind | Sequence[str] = _STAND_IN
    try:
        if all(key in table for key in required_names(KINDS[name])):
            values = _kind(table)
    except ProblemError as error:
        mistakes += (f"{where}.{each}" for each in error.mistakes)
    except BudgetedError as error:
        mistakes.append(f"{where}: {error}")
    whole: dict[str, Any] = {"name": "?", "cost": 1} | table
    others = {"prior_counts": table["prior_counts"]} if "prior_counts" in table else {}
    try:
        return Feature(whole["name"], values, whole["cost"], **others), mistakes
    except ProblemError as error:
        prefix = f"feature {whole['name']!r}: "
        found = [each.removeprefix(prefix) for each in error.mistakes]
        if values is _STAND_IN:  # how many counts there must be is not known
            found = [each for each in found if not each.startswith("prior_counts")]
        return None, mistakes + [f"{where}.{each}" for each in found]


def with_decimal(table: Any, decimal: object) -> Any:
    """Return the table of a feature with the decimal mark of the study, unless it has its own.

    >>> with_decimal({"kind": "number", "cuts": ["37,5"]}, "comma")["decimal"]
    'comma'
    >>> with_decimal({"values": ["no", "yes"]}, "comma")
    {'values': ['no', 'yes']}
    """
    name = table.get("kind", USUAL) if isinstance(table, dict) else None
    if decimal is None or not isinstance(name, str) or name not in KINDS:
        return table
    takes = "decimal" in parameter_names(KINDS[name])
    return {"decimal": decimal, **table} if takes else table


def _kind(table: Mapping[str, Any]) -> Kind:
    known = parameter_names(KINDS[table.get("kind", USUAL)])
    own = {key: table[key] for key in table if key == "kind" or key in known}
    return from_table(own)


def _keys(name: str) -> tuple[str, ...]:
    own = parameter_names(KINDS[name]) if name in KINDS else ()
    return ("name", "kind", *own, "cost", "prior_counts")


def _required(name: str) -> tuple[str, ...]:
    return ("name", *required_names(KINDS[name]), "cost")


def _key_mistakes(
    table: Mapping[str, Any], where: str, known: Sequence[str], required: Sequence[str]
) -> Iterator[str]:
    for key in table:
        if key not in known:
            yield f"{where}.{key}: there is no such key; {there_are(key, known)}"
    yield from (f"{where}.{key}: is missing" for key in required if key not in table)
