"""The site of a collection: its page, a page for every player and every match, linked, and its tables to download."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.page import KINDS, WINDOW, Collection, collection_page, dated, render, windows
from bgrating.collection.players import LEAST_DECISIONS
from bgrating.collection.questions import chance_of_match, later_against_earlier
from bgrating.collection.addresses import MOST_PAGES, page_names, player_pages
from bgrating.decisions import board
from bgrating.decisions.kept import Costliest, by_part
from bgrating.pages.svg import Point, curve
from bgrating.pages.template import records
from bgrating.tables.provenance import replace

Json = dict[str, Any]

COSTLY = 0.02
"""Decisions that cost less (EMG) are not listed: gnubg calls none of them doubtful."""
WITH_BOARD, LISTED = 10, 25
"""A player's costliest decisions that have a picture, and that are listed."""
BLUNDER, BLUNDERS = 0.08, 3
"""From what a decision costs (EMG) it has a picture on the page of a match, and how many have one at most."""
BEST_AND_WORST = 5
UNNAMED = "unnamed"
LEAST_MOVES = 20
"""Unforced moves that a match must have to be among the best or the worst."""
MOST_POINTS = 40
"""Points of a player's rating over time."""


def site_files(collection: Collection) -> list[str]:
    """Return what write_site writes, from the folder of the collection."""
    linked = _Links(collection)
    downloads = [f"downloads/{name}.{form}" for name in ("files", "matches", "players") for form in ("parquet", "json")]
    return ["report.html", *linked.players.values(), *linked.matches.values(), *downloads]


def write_site(
    collection: Collection, decisions: Path, folder: Path, written: Callable[[int], None] = lambda _: None
) -> None:
    """Write report.html and the folders players, matches and downloads; `written` hears how many pages there are."""
    for name in ("players", "matches", "downloads"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    linked = _Links(collection)
    count = 0
    costliest = Costliest(LISTED, COSTLY)
    by_match = dict(tuple(collection.matches.groupby(["file", "match"], sort=False)))
    for part in by_part(decisions):
        costliest.add(part[part["player"].isin(linked.players)])
        for key, rows in part.groupby(["file", "match"], sort=False):
            if (address := linked.matches.get(key)) is not None:
                replace(folder / address, _match_page(collection, linked, by_match[key], rows))
                written(count := count + 1)
    by_player = dict(tuple(collection.matches.groupby("player", sort=False)))
    for row in records(collection.players.head(MOST_PAGES)):
        own, address = by_player[row["player"]], linked.players[row["player"]]
        replace(folder / address, _player_page(collection, linked, row, own, costliest.of(row["player"])))
        written(count := count + 1)
    for name, table in (("files", collection.files), ("matches", collection.matches), ("players", collection.players)):
        table.to_parquet(folder / "downloads" / f"{name}.parquet", compression="zstd", index=False)
        # Columns once, then rows: records would say every name again in each row.
        table.to_json(folder / "downloads" / f"{name}.json", orient="split", index=False, force_ascii=False)
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    replace(folder / "report.html", collection_page(collection, players, linked.match_table()))


class _Links:
    """Where the page of a player or match is, from the folder of the collection."""

    def __init__(self, collection: Collection) -> None:
        self.players = player_pages(collection.players["player"])
        left = collection.matches[collection.matches["side"] == "left"]
        pairs = list(zip(left["file"], left["match"], strict=True))[:MOST_PAGES]
        pages = page_names(f"{file} {match}" for file, match in pairs)
        self.matches: dict[Any, str] = {pair: f"matches/{pages[f'{pair[0]} {pair[1]}']}" for pair in pairs}
        self._table = left.merge(
            collection.matches[collection.matches["side"] == "right"][["file", "match", "pr", "rating"]],
            on=["file", "match"],
            suffixes=("", "_right"),
        )

    def match_table(self) -> list[Json]:
        """Return a row for each match, with the addresses of its page and of its players' pages."""
        return [
            as_shown(row)
            | {
                "page": self.matches.get((row["file"], row["match"])),
                "player_page": self.players.get(row["player"]),
                "opponent_page": self.players.get(row["opponent"]),
            }
            for row in records(self._table)
        ]

    def of_match(self, row: Mapping[str, Any]) -> Json:
        """Return the links of a match on a player's page, from the folder of players."""
        page, opponent = self.matches.get((row["file"], row["match"])), self.players.get(row["opponent"])
        return {"page": page and f"../{page}", "opponent_page": opponent and f"../{opponent}"}


def as_shown(row: Mapping[str, Any]) -> Json:
    """Return a row of a match as pages show it.

    A session for money has no length, a player without a name is called so, and a match of few decisions has no rating.
    """
    named = {side: row[side] or UNNAMED for side in ("player", "opponent")}
    length = f"{row['match_length']:.0f}" if row["match_length"] else "money"
    few = row.get("unforced_moves", math.inf) + row.get("close_cube_decisions", 0.0) < LEAST_DECISIONS
    return {**row, **named, "length": length} | ({"rating": math.nan} if few else {})


def _picture(row: Mapping[str, Any]) -> str:
    return board.svg(board.read_xgid(str(row["xgid"])), shared=True)


def _player_page(collection: Collection, linked: _Links, about: Json, own: pd.DataFrame, costly: list[Json]) -> str:
    rated = own[own["rating"].notna() & (own["unforced_moves"] >= LEAST_MOVES)].sort_values("rating", ascending=False)
    half = min(BEST_AND_WORST, len(rated) // 2)
    in_time = dated(own)
    size = min(WINDOW, len(in_time) // 2)
    curves = windows(in_time, collection.chosen, collection.offset, size, MOST_POINTS) if size else in_time.head(0)
    points = [
        Point(row["day"].toordinal(), f"{row['day']:%Y-%m-%d}", row["value"], row["low"], row["high"])
        for row in records(curves)
    ]

    field, change = collection.field, None
    best = rated.head(half).assign(chance=math.nan)
    if field is not None:
        change = later_against_earlier(in_time, collection.chosen, collection.offset, field)
        best["chance"] = [
            chance_of_match(rated, place, collection.chosen, collection.offset, field) for place in best.index
        ]

    def listed(rows: pd.DataFrame) -> list[Json]:
        return [as_shown(row) | linked.of_match(row) for row in records(rows)]

    decided = float(own["unforced_moves"].sum() + own["close_cube_decisions"].sum())
    losses = {kind: float(own[list(columns)].sum().sum()) for kind, (columns, _) in KINDS.items()}
    total = sum(losses.values())
    return render(
        "human_player.html.j2",
        collection,
        provenance={},
        links=[("../report.html", collection.name), ("#", about["player"])],
        about=about,
        decisions=[as_shown(row) | linked.of_match(row) | {"words": "in the match"} for row in costly],
        with_board=WITH_BOARD,
        empty_board=board.frame(),
        picture=_picture,
        kinds=[
            {"kind": kind, "loss": loss, "rate": loss / decided, "share": loss / total if total else None}
            for kind, loss in losses.items()
        ]
        if decided
        else [],
        window=size,
        over_time=curve(points, "Rating over time") if len(points) > 1 else "",
        change=change.words() if change else "",
        n_dated=len(in_time),
        n_rated=len(rated),
        best=listed(best),
        worst=listed(rated.tail(half).iloc[::-1]),
        least_moves=LEAST_MOVES,
        own=listed(own.sort_values(["date", "file", "match"])),
    )


def _match_page(collection: Collection, linked: _Links, both: pd.DataFrame, rows: pd.DataFrame) -> str:
    sides = records(both.sort_values("side"))
    left, right = map(as_shown, sides)
    costly = rows[rows["loss_emg"] >= COSTLY]
    return render(
        "human_match.html.j2",
        collection,
        provenance={},
        links=[("../report.html", collection.name), ("#", f"{left['player']} – {right['player']}")],
        left=left,
        right=right,
        both=[
            as_shown(row)
            | {"player_page": f"../{linked.players[row['player']]}" if row["player"] in linked.players else None}
            for row in sides
        ],
        decisions=[as_shown(row) for row in records(costly)],
        costly=COSTLY,
        blunders=[
            as_shown(row) for row in records(costly[costly["loss_emg"] >= BLUNDER].nlargest(BLUNDERS, "loss_emg"))
        ],
        n_decisions=int((rows["unforced"]).sum()),
        empty_board=board.frame(),
        picture=_picture,
    )
