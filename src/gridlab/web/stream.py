"""An answer in parts: one request, and a line of JSON for each thing as it becomes known.

    {"part": "game", …}      what the rules say at once
    {"part": "doing", …}     what is being worked at, any number of times
    {"part": "values", …}    whatever else was asked for
    {"part": "end"}          always the last: or {"part": "error", "error": a sentence, "status": …}

What can be refused at once is refused before the first part, with a status, like everything else.
"""

import json
from collections.abc import AsyncIterator, Callable

from fastapi.responses import StreamingResponse

from gridlab.web.problems import problem_of
from gridlab.web.work import Lane, Tell

MEDIA_TYPE = "application/x-ndjson"


def streamed(
    lane: Lane, work: Callable[[Tell], object], seconds: float, plain: Callable[[str], str]
) -> StreamingResponse:
    """What `work(tell)` tells, as a response; `plain` makes of an error a sentence for those outside."""

    async def lines() -> AsyncIterator[str]:
        try:
            async for part in lane.parts(work, seconds):
                yield json.dumps(part) + "\n"
            yield json.dumps({"part": "end"}) + "\n"
        except Exception as error:
            status, sentence = problem_of(error, plain)
            yield json.dumps({"part": "error", "error": sentence, "status": status}) + "\n"

    return StreamingResponse(lines(), media_type=MEDIA_TYPE)
