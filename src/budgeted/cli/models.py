"""Models to take away: a model file in another form, and what forms there are."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from budgeted.cli.studies.options import with_json

if TYPE_CHECKING:
    from budgeted.learners.formats import ModelFormat
    from budgeted.learners.model import Model

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, writable=True, path_type=Path)

with_format = click.option(
    "--format", "format", metavar="NAME",
    help="In which form; 'budgeted model formats' lists them.  [default: by the ending of --out, "
    "json without one]",
)  # fmt: skip
with_prior = click.option(
    "--prior", "shares", multiple=True, metavar="LABEL=SHARE",
    help="Shares of the labels in the population; once per label.",
)  # fmt: skip


@click.group("model")
def model() -> None:
    """Take the model of a study away: JSON, ONNX, a page, a score sheet, code.

    'budgeted study model' writes that of a study, the commands below start from its JSON file.
    """


@model.command()
@click.argument("file", metavar="MODEL", type=_FILE)
@with_format
@with_prior
@click.option("--out", type=_NEW_FILE, help="Into this file.")
def export(file: Path, format: str | None, shares: tuple[str, ...], out: Path | None) -> None:
    """Write a model file in another form."""
    from budgeted.learners.model import Model

    write_as(with_shares(Model.read(file), shares), format, out)


@model.command()
@with_json
def formats(as_json: bool) -> None:
    """List the forms in which a model can be taken away, and what they need."""
    from budgeted.learners.formats import FORMATS as found

    if as_json:
        listed = [
            {"name": each.name, "title": each.title, "ending": each.ending,
             "media_type": each.media_type, "missing": each.missing}
            for each in found.values()
        ]  # fmt: skip
        click.echo(json.dumps(listed, indent=2))
        return
    width = max(map(len, found))
    for name, each in found.items():
        lacks = f" ({each.missing})" if each.missing else ""
        click.echo(f"{name:<{width}}  {each.title}{lacks}")


@model.command()
def schema() -> None:
    """Print the JSON Schema of model files."""
    from budgeted.learners.formats import schema_text

    click.echo(schema_text(), nl=False)


def write_as(chosen: Model, format: str | None, out: Path | None) -> None:
    """Write a model in a form, to a file or to where the output goes."""
    from budgeted.errors import UnknownError
    from budgeted.learners.formats import model_format

    if format is None:
        found = _of_ending("" if out is None else out.suffix)
    else:
        try:
            found = model_format(format)
        except UnknownError as error:
            raise click.BadParameter(str(error), param_hint="--format") from None
    content = found.content(chosen)
    if out is not None:
        try:
            out.write_bytes(content)
        except OSError as error:
            raise click.ClickException(f"{out}: {error.strerror}") from None
        return
    if not found.is_text and sys.stdout.isatty():
        raise click.UsageError(f"the form {found.name!r} is no text; give a file with --out")
    click.echo(content, nl=False)


def _of_ending(suffix: str) -> ModelFormat:
    """Return the first form whose files end like that, JSON without an ending, or refuse it."""
    from budgeted.learners.formats import FORMATS, model_format

    if not suffix:
        return model_format("json")
    endings: dict[str, ModelFormat] = {}
    for each in FORMATS.values():
        endings.setdefault(f".{each.ending.lower()}", each)
    if suffix.lower() not in endings:
        there = ", ".join(sorted(endings))
        raise click.BadParameter(
            f"no form ends in {suffix!r}; there are {there}, or say which with --format",
            param_hint="--out",
        )
    return endings[suffix.lower()]


def with_shares(model: Model, given: tuple[str, ...]) -> Model:
    """Return the model for a population with these shares of labels; as it is if none are given."""
    from budgeted.cli.studies.options import shares_of
    from budgeted.errors import ModelError

    if not given:
        return model
    try:
        return model.with_prior(shares_of(given))
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--prior") from None
