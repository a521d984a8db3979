"""Every figure of 50 matches against the text that bare gnubg prints when it plays and analyses them in memory.

Its nets get the same reciprocals as ours on every processor (engine/reciprocal.py).
"""

import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bgrating.engine import levels, reciprocal
from bgrating.engine.commands import analysis_commands, play_commands
from bgrating.engine.cube_decisions import CloseCounts, close_counts
from bgrating.engine.locate import Engine
from bgrating.engine.statistics import match_rows
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.play.shards import Limits, analyse_files, play_shard
from statistics_text import read_statistics

PLAYERS = (levels.player("noise-0.02+noise-0.4"), levels.player("intermediate+noise-0.1"))
LEVEL = levels.analysis("0-ply")
MATCHES = {1: 6, 3: 16, 5: 17, 7: 9, 11: 2}
STUDY_SEED = 7


def in_memory(engine: Engine, length: int, matches: int, folder: Path) -> list[str]:
    """Return gnubg's statistics of a shard's matches, played and analysed by bare commands in one process."""
    seeds = shard_seeds(STUDY_SEED, PLAYERS[0].name, PLAYERS[1].name, length, 0, matches)
    settle = f"> import runpy; runpy.run_path({reciprocal.__file__!r})['settle']()"
    commands = [settle, *play_commands(*PLAYERS), *analysis_commands(LEVEL)]
    for seed in seeds.dice:
        # Without `analyse clear match` gnubg would keep what the noisy players thought of their moves.
        commands += [f"set seed {seed}", f"new match {length}", "analyse clear match", "analyse match"]
        commands += ["show statistics match"]
    environment = engine.environment(seeds.clock, "play") | {
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "HOME": str(folder),
    }
    text = subprocess.run(
        [engine.program, "-t", "-q", "-r"],
        input="\n".join([*commands, ""]),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return re.split(r"^Player +player +opponent *$", text, flags=re.MULTILINE)[1:]


def through_files(
    engine: Engine, length: int, matches: int, folder: Path
) -> list[tuple[list[dict[str, Any]], dict[str, CloseCounts]]]:
    """Return our rows of the same matches, played to .mat files and analysed from them, and our counts of decisions."""
    limits, archive = Limits(300.0, folder / "engine.log"), folder / "matches.zip"
    play_shard(engine, ShardTask(PLAYERS, length, STUDY_SEED, 0, matches), archive, limits)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
        names = packed.namelist()
    answer = analyse_files(engine, LEVEL, names, folder, limits)
    table = answer.match_equity_tables[length]
    return [(match_rows(match, table), close_counts(match["games"], length, table)) for match in answer.matches]


@pytest.mark.parametrize("length", MATCHES)
def test_every_figure_is_the_one_gnubg_prints(old_engine: Engine, tmp_path: Path, length: int) -> None:
    texts = in_memory(old_engine, length, MATCHES[length], tmp_path)
    matches = through_files(old_engine, length, MATCHES[length], tmp_path)
    assert len(texts) == len(matches) == MATCHES[length]
    figures = 40 if length > 1 else 39  # without a cube, gnubg has no rating loss for cube errors
    differences, compared = [], 0
    for number, (text, (rows, counts)) in enumerate(zip(texts, matches, strict=True)):
        # Our recount by today's rule is gnubg's own number, so the recount by the rule of 2003 can be trusted.
        assert [counts[key].today for key in ("X", "O")] == [row["close_cube_decisions"] for row in rows]
        for row, printed in zip(rows, read_statistics(text), strict=True):
            assert len(printed) == figures, sorted(printed)
            for name, (value, rounding) in printed.items():
                compared += 1
                # A rating multiplies an error with six decimals by a coefficient of some ten thousand.
                decimals = 1e-3 if "rating" in name else 1e-6
                if abs((row[name] or 0.0) - value) > rounding * 1.001 + decimals:
                    differences.append((number, row["side"], name, row[name], value))
    assert compared == 2 * figures * MATCHES[length]
    assert differences == []
