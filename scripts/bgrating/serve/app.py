"""The web application of `bgrating serve`.

It has access control, uploads, requests and server-sent events.

It listens on the loopback address only. Any page in a browser can send requests there. So each
request must have our Host and Origin and the token of the printed address. The browser never sends
paths: it names pages of a listing.

Every user can read the addresses in the list of processes. So the browser opens a file that only
this user may read.
"""

import asyncio
import json
import os
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from bgrating import BgratingError
from bgrating.index import write_index
from bgrating.pages.template import TEMPLATES, page
from bgrating.serve.jobs import LEVELS, LONGEST_NAME, SUFFIXES, Collection, Queue
from bgrating.settings_files import SettingsError
from bgrating.watching import SETTLED, outside

MAX_UPLOAD = 512 * 1024 * 1024
"""Largest upload, in bytes."""
MAX_FILES = 5_000
MAX_WORDS = 20_000
"""Largest request without an upload, in bytes."""
PATIENCE = 20.0
"""Most seconds between two parts of an upload."""
HEAD_PATIENCE = 10.0
"""Most seconds until the head of a request is complete."""
_EVENTS = 0.3  # seconds between two looks for news
_SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Door:
    """A file, readable by this user only, that opens the page once with a token of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        handle, name = tempfile.mkstemp(".html", "open-", folder)  # of mode 0600
        os.close(handle)
        self.path = Path(name)
        self.path.write_text(_redirect(f"http://127.0.0.1:{port}/?token={self.token}"))

    def close(self) -> None:
        """Make the token of the file invalid and delete the file."""
        self.token = secrets.token_urlsafe(32)
        self.path.unlink(missing_ok=True)


def _redirect(address: str) -> str:
    return (
        '<!doctype html><meta http-equiv="refresh"'
        f' content="0;url={address}"><title>bgrating</title>'
    )


class PatientProtocol(H11Protocol):
    """Closes a connection without the complete head of a request after HEAD_PATIENCE.

    At the end of the server it closes every connection, since no stream of events ends by itself.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def shutdown(self) -> None:
        super().shutdown()
        self.transport.close()

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
    """Refuses requests of other pages, by Host, Origin, and a token in the address or in the
    cookie.
    """

    def __init__(self, app: ASGIApp, port: int, token: str, door: Door | None) -> None:
        self._app = app
        self._token = token
        self._door = door
        self._cookie = f"bgrating-{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the application has no route of a websocket, so it closes it
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        most = MAX_UPLOAD if request.url.path == "/drop" else MAX_WORDS
        answer = self._refusal(request, most)
        if answer is None and request.url.path == "/" and "token" in request.query_params:
            # Browsers send a strict cookie only with requests of this page, so the page itself
            # redirects.
            answer = HTMLResponse(_redirect("/"))
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            if self._door:
                self._door.close()

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += _SAFE
            await send(message)

        await (answer or self._app)(scope, _bounded(receive, most), safe)

    def _refusal(self, request: Request, most: int) -> Response | None:
        host = request.headers.getlist("host")
        origin = request.headers.get("origin")
        if len(host) != 1 or host[0] not in self._hosts:
            return _error("this page is only for this computer", 421)
        is_safe = request.method in {"GET", "HEAD"}
        is_from_page = request.headers.get("sec-fetch-site", "none") in {"same-origin", "none"}
        origins = {f"http://{host[0]}", None} if is_safe else {f"http://{host[0]}"}
        if origin not in origins or not (is_safe or is_from_page):
            return _error("this request comes from another page", 403)
        sent = request.query_params.get("token", "") or request.cookies.get(self._cookie, "")
        tokens = [self._token]
        if self._door and request.url.path == "/":
            tokens.append(self._door.token)
        if not any(secrets.compare_digest(sent.encode(), token.encode()) for token in tokens):
            return _error("open the address that bgrating serve printed", 403)
        if "transfer-encoding" in request.headers:
            return _error("an upload must begin with its length", 411)
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 20):
            return _error("an odd length", 400)
        return _error(f"too large: more than {most:,} bytes", 413) if int(length) > most else None


def _bounded(receive: Receive, most: int) -> Receive:
    """Return `receive` with limits: PATIENCE for each part of a body, and `most` bytes for all."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        if taken < 0:  # after a complete body only the end of the connection comes
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


class _Pages:
    """The answers to the requests of the page."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self.routes = [
            Route("/", self._first),
            Route("/drop", self._drop, methods=["POST"]),
            Route("/do", self._act, methods=["POST"]),
            Route("/events", self._events),
            Route("/results/{path:path}", self._result),
        ]

    async def _first(self, _: Request) -> Response:
        text = page(
            "serve.html.j2",
            script=(TEMPLATES / "serve.js").read_text(encoding="utf-8"),
            levels=LEVELS,
            suffixes=sorted(SUFFIXES),
            longest=LONGEST_NAME,
            connects=True,
        )
        return HTMLResponse(text)

    async def _drop(self, request: Request) -> Response:
        async with request.form(max_files=MAX_FILES, max_fields=10) as form:
            uploads = [file for file in form.getlist("files") if isinstance(file, UploadFile)]
            files = [(file.filename or "", file.file) for file in uploads]
            name = str(form.get("collection", ""))
            level = str(form.get("level", ""))
            left_out, names = await self._queue.keep(
                name, level, files, joins=form.get("joins") == "yes"
            )
        return JSONResponse({"left_out": left_out, "names": names})

    async def _act(self, request: Request) -> Response:
        try:
            body = await request.json()
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return _error("this request is not one of the page's", 400)
        queue = self._queue
        name = str(body.get("name"))
        verb = body.get("do")
        if name not in queue.collections:
            return _error("there is no such collection: load the page again", 404)
        if verb == "stop":
            queue.stop(name)
        elif verb == "again":
            queue.add(queue.collections[name])
        elif verb == "alias":
            queue.confirm(name, str(body.get("alias")), str(body.get("player")))
        elif verb == "remove" and body.get("sure") is True:
            queue.remove(name)
        else:
            return _error("nothing to do", 400)
        return JSONResponse({})

    async def _events(self, request: Request) -> Response:
        async def news() -> AsyncIterator[str]:
            seen = -1
            while not await request.is_disconnected():
                if seen != self._queue.version:
                    seen = self._queue.version
                    yield f"data: {json.dumps(self._queue.state())}\n\n"
                await asyncio.sleep(_EVENTS)

        return StreamingResponse(news(), media_type="text/event-stream")

    async def _result(self, request: Request) -> Response:
        path = await asyncio.to_thread(self._queue.file_at, request.path_params["path"])
        return FileResponse(path) if path else _error("there is no such page", 404)


def application(
    queue: Queue,
    port: int,
    token: str,
    door: Door | None = None,
    show: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the application for a port, a token, and the file that the browser opens.

    It calls `show` when the server runs, since it could miss an earlier Ctrl-C.
    """

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        # Folders are watched before they are rated first: a file that appears meanwhile counts.
        jobs = [_watch(queue, folder) for folder in queue.collections.values() if folder.watched]
        jobs += [queue.work(lists=False), queue.work(lists=True)]
        tasks = [asyncio.create_task(job) for job in jobs]
        show()
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await queue.end()

    kinds = (HTTPException, ClientDisconnect, BgratingError, OSError, Exception)
    handlers: Any = dict.fromkeys(kinds, _answer_problem)
    routes = _Pages(queue).routes
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=running)
    return Guard(app, port, token, door)


def serve(
    results: Path,
    folder: Path | None,
    port: int,
    announce: Callable[[str], None],
    *,
    is_shown: bool,
) -> None:
    """Serve the page until Ctrl-C; a browser opens it if `is_shown`, `announce` gets its address.

    A folder is rated whenever files in it change. Raises SettingsError for a port that is taken.
    """
    results.mkdir(parents=True, exist_ok=True)
    write_index(results)
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as problem:
            raise SettingsError(
                f"port {port} cannot be used ({problem.strerror}): choose another --port"
            ) from None
        listening.listen(100)  # the browser may ask before the server is ready
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        door = Door(results, port) if is_shown else None

        def show() -> None:
            announce(f"http://127.0.0.1:{port}/?token={token}")
            if door:
                webbrowser.open(door.path.as_uri())

        settings = uvicorn.Config(
            application(Queue(results, folder), port, token, door, show),
            http=PatientProtocol,
            log_level="error",
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        try:
            uvicorn.Server(settings).run([listening])
        finally:
            if door:
                door.close()


async def _answer_problem(_: Request, problem: Exception) -> Response:
    """Answer with a sentence.

    After a fault of the server Starlette raises the problem again, for the log.
    """
    if isinstance(problem, HTTPException):
        return _error(problem.detail, problem.status_code)
    if isinstance(problem, ClientDisconnect):  # nobody reads this answer
        return _error("the page has cancelled this request", 400)
    if isinstance(problem, BgratingError):
        return _error(str(problem), 400)
    if isinstance(problem, OSError):
        return _error(
            f"these files cannot be kept ({problem.strerror}): make room, then drop them again", 507
        )
    return _error(f"the server made an error ({problem}): please report it", 500)


async def _watch(queue: Queue, collection: Collection) -> None:
    """Rate a folder again whenever files in it change, and when it disappears or comes back."""
    from watchfiles import Change, awatch  # noqa: PLC0415

    folder = collection.watched
    polls = False
    assert folder
    settings = {"watch_filter": outside(queue.results), **SETTLED}
    while True:
        try:
            inode = folder.stat().st_ino
            async for changes in awatch(
                folder, force_polling=polls, ignore_permission_denied=True, **settings
            ):
                # A renamed folder causes no event. A new one may have the inode of a deleted one.
                if folder.stat().st_ino != inode or (Change.deleted, str(folder)) in changes:
                    break
                if changes:
                    queue.add(collection)
        except (OSError, RuntimeError):
            polls = polls or folder.is_dir()  # the limit of the system for watched folders
        queue.add(collection)
        await asyncio.sleep(1)
        while not folder.is_dir():
            await asyncio.sleep(1)
        queue.add(collection)
