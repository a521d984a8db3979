"""Measure what playing and analysing matches costs: CPU of the engine, by match length, players and depth of analysis.

Figures of CPU are user and system time of the engine's process, as the operating system accounts them. The cost of
starting a process is measured separately and subtracted. So a cost per match holds for shards of any size.
"""

import resource
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play import designs
from bgrating.play.designs import ShardTask
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table

STUDY, SHARD = "part2", 990  # a shard that no study plays
OPPONENT = "expert"
PLAYERS = ("expert+noise-0.05", "noise-0.02+noise-0.1", "beginner+noise-0.8")
PLAY, ERRORS, LUCK = "play", "analyse", "analyse with luck"
LEVELS = {ERRORS: "0-ply-no-luck", LUCK: "0-ply"}
POINTS = 300  # matches times match length that one measurement plays
COLUMNS = columns("statistics/costs")


def costs(engine: Engine, folder: Path, lengths: Sequence[int]) -> pd.DataFrame:
    """Measure every task at every match length (COLUMNS; seconds of CPU), working in an empty folder.

    About POINTS points are played for each of PLAYERS; a lone match beside them measures the start.
    """
    rows = [row for length in lengths for player in PLAYERS for row in _measured(engine, folder, player, length)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(engine: Engine, folder: Path, player: str, length: int) -> Iterator[dict[str, Any]]:
    matches = max(2, round(POINTS / length))
    limits = Limits(3600.0, folder / "engine.log")
    archives = {count: folder / f"{player}-{length}-{count}.zip" for count in (1, matches)}

    def play(count: int) -> None:
        players = levels.player(player), levels.player(OPPONENT)
        task = ShardTask(players, length, designs.design(STUDY).seed, SHARD, count)
        play_shard(engine, task, archives[count], limits)

    def analyse(count: int, level: str) -> None:
        analyse_archive(engine, levels.analysis(level), archives[count], folder / "table.csv", limits)

    tasks: dict[str, Callable[[int], None]] = {PLAY: play}
    for task, level in LEVELS.items():
        tasks[task] = lambda count, level=level: analyse(count, level)  # type: ignore[misc]
    spent = {
        task: [_cpu(lambda count=count, run=run: run(count)) for count in (1, matches)]  # type: ignore[misc]
        for task, run in tasks.items()
    }
    rolls = int(read_table(folder / "table.csv")["rolls"].sum()) // 2  # one row per player
    for task, (start, cpu_seconds) in spent.items():
        more = (cpu_seconds - start) / (matches - 1)
        yield {
            "match_length": length, "player": player, "opponent": OPPONENT, "task": task, "matches": matches,
            "rolls": rolls, "cpu_seconds": cpu_seconds, "start_cpu_seconds": start,
            "cpu_per_match": more, "cpu_per_roll": more / (rolls / matches),
        }  # fmt: skip


def _cpu(run: Callable[[], None]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
