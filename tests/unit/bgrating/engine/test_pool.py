"""A pool hears Ctrl-C while it waits, on every system."""

import queue
from contextlib import closing

import pytest

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task


def test_no_wait_for_an_answer_is_without_an_end(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task("a", 1, {})
    waits: list[float | None] = []

    class Slow(queue.SimpleQueue[object]):
        def get(self, block: bool = True, timeout: float | None = None) -> object:
            waits.append(timeout)
            if len(waits) < 3:
                raise queue.Empty
            return task, {}

    with closing(Pool(engine, levels.analysis("0-ply"), 1)) as pool:
        monkeypatch.setattr(pool, "_answer", lambda _: None)
        monkeypatch.setattr(pool, "_answers", Slow())
        assert list(pool.run(iter([task]))) == [(task, {})]
    assert len(waits) == 3
    assert None not in waits
