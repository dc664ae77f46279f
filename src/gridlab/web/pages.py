"""The page and its files; an address that somebody has typed is answered with a page, too, not with JSON."""

from pathlib import Path, PurePosixPath

from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

NAMES = ("board", "2048", "puzzles", "arena", "data", "about")
MISSING = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such page · gridlab</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/css/tokens.css">
<link rel="stylesheet" href="/css/base.css">
<link rel="stylesheet" href="/css/layout.css">
</head>
<body>
<main>
<div class="page-head"><h1>There is no such page</h1></div>
<p>Nothing of the lab is at this address. <a href="/">To the start</a></p>
</main>
</body>
</html>
"""


class Pages(StaticFiles):
    """Files of the page; /data is #/data of the page, and what is not there is said in words."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            first, *_ = parts = PurePosixPath(path).parts or ("",)
            if error.status_code != 404 or first == "api" or PurePosixPath(path).suffix:
                raise
        if len(parts) == 1 and first in NAMES:
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"/#/{first}" + (f"?{query}" if query else ""))
        return HTMLResponse(MISSING, 404)


def pages(folder: Path) -> StaticFiles:
    """What answers every address that is not of the interface for programs."""
    return Pages(directory=folder, html=True)
