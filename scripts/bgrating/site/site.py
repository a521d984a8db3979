"""The site of a collection: its page, a page for every player and every match, linked."""

import hashlib
import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.analysis.statuses import ANALYSED
from bgrating.decisions.files import Costliest, judged
from bgrating.pages.positions import BLUNDER, COSTLY, is_asked, with_depth
from bgrating.pages.template import TEMPLATES, iterate_records, records
from bgrating.pages.words import number
from bgrating.people.leaks import CellLosses
from bgrating.people.players import LEAST_DECISIONS
from bgrating.site.addresses import MOST_PAGES, file_titles, match_pages, player_pages
from bgrating.site.collection_page import Collection, collection_page, render
from bgrating.site.match_page import match_contents
from bgrating.site.player_page import LISTED, Matches, player_contents, trends, window
from bgrating.tables.folder import made_of, marked
from bgrating.tables.provenance import write_atomic

Json = dict[str, Any]

UNNAMED = "unnamed"
_LISTED = [
    "file", "match", "player", "opponent", "match_length", "score", "opponent_score", "unforced_moves",
    "close_cube_decisions", "date", "rating", "pr", "chequer_error_emg", "cube_error_emg", "net_luck_mwc", "status",
]  # fmt: skip
"""What lists of matches show: rows of all columns would fill the memory where matches are many."""
_CODE = {".py", ".toml", ".j2", ".js", ".css"}
ALL_WINDOW = 100
"""Performances (of a player in a match) that a point of the trend of all players is made from."""


def write_site(
    collection: Collection,
    decisions: Iterable[pd.DataFrame],
    folder: Path,
    written: Callable[[int], None] = lambda _: None,
    before: Path | None = None,
) -> set[str]:
    """Write report.html and the folders players and matches; `written` hears how many pages there are.

    `decisions` has those of whole matches at a time. A page in the folder `before` that was made of the same, by the
    same code, is not made again; the names of these are returned.
    """
    for name in ("players", "matches"):
        (folder / name).mkdir(exist_ok=True)

    pages, same = itertools.count(1), set[str]()

    def write(page: str, source: str, text: Callable[[], str]) -> None:
        # What stands behind a link to a folder elsewhere is not ours to count on.
        if before and not (before / page).parent.is_symlink() and made_of(before / page) == (page, source):
            same.add(page)
        else:
            write_atomic(folder / page, marked(text(), page, source))
        written(next(pages))

    linked = _Links(collection)
    costliest, cells = Costliest(LISTED), CellLosses(collection.plies)
    errors: Counter[str] = Counter()
    blunders: Counter[str] = Counter()
    for found in decisions:
        part = judged(found)
        # Where only some errors were judged again, players with few matches would lose less.
        cells.add(part if collection.is_checked else found)
        for kind, least in ((errors, COSTLY), (blunders, BLUNDER)):
            kind.update(part.loc[part["loss_emg"] >= least, "player"].tolist())
        named = part.assign(**{side: part[side].replace("", UNNAMED) for side in ("player", "opponent")})
        of_match = named.groupby(["file", "match"], sort=False)
        costly = named["loss_emg"] >= COSTLY
        places = of_match.cumcount()[costly].tolist()
        for place, row in zip(places, iterate_records(named[costly]), strict=True):
            page, error = linked.matches.get((row["file"], row["match"])), with_depth(row, collection.plies)
            if is_asked(error, collection.plies) and row["player"] in linked.players:
                costliest.add([error | {"page": page and f"../{page}#d{place}"}])
        hashes = pd.util.hash_pandas_object(named, index=False).to_numpy()
        for key, own in of_match.indices.items():
            if page := linked.matches.get(key):
                sides = linked.shown(linked.sides.pop(key))
                source = _source([{**collection.method, "field": ""}, sides, hashes[own].tolist()])
                write(page, source, partial(_match_page, collection, sides, named.iloc[own]))
    leaks = cells.of_players()
    rows, arrays = records(collection.matches[_LISTED]), Matches(collection)
    of_player: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        of_player.setdefault(row["player"], []).append(place)
    for about in records(collection.players.head(MOST_PAGES)):
        name = about["player"]
        counts = errors[name], blunders[name]
        own_places = np.array(of_player[name])
        contents = player_contents(arrays, own_places, about, costliest.of(name), leaks.get(name, ([], {})), counts)
        contents = _of_player(collection, linked, contents, rows, of_player[name])
        write(linked.players[name], _source(contents), partial(render, "human_player.html.j2", collection, **contents))
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    report = collection_page(collection, players, linked.match_table(), _trends_of_all(arrays))
    write("report.html", _source(report), lambda: report)
    return same


def _source(contents: Any) -> str:
    """Return a hash of what a page is made from, and of the code that makes it."""
    text = json.dumps(
        [_code(), contents], default=lambda value: value.tolist() if hasattr(value, "tolist") else astuple(value)
    )
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _code() -> str:
    key = hashlib.sha256()
    for folder in (Path(__file__).parents[1], TEMPLATES):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _CODE):
            key.update(path.read_bytes())
    return key.hexdigest()


def _trends_of_all(arrays: Matches) -> Json:
    ordered, names, words = arrays.in_order(np.arange(len(arrays.rating)))
    size = window(ordered, ALL_WINDOW)
    return trends(arrays, ordered, names, size, "performances of all players") | {"window": size, "order_words": words}


class _Links:
    """Where the page of a player or match is, from the folder of the collection."""

    def __init__(self, collection: Collection) -> None:
        self.players = player_pages(collection.players["player"])
        self.titles = file_titles(collection.matches["file"])
        left = collection.matches[collection.matches["side"] == "left"]
        self.matches: dict[Any, str] = match_pages(collection.matches)
        self.sides: dict[Any, list[Json]] = {pair: [] for pair in self.matches}
        pairs = zip(collection.matches["file"], collection.matches["match"], strict=True)
        with_page = collection.matches[[pair in self.matches for pair in pairs]]
        for row in records(with_page.sort_values("side", kind="stable")):
            self.sides[row["file"], row["match"]].append(row)
        self._table = left[_LISTED].merge(
            collection.matches[collection.matches["side"] == "right"][["file", "match", "pr", "rating"]],
            on=["file", "match"],
            suffixes=("", "_right"),
        )

    def match_table(self) -> list[Json]:
        return [
            as_shown(row, self.titles)
            | {
                "page": self.matches.get((row["file"], row["match"])),
                "player_page": self.players.get(row["player"]),
                "opponent_page": self.players.get(row["opponent"]),
            }
            for row in iterate_records(self._table)
        ]

    def shown(self, sides: list[Json]) -> list[Json]:
        """Return the two rows of a match as its page shows them, with the addresses of the players' pages."""
        pages = (self.players.get(row["player"]) for row in sides)
        shown = (as_shown(row, self.titles) for row in sides)
        return [row | {"player_page": page and f"../{page}"} for row, page in zip(shown, pages, strict=True)]

    def of_match(self, row: Mapping[str, Any]) -> Json:
        page, opponent = self.matches.get((row["file"], row["match"])), self.players.get(row["opponent"])
        return {"page": page and f"../{page}", "opponent_page": opponent and f"../{opponent}"}


def as_shown(row: Mapping[str, Any], titles: Mapping[str, str]) -> Json:
    """Return a row of a match as pages show it; `titles` says what files are called.

    A session for money has no length, a player without a name is called so, a match of few decisions has no rating,
    and no score is above the match's length: what was won beyond it is in `points`.
    """
    length = f"{row['match_length']:.0f}" if row["match_length"] else "money"
    few = row.get("unforced_moves", math.inf) + row.get("close_cube_decisions", 0.0) < LEAST_DECISIONS
    scores = [min(row[side], row["match_length"] or math.inf) for side in ("score", "opponent_score")]
    named = {side: row[side] or UNNAMED for side in ("player", "opponent")}
    row_on_page = {
        **row, **named, "length": length, "file": titles[row["file"]], "words": "–".join(map(number, scores)),
        "points": row["score"], "score": scores[0], "opponent_score": scores[1],
    }  # fmt: skip
    remark = "" if row["status"] == ANALYSED else row["status"]
    return row_on_page | {"remark": remark} | ({"rating": math.nan} if few else {})


def _of_player(collection: Collection, linked: _Links, contents: Json, matches: list[Json], places: list[int]) -> Json:
    own_matches = sorted(
        (matches[place] for place in places), key=lambda row: (row["date"] or "", row["file"], row["match"])
    )
    extremes = {
        name: as_shown(matches[contents[name]], linked.titles) | linked.of_match(matches[contents[name]])
        for name in ("best", "worst")
        if contents[name] is not None
    }
    return {
        **collection.method, **contents, "best": None, "worst": None, **extremes, "provenance": {},
        "links": [("../report.html", collection.name), ("#", contents["about"]["player"])],
        "own": [as_shown(row, linked.titles) | linked.of_match(row) for row in own_matches],
        "file_name": Path(linked.players[contents["about"]["player"]]).stem,
    }  # fmt: skip


def _match_page(collection: Collection, sides: list[Json], decisions: pd.DataFrame) -> str:
    left, right = sides
    return render(
        "human_match.html.j2",
        collection,
        **match_contents(sides, [with_depth(row, collection.plies) for row in iterate_records(decisions)]),
        provenance={},
        links=[("../report.html", collection.name), ("#", f"{left['player']} – {right['player']}")],
        left=left,
        right=right,
    )
