"""The events of a study as they happen: a stream that is opened again when it is lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from budgeted.client.answers import Live
from budgeted.client.connection import Connection
from budgeted.client.reading import read
from budgeted.client.refusals import BUSY
from budgeted.errors import AccessError, ServerError, UnknownError

SILENCE = 60.0
"""Seconds without a sign of life after which a stream counts as lost; servers send one every 15."""


class Sent(NamedTuple):
    """A server-sent event."""

    name: str
    data: str


def sent(lines: Iterable[str]) -> Iterator[Sent]:
    """Yield the events that lines of a stream hold.

    >>> list(sent(["retry: 1000", "", ": still here", "", "id: 7", "event: changed",
    ...            'data: {"seq": 7}', ""]))
    [Sent(name='changed', data='{"seq": 7}')]
    """
    name, data = "", []
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                yield Sent(name, "\n".join(data))
            name, data = "", []


def watch(connection: Connection, path: str, after: int) -> Iterator[Live]:
    """Yield the events of a journal behind a number, for good.

    Parameters
    ----------
    connection, path
        The server, and the address of the stream.
    after
        Number of the last event that is known.
    """
    import httpx  # noqa: PLC0415 - the connection has it

    failed = 0
    while True:
        params = {"after": str(after)}
        problem: object = "the server ended the stream"
        try:
            with connection.stream(path, params, SILENCE) as answer:
                if answer.status_code not in BUSY or failed == connection.retries:
                    connection.check(answer)
                problem = f"it answered {answer.status_code}"
                if answer.is_success:
                    failed = 0
                    for event in sent(answer.iter_lines()):
                        found = _understood(event)
                        if found is not None and found.seq != after:
                            after = found.seq
                            yield found
        except httpx.TransportError as error:
            problem = error
        if failed == connection.retries:
            raise ServerError(f"{connection.url} cannot be reached any more: {problem}")
        connection.wait(failed)
        failed += 1


def _understood(event: Sent) -> Live | None:
    """Return an event of the journal; None for one that is about something else."""
    try:
        data: Any = json.loads(event.data)
    except ValueError:
        raise ServerError(f"an event is no JSON: {event.data!r}") from None
    if event.name == "gone":
        raise UnknownError(data["words"])
    if event.name == "logged-out":
        raise AccessError("the token is not accepted any more")
    return read(Live, data) if event.name == "changed" else None
