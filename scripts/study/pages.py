"""The pages of the study.

A page is the figures, report.html and summary.txt of a folder of tables. It takes seconds to make.

A rule makes a page after its tables (jobs/folder_page.py). The repository keeps no pages:
`./run open` makes those that are missing or older than their tables.
"""

import importlib
from pathlib import Path
from typing import NamedTuple

from bgmatch.records import Record
from bgrating.index import write_index
from bgrating.pages.formatting import between, number
from bgrating.tables.provenance import write_atomic

# By kind of page: the module that makes it, and the provenance of its tables below the results.
MODULES = {
    "study": ("study.report.page", "*/*/fit"),
    "tournament": ("study.tournament_page", "*/tournament/*/tournament_tables"),
}


class Page(NamedTuple):
    """The text of a page, and the lines to print."""

    html: str
    summary: str


def interval(row: Record, column: str, decimals: int = 0, ends: str = "") -> str:
    """Return a value with its interval.

    The columns of the ends start with `ends`, by default with `column`.
    """
    prefix = ends or column
    return (
        f"{number(row[column], decimals)}"
        f" {between(row[f'{prefix}_low'], row[f'{prefix}_high'], decimals)}"
    )


def excluded(row: Record, value: float, ends: str) -> str:
    """Return whether an interval excludes a value, in words.

    The columns of the ends start with `ends`.
    """
    is_inside = row[f"{ends}_low"] <= value <= row[f"{ends}_high"]
    verdict = "not excluded" if is_inside else "excluded"
    return f"{value:g} is {verdict}"


def apart(points: float, under: str, over: str) -> str:
    """Return a difference in points, and the word for its sign: `under` for a positive one."""
    word = under if points >= 0 else over
    return f"{number(abs(points))} points {word}"


def write(kind: str, folder: Path) -> Path:
    page: Page = importlib.import_module(MODULES[kind][0]).make(folder)
    (folder / "figures").mkdir(exist_ok=True)  # an output of the rule, with or without a figure
    write_atomic(folder / "report.html", page.html)
    write_atomic(folder / "summary.txt", page.summary)
    return folder / "report.html"


def write_missing(results: Path) -> None:
    """Make every page of the results that is missing or older than its tables, and the first
    page.
    """
    stale = []
    for kind, (_, name) in MODULES.items():
        folders = [file.parent for file in sorted(results.glob(f"{name}.provenance.json"))]
        stale += [(kind, folder) for folder in folders if _is_stale(folder)]
    if stale:
        print(f"making {len(stale)} pages", flush=True)
    for kind, folder in stale:
        write(kind, folder)
    write_index(results)


def _is_stale(folder: Path) -> bool:
    page = folder / "report.html"
    newest = max(
        table.stat().st_mtime for table in (*folder.glob("*.csv"), *folder.glob("formula.json"))
    )
    return not page.is_file() or page.stat().st_mtime < newest
