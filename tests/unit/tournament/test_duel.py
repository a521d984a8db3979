"""A duel beside its test: the first failure ends the shards that others still play."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from bgrating.tournament import duel


def test_the_first_failure_ends_the_engines_of_the_other_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(duel, "end_all", ended.set)

    def fail() -> None:
        raise OSError(28, "No space left on device")

    def play() -> None:
        assert ended.wait(30)

    with ThreadPoolExecutor(2) as pool:
        shards: list[Future[None]] = [pool.submit(play), pool.submit(fail), pool.submit(play), pool.submit(play)]
        with pytest.raises(OSError, match="No space left"):
            duel._finish(shards, None)
        assert shards[0].done()
        assert shards[3].cancelled()
