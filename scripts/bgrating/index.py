"""Write index.html of a folder of results: links to all pages, the calculator, the formula."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from bgrating.engine.known_engines import engine_versions
from bgrating.pages import formatting
from bgrating.pages.template import TEMPLATES, page
from bgrating.rating.calculator import page_context
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.formula import formula_if_any
from bgrating.rating.result_files import formula_file
from bgrating.site.addresses import PROVENANCE
from bgrating.tables.folder import marked, page_name, recorded
from bgrating.tables.provenance import write_atomic

TITLES = {
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
"""Titles of the pages in folders of results/<nets>; other folders are studies."""


class Kind(NamedTuple):
    """A kind of ratings: its provenance, the title of its pages, and its tables.

    The table of `matches` has `rows` a match; `plural` is the noun for these matches.
    """

    provenance: str
    title: str
    players: str
    matches: str
    rows: int
    plural: str


KINDS = {
    "human": Kind(
        PROVENANCE, "Players rated by their matches", "players.csv", "matches.csv", 2, "matches"
    ),
    "ratings": Kind(
        "ratings.provenance.json",
        "Players rated by results",
        "league.csv",
        "games.csv",
        1,
        "results",
    ),
}
"""Folders of ratings from match files and from results."""


def write_index(results: Path) -> list[str]:
    """Write index.html into a folder of results, with links to all pages in it.

    Return notices for the user.

    An index.html that this program did not write, for example of a site around the results, stays
    as it is.
    """
    index = results / "index.html"
    if os.path.lexists(index) and page_name(index) != index.name:
        return [f"{index} is not of this program, or was changed since: it stays as it is"]
    reports = _reports(results)
    ratings = [_collection(path, results, made) for made, path in reports]
    studies = [
        _study(path, results)
        for engine_version in engine_versions()
        for path in (results / engine_version).rglob("report.html")
    ]
    studies.sort(key=itemgetter("address"))
    text = page(
        "index.html.j2",
        own=ratings,
        newest=_newest(results, ratings),
        others=studies,
        formulas=list(filter(None, map(_formula, engine_versions()))),
        calculator=page_context(),
        script=(TEMPLATES / "calculator.js").read_text(encoding="utf-8"),
    )
    write_atomic(index, marked(text, index.name))
    # Another command may have written more pages meanwhile, and its index before this one.
    return write_index(results) if _reports(results) != reports else []


def _reports(results: Path) -> list[tuple[float, Path]]:
    """Return the pages of ratings, newest first, each after the time when it was made."""
    reports = []
    for kind in KINDS:  # only folders that we write: the results may lie in a home folder or a site
        for path in (results / kind).glob("*/report.html"):
            with suppress(FileNotFoundError):  # `serve` may move it aside
                reports.append((path.stat().st_mtime, path))
    return sorted(reports, reverse=True)


def _study(report: Path, results: Path) -> dict[str, str]:
    path = report.relative_to(results)
    name = path.parts[-2]
    default = f"Study {name}"
    if "tournament" in path.parts:
        default = "A tournament of levels of gnubg"
    return {
        "address": path.as_posix(),
        "name": path.parent.as_posix(),
        "words": TITLES.get(name, default),
        "nets": path.parts[0],
    }


def _collection(report: Path, results: Path, made: float) -> dict[str, str]:
    kind = KINDS[report.parts[-3]]
    holds = ""
    tables = recorded(report.parent / kind.provenance).get("written")
    if tables:
        matches = formatting.counted(tables[kind.matches]["rows"] // kind.rows, kind.plural)
        holds = f"{formatting.counted(tables[kind.players]['rows'], 'players')}, {matches}"
    return {
        "address": report.relative_to(results).as_posix(),
        "name": report.parent.name,
        "kind": kind.title,
        "holds": holds,
        "made": f"{datetime.fromtimestamp(made, UTC):%Y-%m-%d}",
    }


def _newest(results: Path, ratings: list[dict[str, str]]) -> dict[str, str] | None:
    """Return `first` of the newest collection's provenance (`first_page`), with the addresses of
    its pages.
    """
    address = next((row["address"] for row in ratings if row["address"].startswith("human/")), "")
    folder = address.rpartition("/")[0]
    first = recorded(results / folder / KINDS["human"].provenance).get("first")
    if not first:
        return None
    pages = {name: f"{folder}/{first[name]}" for name in ("page", "last") if first.get(name)}
    return {"player": "", **first, **pages, "name": folder.rpartition("/")[2], "address": address}


def _formula(engine_version: str) -> dict[str, str] | None:
    """Return the fitted formula of an engine version in words; None before one was fitted."""
    path = formula_file("fitted", engine_version)
    formula = formula_if_any(path) if path.is_file() else None
    if formula is None:
        return None
    return {
        "nets": engine_version,
        "lines": formatting.lines(formula),
        "count": COUNTS[formula.epc_definition].description,
        "limit": formatting.number(formula.metadata.get("limit")),
    }
