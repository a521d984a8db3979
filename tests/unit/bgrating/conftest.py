"""Fixtures of several rooms."""

import pytest

from bgrating.engine.pool import Pool, Task


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Return a list to which every task for an engine is added."""
    tasks, answer = list[Task](), Pool._answer

    def noted(pool: Pool, task: Task) -> None:
        tasks.append(task)
        answer(pool, task)

    monkeypatch.setattr(Pool, "_answer", noted)
    return tasks
