"""Addresses of a server: names as parts of them, and hosts that only this machine can reach."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import quote


def segment(name: str) -> str:
    """Return a name as one part of an address.

    Servers and browsers undo ``%2F`` and ``..`` before anybody can see them; so those are quoted
    once more.

    >>> segment("flu 2026"), segment("a/b"), segment("100%"), segment("..")
    ('flu%202026', 'a%252Fb', '100%2525', '%252E%252E')
    """
    inner = name.replace("%", "%25").replace("/", "%2F").replace("\\", "%5C")
    if name in (".", ".."):
        inner = name.replace(".", "%2E")
    return quote(inner, safe="")


def name_of(part: str) -> str:
    """Return the name behind a part of an address, as the server hands it over.

    >>> from urllib.parse import unquote
    >>> all(name_of(unquote(segment(each))) == each for each in ("a/b", "%2F", "%", "..", "é?#"))
    True
    """
    for mark, character in (("%2F", "/"), ("%5C", "\\"), ("%2E", "."), ("%25", "%")):
        part = part.replace(mark, character)
    return part


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "lab", "")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
