"""Measure what whole runs cost beside their engine processes, and the embedded engine beside a gnubg program.

Figures of CPU are user and system time of finished processes and their descendants, as the operating system accounts
them; only ratios of figures measured side by side are reported as results.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bgrating import BgratingError
from bgrating.gnubg.errors import EngineError
from bgrating.gnubg.known import known_engines
from bgrating.gnubg.locate import Engine, find_engine
from bgrating.provenance import PROJECT
from bgrating.study import designs
from bgrating.study.designs import DesignPoint
from bgrating.study.shards import Limits, analyse_archive, play_shard
from bgrating.tables import read_table

STUDY = designs.design("bench")
ORDINARY_MATCHES = 10
"""How many matches are played with the wall clock: a computer's every decision then takes 10 ms or more."""


class BenchmarkError(BgratingError, RuntimeError):
    """A run that was to be measured failed; the message ends with what it said."""


class Cost(NamedTuple):
    """Seconds of wall time and of CPU (user and system, all processes), and how many rolls were played for them."""

    wall: float
    cpu: float
    rolls: int = 0


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


def run_measures(engine: Engine, program: Engine | None, folder: Path) -> Iterator[Measure]:
    """Yield the measures of whole runs and, where there is a gnubg program, those beside it.

    They need an empty folder, an otherwise idle machine of two cores and some minutes.
    """
    target = f"{engine.known.nets}/{STUDY.study}/report.html"
    # The engine's processes by themselves, some before and some after: machines grow slower and faster.
    shards = [_shard(engine, folder, point) for point in STUDY.points[::2]]
    one, two = (run_workflow(engine, folder / f"run-{cores}", target, cores) for cores in (1, 2))
    shards += [_shard(engine, folder, point) for point in STUDY.points[1::2]]
    engine_cpu, rolls = sum(shard.cpu for shard in shards), sum(shard.rolls for shard in shards)
    yield Measure("CPU of a whole run beside its engine processes", one.cpu / engine_cpu, 1.05, True)
    yield Measure("matches a second of a whole run, two cores beside one", one.wall / two.wall, 1.9, False)
    if program is None:
        return
    if engine.known.is_module:
        embedded, system = shards[-1], _shard(program, folder, STUDY.points[-1])
        name = f"CPU of a roll played and analysed, embedded engine beside {program.known.version}"
        yield Measure(name, embedded.cpu / embedded.rolls / (system.cpu / system.rolls), 1.15, True)
    ordinary = _shard(replace(program, clock=()), folder, STUDY.points[-1], ORDINARY_MATCHES)
    name = "rolls a second of a whole run on one core, beside gnubg with the wall clock"
    yield Measure(name, rolls / one.wall / (ordinary.rolls / ordinary.wall), 10.0, False)


def find_program() -> Engine | None:
    """Return the system's gnubg program, if there is one that the project knows."""
    for known in known_engines():
        try:
            if not known.is_module:
                return find_engine(known.name)
        except EngineError:
            continue
    return None


def run_workflow(engine: Engine, results: Path, target: str, cores: int, *settings: str) -> Cost:
    """Make a file of `results` by a Snakemake run of its own and return what that cost. Raises BenchmarkError."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--nolock", str(results / target), "--config"]
    name = engine.known.name if engine.known.is_module else engine.program
    command += [f"results={results}", f"engine={name}", f"nets={engine.known.nets}", *settings]

    def run() -> None:
        done = subprocess.run(command, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            raise BenchmarkError(f"a run that was to be measured failed, of {target}:\n{done.stderr.decode()[-2000:]}")

    return cost(run)


def cost(work: Callable[[], object]) -> Cost:
    """Do a piece of work and return what the processes that it started and waited for have cost."""
    start, before = time.monotonic(), _children_cpu()
    work()
    return Cost(time.monotonic() - start, _children_cpu() - before)


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _shard(engine: Engine, folder: Path, point: DesignPoint, matches: int | None = None) -> Cost:
    """Play and analyse the first shard of a design point; return what its two processes cost."""
    archive, table, limits = folder / "shard.zip", folder / "shard.csv", Limits(3600.0, folder / "engine.log")
    players = STUDY.player_level(point.player), STUDY.player_level(point.opponent)
    length, seed, size = point.match_length, STUDY.seed, matches or point.shard_matches

    def work() -> None:
        play_shard(engine, players, length, study_seed=seed, shard=0, matches=size, archive=archive, limits=limits)
        analyse_archive(engine, STUDY.analysis_level(), archive, table, limits)

    spent = cost(work)
    return spent._replace(rolls=int(read_table(table)["rolls"].sum()) // 2)  # one row per player
