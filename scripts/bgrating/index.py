"""The first page of the results: what is here, the calculator, the formula."""

import os
from datetime import UTC, datetime
from pathlib import Path

from bgrating.engine.nets import known_nets
from bgrating.pages import words
from bgrating.pages.template import TEMPLATES, page
from bgrating.rating.calculator import page_context
from bgrating.rating.files import formula_file
from bgrating.rating.formula import formula_if_any
from bgrating.rating.rates import COUNTS
from bgrating.tables.folder import made_as, marked, recorded
from bgrating.tables.provenance import write_atomic

# Titles of the pages in folders of results/<nets>; any other folder with a page is a study.
WORDS = {
    "people": "Are people like noise?",
    "part1": "Part I of the published study, played again",
    "part2": "Part II of the published study, played again: the formula",
    "appendix2": "Appendix II: pairs that nothing was fitted to",
    "appendix2-1-ply": "Appendix II: 1-ply against 0-ply",
    "appendix2-2-ply": "Appendix II: 2-ply against 2-ply with a 0-ply cube",
    "check-both-noisy": "Does it hold when both players err?",
    "check-1-ply-players": "Does it hold for players who search 1-ply?",
    "check-2-ply-players": "Does it hold for players who search 2-ply?",
    "check-analysis-0-ply": "The same matches, analysed at 0-ply",
    "check-analysis-2-ply": "The same matches, analysed at 2-ply",
    "check-zadeh": "Does the match-equity table of 2003 matter?",
}
FIRST = list(WORDS)
HOLDS = {
    "human": ("rate.provenance.json", "Players rated by their matches", "players.csv", "matches.csv", 2, "matches"),
    "ratings": ("ratings.provenance.json", "Players rated by results", "league.csv", "games.csv", 1, "results"),
}
"""For ratings from match files and from results: the provenance of their tables, the title of their pages, the table
of players, that of matches, its rows a match, and the word for these."""
BY_ONE = {"players", "matches"}
"""Folders of a collection with pages of single players and matches, which its own page lists."""
OWN = ("human", "ratings")
"""Folders of results beside those of the nets."""


def write_index(results: Path) -> list[str]:
    """Write index.html into a folder of results, with links to all pages in it; return notes for the user.

    An index.html of somebody else, for example of a site around the results, stays as it is.
    """
    index = results / "index.html"
    if os.path.lexists(index) and made_as(index) != index.name:
        return [f"{index} is not of this program, or was changed since: it stays as it is"]
    ratings, studies = [], []
    # Only folders that we write: there may be other things beside the results, in a home folder or a site.
    for path in sorted(path for name in (*OWN, *known_nets()) for path in (results / name).rglob("*.html")):
        parts = path.relative_to(results).parts
        if path.name == "index.html" or (parts[0] == "human" and (len(parts) < 3 or parts[2] in BY_ONE)):
            continue
        row = {"address": "/".join(parts), "name": "/".join(parts[:-1])}
        if parts[0] in HOLDS:
            ratings.append(row | {"name": parts[1]} | _holds(path, *HOLDS[parts[0]]))
        else:
            nets = parts[0] if parts[0] in known_nets() else ""
            studies.append(row | {"words": WORDS.get(parts[-2], _kind(parts)), "nets": nets})
    ratings.sort(key=lambda row: (results / row["address"]).stat().st_mtime, reverse=True)
    studies.sort(key=lambda row: (row["nets"], _place(row["address"].split("/")[-2]), row["address"]))
    text = page(
        "index.html.j2",
        own=ratings,
        newest=_newest(results, ratings),
        others=studies,
        formulas=[formula for nets in known_nets() for formula in _formula(nets)],
        calculator=page_context(),
        script=(TEMPLATES / "calculator.js").read_text(encoding="utf-8"),
    )
    write_atomic(index, marked(text, index.name))
    return []


def _holds(page: Path, facts: str, kind: str, people: str, table: str, rows: int, called: str) -> dict[str, str]:
    row = {"kind": kind, "holds": "", "made": f"{datetime.fromtimestamp(page.stat().st_mtime, UTC):%Y-%m-%d}"}
    if not (written := recorded(page.parent / facts).get("written")):
        return row
    players, matches = written[people]["rows"], written[table]["rows"] // rows
    return row | {"holds": f"{words.counted(players, 'players')}, {words.counted(matches, called)}"}


def _newest(results: Path, ratings: list[dict[str, str]]) -> dict[str, str] | None:
    """Return what the newest collection's provenance says of it (`first`), with where its pages are."""
    address = next((row["address"] for row in ratings if row["address"].startswith("human/")), "")
    folder = address.rpartition("/")[0]
    told = recorded(results / folder / HOLDS["human"][0]).get("first")
    if not told:
        return None
    pages = {name: f"{folder}/{told[name]}" for name in ("page", "last") if told.get(name)}
    nothing = {"player": "", "page": "", "last": ""}
    return {**nothing, **told, **pages, "name": folder.rpartition("/")[2], "address": address}


def _kind(parts: tuple[str, ...]) -> str:
    return "A tournament of levels of gnubg" if "tournament" in parts else f"Study {parts[-2]}"


def _place(folder: str) -> int:
    return FIRST.index(folder) if folder in FIRST else len(FIRST)


def _formula(nets: str) -> list[dict[str, str]]:
    """Return the formula of some nets (`coefficients=fitted`) in words; nothing where there is none yet."""
    path = formula_file("fitted", nets)
    formula = formula_if_any(path) if path.is_file() else None
    if formula is None:
        return []
    limit, count = words.number(formula.facts.get("limit")), COUNTS[formula.epc_definition].words
    return [{"nets": nets, "lines": words.lines(formula), "count": count, "limit": limit}]
