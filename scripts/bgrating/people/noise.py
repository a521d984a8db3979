"""The sizes of noise's errors: matches that noisy players have played, analysed error by error."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.gnubg.error_sizes import COLUMNS, error_sizes
from bgrating.gnubg.errors import EngineFailedError
from bgrating.gnubg.locate import Engine
from bgrating.gnubg.statistics import match_rows
from bgrating.people.sizes import SUMMED, text_of, total_sizes
from bgrating.provenance import engine_facts
from bgrating.study.designs import Design, DesignPoint
from bgrating.study.shards import Limits, analyse_matches

GROUP = 10
"""Matches that a row adds up: enough rows for an interval over matches, few enough to keep the table small."""


def noise_table(
    engine: Engine, design: Design, archives: Sequence[Path], limits: Limits
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Analyse the archives of a design (one for each point, in its order) and return the table and the engine's facts.

    One row for GROUP matches of a design point: `match_length, player, opponent, chequer_noise, cube_noise, group,
    matches`, then the noisy player's sums (SUMMED of sizes.py) and error sizes. Raises EngineFailedError where gnubg
    refuses a match.
    """
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for point, archive in zip(design.points, archives, strict=True):
        with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
            folder = Path(place)
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
                names = sorted(packed.namelist())
            jobs = [{"file": name, "format": "mat", "actions": True} for name in names]
            answer = analyse_matches(engine, design.analysis_level(), jobs, folder, limits)
        facts = engine_facts(answer)
        matches = list(_figures(answer.matches, answer.match_equity_tables, archive))
        player = design.player_level(point.player)
        about = _about(point, player.chequerplay.noise, player.cubedecision.noise)
        for group, first in enumerate(range(0, len(matches), GROUP)):
            rows.append({**about, "group": group, **_sum(pd.DataFrame(matches[first : first + GROUP]))})
    return pd.DataFrame(rows), facts


def _about(point: DesignPoint, chequer: float, cube: float) -> dict[str, Any]:
    return {
        "match_length": point.match_length,
        "player": point.player,
        "opponent": point.opponent,
        "chequer_noise": chequer,
        "cube_noise": cube,
    }


def _figures(matches: Sequence[dict[str, Any]], tables: Any, archive: Path) -> Iterator[dict[str, Any]]:
    """Return the noisy player's figures (the left column) of every match."""
    for match in matches:
        if "refused" in match:
            raise EngineFailedError(f"{archive}: gnubg refused {match['file']}: {match['refused']}")
        table = tables.get(match["length"])
        yield match_rows(match, table)[0] | error_sizes(match, table)["left"]


def _sum(matches: pd.DataFrame) -> dict[str, Any]:
    sums = {name: matches[name].sum() for name in SUMMED}
    sizes = {name: text_of(total_sizes(matches[name])) for name in COLUMNS}
    return {"matches": len(matches), **sums, **sizes}
