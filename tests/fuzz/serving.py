"""Hostile requests, names, stray files and output of a command for `serve`: each is answered,
nothing waits for ever.

A session is JSON: `request` (in base64), the `name` of a dropped file, `stray` (the name of a file
beside a club's list) and `said` (in base64), what the command of that list says on its standard
error and then answers.
"""

import asyncio
import base64
import io
import json
import random
import selectors
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn

from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.serve import app as serving_app
from bgrating.serve.app import PatientProtocol, application
from bgrating.serve.jobs import Queue
from corpus import data_text, texts
from text_changes import Change, named

PORT, TOKEN = 7007, "token"
"""The port of the addresses; the server may listen at another one."""
LONGEST = 120.0
"""Seconds after which something waits for ever."""
STUB = data_text("served.sh")
_HERE = f"127.0.0.1:{PORT}"
_HEAD = f"Host: {_HERE}\r\nOrigin: http://{_HERE}\r\nCookie: bgrating-{PORT}={TOKEN}\r\n"
_BODY = '{"name": "club", "do": "again"}'
_PARTS = (
    'collection"\r\n\r\nmatches',
    'level"\r\n\r\n0-ply',
    'files"; filename="a.mat"\r\n\r\nsound',
)
_FORM = "".join(f'--x\r\nContent-Disposition: form-data; name="{part}\r\n' for part in _PARTS)
_FORM += "--x--\r\n"
_OF_FORM = f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(_FORM)}"
_REQUESTS = {
    "page": f"GET / HTTP/1.1\r\n{_HEAD}\r\n",
    "results": f"GET /results/index.html HTTP/1.1\r\n{_HEAD}\r\n",
    "again": f"POST /do HTTP/1.1\r\n{_HEAD}Content-Length: {len(_BODY)}\r\n\r\n{_BODY}",
    "drop": f"POST /drop HTTP/1.1\r\n{_HEAD}{_OF_FORM}\r\n\r\n{_FORM}",
}
_BODIES = texts("hostile.bodies")
_STRAYS = texts("hostile.strays")
_SAID = [text.encode("latin-1") for text in texts("hostile.said")]


def sources() -> dict[str, bytes]:
    """Return sound sessions by name."""
    found = {}
    for name, request in _REQUESTS.items():
        session = {"request": _packed(request.encode()), "name": "b.mat", "stray": "", "said": ""}
        found[name] = json.dumps(session).encode()
    return found


def changes(hostile: list[str]) -> dict[str, Change]:
    """Return what is done to sessions, with hostile texts to choose from."""

    def request(data: bytes, other: bytes, rng: random.Random) -> bytes:
        """Cut, splice or double a request, or put a hostile text into it."""
        session, sound = json.loads(data), base64.b64decode(json.loads(data)["request"])
        place = rng.randrange(len(sound))
        text = rng.choice(hostile).encode("utf-8", "surrogatepass")
        second = base64.b64decode(json.loads(other)["request"])
        begun = sound[:place]
        made = rng.choice([begun, begun + text + sound[place:], sound * 2, begun + second])
        return json.dumps(session | {"request": _packed(made)}).encode()

    def body(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        """Send a hostile body of a length that is right, too small or too large."""
        made = rng.choice([*_BODIES, *hostile]).encode("utf-8", "surrogatepass")[:19_900]
        length = max(0, len(made) + rng.choice([0, 0, 0, -1, 1]))
        first = f"POST {rng.choice(['/do', '/drop'])} HTTP/1.1\r\n"
        head = f"{first}{_HEAD}Content-Length: {length}\r\n\r\n"
        return json.dumps(json.loads(data) | {"request": _packed(head.encode() + made)}).encode()

    def name(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        suffix = rng.choice([".mat", ".csv", ".xlsx", ".txt", ""])
        made = rng.choice([*hostile, "漢" * 300, "x" * 256]) + suffix
        return json.dumps(json.loads(data) | {"name": made}).encode()

    def stray(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        return json.dumps(json.loads(data) | {"stray": rng.choice(_STRAYS)}).encode()

    def said(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        words = [*_SAID, *(text.encode("utf-8", "surrogatepass") for text in hostile)]
        return json.dumps(json.loads(data) | {"said": _packed(rng.choice(words))}).encode()

    return named(request, body, name, stray, said)


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def served(data: bytes, folder: Path) -> tuple[str, str]:
    """Return what becomes of a session: `refused`, `accepted` or `fallen`, and what is wrong."""
    serving_app.HEAD_PATIENCE = serving_app.PATIENCE = 0.3
    session: Json = json.loads(data)
    club = folder / "results" / "uploads" / "club"
    club.mkdir(parents=True)
    (club / "list.csv").write_text("sound")
    if stray := session["stray"]:
        (club / stray).mkdir() if stray.endswith("/") else (club / stray).write_text("mine")
    stub = folder / "stub"
    stub.write_text(STUB)
    stub.with_name("stub.said").write_bytes(base64.b64decode(session["said"]))
    try:
        with asyncio.Runner(loop_factory=_IdleClock) as runner:
            return runner.run(asyncio.wait_for(_session(session, folder, stub), LONGEST))
    except TimeoutError:
        return "fallen", "something waits for ever"


class _IdleClock(asyncio.SelectorEventLoop):
    """A loop whose time passes while nothing can be done, so that no load makes a request late."""

    def __init__(self) -> None:
        selector = selectors.DefaultSelector()
        self._idle, select = 0.0, selector.select

        def timed(timeout: float | None = None) -> Any:
            began = time.monotonic()
            ready = select(timeout)
            if timeout:
                self._idle += min(timeout, time.monotonic() - began)
            return ready

        selector.select = timed  # type: ignore[method-assign]
        super().__init__(selector)

    def time(self) -> float:
        return self._idle


async def _session(session: Json, folder: Path, stub: Path) -> tuple[str, str]:
    queue = Queue(folder / "results", None, ["/bin/sh", str(stub)])
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = application(queue, PORT, TOKEN)
        how = {"log_level": "critical", "timeout_graceful_shutdown": 2}
        server = uvicorn.Server(uvicorn.Config(app, http=PatientProtocol, **how))
        running = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.005)
        address = listening.getsockname()
        status = await _asked(address, base64.b64decode(session["request"]))
        refused = status >= 400 or not status
        for name in (session["name"], "last.mat"):
            files = [(name, io.BytesIO(b"sound"))]
            try:
                _, found = await queue.keep("dropped", "0-ply", files, joins=False)
            except BgratingError:
                refused, found = True, []
            refused = refused or not found
        while any(one.state in {"waiting", "running"} for one in queue.collections.values()):
            await asyncio.sleep(0.005)
        well = await _asked(address, _REQUESTS["page"].encode())
        told = json.dumps(queue.state(), allow_nan=False)
        server.should_exit = True
        await running
    states = {one.name: one.state for one in queue.collections.values()}
    if status >= 500 or well != 200 or "dropped" not in "".join(states):
        return "fallen", f"status {status}, then {well}: {told[:200]}"
    if any(one.state == "failed" and not one.message for one in queue.collections.values()):
        return "fallen", "a failure without a reason"
    return "refused" if refused or "failed" in states.values() else "accepted", ""


async def _asked(address: tuple[str, int], request: bytes) -> int:
    """Send a request and nothing more; return the status of the first answer, or 0."""
    reader, writer = await asyncio.open_connection(*address)
    answer = b""
    with suppress(ConnectionError):
        writer.write(request)
        answer = await reader.read(4096)
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0
