"""Measure what our way of running gnubg costs beside bare gnubg, in the same run.

Figures of CPU are user and system time of whole process trees, as the operating system accounts them; only ratios of
figures measured side by side are reported as results.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bgrating import designs, levels
from bgrating.engine.commands import analysis_commands, play_commands
from bgrating.engine.locate import Engine
from bgrating.engine.session import PLAY_CLOCK_FACTOR
from bgrating.seeds import shard_seeds

STUDY, LENGTH, PLAYER, OPPONENT = "part2", 5, "noise-0.02+noise-0.1", "expert"
PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Cost:
    """Seconds of wall time and of CPU (user and system, all processes)."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Measure:
    """A measured ratio with the bound it should keep; `at_most` tells on which side."""

    name: str
    ratio: float
    bound: float
    at_most: bool

    @property
    def kept(self) -> bool:
        """Tell whether the ratio keeps its bound."""
        return self.ratio <= self.bound if self.at_most else self.ratio >= self.bound


def run_measures(engine: Engine, folder: Path, shards: int = 4, ordinary_matches: int = 10) -> list[Measure]:
    """Run all measures in an empty folder; they need an otherwise idle machine of two cores and take some minutes."""
    one = _pipeline(folder / "one", cores=1, shards=1)
    many = _pipeline(folder / "many", cores=1, shards=shards)
    two_cores = _pipeline(folder / "two", cores=2, shards=shards)
    bare = [_bare(engine, folder, shard, clock_factor=PLAY_CLOCK_FACTOR) for shard in range(1, shards)]
    ordinary = _bare(engine, folder, 0, clock_factor=1, matches=ordinary_matches)
    matches = _shard_matches()
    # Snakemake's own start is paid once a study, not once a shard: shards are charged with what one more costs.
    shard_cpu = (many.cpu - one.cpu) / (shards - 1)
    shard_wall = (many.wall - one.wall) / (shards - 1)
    start = one.wall - shard_wall
    return [
        Measure(
            "CPU of a shard beside bare gnubg", shard_cpu / (sum(cost.cpu for cost in bare) / len(bare)), 1.05, True
        ),
        Measure(
            "matches a second beside gnubg with the wall clock",
            (matches / shard_wall) / (ordinary_matches / ordinary.wall),
            10.0,
            False,
        ),
        Measure("matches a second on two cores beside one", (many.wall - start) / (two_cores.wall - start), 1.9, False),
    ]


def _shard_matches() -> int:
    return designs.design(STUDY).point(PLAYER, OPPONENT, LENGTH).shard_matches


def _pipeline(results: Path, cores: int, shards: int) -> Cost:
    """Play and analyse shards with Snakemake as a study does."""
    point = designs.design(STUDY).point(PLAYER, OPPONENT, LENGTH)
    tables = [str(designs.shard_table(results, STUDY, point, shard)) for shard in range(shards)]
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--nolock", *tables]
    return cost([*command, "--config", f"results={results}"], os.environ, PROJECT)


def _bare(engine: Engine, folder: Path, shard: int, clock_factor: int, matches: int | None = None) -> Cost:
    """Play and analyse a shard's matches with gnubg and its own commands alone; clock factor 1 is the wall clock."""
    players = (levels.player(PLAYER), levels.player(OPPONENT))
    seed = designs.design(STUDY).seed
    seeds = shard_seeds(seed, PLAYER, OPPONENT, LENGTH, shard, matches or _shard_matches())
    commands = [*play_commands(*players), *analysis_commands(levels.analysis("0-ply"))]
    for number, dice in enumerate(seeds.dice):
        commands += [f"set seed {dice}", f"new match {LENGTH}", f'export match mat "{folder / f"{number}.mat"}"']
        commands += ["analyse clear match", "analyse match", "show statistics match"]
    script = folder / "commands.txt"
    script.write_text("\n".join([*commands, ""]), encoding="utf-8")
    environment = {"HOME": str(folder), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    if clock_factor != 1:
        clock = f"{seeds.clock:%Y-%m-%d %H:%M:%S} x{clock_factor}"
        environment |= dict(engine.clock_environment) | {"FAKETIME": clock}
    with script.open("rb") as standard_input:
        return cost([str(engine.program), "-t", "-q", "-r"], environment, folder, standard_input.fileno())


def cost(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, standard_input: int = subprocess.DEVNULL
) -> Cost:
    """Run a command to its end and return what it and its descendants cost. Raises CalledProcessError."""
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        env=dict(environment),
        cwd=folder,
        stdin=standard_input,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code != 0:
        raise subprocess.CalledProcessError(code, command, output)
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime)
