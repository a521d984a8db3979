"""Count the wins in archives that were played without analysis, from gnubg's .mat text."""

import re
import zipfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bgrating import BgratingError
from bgrating.play import designs
from bgrating.play.designs import shard_table
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import read_provenance, verified
from bgrating.tables.tables import write_table

_LENGTH = re.compile(r"^ *(\d+) point match", re.MULTILINE)
_SCORE = re.compile(r"^ *\S+ : (\d+) +\S+ : (\d+) *$", re.MULTILINE)
_WINS = re.compile(r"^(.*)Wins (\d+) points?", re.MULTILINE)
_MIDDLE = 20  # the right column of gnubg's text begins after this character
SAME = ("engine", "match_equity_table", "noise_mode", "study_seed", "opening_evaluation")


class UnfinishedError(BgratingError, ValueError):
    """A match text has no winner."""


class Won(NamedTuple):
    """The matches of an archive, and those that the left player won."""

    matches: int
    won: int


def left_won(text: str, where: str) -> bool:
    """Tell from gnubg's text of a finished match whether the left player won.

    The column of the last "Wins" is the winner's. With the score before that game he must reach the match length, and
    the other player must not have reached it. Raises UnfinishedError naming `where` otherwise.
    """
    length, scores, wins = _LENGTH.search(text), _SCORE.findall(text), _WINS.findall(text)
    if length and scores and len(scores) == len(wins):
        before, (ahead, points) = [int(score) for score in scores[-1]], wins[-1]
        left = len(ahead) < _MIDDLE
        before[0 if left else 1] += int(points)
        wanted = int(length[1])
        if before[0 if left else 1] >= wanted > before[1 if left else 0]:
            return left
    raise UnfinishedError(f"{where} names no winner: play the shard again")


def count(archive: Path) -> Won:
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        won = [left_won(packed.read(name).decode("ascii", "replace"), f"{archive}: {name}") for name in names]
    return Won(len(won), sum(won))


def freeze_wins(design: designs.Design, results: Path) -> str:
    """Write the wins of a study without analysis beside its shards, with provenance; return a line about it.

    A table that counts more than the present archives stays, as frozen tables do. Raises UnfinishedError.
    """
    table = results / design.study / "wins.csv"
    rows = wins_table(results, design.study)
    held = int(read_provenance(table)["rows"]) if table.is_file() else 0
    if len(rows) < held or not len(rows):
        return f"{table}: left as it is, {held} shards"
    first = design.points[0]
    facts = read_provenance(shard_table(results, design.study, first, 0).with_suffix(".zip"))
    table.parent.mkdir(parents=True, exist_ok=True)
    same = {name: facts[name] for name in SAME if name in facts}
    write_table(rows, table, "study/wins", study=design.study, matches=int(rows["matches"].sum()), **same)
    return f"{table}: {len(rows)} shards, {int(rows['matches'].sum())} matches"


def wins_table(results: Path, study: str) -> pd.DataFrame:
    """Count the present archives of a study, in the order of its design."""
    design = designs.design(study)
    rows = []
    for point in design.points:
        for shard in point.shards():
            archive = shard_table(results, study, point, shard.number).with_suffix(".zip")
            if archive.is_file():
                counts = count(archive)
                if counts.matches != shard.matches or verified(archive)["study_seed"] != design.seed:
                    raise UnfinishedError(f"{archive} differs from the design of {study}: play it again")
                rows.append((point.match_length, point.player, point.opponent, shard.number, *counts))
    return pd.DataFrame(rows, columns=columns("study/wins"))
