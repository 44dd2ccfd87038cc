"""A server and its studies, from another program."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from budgeted.client.answers import Card, Studies
from budgeted.client.connection import Connection
from budgeted.client.endpoint import Endpoint
from budgeted.client.study import RemoteStudy

if TYPE_CHECKING:
    import ssl


class Client:
    """Speaks with a server that `budgeted serve` started.

    Parameters
    ----------
    url
        Its address, such as ``https://lab.example.org`` or ``http://localhost:8000``; with the path
        in front of everything, if it has one.
    token
        What ``budgeted serve-token`` printed; None where nobody logs in, on this machine.
    timeout
        Seconds that one attempt may take.
    retries
        How many times more a request is sent when the server cannot be reached, says that it cannot
        answer now (502, 503, 504), or its answer is lost. A change has the same idempotency key
        each time, so it is carried out once at most.
    pause
        Seconds before the second attempt, at most; twice as long before each one that follows.
    plain_http
        Whether a token may go over the network in plain text. It should not.
    certificates
        Who is trusted, where it is not the usual ones: ``ssl.create_default_context(cafile=…)``.

    Examples
    --------
    >>> client = Client("http://lab.example.org", token="secret")
    Traceback (most recent call last):
    ...
    budgeted.errors.AccessError: http://lab.example.org would carry the token in plain text, for \
everybody on the way to read; use https, or insist with plain_http=True
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        pause: float = 0.5,
        plain_http: bool = False,
        certificates: ssl.SSLContext | None = None,
    ) -> None:
        self._connection = Connection(
            url,
            token,
            timeout=timeout,
            retries=retries,
            pause=pause,
            plain_http=plain_http,
            certificates=certificates,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._connection.url!r})"

    def close(self) -> None:
        """Let go of all connections."""
        self._connection.close()

    def study(self, name: str) -> RemoteStudy:
        """Return a study by its name; nothing is asked of the server yet."""
        return RemoteStudy(self._connection, name)

    def studies(self, text: str = "", *, closed: bool = False) -> tuple[Card, ...]:
        """Return studies whose names hold a text, open or closed, the latest event first."""
        found: dict[str, Card] = {}
        page = pages = 1
        while page <= pages:
            params = {"text": text, "closed": closed, "page": page}
            several = Endpoint(self._connection).look(Studies, "studies", params=params)
            found |= {each.id: each for each in several.studies}  # one may have moved to a new page
            page, pages = page + 1, several.pages
        return tuple(found.values())

    def create_study(
        self,
        study: str | Mapping[str, Any],
        cases: str,
        *,
        id_column: str = "case",
        label_column: str = "label",
        validation: str | None = None,
    ) -> RemoteStudy:
        """Begin a study.

        Its creation has no idempotency key: where the answer is lost, it is not sent again.

        Parameters
        ----------
        study
            A study file (TOML) as text, or its content.
        cases
            The list of cases, CSV as text, with a column for the case and one for the label.
        id_column, label_column
            Their names.
        validation
            CSV with all features and the label, to measure the error on.
        """
        body: dict[str, Any] = {
            "study": study,
            "cases": cases,
            "id_column": id_column,
            "label_column": label_column,
        }
        if validation is not None:
            body["validation"] = validation
        card = Endpoint(self._connection).look(Card, "create", body=body)
        return self.study(card.name)
