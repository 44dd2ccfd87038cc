"""Scripts, styles and pictures: kept for good by browsers, because each has a digest in its name.

Large scripts are kept packed, and sent so to browsers.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from anyio import to_thread
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

FOLDER = Path(str(files("budgeted.web") / "static"))
_DIGITS = 12
_DIGESTED = re.compile(rf"(?P<stem>.+)\.(?P<digest>[0-9a-f]{{{_DIGITS}}})(?P<kind>\.[a-z]+)")
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"


@cache
def digest_of(path: str) -> str:
    """Return the digest of a file of ours, given by its path below the folder."""
    file = FOLDER / path
    content = file if file.is_file() else file.with_name(f"{file.name}.gz")
    return hashlib.sha256(content.read_bytes()).hexdigest()[:_DIGITS]


def digested(path: str) -> str:
    """Return the path of a file with its digest, for pages: another content has another address.

    >>> digested("vendor/htmx.min.js").startswith("vendor/htmx.min.")
    True
    >>> len(digested("style.css")) - len("style.css")
    13
    """
    stem, _, kind = path.rpartition(".")
    return f"{stem}.{digest_of(path)}.{kind}"


class PackedStaticFiles(StaticFiles):
    """Static files, by their names with or without a digest.

    With the digest of today a browser need never ask again. One of another version, in a page that
    was loaded before the server was renewed, leads to the file of today, which is not kept. Some
    are there as gzip only: ``vega.min.js.gz`` is ``vega.min.js``. A third of the bytes lies in the
    repository, in the wheel and on the line. Who does not take gzip gets the file unpacked.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file under the name that it has unpacked, or any other as it is."""
        named = _DIGESTED.fullmatch(path)
        if named is not None:
            path = named["stem"] + named["kind"]
        response = await self._found(path, scope)
        if response.status_code in (200, 304):
            today = named is not None and named["digest"] == digest_of(path)
            response.headers["cache-control"] = _FOR_GOOD if today else _ASK_FIRST
        return response

    async def _found(self, path: str, scope: Scope) -> Response:
        packed, found = await to_thread.run_sync(self.lookup_path, f"{path}.gz")
        if found is None:
            return await super().get_response(path, scope)
        if takes_gzip(Headers(scope=scope).get("accept-encoding", "")):
            response = self.file_response(packed, found, scope)
            response.headers["content-encoding"] = "gzip"
        else:
            content = gzip.decompress(await to_thread.run_sync(Path(packed).read_bytes))
            response = Response(content, media_type="text/javascript")
        response.headers["vary"] = "accept-encoding"
        return response


def takes_gzip(accepted: str) -> bool:
    """Tell whether who sends this ``Accept-Encoding`` can unpack gzip.

    >>> takes_gzip("br, gzip"), takes_gzip("gzip;q=0, identity"), takes_gzip("")
    (True, False, False)
    """
    weights = {
        name.strip().lower(): weight.strip().lower()
        for name, _, weight in (each.partition(";") for each in accepted.split(","))
    }
    return "gzip" in weights and weights["gzip"] not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
