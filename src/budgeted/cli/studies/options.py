"""The options of the commands about studies: those that they share, and those of operations.

The arguments and options of an operation come from the fields of its command.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, get_args

import click

from budgeted.cli.output import telling
from budgeted.studies.commands.base import Command, Field, fields_of

if TYPE_CHECKING:
    from budgeted.studies.study import Study

DATABASE = "budgeted.db"
KEY = click.option(
    "--key",
    default="",
    metavar="KEY",
    help="Made up by you, such as a UUID: with the same key it is done once, however often it is "
    "sent.",
)


SHARED = ("name", "by", "database", "as_json", "key")
"""What every operation takes, besides the fields of its command."""
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def separator_named(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """Return the character that somebody named."""
    if given is None or len(given) == 1:
        return given
    if given.replace("\\t", "tab") in _DELIMITERS:
        return _DELIMITERS[given.replace("\\t", "tab")]
    raise click.BadParameter(
        f"must be one character, or one of {', '.join(_DELIMITERS)}; got {given!r}"
    )


def with_csv(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a CSV is written."""
    for option in (
        click.option("--encoding", default="utf-8", show_default=True,
                     help="How the text of the CSV is written in bytes."),
        click.option("--delimiter", metavar="MARK", callback=separator_named,
                     help="What stands between the cells: a character, or comma, semicolon, tab, "
                     "bar.  [default: found out from the first line]"),
    ):  # fmt: skip
        command = option(command)
    return command


def with_case_columns(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what the columns of a list of cases are."""
    for option in (
        click.option("--group", "group_column", default="group", show_default=True,
                     help="Column that holds the group, if there is one."),
        click.option("--label", "label_column", default="label", show_default=True,
                     help="Column that holds the label."),
        click.option("--id", "id_column", default="case", show_default=True,
                     help="Column that names the case."),
    ):  # fmt: skip
        command = option(command)
    return command


def on_a_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that all share, and open the study for it."""

    @click.option("--study", "name", metavar="NAME", envvar="BUDGETED_STUDY",
                  help="Which study, where the database holds more than one.")  # fmt: skip
    @click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
    @with_database
    @with_json
    @functools.wraps(command)
    def opened(name: str | None, database: str, by: str | None, **arguments: Any) -> Any:
        from budgeted.studies.study import Study

        with Study.open(database, name, by=by) as found:
            return command(found, **arguments)

    return opened


def changing_a_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same for a command that writes; what it did is said even if it cannot be printed."""

    @functools.wraps(command)
    def told(found: Study, **arguments: Any) -> Any:
        before = found.events
        with telling(lambda: found.events - before):
            return command(found, **arguments)

    return on_a_study(told)


def with_database(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option that says where the studies are."""
    return click.option(
        "--db", "database", metavar="URL", default=DATABASE, show_default=True,
        envvar="BUDGETED_DB", help="SQLite file, or postgresql://user@host/name (BUDGETED_DB).",
    )(command)  # fmt: skip


def with_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option that scripts use."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(command)


def shares_of(given: tuple[str, ...]) -> dict[str, float]:
    """Return the shares of labels given as LABEL=SHARE."""
    shares = {}
    for each in given:
        label, _, share = each.rpartition("=")
        try:
            shares[label] = float(share)
        except ValueError:
            raise click.BadParameter(f"must be LABEL=SHARE, got {each!r}") from None
    return shares


def of_operation(kind: type[Command]) -> list[Callable[..., Any]]:
    """Return the arguments and options of an operation, in the order of its fields."""
    made: list[Callable[..., Any]] = []
    for each in fields_of(kind):
        if not each.about.hidden:
            made += _of_field(each)
    return [*made, KEY]


def command_from(kind: type[Command], given: dict[str, Any]) -> Command:
    """Return the command that the arguments and options say."""
    fields = [each for each in fields_of(kind) if not each.about.hidden]
    return kind(**{each.name: _value_of(each, given) for each in fields})


def _of_field(each: Field) -> list[Callable[..., Any]]:
    about, flag = each.about, f"--{each.name.replace('_', '-')}"
    name, help_ = about.option or (flag, about.help)
    if each.parts is not None:
        return _of_list(each, name, help_)
    if each.may_be(Decimal) and each.may_be(bool):
        switch = click.option(name, each.name, is_flag=True, help=help_)
        made = [switch] if about.option else []
        if about.amount_option:
            option, said = about.amount_option
            made.append(click.option(option, f"{each.name}_amount", metavar="AMOUNT", help=said))
        return made
    if each.may_be(bool):
        two = each.hint is not bool  # it may also be left open
        both = f"{name}/--no-{name[2:]}" if two else name
        return [click.option(both, each.name, is_flag=True, default=None if two else False,
                             help=help_)]  # fmt: skip
    if each.required:
        kind = _type_of(each)
        required = about.none_option is None
        made = [click.argument(each.name, type=kind, required=required, metavar=about.metavar)]
        if about.none_option:
            option, said = about.none_option
            made.append(click.option(option, f"no_{each.name}", is_flag=True, help=said))
        return made
    if _type_of(each) is int:
        least = click.IntRange(min=about.least)
        return [click.option(name, each.name, default=each.default,
                             show_default=each.default is not None, type=least,
                             help=help_)]  # fmt: skip
    return [click.option(name, each.name, default=each.default, type=_type_of(each), help=help_)]


def _type_of(each: Field) -> type:
    """Return what is made of the text that somebody typed; amounts of money stay text."""
    if each.may_be(str) or each.may_be(Decimal):
        return str
    return next((kind for kind in (int, float, bool) if each.may_be(kind)), str)


def _value_of(each: Field, given: dict[str, Any]) -> Any:
    if each.parts:  # on the command line, one of them
        (kind,) = get_args(each.hint)
        return [kind(*(given[part] for part in each.parts))] if each.required else each.default
    if each.parts is not None:
        return tuple(given[each.name])
    if each.is_table:
        return _table(each.name, given[each.name])
    if each.may_be(Decimal) and each.may_be(bool):
        amount = given.get(f"{each.name}_amount")
        return given.get(each.name, each.default) if amount is None else amount
    if each.hint is bool:
        return each.default != given[each.name]  # a switch turns the default round
    if each.about.none_option and (given[each.name] is None) != given[f"no_{each.name}"]:
        raise click.UsageError(
            f"give the right {each.name.upper()}, or {each.about.none_option[0]}"
        )
    return given[each.name]


def _of_list(each: Field, name: str, help_: str) -> list[Callable[..., Any]]:
    """Names are an option that can be given several times; of tuples there is one, if any."""
    if not each.parts:
        return [click.option(name, each.name, multiple=True, metavar="NAME", help=help_)]
    optional = getattr(get_args(each.hint)[0], "_field_defaults", {})
    return [
        click.option(f"--{part}", is_flag=True, help=f"{part.capitalize()} it; see above.")
        if isinstance(optional.get(part), bool)
        else click.argument(part, required=part not in optional, default=optional.get(part))
        for part in (each.parts if each.required else ())
    ]


def _table(name: str, text: str) -> dict[str, Any]:
    """Return a table that was typed as JSON."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        raise click.BadParameter(
            f'must be JSON such as {{"name": "fever"}}, got {text!r}', param_hint=name.upper()
        ) from None
