"""`./run bench`: what whole runs cost beside their engine processes, the embedded engine beside a gnubg program.

Also what `rate` costs beside the bare engine on the same files, and how long ratings from results take, on made-up
games of the sizes that they were asked to cope with. Figures of CPU are user and system time of finished processes and
their descendants, as the operating system accounts them; they are reported as ratios of figures measured side by side.
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands
from bgrating.engine.errors import EngineError
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import known_engines
from bgrating.league import eloworld, logistic
from bgrating.league.cells import PairCounts
from bgrating.places import DATA as PROJECT
from bgrating.play import designs
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.shards import ANALYSIS_CLOCK, Limits, analyse_archive, play_shard
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table, write_table

STUDY = designs.design("bench")
ORDINARY_MATCHES = 10
"""How many matches are played with the wall clock: a computer's every decision then takes 10 ms or more."""

GAMES, PLAYERS = 24_570, 126
ENTRANTS, GAMES_PER_CELL = 53, 400


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
    yield Measure("share of two cores' time that a whole run used", two.cpu / (2 * two.wall), 0.95, False)
    if program is None:
        return
    if engine.known.is_module:
        embedded, system = shards[-1], _shard(program, folder, STUDY.points[-1])
        name = f"CPU of a roll played and analysed, embedded engine beside {program.known.version}"
        yield Measure(name, embedded.cpu / embedded.rolls / (system.cpu / system.rolls), 1.15, True)
    ordinary = _shard(replace(program, clock=()), folder, STUDY.points[-1], ORDINARY_MATCHES)
    name = "rolls a second of a whole run on one core, beside gnubg with the wall clock"
    yield Measure(name, rolls / one.wall / (ordinary.rolls / ordinary.wall), 10.0, False)


def rate_measure(engine: Engine, folder: Path, few: int = 100, many: int = 500) -> Measure:
    """Measure `rate` on one core beside the engine's own import and analysis of the same clean files.

    The start of both is paid once a collection: files are charged with what more of them cost.
    """
    task = STUDY.task(STUDY.points[0], Shard(0, many))
    play_shard(engine, task, folder / "played.zip", Limits(3600.0, folder / "engine.log"))
    ours, bare = [], []
    for matches in (few, many):
        collection = folder / f"collection-{matches}"
        with zipfile.ZipFile(folder / "played.zip") as packed:
            packed.extractall(collection, packed.namelist()[:matches])
        rate = [sys.executable, "-m", "bgrating", "rate", str(collection), "--results", str(folder / "rated")]
        rate += ["--engine", _named(engine), "--cores", "1", "--no-store"]
        ours.append(_run(rate, os.environ | {"PYTHONPATH": str(PROJECT / "scripts")}).cpu)
        bare.append(_bare(engine, folder, sorted(collection.iterdir())).cpu)
    ratio = (ours[1] - ours[0]) / (bare[1] - bare[0])
    return Measure("CPU of a match rated, beside the bare engine", ratio, 1.3, True)


def _bare(engine: Engine, folder: Path, files: Sequence[Path]) -> Cost:
    """Import and analyse clean files with the engine and its own commands alone."""
    commands = list(analysis_commands(levels.analysis("0-ply")))
    for path in files:
        commands += [f'import mat "{path}"', "analyse match", "show statistics match"]
    script = folder / "commands.py"
    script.write_text(f"import gnubg\nfor command in {commands!r}:\n    gnubg.command(command)\n", encoding="utf-8")
    own = {"BGRATING_INSIDE": str(script), "HOME": str(folder), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return _run(engine.command(script), engine.environment(ANALYSIS_CLOCK, "analyse") | own)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command in the project's folder and return what that cost. Raises BenchmarkError."""

    def run() -> None:
        done = subprocess.run(
            command, env=environment, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode:
            raise BenchmarkError(f"what was to be measured failed, {command}:\n{done.stderr.decode()[-2000:]}")

    return cost(run)


def _named(engine: Engine) -> str:
    return engine.known.name if engine.known.is_module else str(engine.program)


def find_program() -> Engine | None:
    """Return the system's gnubg program, if there is one that the project knows."""
    for known in known_engines():
        try:
            if not known.is_module:
                return find_engine(known.name)
        except EngineError:
            continue
    return None


def run_workflow(engine: Engine, results: Path, target: str, cores: int) -> Cost:
    """Make a file of `results` by a Snakemake run of its own and return what that cost. Raises BenchmarkError."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--nolock", str(results / target), "--config"]
    command += [f"results={results}", f"engine={_named(engine)}", f"nets={engine.known.nets}"]
    return _run(command, os.environ)


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
    task = STUDY.task(point, Shard(0, matches or point.shard_matches))

    def work() -> None:
        play_shard(engine, task, archive, limits)
        analyse_archive(engine, STUDY.analysis_level(), archive, table, limits)

    spent = cost(work)
    return spent._replace(rolls=int(read_table(table)["rolls"].sum()) // 2)  # one row per player


def ratings_measures(seed: int = 1) -> list[Measure]:
    """Run the measures; they take less than a minute on two cores."""
    random = np.random.default_rng(seed)
    games, cells = _games(random), _cells(random)
    started = time.monotonic()
    logistic.fit(games, {"p000": 0.0})
    fitted = time.monotonic()
    eloworld.elo_world(cells, seed)
    return [
        Measure(f"seconds of a logistic fit to {GAMES:,} games of {PLAYERS} players", fitted - started, 2.0, True),
        Measure(
            f"seconds of Elo World, {ENTRANTS} players, {GAMES_PER_CELL} games a cell, {eloworld.RUNS} runs of "
            f"{eloworld.PASSES} passes",
            time.monotonic() - fitted,
            60.0,
            True,
        ),
    ]


def _games(random: np.random.Generator) -> pd.DataFrame:
    """Draw games of random pairs, with a first-mover bias of 200 points and a draw in seventeen."""
    first = random.integers(PLAYERS, size=GAMES)
    second = (first + random.integers(1, PLAYERS, size=GAMES)) % PLAYERS
    chance = 1 / (1 + np.exp(-math.log(3) / 200 * (200 + (first - second) * 1500 / PLAYERS)))
    score = np.where(random.random(GAMES) < 1 / 17, 0.5, (random.random(GAMES) < chance) * 1.0)
    names = np.array([f"p{number:03d}" for number in range(PLAYERS)])
    return pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "first_score": score,
            "count": 1,
            "row": np.arange(GAMES) + 1,
        }
    )


def _cells(random: np.random.Generator) -> PairCounts:
    """Draw full cells of players who stand evenly over 1,500 points, with a tenth of draws."""
    strength = np.linspace(0, 1500, ENTRANTS)
    chance = 1 / (1 + 10 ** ((strength[None, :] - strength[:, None]) / 400))
    draws = random.binomial(GAMES_PER_CELL, 0.1, size=chance.shape)
    wins = random.binomial(GAMES_PER_CELL - draws, chance)
    names = tuple(f"p{number:02d}" for number in range(ENTRANTS))
    return PairCounts(names, wins, GAMES_PER_CELL - draws - wins, draws)


def main() -> None:
    """Run the benchmarks, print each ratio beside its bound, write the table, and say which miss theirs."""
    parser = argparse.ArgumentParser(prog="./run bench", description="An idle machine is needed, and some minutes.")
    parser.add_argument("--engine", default="", help="a name of gnubg_configs/engines, or the path of gnubg")
    parser.add_argument("--results", type=Path, default=PROJECT / "results", help="bench/bench.csv goes there")
    asked = parser.parse_args()
    engine, program, rows = find_engine(asked.engine), find_program(), []
    if program is None:
        print("There is no gnubg program here, so nothing is measured beside one.")
    with tempfile.TemporaryDirectory(prefix="bgrating-bench-") as folder:
        for measure in (
            *run_measures(engine, program, Path(folder)), rate_measure(engine, Path(folder)), *ratings_measures()
        ):  # fmt: skip
            bound = f"{'<=' if measure.at_most else '>='} {measure.bound:g}"
            rows.append((measure.name, round(measure.ratio, 3), bound, measure.kept))
            print(f"{measure.name}: {measure.ratio:.3f} (wanted: {bound}{'' if measure.kept else '; MISSED'})")
    path = asked.results / "bench" / "bench.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(pd.DataFrame(rows, columns=columns("bench/bench")), path, "bench/bench")
    missed = sum(not row[-1] for row in rows)
    print(f"{missed or 'None'} of {len(rows)} measures miss{'es' if missed == 1 else ''} the bound.")


if __name__ == "__main__":
    main()
