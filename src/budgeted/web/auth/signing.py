"""Texts that only this server can have made: signed with a secret that is kept in a file.

Whoever holds such a text can read it but not change it, and the server needs to remember nothing
about it; so nobody can fill its memory, and a restart forgets nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

from budgeted.files import write_atomically

_LOG = logging.getLogger("budgeted.web")
_BYTES = 32
_MOST = 4_096
"""Characters of a signed text; browsers keep no longer cookies."""


class Signer:
    """Signs values, each for one purpose, and knows its own signature.

    Parameters
    ----------
    secret
        What nobody else knows.

    Examples
    --------
    >>> signer = Signer(b"known to nobody")
    >>> text = signer.sign("session", ["anna", 7])
    >>> signer.read("session", text)
    ['anna', 7]
    >>> signer.read("device", text), signer.read("session", "A" + text[1:])
    (None, None)
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, purpose: str, value: Any) -> str:
        """Return a value as text with a signature, made of letters, digits, ``-``, ``_``, ``.``."""
        body = _text(json.dumps(value, separators=(",", ":")).encode())
        return f"{body}.{_text(self._mac(purpose, body))}"

    def read(self, purpose: str, text: str) -> Any:
        """Return the value of a text that was signed for a purpose; None of any other text."""
        body, _, mac = text.rpartition(".")
        if not body or len(text) > _MOST or not text.isascii():
            return None
        if not hmac.compare_digest(mac, _text(self._mac(purpose, body))):
            return None
        return json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))

    def digest(self, purpose: str, text: str) -> str:
        """Return a text by which another one can be recognised, but not found out."""
        return self._mac(purpose, text).hex()

    def _mac(self, purpose: str, text: str) -> bytes:
        given = f"{purpose}\0{text}".encode(errors="replace")
        return hmac.new(self._secret, given, hashlib.sha256).digest()


def kept_secret(path: Path) -> bytes:
    """Return the secret in a file that only its owner can read; make one if there is none.

    Parameters
    ----------
    path
        Of the file. If it cannot be kept there, the secret is good until the server ends, and the
        log says so.
    """
    try:
        found = _read(path)
        if found is None:
            _make(path)
            found = _read(path)
        if found is not None:
            return found
        reason = "what is there is not a secret"
    except OSError as error:
        reason = error.strerror or str(error)
    _LOG.warning(
        "%s: the secret of sessions cannot be kept there (%s); people will have to log in again "
        "when the server is started again",
        path,
        reason,
    )
    return secrets.token_bytes(_BYTES)


def _read(path: Path) -> bytes | None:
    """The secret; None if there is none, or one that others could have read."""
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            _LOG.warning("%s: others could read the secret of sessions; there is a new one", path)
            path.unlink()
            return None
        found = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except ValueError:
        found = b""
    if len(found) == _BYTES:
        return found
    path.unlink()
    return None


def _make(path: Path) -> None:
    """Write a new secret, whole at once; of two servers that start together one is first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        write_atomically(path, f"{secrets.token_hex(_BYTES)}\n".encode("ascii"), exclusive=True)


def _text(given: bytes) -> str:
    return urlsafe_b64encode(given).rstrip(b"=").decode("ascii")
