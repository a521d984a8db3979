"""The site of a collection: its page, a page for every player and every match, linked, and its tables to download."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.addresses import MOST_PAGES, page_names, player_pages
from bgrating.collection.page import KINDS, WINDOW, Collection, collection_page, dated, render, windows
from bgrating.collection.players import LEAST_DECISIONS
from bgrating.collection.questions import chance_of_match, later_against_earlier
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
    pages = 0
    costliest = Costliest(LISTED)
    # Rows and a narrow table, made once: a wide table is cut ten times as slowly as a page is written.
    rows = records(collection.matches)
    for part in by_part(decisions):
        costly = records(part[part["loss_emg"] >= COSTLY])
        costliest.add(row for row in costly if row["player"] in linked.players)
        choices = part["unforced"].groupby([part["file"], part["match"]], sort=False).sum()
        for key, count in choices.items():
            if (address := linked.matches.get(key)) is not None:
                own = [row for row in costly if (row["file"], row["match"]) == key]
                replace(folder / address, _match_page(collection, linked, linked.sides[key], own, int(count)))
                written(pages := pages + 1)
    numbers = collection.matches[[*_NARROW, collection.chosen.decisions]].reset_index(drop=True)
    numbers = numbers.loc[:, ~numbers.columns.duplicated()].astype({"file": object, "date": object})
    groups = collection.matches["player"].to_numpy(object)
    places: dict[str, list[int]] = {}
    for place, name in enumerate(groups):
        places.setdefault(name, []).append(place)
    for about in records(collection.players.head(MOST_PAGES)):
        name = about["player"]
        narrow = numbers.iloc[places[name]]
        text = _player_page(collection, linked, about, narrow, rows, costliest.of(name))
        replace(folder / linked.players[name], text)
        written(pages := pages + 1)
    for name, table in (("files", collection.files), ("matches", collection.matches), ("players", collection.players)):
        table.to_parquet(folder / "downloads" / f"{name}.parquet", compression="zstd", index=False)
        # Columns once, then rows: records would say every name again in each row.
        table.to_json(folder / "downloads" / f"{name}.json", orient="split", index=False, force_ascii=False)
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    replace(folder / "report.html", collection_page(collection, players, linked.match_table()))


_NARROW = list(dict.fromkeys([
    "file", "match", "date", "rating", "match_length", "chequer_error_emg", "unforced_moves", "cube_error_emg",
    "close_cube_decisions", *(name for names, _ in KINDS.values() for name in names),
]))  # fmt: skip
"""What the figures of a player's page are made from."""


class _Links:
    """Where the page of a player or match is, from the folder of the collection."""

    def __init__(self, collection: Collection) -> None:
        self.players = player_pages(collection.players["player"])
        left = collection.matches[collection.matches["side"] == "left"]
        pairs = list(zip(left["file"], left["match"], strict=True))[:MOST_PAGES]
        pages = page_names(f"{file} {match}" for file, match in pairs)
        self.matches: dict[Any, str] = {pair: f"matches/{pages[f'{pair[0]} {pair[1]}']}" for pair in pairs}
        self.sides: dict[Any, list[Json]] = {}
        for row in records(collection.matches.sort_values("side", kind="stable")):
            self.sides.setdefault((row["file"], row["match"]), []).append(row)
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


def _player_page(
    collection: Collection, linked: _Links, about: Json, own: pd.DataFrame, rows: list[Json], costly: list[Json]
) -> str:
    """Return a player's page from the player's `own` matches (_NARROW), whose index is their place among the `rows`."""
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
    best = rated.index[:half]
    chances = [math.nan] * half
    if field is not None:
        change = later_against_earlier(in_time, collection.chosen, collection.offset, field)
        chances = [chance_of_match(rated, place, collection.chosen, collection.offset, field) for place in best]

    def listed(places: pd.Index) -> list[Json]:
        return [as_shown(rows[place]) | linked.of_match(rows[place]) for place in places]

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
        best=[row | {"chance": chance} for row, chance in zip(listed(best), chances, strict=True)],
        worst=listed(rated.index[::-1][:half]),
        least_moves=LEAST_MOVES,
        own=listed(own.sort_values(["date", "file", "match"]).index),
    )


def _match_page(collection: Collection, linked: _Links, sides: list[Json], costly: list[Json], decisions: int) -> str:
    """Return a match's page from its rows, left and right, its costly decisions and the number of all."""
    left, right = map(as_shown, sides)
    blunders = [row for row in costly if row["loss_emg"] >= BLUNDER]
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
        decisions=[as_shown(row) for row in costly],
        costly=COSTLY,
        blunders=[as_shown(row) for row in sorted(blunders, key=lambda row: -row["loss_emg"])[:BLUNDERS]],
        n_decisions=decisions,
        empty_board=board.frame(),
        picture=_picture,
    )
