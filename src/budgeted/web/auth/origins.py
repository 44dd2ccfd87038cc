"""Where a request comes from: under which name the server was reached, and from whose page.

On loopback nobody logs in; there the danger is a page of another site that reaches for this server
through the browser of its user. So the name in the ``Host`` header must be one of this machine (a
site that points its own name at 127.0.0.1 gets nothing), and what changes something must not come
from another site (``Sec-Fetch-Site``, ``Origin``).
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from budgeted.addresses import is_loopback
from budgeted.web.settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")
PROBES = ("/health", "/ready")
"""Asked by machines that know the server by its number only."""
_ONCE = (
    b"host", b"content-length", b"content-type", b"authorization", b"origin", b"idempotency-key",
)  # fmt: skip
"""Headers that mean something to us and must not come twice."""
_PROXIED = (b"x-forwarded-for", b"forwarded", b"x-real-ip")
"""Headers by which a proxy can be recognised."""
_PORTS = {"http": 80, "https": 443}


def refusal(scope: Scope, headers: Headers, settings: Settings) -> tuple[int, str] | None:
    """Return what speaks against a request, whoever sends it: a status, and words."""
    path = scope["path"]
    names = [name for name, _ in scope["headers"]]
    for name in (*_ONCE, settings.auth_header.lower().encode()):
        if names.count(name) > 1:
            return 400, f"the header {name.decode()} comes twice"
    if "\0" in path or not _is_text(path):
        return 400, "the address holds characters that mean nothing"
    if not settings.credentials_needed and any(mark in names for mark in _PROXIED):
        return 403, (
            "this came through a proxy, and this server lets in everybody who reaches it; start it "
            "with --password-file and --trusted-proxy"
        )
    host = headers.get("host", "")
    if not _is_ours(host, settings, path):
        return 400, f"this server does not go by the name {host[:100]!r}"
    if scope["method"] not in SAFE and _from_elsewhere(scope["scheme"], headers, host):
        return 403, "this was sent from the page of another site; nothing was done"
    return None


def _is_ours(host: str, settings: Settings, path: str) -> bool:
    if settings.credentials_needed and (not settings.allowed_hosts or path in PROBES):
        return True
    name = _host_name(host)
    return is_loopback(name) or name == settings.host or name in settings.allowed_hosts


def _from_elsewhere(scheme: str, headers: Headers, host: str) -> bool:
    """Tell whether the page of another site sends this; programs send neither header."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and (
        _place(origin) is None or _place(origin) != _place(f"{scheme}://{host}")
    )


@lru_cache(maxsize=256)
def _place(origin: str) -> tuple[str, str, int | None] | None:
    """Scheme, name and port; None of what is no address.

    >>> _place("https://Lab.example") == _place("https://lab.example:443"), _place("http://[")
    (True, None)
    """
    try:
        found = urlsplit(origin)
        if not found.hostname or found.username is not None:
            return None
        return found.scheme, found.hostname, found.port or _PORTS.get(found.scheme)
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
