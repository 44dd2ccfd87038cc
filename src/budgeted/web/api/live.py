"""What happens in a study, as it happens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse

from budgeted.web.api.bodies import TheWorker
from budgeted.web.failures import documented
from budgeted.web.sse import Streams, last_seen, study_events

router = APIRouter(tags=["live"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "description": 'events named "changed"; data: {"seq": …, "by": …, "words": …}; and events '
        'named "computed" when something that takes long was computed; data: {"seq": …}',
    }
}
LastEvent = Annotated[str, Header(description="number of the last event that was seen")]
After = Annotated[str, Query(description="the same, where no header can be sent")]


@router.get("/studies/{name}/live", response_class=StreamingResponse,
            responses=_STREAM | documented(404, 422, 429))  # fmt: skip
async def watch_study(
    request: Request, worker: TheWorker, last_event_id: LastEvent = "", after: After = ""
) -> StreamingResponse:
    """Send an event for each event of the journal behind ``Last-Event-ID``, or from now on."""
    return await watched_study(request, worker)


async def watched_study(request: Request, worker: TheWorker) -> StreamingResponse:
    """Return the stream of a study; the page uses it too."""
    streams: Streams = request.app.state.streams
    now = (await worker.look()).events
    return streams.response(study_events(worker, streams, last_seen(request, now)))
