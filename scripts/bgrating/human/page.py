"""The page of a collection and the page of one player: one HTML file each that needs nothing besides itself."""

import base64
import difflib
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from bgrating.human import figures
from bgrating.human.accounts import ANALYSED, STATUSES
from bgrating.human.formulas import Chosen
from bgrating.human.inert import shown, without_mark
from bgrating.report.contents import provenance_rows
from bgrating.report.page import TEMPLATES
from bgrating.report.words import ABSENT, between, milli, number
from bgrating.settings import SettingsError

MOST_ROWS = 2000
"""Rows of a table on a page; the tables beside it hold all of them."""

BEST_AND_WORST = 5
LEAST_MOVES = 20
"""Unforced moves that a match must have to be among the best or the worst."""


@dataclass(frozen=True)
class Collection:
    """A collection's tables as they were written, and the formula that rated its players."""

    name: str
    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    chosen: Chosen
    offset: float
    provenance: dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A cell of a table that sorts: what it shows and what it sorts by (empty: last)."""

    text: str
    order: str


def read_table(path: Path) -> pd.DataFrame:
    """Read a table that tables.py wrote; names stand as they were before they were made harmless for spreadsheets."""
    texts = {"file": str, "player": str, "opponent": str, "real_name": str, "date": str, "reason": str, "dialect": str}
    table = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""], low_memory=False)
    for column in texts:
        if column in table:
            table[column] = table[column].fillna("").map(without_mark)
    return table


def collection_page(collection: Collection) -> str:
    """Write the page of a collection."""
    players = collection.players
    names = players["player"].tolist()
    left_out = collection.files[collection.files["status"] != ANALYSED]
    counts = collection.files["status"].value_counts()
    return render(
        "human.html.j2",
        collection,
        counts=[(status, int(counts[status])) for status in STATUSES if status in counts],
        files=len(collection.files),
        matches=len(collection.matches) // 2,
        unnamed=int((collection.matches["player"] == "").sum()),
        players=_players(players.head(MOST_ROWS)),
        all_players=len(players),
        left_out=left_out.head(MOST_ROWS)[["file", "status", "reason"]].to_dict("records"),
        all_left_out=len(left_out),
        pictures=_pictures(
            (
                f"Ratings with {collection.chosen.formula.confidence:.0%} intervals: players with most matches, "
                f"those with more than ±{figures.WIDEST:.0f} points left to the table",
                figures.rating_intervals(players),
            ),
            _over_time(collection, names),
            ("Errors by kind", figures.errors_by_kind(collection.matches, names)),
        ),
    )


def player_page(collection: Collection, player: str) -> str:
    """Write the page of one player, named as in the files or as in the tables.

    Raises SettingsError naming similar names where there is no such player.
    """
    known = set(collection.players["player"])
    player = next((name for name in (player, shown(player), without_mark(player)) if name in known), player)
    rows = collection.players[collection.players["player"] == player]
    if not len(rows):
        near = difflib.get_close_matches(player, collection.players["player"], n=5, cutoff=0.4)
        raise SettingsError(f"player={player}: no such player in the collection; like it: {', '.join(near) or 'none'}")
    own = collection.matches[collection.matches["player"] == player]
    rated = own[own["rating"].notna() & (own["unforced_moves"] >= LEAST_MOVES)].sort_values("rating", ascending=False)
    half = min(BEST_AND_WORST, len(rated) // 2)
    return render(
        "human_player.html.j2",
        collection,
        player=player,
        rated=int(rows["rated_matches"].iloc[0]),
        about=_players(rows)[0],
        best=_matches(rated.head(half)),
        worst=_matches(rated.tail(half).iloc[::-1]),
        least_moves=LEAST_MOVES,
        own=_matches(own.sort_values(["date", "file", "match"]).head(MOST_ROWS)),
        all_own=len(own),
        pictures=_pictures(_over_time(collection, [player]), ("Errors by kind", figures.errors_by_kind(own, [player]))),
    )


def _over_time(collection: Collection, names: list[str]) -> tuple[str, str | None]:
    picture = figures.rating_over_time(collection.matches, names, collection.chosen, collection.offset)
    return f"Rating over time, each point from the last {figures.WINDOW} matches (or all, if fewer)", picture


def _pictures(*drawn: tuple[str, str | None]) -> list[dict[str, str]]:
    return [{"title": title, "data": data} for title, data in drawn if data]


def render(template: str, collection: Collection, **contents: Any) -> str:
    """Fill a template of the collection's frame; what it is given is escaped, what it is not given is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (TEMPLATES / "human.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    formula = collection.chosen.formula
    return environment.get_template(template).render(
        name=collection.name,
        script=script,
        script_hash=digest,
        formula_words=collection.chosen.words,
        confidence=f"{formula.confidence:.0%}",
        formula_is_certain=bool(pd.isna(formula.covariance).any()),
        offset=number(collection.offset),
        analysis=collection.provenance.get("analysis", ABSENT),
        provenance=provenance_rows(collection.provenance),
        **contents,
    )


def _players(players: pd.DataFrame) -> list[dict[str, Cell]]:
    return [
        {
            "player": Cell(row["player"], row["player"].casefold()),
            "matches": _cell(row["matches"]),
            "rating": _cell(row["rating"]),
            "interval": Cell(between(row["ci_low"], row["ci_high"]), _order(row["ci_high"] - row["ci_low"])),
            "recorded": _cell(row["recorded_rating"]),
            "pr": _cell(row["pr"], 2),
            "epm": Cell(milli(row["epm"]), _order(row["epm"])),
            "epc": Cell(milli(row["epc"]), _order(row["epc"])),
            "snowie": _cell(row["snowie_error_rate"], 2),
            "luck": _cell(row["luck_mwc"], 2),
            "won": Cell(f"{row['won']:.0f} of {row['decided_matches']:.0f}", _order(row["won"])),
            "luck_based": _cell(row["luck_based_rating_difference"]),
        }
        for row in players.to_dict("records")
    ]


def _matches(matches: pd.DataFrame) -> list[dict[str, Cell]]:
    return [
        {
            "date": Cell(row["date"] or ABSENT, row["date"]),
            "opponent": Cell(row["opponent"] or ABSENT, row["opponent"].casefold()),
            "length": Cell(
                f"{row['match_length']:.0f}" if row["match_length"] else "money", _order(row["match_length"])
            ),
            "score": Cell(f"{row['score']:.0f}–{row['opponent_score']:.0f}", _order(row["score"])),
            "rating": _cell(row["rating"]),
            "pr": _cell(row["pr"], 2),
            "chequer": _cell(row["chequer_error_emg"], 3),
            "cube": _cell(row["cube_error_emg"], 3),
            "luck": _cell(row["luck_mwc"], 2),
            "status": Cell(row["status"], row["status"]),
            "file": Cell(row["file"], row["file"]),
        }
        for row in matches.to_dict("records")
    ]


def _cell(value: float, decimals: int = 0) -> Cell:
    return Cell(number(value, decimals), _order(value))


def _order(value: float) -> str:
    return "" if value is None or math.isnan(value) else repr(float(value))
