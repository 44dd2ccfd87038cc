"""Scripts, styles and pictures; large scripts are kept packed, and sent so to browsers."""

from __future__ import annotations

import gzip
from pathlib import Path

from anyio import to_thread
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope


class PackedStaticFiles(StaticFiles):
    """Static files of which some are there as gzip only: ``vega.min.js.gz`` is ``vega.min.js``.

    A third of the bytes lies in the repository, in the wheel and on the line. Who does not take
    gzip gets the file unpacked.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file under the name that it has unpacked, or any other as it is."""
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
