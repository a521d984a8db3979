"""`./run open`: show a page of the results in the browser."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path

from bgrating import BgratingError


class NoPageError(BgratingError):
    """There is no page to show."""


def main(arguments: Sequence[str], caller: Path) -> int:
    """Show the page that is named, or results/index.html, or the newest page there is; print where it stands."""
    page = _named(caller / arguments[0]) if arguments else _first(Path("results"))
    print(f"Page: {page}")
    if not webbrowser.open(page.resolve().as_uri()):
        print("No browser was found: open this file in one.")
    return 0


def _named(path: Path) -> Path:
    for page in (path, path / "report.html", path / "index.html"):
        if page.is_file():
            return page
    raise NoPageError(f"there is no page {path}")


def _first(results: Path) -> Path:
    index = results / "index.html"
    pages = [index] if index.is_file() else sorted(results.rglob("report.html"), key=lambda page: page.stat().st_mtime)
    if not pages:
        raise NoPageError("there is no page yet: ./run makes one")
    return pages[-1]
