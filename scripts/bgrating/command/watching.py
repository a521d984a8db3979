"""Folders whose files change, for `rate --watch`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

QUIET = 1_600
"""Milliseconds without news after which a change counts as finished."""


def changes(paths: Sequence[Path], results: Path | None) -> Iterator[None]:
    """Yield at once, then after every change of files in the paths; those of the results do not count."""
    import watchfiles  # noqa: PLC0415

    left_out = results.resolve() if results else None

    def counts(_: Any, path: str) -> bool:
        return left_out is None or not Path(path).resolve().is_relative_to(left_out)

    yield
    for _ in watchfiles.watch(*paths, watch_filter=counts, debounce=QUIET, step=300, raise_interrupt=True):
        yield
