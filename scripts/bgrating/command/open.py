"""`bgrating open`: show a page of the results in the browser."""

import webbrowser
from pathlib import Path

import click

from bgrating import BgratingError
from bgrating.command import JSON, PATH, RESULTS, SETTINGS, tell


class NoPageError(BgratingError):
    """There is no page to show."""


@click.command(context_settings=SETTINGS)
@click.argument("page", required=False, type=PATH)
@RESULTS
@JSON
def command(page: Path | None, results: Path, *, as_json: bool) -> None:
    """Show PAGE in the browser.

    A file, or a folder that holds one; by default the first page of the results.

    \b
    Examples:
      bgrating open
      bgrating open bgrating-results/human/club
    """
    path = _page(page, results)
    is_shown = webbrowser.open(path.resolve().as_uri())
    text = f"Page: {path}"
    if not is_shown:
        text += "\nNo browser was found: open this file in one."
    tell({"command": "open", "page": str(path), "shown": is_shown}, text, as_json=as_json)


def _page(page: Path | None, results: Path) -> Path:
    """Return the given page, else index.html of the results, else their newest page.

    Raises NoPageError.
    """
    if page:
        candidates = [page, page / "report.html", page / "index.html"]
    else:
        newest_first = sorted(
            results.rglob("report.html"), key=lambda path: (-path.stat().st_mtime, path)
        )
        candidates = [results / "index.html", *newest_first]
    for path in candidates:
        if path.is_file():
            return path
    raise NoPageError(
        f"there is no page {page}" if page else f"there is no page in {results} yet: rate makes one"
    )
