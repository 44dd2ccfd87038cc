"""The connection to a server: what may be sent where, sent again when an answer is lost.

A token is a password, so it never goes in plain text over a network, and never anywhere but to the
address that was given: redirects are not followed, and neither is what the environment says of
proxies when the server is on this machine.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit
from uuid import uuid4

from budgeted.addresses import is_loopback
from budgeted.client.refusals import BUSY, refusal_of
from budgeted.errors import AccessError, ServerError, UnknownFateError

if TYPE_CHECKING:
    import ssl

    import httpx

LONGEST_PAUSE = 30.0


class Connection:
    """Sends requests to one server; see `budgeted.client.Client` for the parameters."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        retries: int,
        pause: float,
        plain_http: bool,
        certificates: ssl.SSLContext | None,
    ) -> None:
        self.url = _checked_url(url, token, plain_http)
        self.retries, self.pause = retries, pause
        headers = {} if token is None else {"Authorization": f"Bearer {_checked_token(token)}"}
        self._http: httpx.Client = _httpx().Client(
            headers={"Accept": "application/json", **headers},
            timeout=timeout,
            follow_redirects=False,
            trust_env=not is_loopback(urlsplit(self.url).hostname or ""),
            verify=True if certificates is None else certificates,
        )

    def close(self) -> None:
        """Let go of all connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        key: str = "",
        again: bool = True,
    ) -> httpx.Response:
        """Return the answer to a request, or raise what the server refuses it with."""
        library = _httpx()
        headers = {"Idempotency-Key": key} if key else {}
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = _text(body)
        doubt = False  # whether an attempt may have been carried out
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                answer: httpx.Response = self._http.request(
                    method, self.url + path, params=params, content=content, headers=headers
                )
            except library.TransportError as error:
                arrived = not isinstance(error, library.ConnectError | library.ConnectTimeout)
                doubt |= arrived
                if last or (arrived and not again) or "CERTIFICATE" in str(error):
                    self._give_up(error, key, doubt=doubt and (bool(key) or not again))
                self.wait(attempt)
                continue
            if answer.status_code in BUSY and again and not last:
                doubt = True
                self.wait(attempt, answer.headers.get("retry-after", ""))
                continue
            self.check(answer, key)
            return answer
        raise AssertionError("the last attempt returns or raises")

    def check(self, answer: httpx.Response, key: str = "") -> None:
        """Raise what an answer refuses."""
        if answer.is_success:
            return
        if answer.is_redirect:
            where = urlsplit(answer.headers.get("location", ""))._replace(query="", fragment="")
            raise ServerError(
                f"{self.url} sends on to {where.geturl() or 'another address'}; nothing was sent "
                f"there. If that is the server, give its address"
            )
        answer.read()
        raise refusal_of(answer.status_code, _json(answer), self.url, key)

    def wait(self, attempt: int, wanted: str = "") -> None:
        """Pause before the next attempt: longer each time, and not in step with other clients."""
        pause = self.pause * 2**attempt * random.uniform(0.5, 1)
        if wanted.isascii() and wanted.isdigit():
            pause = max(pause, float(wanted))
        time.sleep(min(pause, LONGEST_PAUSE))

    def _give_up(self, error: Exception, key: str, *, doubt: bool) -> NoReturn:
        words = str(error) or type(error).__name__
        if doubt:
            raise UnknownFateError(
                f"the answer was lost ({words}), and nobody knows whether it was carried out",
                self.url,
                key,
            ) from error
        raise ServerError(f"{self.url} cannot be reached: {words}") from error


def new_key() -> str:
    """Return an idempotency key that nobody else has."""
    return uuid4().hex


def _text(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ServerError(f"this cannot be sent: {error}") from None


def _plain(value: object) -> object:
    """Return what JSON can hold instead of a decimal, or of a number of NumPy."""
    if isinstance(value, Decimal):
        return str(value)
    item = getattr(value, "item", None)
    if item is None:
        raise TypeError(f"{value!r} is no text, number or list of them")
    return item()


def _json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except ValueError:
        return None


def _checked_url(url: str, token: str | None, plain_http: bool) -> str:
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port  # a port may be no number
    except ValueError as error:
        raise ServerError(f"{url!r} is no address of a server: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ServerError(
            f"{url!r} is no address of a server; it is written like 'https://lab.example.org'"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ServerError("the address of a server has no name, password, '?' or '#' in it")
    if token is not None and parts.scheme == "http" and not (is_loopback(host) or plain_http):
        raise AccessError(
            f"http://{host} would carry the token in plain text, for everybody on the way to read; "
            f"use https, or insist with plain_http=True"
        )
    return parts.geturl().rstrip("/")


def _checked_token(token: str) -> str:
    found = token.strip()
    if not found or not found.isascii() or not found.isprintable() or " " in found:
        raise AccessError("a token is one word of ASCII, as 'budgeted serve-token' printed it")
    return found


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ServerError("the client needs httpx: pip install 'budgeted[client]'") from error
    return httpx
