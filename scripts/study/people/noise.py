"""The sizes of noise's errors: matches that noisy players have played, analysed error by error."""

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.error_sizes import COLUMNS, error_sizes
from bgrating.engine.errors import EngineFailedError
from bgrating.engine.locate import Engine
from bgrating.engine.sgf import CUBE_ERRORS
from bgrating.engine.statistics import match_rows
from bgrating.play.designs import Design
from bgrating.play.shards import Limits, analyse_files
from bgrating.tables.provenance import engine_facts
from study.people.shape import sizes_of

GROUP = 10
"""Matches that a row adds up: enough rows for an interval over matches, few enough to keep the table small."""
SUMMED = (
    "games", "total_moves", "unforced_moves", "total_cube_decisions", "close_cube_decisions", "chequer_error_emg",
    "cube_error_emg", *(f"{name}_emg" for name in CUBE_ERRORS),
)  # fmt: skip
"""Columns of a match table that add up over matches, for the shape of the errors."""


def noise_table(
    engine: Engine, design: Design, archives: Sequence[Path], limits: Limits
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Analyse the archives of a design (one for each point, in its order) and return the table and the engine's facts.

    One row for GROUP matches of a design point: `match_length, player, opponent, chequer_noise, cube_noise, group,
    matches`, then the noisy player's sums (SUMMED) and error sizes. Raises EngineFailedError where gnubg refuses a
    match.
    """
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for point, archive in zip(design.points, archives, strict=True):
        with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
            folder = Path(place)
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
                names = sorted(packed.namelist())
            answer = analyse_files(engine, design.analysis_level(), names, folder, limits, actions=True)
        facts = engine_facts(answer)
        matches = []
        for match in answer.matches:
            if "refused" in match:
                raise EngineFailedError(f"{archive}: gnubg refused {match['file']}: {match['refused']}")
            table = answer.match_equity_tables.get(match["length"])
            matches.append(match_rows(match, table)[0] | error_sizes(match, table)["left"])  # the noisy player's
        player = design.player_level(point.player)
        about = {
            "match_length": point.match_length, "player": point.player, "opponent": point.opponent,
            "chequer_noise": player.chequerplay.noise, "cube_noise": player.cubedecision.noise,
        }  # fmt: skip
        for group, first in enumerate(range(0, len(matches), GROUP)):
            rows.append({**about, "group": group, **_sum(pd.DataFrame(matches[first : first + GROUP]))})
    return pd.DataFrame(rows), facts


def _sum(matches: pd.DataFrame) -> dict[str, Any]:
    sums = {name: matches[name].sum() for name in SUMMED}
    sizes = {name: " ".join(str(round(value)) for value in sizes_of(matches[name]).sum(axis=0)) for name in COLUMNS}
    return {"matches": len(matches), **sums, **sizes}
