"""Write docs/cli.md from the ``--help`` of every command.

python tools/write_cli_reference.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from budgeted.cli.main import main

TARGET = Path(__file__).resolve().parent.parent / "docs" / "cli.md"


def commands(command: click.Command, path: str) -> Iterator[str]:
    """Yield the words of a command and of all below it."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in sorted(command.list_commands(context)):
            inner = command.get_command(context, name)
            assert inner is not None, name
            yield from commands(inner, f"{path} {name}")


def reference() -> str:
    """Return the page."""
    parts = ["# The command line\n\nWritten by `tools/write_cli_reference.py` from `--help`.\n"]
    for path in commands(main, "budgeted"):
        words = [*path.split()[1:], "--help"]
        shown = CliRunner().invoke(main, words, prog_name="budgeted", max_content_width=88)
        parts.append(f"## `{path}`\n\n```text\n{shown.output.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
