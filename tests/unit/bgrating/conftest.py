"""Fixtures of several rooms."""

import pytest

from bgrating.engine.pool import Pool, Task


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Return a list to which every task for an engine is added."""
    tasks, submit = list[Task](), Pool.submit

    def noted(pool: Pool, task: Task) -> None:
        tasks.append(task)
        submit(pool, task)

    monkeypatch.setattr(Pool, "submit", noted)
    return tasks
