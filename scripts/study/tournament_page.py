"""The page of a tournament, from its tables alone."""

from pathlib import Path

from bgrating.pages.style import points_word
from bgrating.tables.tables import read_json
from bgrating.tournament.page import figures, page, read_results, summary
from study.pages import Page


def made(folder: Path) -> Page:
    """Return the page of a folder of results/<nets>/tournament."""
    fit = read_json(folder / "fit.json")
    length = int(fit["match_length"])
    found = read_results(folder.name, f"{fit['n_players']} levels to {points_word(length)}", folder)
    examples = sorted(path.name for path in (folder / "examples").glob("*.mat"))
    return Page(
        figures(found, length),
        lambda drawn: page(found, [*drawn, folder / "outcomes.png"], examples),
        summary(found, str(folder / "report.html")),
    )
