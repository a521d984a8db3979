"""The pages of the study: figures, report.html and summary.txt of a folder of tables, made from these in seconds.

Rules make a page after its tables (scripts/page.py). The repository keeps no pages: `./run open` makes those that are
missing or older than their tables.
"""

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

from bgrating.index import write_index
from bgrating.pages.style import save
from bgrating.tables.provenance import write_atomic

MODULES = {
    "law": "study.law.page", "comparison": "study.comparison.page", "translation": "study.translation.page",
    "tournament": "study.tournament_page", "study": "study.report.page",
}  # fmt: skip
"""What makes pages, by what they are about."""


class Page(NamedTuple):
    """A page to be: its figures by name, its HTML from the files that these are saved in, and the lines it prints."""

    figures: Iterable[tuple[str, Figure]]
    html: Callable[[list[Path]], str]
    summary: str


def write(about: str, folder: Path) -> Path:
    """Make the page of a folder of tables; its module has `made(folder) -> Page`."""
    page: Page = importlib.import_module(MODULES[about]).made(folder)
    drawn = save(page.figures, folder / "figures")
    write_atomic(folder / "report.html", page.html(drawn))
    write_atomic(folder / "summary.txt", page.summary)
    return folder / "report.html"


def write_missing(results: Path) -> None:
    """Make every page of the results that is missing or older than its tables, and the first page; all cores do it."""
    stale = [(about, folder) for about, folder in _folders(results) if _is_stale(folder)]
    if stale:
        print(f"making {len(stale)} pages", flush=True)
        with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
            list(pool.map(write, *zip(*stale, strict=True)))
    write_index(results)


def _folders(results: Path) -> Iterator[tuple[str, Path]]:
    """Yield what the results have tables of a page about, and the folders that hold them."""
    for about, table in (
        ("study", "*/*/fit.provenance.json"), ("law", "*/law/law_tables.provenance.json"),
        ("comparison", "*/comparison/compare.provenance.json"),
        ("tournament", "*/tournament/*/tournament_tables.provenance.json"),
        ("translation", "translation/translation_tables.provenance.json"),
    ):  # fmt: skip
        yield from ((about, path.parent) for path in sorted(results.glob(table)))


def _is_stale(folder: Path) -> bool:
    page = folder / "report.html"
    newest = max(table.stat().st_mtime for table in (*folder.glob("*.csv"), *folder.glob("formula.json")))
    return not page.is_file() or page.stat().st_mtime < newest
