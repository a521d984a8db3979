"""The first page of the results: what is here, the calculator, the formula."""

import json
from datetime import UTC, datetime
from pathlib import Path

from bgrating.engine.nets import known_nets
from bgrating.pages import words
from bgrating.pages.template import TEMPLATES, page
from bgrating.rating.calculator import page_context
from bgrating.rating.files import formula_file
from bgrating.rating.formula import NoFormulaError, read_formula
from bgrating.tables.provenance import write_atomic

# Folders of results/<nets> by what their pages answer; a study is whatever else has a page.
WORDS = {
    "law": "The formula, its tests and its rivals",
    "comparison": "What moved since 2003, and why",
    "people": "Are people like noise?",
    "translation": "Two versions of gnubg on the same matches",
    "part1": "Part I of the published study, played again",
    "part2": "Part II of the published study, played again: the formula",
    "appendix2": "Appendix II: pairs that nothing was fitted to",
}
FIRST = list(WORDS)
RATED = "rate.provenance.json"
"""What a rated collection says of its tables (collection/rate.py)."""
BY_ONE = {"players", "matches"}
"""Folders of a collection with pages of single players and matches, which its own page lists."""


def write_index(results: Path) -> None:
    """Write index.html into a folder of results, with links to all pages in it."""
    collections, others = [], []
    for path in sorted(results.rglob("*.html")):
        parts = path.relative_to(results).parts
        if path.name == "index.html" or (parts[0] == "human" and parts[2] in BY_ONE):
            continue
        row = {"address": "/".join(parts), "name": "/".join(parts[:-1]), "page": path.stem}
        if parts[0] == "human":
            collections.append(row | {"name": parts[1]} | _holds(path))
        else:
            others.append(
                row
                | {"words": WORDS.get(parts[-2], _kind(parts)), "nets": parts[0] if parts[0] in known_nets() else ""}
            )
    others.sort(key=lambda row: (row["nets"], _place(row["address"].split("/")[-2]), row["address"]))
    text = page(
        "index.html.j2",
        collections=collections,
        others=others,
        formulas=[formula for nets in known_nets() for formula in _formula(nets)],
        calculator=page_context(),
        script=(TEMPLATES / "calculator.js").read_text(encoding="utf-8"),
    )
    write_atomic(results / "index.html", text)


def _holds(page: Path) -> dict[str, str]:
    """Return what a collection's page is of, as its provenance counts it, and the day it was made."""
    made = f"{datetime.fromtimestamp(page.stat().st_mtime, UTC):%Y-%m-%d}"
    try:
        written = json.loads((page.parent / RATED).read_text(encoding="utf-8"))["written"]
        players, rows = (written[name]["rows"] for name in ("players.csv", "matches.csv"))
    except (OSError, ValueError, KeyError):
        return {"words": "", "made": made}
    return {"words": f"{players:,} players, {rows // 2:,} matches", "made": made}


def _kind(parts: tuple[str, ...]) -> str:
    if "tournament" in parts:
        return "A tournament of levels of gnubg"
    return "Ratings of a table of games" if parts[0] == "ratings" else "A study of its own"


def _place(folder: str) -> int:
    return FIRST.index(folder) if folder in FIRST else len(FIRST)


def _formula(nets: str) -> list[dict[str, str]]:
    """Return the formula of some nets (`coefficients=fitted`) in words; nothing where there is none yet."""
    path = formula_file("fitted", nets)
    if not path.is_file():
        return []
    try:
        formula = read_formula(path)
    except NoFormulaError:
        return []
    limit = words.number(formula.facts.get("limit"))
    return [{"nets": nets, "lines": words.lines(formula), "count": str(formula.facts["count"]), "limit": limit}]
