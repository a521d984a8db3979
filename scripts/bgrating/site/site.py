"""The site of a collection: its page, a page for every player and every match, linked."""

import hashlib
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pyarrow as pa

from bgrating.analysis.statuses import ANALYSED
from bgrating.decisions.files import judged
from bgrating.decisions.thresholds import ASKED, CHECKED_PLIES, LEVEL
from bgrating.pages.positions import is_asked, with_depth
from bgrating.pages.template import iterate_records, records
from bgrating.pages.words import number
from bgrating.people.players import LEAST_DECISIONS
from bgrating.people.practice import Practice, cells
from bgrating.site.addresses import match_pages, player_pages
from bgrating.site.collection_page import Collection, collection_page, render
from bgrating.site.match_page import match_contents
from bgrating.site.player_page import Matches, player_contents
from bgrating.tables.folder import mark_of, marked
from bgrating.tables.provenance import code_version, is_of_a_commit, write_atomic

Json = dict[str, Any]

UNNAMED = "unnamed"
_LISTED = [
    "file",
    "match",
    "player",
    "opponent",
    "match_length",
    "score",
    "opponent_score",
    "unforced_moves",
    "close_cube_decisions",
    "date",
    "rating",
    "pr",
    "chequer_error_emg",
    "cube_error_emg",
    "net_luck_mwc",
    "status",
    "level",
]
"""What lists of matches show: rows of all columns would fill the memory where matches are many."""


def write_site(
    collection: Collection,
    decisions: Iterable[pa.Table],
    folder: Path,
    written: Callable[[int], None],
    only: str | None,
    to_send: Path | None,
    standing: Path,
    former: set[str],
) -> str:
    """Write report.html and the folders players and matches; `written` hears how many pages there are.

    Of the pages `former` in the folder `standing` those that would be the same are not written, and leave `former`.

    `decisions` has those of whole matches at a time. Where there is a file `to_send`, the text of a page without links
    is returned: that of the player `only`, or of the one match where that is None.
    """
    for name in ("players", "matches"):
        (folder / name).mkdir(exist_ok=True)
    pages, sent = itertools.count(1), ""

    def write(page: str, made_of: str, text: Callable[[], str]) -> None:
        if page in former and made_of and mark_of(standing / page) == f"{page} {made_of}":
            former.discard(page)
        else:
            write_atomic(folder / page, marked(text(), page, made_of))
        written(next(pages))

    linked = _Links(collection)
    of_players = _OfPlayers(collection, linked)
    for found in decisions:
        part = judged(found.to_pandas())
        named = part.assign(**{side: part[side].replace("", UNNAMED) for side in ("player", "opponent")})
        of_players.add(named)
        end = 0
        for key, rows in itertools.groupby(zip(named["file"], named["match"], strict=True)):
            start, end = end, end + len(list(rows))
            if page := linked.matches.get(key):
                sides, own = linked.sides.pop(key), slice(start, end)
                shown = linked.shown(sides)
                made_of = _made_of(collection, shown, found[own].to_batches())
                write(page, made_of, partial(_match_page, collection, shown, named.iloc[own]))
                if only is None and to_send:
                    shown = _Links(collection, is_alone=True).shown(sides)
                    sent = _match_page(collection, shown, named.iloc[own])
    for name, page in linked.players.items():
        contents = of_players.contents(name, linked)
        write(page, _made_of(collection, contents), partial(render, "human_player.html.j2", collection, **contents))
        if name == only and to_send:
            contents = of_players.contents(name, _Links(collection, is_alone=True))
            sent = render("human_player.html.j2", collection, **contents)
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    write("report.html", "", partial(collection_page, collection, players, linked.match_table()))
    return sent


def _made_of(collection: Collection, contents: Any, decisions: Iterable[pa.RecordBatch] = ()) -> str:
    """Return a digest of all that a page shows, and of this program; empty where its version is not known."""
    if not is_of_a_commit():
        return ""
    digest = hashlib.sha256(repr((code_version(), collection.method, contents)).encode())
    for batch in decisions:
        digest.update(batch.serialize())
    return digest.hexdigest()


class _OfPlayers:
    """What the decisions of a collection, added part by part, say of each player."""

    def __init__(self, collection: Collection, linked: "_Links") -> None:
        self._collection, self._linked, self._matches = collection, linked, Matches(collection)
        is_checked = (collection.players["level"] == LEVEL) | (collection.plies >= CHECKED_PLIES)
        self._checked = set(collection.players.loc[is_checked, "player"])
        counts = collection.players["unforced_moves"] + collection.players["close_cube_decisions"]
        self._practice = Practice(dict(zip(collection.players["player"], counts, strict=True)), self._checked)
        self._costly: dict[str, list[Json]] = {}
        self._rows = records(collection.matches[_LISTED])
        self._about = {row["player"]: row for row in records(collection.players)}
        self._of_player: dict[str, list[int]] = {}
        for place, row in enumerate(self._rows):
            self._of_player.setdefault(row["player"], []).append(place)

    def add(self, part: pd.DataFrame) -> None:
        """Add decisions (`judged`) of whole matches."""
        plies, linked = self._collection.plies, self._linked
        # A player has one level: until all of the player's matches are checked, that of the first judge.
        is_checked = part["player"].isin(self._checked)
        own = part.assign(loss_emg=part["loss_emg"].where(is_checked, part["first_loss_emg"]))
        self._practice.add(cells(own[(own["loss_emg"] > 0) & own["player"].isin(self._about)]))
        places = part.groupby(["file", "match"], sort=False).cumcount()
        for row in iterate_records(cells(part.assign(place=places)[part["loss_emg"] >= ASKED])):
            page, error = linked.matches.get((row["file"], row["match"])), with_depth(row, plies)
            if is_asked(error, plies) and row["player"] in linked.players:
                link = page and f"../{page}#d{row['place']}"
                self._costly.setdefault(row["player"], []).append(error | {"page": link})

    def contents(self, name: str, linked: "_Links") -> Json:
        """Return what the page of a player shows, with links to the pages that `linked` knows."""
        places = np.array(self._of_player[name])
        # Those that 3-ply has seen go first, the costliest before the others.
        costly = sorted(self._costly.get(name, []), key=lambda row: (not row["confirmed_by"], -row["loss_emg"]))
        if not linked.pages_exist:
            costly = [row | {"page": ""} for row in costly]

        def shown(row: Json) -> Json:
            return as_shown(row) | linked.of_match(row)

        contents = player_contents(self._matches, places, self._about[name], costly, self._practice.of(name))
        for which in ("best", "worst"):
            if contents[which] is not None:
                contents[which] = shown(self._rows[contents[which]])
        newest = [self._rows[place] for place in reversed(self._of_player[name])]
        newest.sort(key=lambda row: row["date"] or "", reverse=True)
        return contents | {
            "provenance": {},
            "links": [("../report.html", self._collection.name), ("#", name)] if linked.pages_exist else [],
            "own": list(map(shown, newest)),
            "n_matches": len(places),
            "is_judged": name in self._checked,
        }


class _Links:
    """Where the page of a player or match is, from the folder of the collection."""

    def __init__(self, collection: Collection, *, is_alone: bool = False) -> None:
        """With `is_alone` there are no other pages."""
        self.pages_exist = not is_alone
        self.players = {} if is_alone else player_pages(collection.players["player"])
        left = collection.matches[collection.matches["side"] == "left"]
        self.matches: dict[Any, str] = {} if is_alone else match_pages(collection.matches)
        self.sides: dict[Any, list[Json]] = {pair: [] for pair in self.matches}
        pairs = zip(collection.matches["file"], collection.matches["match"], strict=True)
        with_page = collection.matches[[pair in self.matches for pair in pairs]]
        for row in records(with_page.sort_values("side", kind="stable")):
            self.sides[row["file"], row["match"]].append(row)
        ordered = left.sort_values("date", kind="stable", na_position="first")
        keys = list(zip(ordered["file"], ordered["match"], strict=True))
        pages = ["", *(_up(self.matches.get(key)) for key in keys), ""]
        self._neighbours = {key: {"earlier": pages[place], "later": pages[place + 2]} for place, key in enumerate(keys)}
        self._table = left[_LISTED].merge(
            collection.matches[collection.matches["side"] == "right"][["file", "match", "pr", "rating"]],
            on=["file", "match"],
            suffixes=("", "_right"),
        )

    def match_table(self) -> list[Json]:
        """Return the list of matches, the newest first and those without a date last."""
        newest = self._table.sort_values("date", kind="stable", na_position="first")[::-1]
        return [
            as_shown(row)
            | {
                "page": self.matches.get((row["file"], row["match"])),
                "player_page": self.players.get(row["player"]),
                "opponent_page": self.players.get(row["opponent"]),
            }
            for row in iterate_records(newest)
        ]

    def shown(self, sides: list[Json]) -> list[Json]:
        """Return the two rows of a match as its page shows them, with the addresses of the players' pages."""
        return [
            as_shown(row)
            | {"player_page": _up(self.players.get(row["player"])), "pages_exist": self.pages_exist}
            | self._neighbours[row["file"], row["match"]]
            for row in sides
        ]

    def of_match(self, row: Mapping[str, Any]) -> Json:
        page, opponent = self.matches.get((row["file"], row["match"])), self.players.get(row["opponent"])
        return {"page": _up(page), "opponent_page": _up(opponent)}


def _up(page: str | None) -> str:
    """Return the address of a page from the folder of another one; nothing where there is none."""
    return f"../{page}" if page else ""


def as_shown(row: Mapping[str, Any]) -> Json:
    """Return a row of a match as pages show it.

    A session for money has no length, a player without a name is called so, a match of few decisions has no rating,
    and no score is above the match's length: what was won beyond it is in `points`.
    """
    length = f"{row['match_length']:.0f}" if row["match_length"] else "money"
    few = row.get("unforced_moves", math.inf) + row.get("close_cube_decisions", 0.0) < LEAST_DECISIONS
    scores = [min(row[side], row["match_length"] or math.inf) for side in ("score", "opponent_score")]
    named = {side: row[side] or UNNAMED for side in ("player", "opponent")}
    row_on_page = {
        **row,
        **named,
        "length": length,
        "file": unquote(row["file"]),
        "words": "–".join(map(number, scores)),
        "points": row["score"],
        "score": scores[0],
        "opponent_score": scores[1],
    }
    remark = "" if row["status"] == ANALYSED else row["status"]
    return row_on_page | {"remark": remark} | ({"rating": math.nan} if few else {})


def _match_page(collection: Collection, sides: list[Json], decisions: pd.DataFrame) -> str:
    left, right = sides
    links = [("../report.html", collection.name), ("#", f"{left['player']} – {right['player']}")]
    return render(
        "human_match.html.j2",
        collection,
        **match_contents(sides, [with_depth(row, collection.plies) for row in iterate_records(decisions)]),
        provenance={},
        links=links if left["pages_exist"] else [],
        left=left,
        right=right,
    )
