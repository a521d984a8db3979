"""Read the results of match files.

They are players, score, length and date of every match that was played to its end.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bgleague.games import GAMES, IDENTIFYING, OPTIONAL, Table, name_of, safe_line
from bgleague.settings import MATCH_FILES
from bgmatch.errors import BgmatchError
from bgmatch.formats.saved import read_file
from bgmatch.model import Match
from bgrating.collection.listing import (
    MATCH_SUFFIXES,
    Reader,
    UnreadableError,
    list_paths,
    with_members,
)

_FULL_DATE = len("2026-03-14")


def is_for_matches(path: Path) -> bool:
    """Tell whether a path is read as match files.

    Such a path is a folder, an archive, or a file with the suffix of a match file.
    """
    return path.is_dir() or path.suffix.lower() in {".zip", *MATCH_SUFFIXES} - {".txt"}


def read_results(paths: Sequence[Path], leave_out: Path) -> Table:
    """Return the list of the results of match files.

    Files that cannot be read, and matches that did not end, are flagged.
    """
    table = Table(MATCH_FILES)
    rows = []
    number = 0
    reader = Reader()
    for file in with_members(list_paths(paths, leave_out)):
        suffix = Path(file.name).suffix.lower()
        if not file.problem and suffix not in MATCH_SUFFIXES:
            continue
        number += 1
        try:
            matches = read_file(reader.read(file), suffix).matches
        except (UnreadableError, BgmatchError) as problem:
            table.flag(number, safe_line([str(problem)]), [file.name])
            continue
        for match in matches:
            if match.winner is None or not match.complete or not match.match_length:
                table.flag(number, "no match that was played to its end: not rated", [file.name])
            else:
                rows.append(_row(match, number))
    reader.close()
    table.games = pd.DataFrame(rows, columns=[*GAMES, *OPTIONAL, *IDENTIFYING])
    return table


def _row(match: Match, number: int) -> tuple[object, ...]:
    """Return a row of [*GAMES, *OPTIONAL, *IDENTIFYING]."""
    first, second = (name_of(player.real_name or player.name) for player in match.players)
    game = (first, second, float(match.winner == 0), 1.0, number)
    day = match.date if len(match.date) == _FULL_DATE else ""
    points = tuple(min(point, match.match_length) for point in match.final_score)
    return *game, day, float(match.match_length), points, "", day
