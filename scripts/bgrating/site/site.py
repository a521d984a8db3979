"""The site of a collection: its page, and linked pages of its players, matches and positions."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pyarrow as pa

from bgmatch.records import Json
from bgrating.analysis.statuses import ANALYSED
from bgrating.decisions.decision_table import with_second_look
from bgrating.decisions.thresholds import CHECKED_PLIES, COSTLY, LEVEL, QUIZ_LOSS
from bgrating.pages.formatting import number
from bgrating.pages.positions import is_asked, with_depth
from bgrating.pages.template import iterate_records, records
from bgrating.people.players import LEAST_DECISIONS
from bgrating.people.practice import Practice, cells
from bgrating.rating.result_files import plan_costs_table
from bgrating.site.addresses import match_pages, player_pages
from bgrating.site.collection_page import Collection, collection_page, render
from bgrating.site.filters import LEAST_MATCHES, filter_data, player_matches
from bgrating.site.match_page import match_variables
from bgrating.site.player_page import player_variables
from bgrating.site.positions_page import MOST_POSITIONS, positions_page
from bgrating.tables.folder import mark_of, marked
from bgrating.tables.provenance import code_version, is_of_a_commit, write_atomic
from bgrating.tables.table_files import read_table

UNNAMED = "unnamed"
_LINKS = ("page", "player_page", "opponent_page", "earlier", "later")


@dataclass
class Destination:
    """Where the pages of a collection go, and which of the last run are there.

    `earlier_folder` has the pages `earlier_pages` of the last run: unchanged pages are not written,
    and removed from `earlier_pages`. `written` gets the number of pages after each.
    """

    folder: Path
    earlier_folder: Path
    earlier_pages: set[str]
    written: Callable[[int], None]
    count: int = 0

    def write(self, page: str, digest: str, text: Callable[[], str]) -> None:
        """Write a page, unless the last run wrote it from data with the same digest."""
        if (
            page in self.earlier_pages
            and digest
            and mark_of(self.earlier_folder / page) == f"{page} {digest}"
        ):
            self.earlier_pages.discard(page)
        else:
            write_atomic(self.folder / page, marked(text(), page, digest))
        self.count += 1
        self.written(self.count)


def write_site(
    collection: Collection,
    decisions: Iterable[pa.Table],
    pages: Destination,
    sent: str | None = None,
) -> str:
    """Write report.html and the folders players and matches.

    `decisions` yields tables of whole matches. Return a page without links: that of the player
    `sent`, or for an empty name that of the only match. The text is empty for None.
    """
    for name in ("players", "matches"):
        (pages.folder / name).mkdir(exist_ok=True)
    rows = shown_matches(collection)
    players = _Players(collection, rows)
    to_send = ""
    sides: dict[Any, list[Json]] = defaultdict(list)
    for row in iterate_records(rows[rows["page"] != ""]):
        sides[row["key"]].append(row)
    for table in decisions:
        decisions_of_part = with_second_look(table.to_pandas())
        named = decisions_of_part.assign(
            player=decisions_of_part["player"].replace("", UNNAMED),
            opponent=decisions_of_part["opponent"].replace("", UNNAMED),
        )
        players.add(named)
        rows_of_part = records(named)
        for key, indices in named.groupby(["file", "match"], sort=False).indices.items():
            sides_of_match = sides.pop(key, None)
            if sides_of_match is None:
                continue
            rows_of_match = slice(int(indices[0]), int(indices[-1]) + 1)
            digest = _digest(collection, sides_of_match, table[rows_of_match].to_batches())
            decided = rows_of_part[rows_of_match]
            text = partial(_match_page, collection, sides_of_match, decided)
            pages.write(sides_of_match[0]["page"], digest, text)
            if sent == "":
                alone = [row | dict.fromkeys(_LINKS, "") for row in sides_of_match]
                to_send = _match_page(collection, alone, decided, is_linked=False)
    for name, page in player_pages(collection.players["player"]).items():
        variables = players.variables(name)
        text = partial(render, "human_player.html.j2", collection, **variables)
        pages.write(page, _digest(collection, variables), text)
        if name == sent:
            variables = players.variables(name, is_linked=False)
            to_send = render("human_player.html.j2", collection, **variables)
    pages.write("positions.html", "", partial(positions_page, collection, players.positions))
    is_left = rows["side"] == "left"
    listed = rows[is_left].assign(pr_right=rows.loc[~is_left, "pr"].to_numpy())
    listed = listed.sort_values("date", kind="stable", na_position="first")[::-1]
    pages.write("report.html", "", partial(collection_page, collection, records(listed)))
    return to_send


def _digest(
    collection: Collection, variables: Any, decisions: Iterable[pa.RecordBatch] = ()
) -> str:
    """Return a digest of the data of a page and of this program.

    The digest is empty if the version of the code is unknown.
    """
    if not is_of_a_commit():
        return ""
    digest = hashlib.sha256(repr((code_version(), collection.method, variables)).encode())
    for batch in decisions:
        digest.update(batch.serialize())
    return digest.hexdigest()


def shown_matches(collection: Collection) -> pd.DataFrame:
    """Return the rows of matches as pages show them, with the addresses of pages.

    A money session has no length. A player without a name is "unnamed". A match of few decisions
    has no rating. A score is at most the match length; `points` has the score in the file. `key`
    identifies the match, `earlier` and `later` are its neighbours by date.
    """
    table = collection.matches.reset_index(drop=True)
    players = player_pages(collection.players["player"])
    matches = match_pages(table)
    keys = list(zip(table["file"], table["match"], strict=True))
    length = table["match_length"].fillna(0)
    most = length.replace(0, np.inf)
    scores = {name: table[name].clip(upper=most) for name in ("score", "opponent_score")}
    decisions = table["unforced_moves"] + table["close_cube_decisions"]
    rows = table.assign(
        key=pd.Series(keys, dtype=object),
        player=table["player"].replace("", UNNAMED),
        opponent=table["opponent"].replace("", UNNAMED),
        length=length.map("{:.0f}".format).replace("0", "money"),
        file=table["file"].map(unquote),
        points=table["score"],
        score_text=["–".join(map(number, pair)) for pair in zip(*scores.values(), strict=True)],
        rating=table["rating"].where(decisions >= LEAST_DECISIONS),
        remark=table["status"].where(table["status"] != ANALYSED, ""),
        page=[matches.get(key, "") for key in keys],
        player_page=table["player"].map(players).fillna(""),
        opponent_page=table["opponent"].map(players).fillna(""),
        **scores,
    )
    left_sides = rows[rows["side"] == "left"].sort_values(
        "date", kind="stable", na_position="first"
    )
    earlier = left_sides["page"].shift(fill_value="").reindex(rows.index)
    later = left_sides["page"].shift(-1, fill_value="").reindex(rows.index)
    return rows.assign(earlier=earlier, later=later)


class _Players:
    """Figures of each player from the decisions of a collection, which are added part by part."""

    def __init__(self, collection: Collection, shown: pd.DataFrame) -> None:
        players = collection.players
        self._collection = collection
        is_checked = (players["level"] == LEVEL) | (collection.plies >= CHECKED_PLIES)
        self._checked = set(players.loc[is_checked, "player"])
        counts = players["unforced_moves"] + players["close_cube_decisions"]
        decisions = counts.set_axis(players["player"])
        self._practice = Practice(decisions, read_table(plan_costs_table()))
        self._matches = dict(iter(player_matches(collection).groupby("player")))
        newest_first = shown.assign(day=shown["date"].fillna(""))[::-1]
        newest_first = newest_first.sort_values("day", ascending=False, kind="stable")
        self._lists = dict(iter(newest_first[_LISTED].groupby("player")))
        self._pages = dict(zip(shown["key"], shown["page"], strict=True))
        self._player_rows = {row["player"]: row for row in records(players)}
        self._costly: dict[str, list[Json]] = defaultdict(list)
        self.positions = pd.DataFrame()

    def add(self, decisions: pd.DataFrame) -> None:
        """Add decisions (`with_second_look`) of whole matches."""
        # A player has one level: that of the first look until all of the player's matches are
        # checked.
        is_checked = decisions["player"].isin(self._checked)
        at_level = decisions.assign(
            loss_emg=decisions["loss_emg"].where(is_checked, decisions["first_loss_emg"])
        )
        is_counted = (at_level["loss_emg"] > 0) | at_level["unforced"]
        self._practice.add(cells(at_level[is_counted & at_level["player"].isin(self._player_rows)]))
        index = decisions.groupby(["file", "match"], sort=False).cumcount().astype(str)
        keys = zip(decisions["file"], decisions["match"], strict=True)
        page = pd.Series([self._pages.get(key, "") for key in keys], decisions.index)
        linked = decisions.assign(page=(page + "#d" + index).where(page != "", ""))
        errors = cells(linked[decisions["loss_emg"] >= COSTLY])
        positions = pd.concat([self.positions, errors])
        self.positions = positions.nlargest(MOST_POSITIONS, "loss_emg")
        plies = self._collection.plies
        for row in iterate_records(errors[errors["loss_emg"] >= QUIZ_LOSS]):
            error = with_depth(row, plies)
            if is_asked(error, plies) and row["player"] in self._player_rows:
                self._costly[row["player"]].append(error)

    def variables(self, name: str, *, is_linked: bool = True) -> Json:
        """Return the variables of the page of a player."""
        rows = self._matches[name]
        # Errors that 3-ply confirmed come first, each group by its losses.
        costly = sorted(
            self._costly[name], key=lambda row: (not row["confirmed_by"], -row["loss_emg"])
        )
        listed = records(self._lists[name])
        links = [("../report.html", f"Collection {self._collection.name}"), ("#", name)]
        if not is_linked:
            links = []
            costly = [row | {"page": ""} for row in costly]
            listed = [row | dict.fromkeys(_LINKS, "") for row in listed]
        has_filters = len(rows) >= LEAST_MATCHES
        lost = self._practice.by_match(name)
        variables = player_variables(
            self._collection, rows, self._player_rows[name], costly, self._practice.of(name)
        )
        return variables | {
            "links": links,
            "matches": listed,
            "n_matches": len(rows),
            "filters": filter_data(self._collection, rows, lost) if has_filters else None,
            "is_judged": name in self._checked,
        }


_LISTED = [
    "player",
    "opponent",
    "length",
    "score_text",
    "date",
    "rating",
    "pr",
    "chequer_error_emg",
    "cube_error_emg",
    "net_luck_mwc",
    "remark",
    "page",
    "opponent_page",
]
"""The columns that lists of a player's matches show."""


def _match_page(
    collection: Collection,
    sides: Sequence[Json],
    decisions: Sequence[Json],
    *,
    is_linked: bool = True,
) -> str:
    left, right = sides
    links = [
        ("../report.html", f"Collection {collection.name}"),
        ("#", f"{left['player']} – {right['player']}"),
    ]
    rows = [with_depth(row, collection.plies) for row in decisions]
    return render(
        "human_match.html.j2",
        collection,
        **match_variables(sides, rows, collection.reader),
        links=links if is_linked else [],
        left=left,
        right=right,
    )
