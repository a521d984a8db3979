"""The site of a collection: its page, a page for every player and every match, linked, and its tables to download."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from bgrating.collection.addresses import MOST_PAGES, match_pages, player_pages
from bgrating.collection.leaks import CellLosses
from bgrating.collection.match_page import match_contents
from bgrating.collection.page import Collection, collection_page, render
from bgrating.collection.player_page import LISTED, Matches, player_contents
from bgrating.collection.players import LEAST_DECISIONS
from bgrating.decisions.kept import Costliest, by_part
from bgrating.pages.positions import BLUNDER, COSTLY
from bgrating.pages.template import records
from bgrating.pages.words import number
from bgrating.tables.provenance import write_atomic

Json = dict[str, Any]

UNNAMED = "unnamed"


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
    costliest, cells = Costliest(LISTED), CellLosses()
    errors: Counter[str] = Counter()
    blunders: Counter[str] = Counter()
    for part in by_part(decisions):
        cells.add(part)
        for kind, least in ((errors, COSTLY), (blunders, BLUNDER)):
            kind.update(part.loc[part["loss_emg"] >= least, "player"].tolist())
        # Rows, made once: a table is cut ten times as slowly as a page is written.
        named = part.assign(**{side: part[side].replace("", UNNAMED) for side in ("player", "opponent")})
        for key, decided in groupby(records(named), key=lambda row: (row["file"], row["match"])):
            played = list(decided)
            page = linked.matches.get(key)
            costliest.add(
                row | {"page": page and f"../{page}#d{place}"}
                for place, row in enumerate(played)
                if row["loss_emg"] >= COSTLY and row["player"] in linked.players
            )
            if page is not None:
                write_atomic(folder / page, _match_page(collection, linked, linked.sides[key], played))
                written(pages := pages + 1)
    leaks = cells.of_players()
    rows, arrays = records(collection.matches), Matches(collection)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row["player"], []).append(place)
    for about in records(collection.players.head(MOST_PAGES)):
        name = about["player"]
        counts = errors[name], blunders[name]
        own = np.array(places[name])
        found = player_contents(arrays, own, about, costliest.of(name), leaks.get(name, ([], {})), counts)
        write_atomic(folder / linked.players[name], _player_page(collection, linked, found, rows, places[name]))
        written(pages := pages + 1)
    for name, table in (("files", collection.files), ("matches", collection.matches), ("players", collection.players)):
        table.to_parquet(folder / "downloads" / f"{name}.parquet", compression="zstd", index=False)
        # Columns once, then rows: records would say every name again in each row.
        table.to_json(folder / "downloads" / f"{name}.json", orient="split", index=False, force_ascii=False)
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    write_atomic(folder / "report.html", collection_page(collection, players, linked.match_table()))


class _Links:
    """Where the page of a player or match is, from the folder of the collection."""

    def __init__(self, collection: Collection) -> None:
        self.players = player_pages(collection.players["player"])
        left = collection.matches[collection.matches["side"] == "left"]
        self.matches: dict[Any, str] = match_pages(zip(left["file"], left["match"], strict=True))
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

    A session for money has no length, a player without a name is called so, a match of few decisions has no rating,
    and the name of a file is written as it reads.
    """
    length = f"{row['match_length']:.0f}" if row["match_length"] else "money"
    few = row.get("unforced_moves", math.inf) + row.get("close_cube_decisions", 0.0) < LEAST_DECISIONS
    score = f"{number(row['score'])}–{number(row['opponent_score'])}"
    named = {side: row[side] or UNNAMED for side in ("player", "opponent")}
    shown = {**row, **named, "length": length, "file": unquote(row["file"]), "words": score}
    return shown | ({"rating": math.nan} if few else {})


def _player_page(collection: Collection, linked: _Links, found: Json, matches: list[Json], places: list[int]) -> str:
    """Return a player's page from its contents (player_page.py); `places` of all `matches` are the player's."""
    own = sorted((matches[place] for place in places), key=lambda row: (row["date"] or "", row["file"], row["match"]))
    extremes = {
        name: as_shown(matches[found[name]]) | linked.of_match(matches[found[name]])
        for name in ("best", "worst")
        if found[name] is not None
    }
    return render(
        "human_player.html.j2",
        collection,
        **{"best": None, "worst": None} | {key: value for key, value in found.items() if key not in {"best", "worst"}}
        | extremes,
        provenance={},
        links=[("../report.html", collection.name), ("#", found["about"]["player"])],
        own=[as_shown(row) | linked.of_match(row) for row in own],
        file_name=Path(linked.players[found["about"]["player"]]).stem,
    )  # fmt: skip


def _match_page(collection: Collection, linked: _Links, sides: list[Json], rows: list[Json]) -> str:
    """Return a match's page from its rows, left and right, and its decisions."""
    shown = [
        as_shown(row)
        | {"player_page": f"../{linked.players[row['player']]}" if row["player"] in linked.players else None}
        for row in sides
    ]
    left, right = shown
    return render(
        "human_match.html.j2",
        collection,
        **match_contents(shown, rows),
        provenance={},
        links=[("../report.html", collection.name), ("#", f"{left['player']} – {right['player']}")],
        left=left,
        right=right,
    )
