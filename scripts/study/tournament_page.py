"""The page of a tournament, from its tables alone."""

from pathlib import Path

from bgrating.pages.style import points_word
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_json
from bgrating.tournament.page import figures, page, read_results, summary
from study.pages import Page


def made(folder: Path) -> Page:
    fit = read_json(folder / "fit.json")
    length = int(fit["match_length"])
    players = "programs" if "sides" in read_provenance(folder / "tournament.csv") else "levels"
    results = read_results(folder.name, f"{fit['n_players']} {players} to {points_word(length)}", folder)
    examples = sorted(path.name for path in (folder / "examples").glob("*.mat"))
    return Page(
        figures(results, length),
        lambda drawn: page(results, [*drawn, folder / "outcomes.png"], examples),
        summary(results, str(folder / "report.html")),
    )
