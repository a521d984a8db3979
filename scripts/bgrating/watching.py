"""Watch folders for `rate --watch` and the page of `serve`.

Changes in the folder of results are ignored.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bgmatch.records import Json

SETTLED: Json = {"debounce": 1_600, "step": 300, "rust_timeout": 300, "yield_on_timeout": True}
"""Milliseconds without news after which a change counts as finished, between two looks, and between
two reports.

A report without changes lets the watch begin before the first change.
"""


def changes(paths: Sequence[Path], results: Path) -> Iterator[None]:
    """Yield at once, then after every change of files in the paths."""
    import watchfiles  # noqa: PLC0415

    is_outside = outside(results)
    while True:
        # A watch sees nothing in what takes the place of a file or a folder, as editors do it.
        reports: Iterator[object] = watchfiles.watch(
            *paths, watch_filter=is_outside, raise_interrupt=True, **SETTLED
        )
        try:
            next(reports)  # The watch begins here: a file that appears during a rating counts.
        except FileNotFoundError:
            reports = iter((True,))  # a rating names the missing path
        yield
        next(filter(None, reports))


def outside(folder: Path) -> Callable[[object, str], bool]:
    """Return a filter for watchfiles: true for a changed path outside a folder."""
    resolved = folder.resolve()
    return lambda _, path: not Path(path).resolve().is_relative_to(resolved)
