"""The page on this computer as an application: who may ask, what may be uploaded, and the news as events.

It listens on the loopback address only. Any page in a browser can send requests there, so each must have our Host and
Origin and the token of the address that was opened. Paths never come from the browser: it names pages of a listing.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bgrating import BgratingError
from bgrating.pages.template import TEMPLATES, page
from bgrating.serve.jobs import LEVELS, SUFFIXES, Collection, Queue
from bgrating.watching import SETTLED, Outside

MAX_UPLOAD = 512 * 1024 * 1024
"""Most bytes of one upload."""
MAX_FILES = 5_000
MAX_WORDS = 20_000
"""Most bytes of a request that uploads nothing."""
PATIENCE = 20.0
"""Seconds within which the next piece of an upload must come."""
_EVENTS = 0.3
_SAFE = {
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}  # fmt: skip


class Guard:
    """Lets only the page itself in: by Host, Origin, and the token in the address or in the cookie."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token, self._cookie = app, token, f"bgrating-{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        request = Request(scope)
        answer = self._refused(request)
        if answer is None and request.url.path == "/" and "token" in request.query_params:
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.encode(), value.encode()) for name, value in _SAFE.items()]
            await send(message)

        most = MAX_UPLOAD if request.url.path == "/drop" else MAX_WORDS
        if answer is None and int(request.headers.get("content-length", "0") or 0) > most:
            answer = _error(f"too large: more than {most:,} bytes", 413)
        await (answer or self._app)(scope, _bounded(receive, most), safe)

    def _refused(self, request: Request) -> Response | None:
        host, origin = request.headers.getlist("host"), request.headers.get("origin")
        if len(host) != 1 or host[0] not in self._hosts:
            return _error("this page is only for this computer", 421)
        other_site = request.headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
        must_have = request.method not in {"GET", "HEAD"}
        if origin not in {f"http://{host[0]}", *(() if must_have else (None,))} or (other_site and must_have):
            return _error("this request comes from another page", 403)
        given = request.query_params.get("token", "") or request.cookies.get(self._cookie, "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return _error("open the address that bgrating serve printed", 403)
        if "transfer-encoding" in request.headers:
            return _error("an upload must begin with its length", 411)
        length = request.headers.get("content-length", "0")
        return None if length.isascii() and length.isdigit() else _error("an odd length", 400)


def _bounded(receive: Receive, most: int) -> Receive:
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        if taken < 0:  # the body is whole: what comes now is the end of the connection
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), PATIENCE)
        except TimeoutError:
            raise HTTPException(408, "the upload stands still") from None
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, f"too large: more than {most:,} bytes")
        if not message.get("more_body"):
            taken = -1
        return message

    return bounded


def _error(sentence: str, status: int) -> Response:
    return JSONResponse({"error": sentence}, status)


def application(queue: Queue, port: int, token: str) -> ASGIApp:
    """Return the application for a port and a token."""

    async def first(_: Request) -> Response:
        script = (TEMPLATES / "serve.js").read_text(encoding="utf-8")
        return HTMLResponse(
            page("serve.html.j2", script=script, connects=True, levels=LEVELS, suffixes=sorted(SUFFIXES))
        )

    async def drop(request: Request) -> Response:
        async with request.form(max_files=MAX_FILES, max_fields=10) as form:
            files: dict[str, Any] = {}
            for given in form.getlist("files"):
                if not isinstance(given, str):
                    files[f"{len(files)}/{given.filename or ''}"] = given.file
            words = [str(form.get(name, "")) for name in ("collection", "level")]
            left_out = await asyncio.to_thread(queue.take, words[0], words[1], files)
        return JSONResponse({"left_out": [name.partition("/")[2] for name in left_out][:50]})

    async def act(request: Request) -> Response:
        asked = await request.json()
        name = str(asked["name"])
        if name not in queue.collections:
            return _error("there is no such collection: load the page again", 404)
        verb, known = str(asked["do"]), queue.collections[name]
        if verb == "stop":
            queue.stop(name)
        elif verb == "again":
            queue.add(Collection(name, known.is_list, known.watched, known.level))
        elif verb == "alias":
            queue.confirm(name, str(asked["alias"]), str(asked["player"]))
        elif verb == "remove" and asked.get("sure") is True:
            await asyncio.to_thread(queue.remove, name)
        else:
            return _error("nothing to do", 400)
        return JSONResponse({})

    async def events(request: Request) -> Response:
        async def news() -> AsyncIterator[str]:
            seen = -1
            while not await request.is_disconnected():
                if seen != queue.version:
                    seen = queue.version
                    yield f"data: {json.dumps(queue.state())}\n\n"
                await asyncio.sleep(_EVENTS)

        return StreamingResponse(news(), media_type="text/event-stream")

    async def results(request: Request) -> Response:
        pages = await asyncio.to_thread(queue.pages)
        path = pages.get(request.path_params["path"])
        return FileResponse(path) if path else _error("there is no such page", 404)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        watched = [one for one in queue.collections.values() if one.watched]
        tasks = [asyncio.create_task(queue.work()), *(asyncio.create_task(_watch(queue, one)) for one in watched)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await queue.end()

    routes = [
        Route("/", first),
        Route("/drop", drop, methods=["POST"]),
        Route("/do", act, methods=["POST"]),
        Route("/events", events),
        Route("/results/{path:path}", results),
    ]
    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        HTTPException: _told, BgratingError: _told, OSError: _full, ValueError: _odd, KeyError: _odd, TypeError: _odd
    }  # fmt: skip
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=running)
    return Guard(app, port, token)


async def _told(_: Request, problem: Any) -> Response:
    return _error(str(getattr(problem, "detail", problem)), getattr(problem, "status_code", 400))


async def _full(_: Request, problem: OSError) -> Response:
    return _error(f"these files cannot be kept ({problem.strerror}): make room, then drop them again", 507)


async def _odd(_: Request, __: Exception) -> Response:
    return _error("this request is not one of the page's", 400)


async def _watch(queue: Queue, collection: Collection) -> None:
    """Rate a folder again whenever files in it change."""
    from watchfiles import awatch  # noqa: PLC0415

    assert collection.watched
    with suppress(FileNotFoundError):
        async for _ in awatch(collection.watched, watch_filter=Outside(queue.results), **SETTLED):
            queue.add(Collection(collection.name, watched=collection.watched, level=collection.level))
