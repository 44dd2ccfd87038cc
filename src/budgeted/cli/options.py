"""Options that several commands have: names of members, and parameters of members."""

from __future__ import annotations

import tomllib
from typing import Any

import click

from budgeted.errors import BudgetedError


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
        try:
            found[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = text.strip()
    return found
