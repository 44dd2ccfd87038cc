"""Options that several commands have: names of members, and parameters of members."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgeted.errors import BudgetedError

if TYPE_CHECKING:
    from budgeted.problem import PriceList


def known_loss(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Refuse a loss that there is not; those of other packages are known, too."""
    from budgeted.value.loss import named

    try:
        return None if name is None else named(name).name
    except BudgetedError as error:
        raise click.BadParameter(str(error), context, option) from error


def settings_of(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any]:
    """Return what stands before and behind each "="; a value is as in a TOML file, or text."""
    found: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not (name.strip() and equals):
            raise click.BadParameter(f"must be NAME=VALUE, got {each!r}", context, option)
        if name.strip() in found:
            raise click.BadParameter(f"{name.strip()} is given twice", context, option)
        try:
            found[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = text.strip()
    return found


def parameters_for(member: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Take those settings out that begin with what they are for, such as ``learner.``.

    >>> given = {"learner.depth": 3, "loss": "gini"}
    >>> parameters_for("learner", given), given
    ({'depth': 3}, {'loss': 'gini'})
    """
    mine = [key for key in settings if key.startswith(f"{member}.")]
    return {key.removeprefix(f"{member}."): settings.pop(key) for key in mine}


def prices_of(given: str | None, own: dict[str, Any]) -> PriceList | None:
    """Return a price list by its name, or that of a TOML file, with parameters of one's own."""
    from budgeted.problem.prices import from_table

    if given is None and not own:
        return None
    try:
        if given is None:
            raise BudgetedError("name the price list whose parameters are set")
        table = _prices_in(Path(given)) if given.endswith(".toml") else {"list": given}
        return from_table({**table, **own})
    except BudgetedError as error:
        raise click.BadParameter(str(error), param_hint="'--prices'") from error


def _prices_in(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BudgetedError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BudgetedError(f"{path}: is not TOML: {error}") from error
    table = document.get("prices")
    if not isinstance(table, dict):
        raise BudgetedError(f"{path}: has no table [prices]")
    return table
