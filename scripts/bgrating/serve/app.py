"""The page on this computer as an application: who may ask, what may be uploaded, and the news as events.

It listens on the loopback address only. Any page in a browser can send requests there, so each must have our Host and
Origin and the token of the address that was opened. Paths never come from the browser: it names pages of a listing.

The browser is started with a file that only this user may read: an address with a token would stand in the list of
processes, which everybody may read.
"""

import asyncio
import json
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from bgrating import BgratingError
from bgrating.pages.template import TEMPLATES, page
from bgrating.serve.jobs import LEVELS, LONGEST_NAME, SUFFIXES, Collection, Queue
from bgrating.watching import SETTLED, Outside

MAX_UPLOAD = 512 * 1024 * 1024
"""Most bytes of one upload."""
MAX_FILES = 5_000
MAX_WORDS = 20_000
"""Most bytes of a request that uploads nothing."""
PATIENCE = 20.0
"""Seconds within which the next piece of an upload must come."""
HEAD_PATIENCE = 10.0
"""Seconds within which the head of a request must be whole."""
_EVENTS = 0.3
_SAFE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Door:
    """A file that leads the browser in once, by a token of its own; only this user may read it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        handle, name = tempfile.mkstemp(".html", "open-", folder)  # of mode 0600
        self.path = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_leading(f"http://127.0.0.1:{port}/?token={self.token}"))

    def close(self) -> None:
        """Let nobody in by this file any more."""
        self.token = secrets.token_urlsafe(32)
        self.path.unlink(missing_ok=True)


def _leading(address: str) -> str:
    return f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>bgrating</title>'


class PatientProtocol(H11Protocol):
    """Closes a connection on which a request has begun, or none, and does not become whole in HEAD_PATIENCE."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def _wait(self) -> None:
        if self.cycle and not self.cycle.response_complete:
            if self._late:
                self._late.cancel()
            self._late = None
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_PATIENCE, self._close)

    def _close(self) -> None:
        self._late = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class Guard:
    """Lets only the page itself in: by Host, Origin, and a token in the address or in the cookie."""

    def __init__(self, app: ASGIApp, port: int, token: str, door: Door | None) -> None:
        self._app, self._token, self._door, self._cookie = app, token, door, f"bgrating-{port}"
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
            # The cookie goes only with requests that this page makes, so the page itself leads on.
            answer = HTMLResponse(_leading("/"))
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            if self._door:
                self._door.close()

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
        known = [self._token, *([self._door.token] if self._door and request.url.path == "/" else [])]
        if not any(secrets.compare_digest(given.encode(), token.encode()) for token in known):
            return _error("open the address that bgrating serve printed", 403)
        if "transfer-encoding" in request.headers:
            return _error("an upload must begin with its length", 411)
        length = request.headers.get("content-length", "0")
        is_number = length.isascii() and length.isdigit() and len(length) < 20
        return None if is_number else _error("an odd length", 400)


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


def application(
    queue: Queue, port: int, token: str, door: Door | None = None, show: Callable[[], None] = lambda: None
) -> ASGIApp:
    """Return the application for a port, a token, and the file that leads the browser in.

    `show` tells the address once the server answers Ctrl-C: before that, one could be lost.
    """

    async def first(_: Request) -> Response:
        facts = {"levels": LEVELS, "suffixes": sorted(SUFFIXES), "longest": LONGEST_NAME, "connects": True}
        return HTMLResponse(page("serve.html.j2", script=(TEMPLATES / "serve.js").read_text(encoding="utf-8"), **facts))

    async def drop(request: Request) -> Response:
        async with request.form(max_files=MAX_FILES, max_fields=10) as form:
            given = [one for one in form.getlist("files") if not isinstance(one, str)]
            files: list[tuple[str, Any]] = [(one.filename or "", one.file) for one in given]
            words = [str(form.get(name, "")) for name in ("collection", "level")]
            joins = form.get("joins") == "yes"
            left_out, found = await asyncio.to_thread(queue.keep, words[0], words[1], files, joins=joins)
        for one in found:
            queue.add(one)
        return JSONResponse({"left_out": left_out[:50], "names": [one.name for one in found]})

    async def act(request: Request) -> Response:
        asked = await _asked(request)
        name, verb = str(asked.get("name")), asked.get("do")
        if name not in queue.collections:
            return _error("there is no such collection: load the page again", 404)
        known = queue.collections[name]
        if verb == "stop":
            queue.stop(name)
        elif verb == "again":
            queue.add(Collection(name, known.is_list, known.watched, known.level))
        elif verb == "alias":
            queue.confirm(name, str(asked.get("alias")), str(asked.get("player")))
        elif verb == "remove" and asked.get("sure") is True:
            queue.remove(name)
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
        watches = [_watch(queue, one) for one in queue.collections.values() if one.watched]
        tasks = [asyncio.create_task(job) for job in (queue.work(lists=False), queue.work(lists=True), *watches)]
        show()
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
        HTTPException: _told,
        BgratingError: _told,
        OSError: _full,
        Exception: _failed,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=running)
    return Guard(app, port, token, door)


async def _told(_: Request, problem: Any) -> Response:
    return _error(str(getattr(problem, "detail", problem)), getattr(problem, "status_code", 400))


async def _full(_: Request, problem: OSError) -> Response:
    return _error(f"these files cannot be kept ({problem.strerror}): make room, then drop them again", 507)


async def _failed(_: Request, problem: Exception) -> Response:
    """Answer that the server is at fault; it goes on to the log, which has where."""
    return _error(f"the server made an error ({problem}): please report it", 500)


async def _asked(request: Request) -> dict[str, Any]:
    try:
        asked = await request.json()
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise HTTPException(400, "this request is not one of the page's")
    return asked


async def _watch(queue: Queue, collection: Collection) -> None:
    """Rate a folder again whenever files in it change, and when it goes and comes back."""
    from watchfiles import awatch  # noqa: PLC0415

    folder, polls = collection.watched, False
    assert folder
    again = Collection(collection.name, watched=folder, level=collection.level)
    settings = {"watch_filter": Outside(queue.results), "yield_on_timeout": True, "rust_timeout": 1000, **SETTLED}
    while True:
        try:
            known = folder.stat().st_ino
            # A folder that is gone gives no news, so every second is looked whether it is the same.
            async for found in awatch(folder, force_polling=polls, ignore_permission_denied=True, **settings):
                if folder.stat().st_ino != known:
                    break
                if found:
                    queue.add(again)
        except (OSError, RuntimeError):
            polls = polls or folder.is_dir()  # the system watches no more folders
        queue.add(again)
        await asyncio.sleep(1)
        while not folder.is_dir():
            await asyncio.sleep(1)
        queue.add(again)
