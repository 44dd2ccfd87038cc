"""What the command line does when nobody can read what it prints: a full disk, a closed pipe.

No traceback, an exit code that says so, and, where something was done before it could not be told,
the words that it was done.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click

from budgeted.errors import PluginWarning

_WORDS = {
    errno.ENOSPC: "no space is left",
    errno.EPIPE: "nobody reads it any more",
    errno.EBADF: "it is closed",
    errno.EIO: "the device failed",
    errno.EDQUOT: "no more space is allowed",
    errno.EFBIG: "the file would be too large",
}


class Unwritten(click.ClickException):
    """The output could not be written; the message says what became of the rest."""

    def __init__(self, reason: str, more: str = "") -> None:
        super().__init__(
            f"the output could not be written: {reason}" + (f"; {more}" if more else "")
        )


class Group(click.Group):
    """Commands that end in one line when their output cannot be written."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; see `click.Command.main`."""
        try:
            if sys.stdout is None:  # the next file that is opened would take its place
                raise Unwritten("there is no stdout", "nothing was done")
            return super().main(*args, **options)
        except OSError as error:
            _end(Unwritten(reason_of(error)))
        except Unwritten as error:
            _end(error)


@contextlib.contextmanager
def plain_warnings() -> Iterator[None]:
    """Say in a plain line what was left out; other warnings are shown as Python shows them."""

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, *more: Any
    ) -> None:
        if issubclass(category, PluginWarning):
            click.echo(f"Warning: {message}", err=True)
        else:
            usual(message, category, filename, lineno, *more)

    usual = warnings.showwarning
    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


@contextlib.contextmanager
def telling(recorded: Callable[[], int]) -> Iterator[None]:
    """Say that something was recorded if that cannot be printed."""
    try:
        yield
    except (OSError, SystemExit) as error:  # rich ends like that when nobody reads
        events = recorded()
        if not events:
            raise
        reason = reason_of(error) if isinstance(error, OSError) else _WORDS[errno.EPIPE]
        _silence()
        raise Unwritten(
            reason,
            f"but all was done, and is recorded: do not do it again, look at it with: "
            f"budgeted study history --last {events}",
        ) from None


def reason_of(error: OSError) -> str:
    """Return why something could not be written, in words.

    >>> reason_of(OSError(errno.ENOSPC, "No space left on device"))
    'no space is left'
    """
    return _WORDS.get(error.errno or 0) or error.strerror or str(error)


def _end(error: Unwritten) -> None:
    _silence()
    with contextlib.suppress(OSError, AttributeError):
        error.show()
    sys.exit(error.exit_code)


def _silence() -> None:
    """Let what is still to be printed go nowhere, so that Python does not complain when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
