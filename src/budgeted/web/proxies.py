"""What a proxy in front of the server says about a request, believed only from trusted ones.

A proxy speaks for the browser: the peer of the connection is the proxy, its scheme is plain HTTP,
and it may have another host name and a path in front. It says what the browser saw in the headers
``X-Forwarded-For``, ``-Proto``, ``-Host`` and ``-Prefix``. Anybody else could write them, too; so
they count only if the peer is one of `Settings.trusted_proxies`.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from budgeted.web.settings import PREFIX, Settings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_LOG = logging.getLogger("budgeted.web")
_MARKS = ("x-forwarded-for", "forwarded", "x-real-ip")
"""Headers by which a proxy can be recognised."""
_HOST = re.compile(r"[A-Za-z0-9._~-]{1,255}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


class Forwarded:
    """Middleware that makes a request look as the browser sent it.

    Sets the client's address, the scheme and the host; takes the path in front of everything
    (``--root-path``) off the path, and keeps it in ``request.state.root``.

    Parameters
    ----------
    app
        What is behind.
    settings
        Of the server: its trusted proxies, and the path in front.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._trusted = settings.proxy_networks
        self._root = settings.root_path
        self._quiet = not settings.credentials_needed  # then such requests are refused anyway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as the browser sent it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        state = scope.setdefault("state", {})
        root = self._root
        client = scope.get("client")
        if self._trusted and client is not None and is_trusted(client[0], self._trusted):
            address = client_address(headers.getlist("x-forwarded-for"), self._trusted)
            if address:
                scope["client"] = (address, 0)
            if (scheme := _last(headers, "x-forwarded-proto").lower()) in ("http", "https"):
                scope["scheme"] = scheme
            if _HOST.fullmatch(host := _last(headers, "x-forwarded-host")):
                scope["headers"] = [
                    *(each for each in scope["headers"] if each[0] != b"host"),
                    (b"host", host.encode()),
                ]
            prefix = _last(headers, "x-forwarded-prefix").rstrip("/")
            if not root and PREFIX.fullmatch(prefix):
                root = prefix
        else:
            state["proxied"] = any(name in headers for name in _MARKS)
            if state["proxied"]:
                self._warn("?" if client is None else client[0])
        path: str = scope["path"]
        if root and (path == root or path.startswith(f"{root}/")):
            # Some proxies take the prefix off, others leave it.
            scope["path"] = path[len(root) :] or "/"
        state["root"] = root
        await self._app(scope, receive, send)

    def _warn(self, address: str) -> None:
        """Say once that somebody speaks like a proxy and is not believed."""
        if not self._quiet:
            self._quiet = True
            _LOG.warning(
                "%s forwards requests of others and is no trusted proxy: all that comes through it "
                "counts as one address, so that one person's wrong passwords slow down everybody; "
                "if it is your proxy, start the server with --trusted-proxy %s",
                address,
                address,
            )


def client_address(headers: Sequence[str], trusted: Sequence[Network]) -> str:
    """Return who sent a request: of the addresses that proxies wrote down, one behind the other,
    the last that is not a trusted proxy's own; empty if there is none.

    >>> networks = [ipaddress.ip_network("10.0.0.0/8")]
    >>> client_address(["6.6.6.6, 192.0.2.7, 10.1.2.3"], networks)
    '192.0.2.7'
    >>> client_address(["192.0.2.7", "gibberish"], networks)
    ''
    """
    found = ""
    for each in reversed(",".join(headers).split(",")):
        address = _address(each.strip())
        if not address:
            break  # who wrote this did not tell; what is before it may be made up
        found = address
        if not is_trusted(address, trusted):
            break
    return found


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    """Tell whether an address is in one of the networks."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return any((found if mapped is None else mapped) in network for network in trusted)


def _address(text: str) -> str:
    """An address without its port, if it is one."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return ""


def _last(headers: Headers, name: str) -> str:
    """What the nearest proxy wrote."""
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()
