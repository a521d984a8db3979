"""The application of `serve`: whose fault a request's failure is."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

import browser
from bgleague.standing import REASONS
from bgrating.pages.template import TEMPLATES, page
from bgrating.serve.app import _watch, application
from bgrating.serve.jobs import Collection, Queue

PORT = 8000


def ask(
    queue: Queue, body: bytes, path: str = "/do", *, is_cancelled: bool = False, **others: str
) -> tuple[int, str, Exception | None]:
    """Return status and text of an answer, and what the server's log gets."""
    sent: list[Any] = []
    own = {
        "host": f"127.0.0.1:{PORT}",
        "origin": f"http://127.0.0.1:{PORT}",
        "cookie": f"bgrating-{PORT}=token",
    }
    own |= {name.replace("_", "-"): value for name, value in others.items()}
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": body, "more_body": is_cancelled}
    ]
    messages += [{"type": "http.disconnect"}]
    headers = [(name.encode(), value.encode()) for name, value in own.items()]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": headers,
    }

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    logged = None
    try:
        asyncio.run(application(queue, PORT, "token")(scope, receive, send))
    except Exception as problem:
        logged = problem
    return sent[0]["status"], json.loads(sent[1]["body"])["error"], logged


def test_a_websocket_is_closed(tmp_path: Path) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/events", "headers": [], "query_string": b""}
    asyncio.run(application(Queue(tmp_path, None), PORT, "token")(scope, receive, send))
    assert sent == ["websocket.close"]


def test_a_folder_is_watched_before_it_is_rated_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that appeared in between was never rated."""
    begun: list[str] = []

    async def work(_: Queue, *, lists: bool) -> None:
        begun.append(f"rating of lists: {lists}")

    async def awatch(*_: object, **__: object) -> AsyncIterator[set[object]]:
        begun.append("watch")
        yield set()
        await asyncio.Event().wait()

    async def receive() -> dict[str, str]:
        if not begun:
            begun.append("server")
            return {"type": "lifespan.startup"}
        while len(begun) < 4:
            await asyncio.sleep(0)
        return {"type": "lifespan.shutdown"}

    async def send(_: object) -> None:
        pass

    monkeypatch.setattr(Queue, "work", work)
    monkeypatch.setattr(watchfiles, "awatch", awatch)
    app = application(Queue(tmp_path, tmp_path), PORT, "token")
    asyncio.run(app({"type": "lifespan"}, receive, send))
    assert begun == ["server", "watch", "rating of lists: False", "rating of lists: True"]


def test_a_folder_in_the_place_of_a_deleted_one_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have the same inode, and the watch of the deleted one sees nothing in it."""
    watches: list[bool] = []

    async def awatch(*_: object, **__: object) -> AsyncIterator[set[object]]:
        watches.append(True)
        yield {(watchfiles.Change.deleted, str(tmp_path))} if len(watches) == 1 else set()
        watches.append(False)
        await asyncio.Event().wait()

    async def until_two() -> None:
        queue = Queue(tmp_path / "results", tmp_path)
        (collection,) = queue.collections.values()
        task = asyncio.create_task(_watch(queue, collection))
        while len(watches) < 2:
            await asyncio.sleep(0)
        task.cancel()

    monkeypatch.setattr(watchfiles, "awatch", awatch)
    asyncio.run(until_two())
    assert watches[:2] == [True, True]


@pytest.mark.parametrize(
    "fault", [KeyError("gone"), TypeError("odd"), ValueError("odd"), RecursionError("deep")]
)
def test_an_error_inside_the_server_is_logged_and_status_500(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object) -> None:
        raise fault

    queue = Queue(tmp_path, None)
    queue.collections["a"] = Collection("a")
    monkeypatch.setattr(Queue, "stop", fail)
    status, words, logged = ask(queue, b'{"name": "a", "do": "stop"}')
    assert (status, "please report it" in words, logged) == (500, True, fault)


@pytest.mark.parametrize("body", [b"", b"\xff", b"[1", b"[]", b'"x"', b"[" * 19_000])
def test_a_request_that_the_page_never_sends_is_status_400(tmp_path: Path, body: bytes) -> None:
    assert ask(Queue(tmp_path, None), body) == (400, "this request is not one of the page's", None)


@pytest.mark.slow
def test_the_page_has_the_rating_of_a_lists_standing(tmp_path: Path) -> None:
    """It had neither the rating nor the number of matches."""
    first, *others = REASONS
    of_list = {"player": "ann", "games": 3, first: 1800, f"{first}_ci_low": 1700.4}
    of_list |= {f"{first}_ci_high": 1900.6}
    for system in others:
        of_list |= {system: 1, f"{system}_ci_low": 1, f"{system}_ci_high": 1}
    of_matches = {"player": "bob", "matches": 2, "rating": 1700, "pr": 6.54}
    path = tmp_path / "page.html"
    script = (TEMPLATES / "serve.js").read_text(encoding="utf-8")
    about = {"levels": [], "suffixes": [], "longest": 9, "connects": True}
    path.write_text(page("serve.html.j2", script=script, **about), encoding="utf-8")
    players = json.dumps([of_list, of_matches])
    made = f"table({{players: {players}, page: ''}})"
    with browser.opened(path) as one:
        cells = "Array.from(row.cells, cell => cell.textContent)"
        told = one.ask(f"Array.from({made}.tBodies[0].rows, row => {cells})")
        assert one.ask("SYSTEMS") == list(REASONS)
    assert told == [["ann", "1800", "1700 to 1901", "–", "3"], ["bob", "1700", "–", "6.5", "2"]]


@pytest.mark.parametrize(("size", "status"), [(20_000, 400), (20_001, 413)])
def test_a_request_has_at_most_20_000_bytes(tmp_path: Path, size: int, status: int) -> None:
    assert ask(Queue(tmp_path, None), b"[" * size)[0] == status


@pytest.mark.parametrize("path", ["/do", "/drop"])
@pytest.mark.parametrize(
    "sent", [b"", b"--x\r\n", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n 5']
)
def test_a_request_that_its_page_cancels_is_no_fault_of_the_server(
    tmp_path: Path, path: str, sent: bytes
) -> None:
    kind = "multipart/form-data; boundary=x"
    _, words, logged = ask(Queue(tmp_path, None), sent, path, content_type=kind, is_cancelled=True)
    assert (words, logged) == ("the page has cancelled this request", None)
    assert list(tmp_path.rglob("*.mat")) == []
