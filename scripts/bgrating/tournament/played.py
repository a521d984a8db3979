"""The matches of a tournament as arrays, in rounds for sequential ratings; shards taken over from another machine."""

import dataclasses
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating import BgratingError
from bgrating.league.cells import PairCounts
from bgrating.league.games import GAMES
from bgrating.play.designs import Design, shard_table
from bgrating.rating.fibs import Floats
from bgrating.tables.provenance import atomic_path, provenance_path, read_provenance, verified, write_atomic

Ints = NDArray[np.int64]

DECISIONS = ("close_cube_decisions", "close_cube_decisions_2003", "total_cube_decisions")
FIGURES = ("chequer_error_emg", "unforced_moves", "cube_error_emg", *DECISIONS)
"""The statistics of a player in a match, in this order."""


class TournamentError(BgratingError):
    """Matches cannot be rated as this tournament, or shards are of another one; the message says what is wrong."""


@dataclass(frozen=True)
class TournamentMatches:
    """Matches of a tournament as arrays, in the order of its rounds.

    `first` and `second` are places in `players`; `won` is 1 if the first player won, else 0; `chance` is the first
    player's luck-adjusted result plus one half (match-winning chance, may lie outside 0 to 1); `figures` has the shape
    (matches, 2, len(FIGURES)): totals of the first and of the second player.
    """

    players: tuple[str, ...]
    match_length: int
    first: Ints
    second: Ints
    won: Floats
    chance: Floats
    figures: Floats

    def resampled(self, random: np.random.Generator) -> "TournamentMatches":
        """Return a bootstrap sample within every cell; the order of the cells in the rounds stays."""
        cell = self.first * len(self.players) + self.second
        order = np.argsort(cell, kind="stable")
        ends = np.flatnonzero(np.diff(cell[order], append=-1)) + 1
        rows = np.empty_like(order)
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            of_cell = order[start:end]
            rows[of_cell] = random.choice(of_cell, size=len(of_cell))
        return dataclasses.replace(self, won=self.won[rows], chance=self.chance[rows], figures=self.figures[rows])

    def games(self) -> pd.DataFrame:
        """Return a table of games (columns: bgrating.league.games), a row a match in the order of the rounds."""
        names = np.array(self.players, dtype=object)
        columns = {"first": names[self.first], "second": names[self.second], "first_score": self.won}
        return pd.DataFrame({**columns, "count": 1, "row": np.arange(1, len(self.won) + 1)})[GAMES]

    def cells(self) -> PairCounts:
        wins, games = np.zeros((2, len(self.players), len(self.players)), dtype=np.int64)
        np.add.at(wins, (self.first, self.second), self.won.astype(np.int64))
        np.add.at(games, (self.first, self.second), 1)
        return PairCounts(self.players, wins, games - wins, np.zeros_like(games))


def between(matches: pd.DataFrame, players: Sequence[str], match_length: int) -> pd.DataFrame:
    """Return the matches to so many points of these players against each other."""
    same_players = matches["player"].isin(players) & matches["opponent"].isin(players)
    wanted = same_players & (matches["match_length"] == match_length) & (matches["player"] != matches["opponent"])
    return matches[wanted]


def played(matches: pd.DataFrame, players: Sequence[str], match_length: int, seed: int) -> TournamentMatches:
    """Arrange matches (columns: bgrating.play.matches) between the players in rounds.

    A round has one match of every cell with matches left, in an order drawn with the seed. Raises TournamentError for
    a cell without matches and a match without luck-adjusted result.
    """
    met = between(matches, players, match_length)
    cells = set(zip(met["player"], met["opponent"], strict=True))
    missing = [f"{a} against {b}" for a, b in permutations(players, 2) if (a, b) not in cells]
    if missing:
        raise TournamentError(
            f"{len(missing)} cells have no match to {match_length} points: {', '.join(missing[:3])}"
            f"{', …' if len(missing) > 3 else ''}; ./run tournament plays them"
        )
    if met["luck_adjusted_result"].isna().any():
        raise TournamentError("the matches were analysed without luck; the analysis level must have luck: on")
    ordered = met.sort_values(["player", "opponent", "shard", "match"], kind="stable")
    rounds = ordered.groupby(["player", "opponent"]).cumcount().to_numpy()
    draw = np.random.default_rng(seed).random(len(ordered))
    ordered = ordered.iloc[np.lexsort((draw, rounds))]
    index = pd.Index(list(players))
    sides = [ordered[[f"{side}_{name}" for name in FIGURES]].to_numpy(float) for side in ("player", "opponent")]
    return TournamentMatches(
        players=tuple(players),
        match_length=match_length,
        first=index.get_indexer(pd.Index(ordered["player"])).astype(np.int64),
        second=index.get_indexer(pd.Index(ordered["opponent"])).astype(np.int64),
        won=(ordered["actual_result"].to_numpy(float) > 0).astype(float),
        chance=ordered["luck_adjusted_result"].to_numpy(float) + 0.5,
        figures=np.stack(sides, axis=1),
    )


def error_totals(games: TournamentMatches) -> Floats:
    """Return the totals of every player over all his matches: (players, len(FIGURES))."""
    totals = np.zeros((len(games.players), len(FIGURES)))
    for seat, players in enumerate((games.first, games.second)):
        np.add.at(totals, players, games.figures[:, seat])
    return totals


def merge(design: Design, results: Path, other: Path) -> list[str]:
    """Copy missing and larger analysed shards from another folder of the same tournament; return a line on each cell.

    `other` is a folder results/<nets>/tournament/<name>. Only shards with archive, table and both provenances count, so
    shards in progress do no harm. Of a shard that both have, the common matches must be the same bytes. Raises
    TournamentError for a missing folder, or a shard of another seed, level, engine or match length, and ProvenanceError
    for a damaged one. Nothing of that cell is copied then.
    """
    if not (other / "shards").is_dir():
        raise TournamentError(f"merge={other}: no folder of a tournament (it has no shards in it)")
    lines = []
    for point in design.points:
        home = shard_table(results, design.study, point, 0).parent
        away = other / "shards" / str(point.match_length) / home.name
        tables = [table for table in sorted(away.glob("[0-9][0-9][0-9].csv")) if _is_complete(table)]
        wanted = [table for table in tables if _is_wanted(design, table, home / table.name)]
        home.mkdir(parents=True, exist_ok=True)
        for table in wanted:
            _copy(table, home)
        lines.append(f"{home.name}: {len(wanted)} of {len(tables)} shards taken over")
    return lines


def _is_complete(table: Path) -> bool:
    parts = (table, table.with_suffix(".zip"))
    return all(part.is_file() and provenance_path(part).is_file() for part in parts)


def _is_wanted(design: Design, table: Path, here: Path) -> bool:
    archive = table.with_suffix(".zip")
    for part in (archive, table):
        verified(part)
    facts = _facts(table)
    players = table.parent.name.split("~")
    levels = players if "sides" in facts else [asdict(design.player_level(spec)) for spec in players]
    expected = {"study_seed": design.seed, "players": levels, "analysis": asdict(design.analysis_level())}
    for name, value in expected.items():
        if facts[name] != value:
            raise TournamentError(f"{table}: {name} is {facts[name]}, not {value} as in this tournament")
    if not _is_complete(here):
        return True
    held = _facts(here)
    if held["engine"] != facts["engine"]:
        raise TournamentError(f"{table}: engine is {facts['engine']}, not {held['engine']} as in {here}")
    _require_same_matches(archive, here.with_suffix(".zip"))
    return bool(facts["rows"] > held["rows"])


def _facts(table: Path) -> dict[str, Any]:
    return {**read_provenance(table), **read_provenance(table.with_suffix(".zip"))}


def _require_same_matches(archive: Path, held: Path) -> None:
    with zipfile.ZipFile(archive) as theirs, zipfile.ZipFile(held) as here:
        for name in sorted(set(theirs.namelist()) & set(here.namelist())):
            if theirs.read(name) != here.read(name):
                raise TournamentError(f"{archive}: {name} is another match than in {held}, with the same settings")


def _copy(table: Path, home: Path) -> None:
    """Copy a shard's four files atomically, in the order in which they are made."""
    archive = table.with_suffix(".zip")
    for path in (archive, provenance_path(archive), table, provenance_path(table)):
        with atomic_path(home / path.name) as part:
            shutil.copyfile(path, part)


def keep_examples(archives: Mapping[str, Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, archive in archives.items():
        with zipfile.ZipFile(archive) as matches:
            write_atomic(folder / f"{name}.mat", matches.read(min(matches.namelist())))
