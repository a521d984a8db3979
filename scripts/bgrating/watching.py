"""Folders whose files change, for `rate --watch` and the page of `serve`; those of the results do not count."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SETTLED: dict[str, Any] = {"debounce": 1_600, "step": 300}
"""Milliseconds without news after which a change counts as finished, and between two looks."""


def changes(paths: Sequence[Path], results: Path) -> Iterator[None]:
    """Yield at once, then after every change of files in the paths."""
    import watchfiles  # noqa: PLC0415

    yield
    for _ in watchfiles.watch(*paths, watch_filter=Outside(results), raise_interrupt=True, **SETTLED):
        yield


class Outside:
    """Tells of a change (of which kind, path) whether it is outside a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def __call__(self, _: Any, path: str) -> bool:
        return not Path(path).resolve().is_relative_to(self._folder)
