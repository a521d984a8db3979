"""The site of a collection: its page, and linked pages of its players and matches."""

import hashlib
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pyarrow as pa

from bgmatch.records import Json, Record
from bgrating.analysis.statuses import ANALYSED
from bgrating.decisions.decision_table import judged
from bgrating.decisions.thresholds import ASKED, CHECKED_PLIES, LEVEL
from bgrating.pages.positions import is_asked, with_depth
from bgrating.pages.template import iterate_records, records
from bgrating.pages.words import number
from bgrating.people.players import LEAST_DECISIONS
from bgrating.people.practice import Practice, cells
from bgrating.rating.result_files import plan_costs_table
from bgrating.site.addresses import match_pages, player_pages
from bgrating.site.collection_page import Collection, collection_page, render
from bgrating.site.filters import LEAST_MATCHES, Filters, losses_of
from bgrating.site.match_page import match_contents
from bgrating.site.player_page import Matches, player_contents
from bgrating.tables.folder import mark_of, marked
from bgrating.tables.provenance import code_version, is_of_a_commit, write_atomic
from bgrating.tables.table_files import read_table

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
]
"""The columns that lists of matches show; all columns would take too much memory in large
collections."""


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
    """Write report.html and the folders players and matches.

    Call `written` with the number of pages after each.

    `decisions` yields tables of whole matches. The folder `standing` has the pages `former` of the
    last run: unchanged pages are not written, and removed from `former`. With `to_send`, return a
    page without links: of the player `only`, or of the only match if that is None.
    """
    for name in ("players", "matches"):
        (folder / name).mkdir(exist_ok=True)
    pages = itertools.count(1)
    sent = ""

    def write(page: str, digest: str, text: Callable[[], str]) -> None:
        if page in former and digest and mark_of(standing / page) == f"{page} {digest}":
            former.discard(page)
        else:
            write_atomic(folder / page, marked(text(), page, digest))
        written(next(pages))

    linked = _Links(collection)
    alone = _Links(collection, is_alone=True) if to_send else None
    of_players = _OfPlayers(collection, linked)
    for found in decisions:
        part = judged(found.to_pandas())
        named = part.assign(
            **{side: part[side].replace("", UNNAMED) for side in ("player", "opponent")}
        )
        of_players.add(named)
        end = 0
        for key, rows in itertools.groupby(zip(named["file"], named["match"], strict=True)):
            start = end
            end = end + len(list(rows))
            if page := linked.matches.get(key):
                sides = linked.sides.pop(key)
                own = slice(start, end)
                digest = _digest(collection, linked.shown(sides), found[own].to_batches())
                write(
                    page, digest, partial(_match_page, collection, linked, sides, named.iloc[own])
                )
                if only is None and alone:
                    sent = _match_page(collection, alone, sides, named.iloc[own])
    for name, page in linked.players.items():
        contents = of_players.contents(name, linked)
        write(
            page,
            _digest(collection, contents),
            partial(render, "human_player.html.j2", collection, **contents),
        )
        if name == only and alone:
            sent = render("human_player.html.j2", collection, **of_players.contents(name, alone))
    players = collection.players.assign(page=collection.players["player"].map(linked.players))
    write("report.html", "", partial(collection_page, collection, players, linked.match_table()))
    return sent


def _digest(collection: Collection, contents: Any, decisions: Iterable[pa.RecordBatch] = ()) -> str:
    """Return a digest of the data of a page and of this program.

    Empty if the version of the code is unknown.
    """
    if not is_of_a_commit():
        return ""
    digest = hashlib.sha256(repr((code_version(), collection.method, contents)).encode())
    for batch in decisions:
        digest.update(batch.serialize())
    return digest.hexdigest()


class _OfPlayers:
    """Figures of each player from the decisions of a collection, which are added part by part."""

    def __init__(self, collection: Collection, linked: "_Links") -> None:
        self._collection, self._linked, self._matches = collection, linked, Matches(collection)
        is_checked = (collection.players["level"] == LEVEL) | (collection.plies >= CHECKED_PLIES)
        self._checked = set(collection.players.loc[is_checked, "player"])
        counts = collection.players["unforced_moves"] + collection.players["close_cube_decisions"]
        decisions = dict(zip(collection.players["player"], counts, strict=True))
        self._practice = Practice(decisions, read_table(plan_costs_table()))
        self._filters = Filters(collection, self._matches.day)
        self._costly: dict[str, list[Json]] = defaultdict(list)
        self._rows = records(collection.matches[_LISTED])
        self._about = {row["player"]: row for row in records(collection.players)}
        self._places = collection.matches.reset_index(drop=True).groupby("player").indices

    def add(self, part: pd.DataFrame) -> None:
        """Add decisions (`judged`) of whole matches."""
        plies = self._collection.plies
        linked = self._linked
        # A player has one level: that of the first look until all of the player's matches are
        # checked.
        is_checked = part["player"].isin(self._checked)
        own = part.assign(loss_emg=part["loss_emg"].where(is_checked, part["first_loss_emg"]))
        is_counted = (own["loss_emg"] > 0) | own["unforced"]
        self._practice.add(cells(own[is_counted & own["player"].isin(self._about)]))
        places = part.groupby(["file", "match"], sort=False).cumcount()
        for row in iterate_records(cells(part.assign(place=places)[part["loss_emg"] >= ASKED])):
            page = linked.matches.get((row["file"], row["match"]))
            error = with_depth(row, plies)
            if is_asked(error, plies) and row["player"] in linked.players:
                link = page and f"../{page}#d{row['place']}"
                self._costly[row["player"]].append(error | {"page": link})

    def contents(self, name: str, linked: "_Links") -> Json:
        """Return the variables of the page of a player, with links to the pages that `linked`
        has.
        """
        places = np.asarray(self._places[name])
        # Errors that 3-ply confirmed come first, each group by its losses.
        costly = sorted(
            self._costly[name], key=lambda row: (not row["confirmed_by"], -row["loss_emg"])
        )
        if not linked.pages_exist:
            costly = [row | {"page": ""} for row in costly]
        contents = player_contents(
            self._matches, places, self._about[name], costly, self._practice.of(name)
        )
        filters = None
        if len(places) >= LEAST_MATCHES:
            rows = {
                (self._rows[place]["file"], self._rows[place]["match"]): int(place)
                for place in places
            }
            families, losses = losses_of(self._practice, name, rows)
            filters = self._filters.of(self._matches.as_played(places), losses, families)
        newest = [self._rows[place] for place in reversed(places)]
        newest.sort(key=lambda row: row["date"] or "", reverse=True)
        return contents | {
            "provenance": {},
            "links": (
                [("../report.html", self._collection.name), ("#", name)]
                if linked.pages_exist
                else []
            ),
            "own": list(map(linked.of_match, newest)),
            "n_matches": len(places),
            "filters": filters,
            "is_judged": name in self._checked,
        }


class _Links:
    """Addresses of the pages of players and matches, relative to the folder of the collection."""

    def __init__(self, collection: Collection, *, is_alone: bool = False) -> None:
        """Find the addresses; with `is_alone` there are no other pages."""
        self.pages_exist = not is_alone
        self.players = {} if is_alone else player_pages(collection.players["player"])
        self.matches: dict[Any, str] = {} if is_alone else match_pages(collection.matches)
        self.sides: dict[Any, list[Json]] = defaultdict(list)
        for row in records(collection.matches.head(2 * len(self.matches))):  # two rows a match
            self.sides[row["file"], row["match"]].append(row)
        left, right = (
            collection.matches[collection.matches["side"] == side] for side in ("left", "right")
        )
        table = left[_LISTED].assign(pr_right=right["pr"].to_numpy())
        self._table = table.sort_values("date", kind="stable", na_position="first")
        keys = list(zip(self._table["file"], self._table["match"], strict=True))
        pages = ["", *(_up(self.matches.get(key)) for key in keys), ""]
        self._neighbours = {
            key: {"earlier": pages[place], "later": pages[place + 2]}
            for place, key in enumerate(keys)
        }

    def match_table(self) -> list[Json]:
        """Return the list of matches, the newest first, those without a date last."""
        return [
            _as_shown(row)
            | {
                "page": self.matches.get((row["file"], row["match"])),
                "player_page": self.players.get(row["player"]),
                "opponent_page": self.players.get(row["opponent"]),
            }
            for row in iterate_records(self._table[::-1])
        ]

    def shown(self, sides: list[Json]) -> list[Json]:
        """Return the two rows of a match as its page shows them, with the addresses of the players'
        pages.
        """
        return [
            _as_shown(row)
            | {"player_page": _up(self.players.get(row["player"]))}
            | self._neighbours[row["file"], row["match"]]
            for row in sides
        ]

    def of_match(self, row: Record) -> Json:
        """Return the row of a match as the page of its player shows it, with the addresses of its
        pages.
        """
        page = self.matches.get((row["file"], row["match"]))
        opponent = self.players.get(row["opponent"])
        return _as_shown(row) | {"page": _up(page), "opponent_page": _up(opponent)}


def _up(page: str | None) -> str:
    """Return the address of a page relative to the folders players and matches.

    Empty without a page.
    """
    return f"../{page}" if page else ""


def _as_shown(row: Record) -> Json:
    """Return a row of a match as pages show it.

    A money session has no length. A player without a name is "unnamed". A match of few decisions
    has no rating. A score is at most the match length; `points` has the score in the file.
    """
    decisions = row["unforced_moves"] + row["close_cube_decisions"]
    scores = [
        min(row[side], row["match_length"] or math.inf) for side in ("score", "opponent_score")
    ]
    return {
        **row,
        "player": row["player"] or UNNAMED,
        "opponent": row["opponent"] or UNNAMED,
        "length": f"{row['match_length']:.0f}" if row["match_length"] else "money",
        "file": unquote(row["file"]),
        "words": "–".join(map(number, scores)),
        "points": row["score"],
        "score": scores[0],
        "opponent_score": scores[1],
        "rating": math.nan if decisions < LEAST_DECISIONS else row["rating"],
        "remark": "" if row["status"] == ANALYSED else row["status"],
    }


def _match_page(
    collection: Collection, linked: _Links, sides: list[Json], decisions: pd.DataFrame
) -> str:
    left, right = linked.shown(sides)
    links = [("../report.html", collection.name), ("#", f"{left['player']} – {right['player']}")]
    return render(
        "human_match.html.j2",
        collection,
        **match_contents(
            (left, right),
            [with_depth(row, collection.plies) for row in iterate_records(decisions)],
            collection.reader,
        ),
        provenance={},
        links=links if linked.pages_exist else [],
        left=left,
        right=right,
    )
