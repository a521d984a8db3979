"""Measure how long users wait and how much memory that takes: `./run bench [PART...]`.

What the engine alone needs stands beside it.

Times are those of whole commands on an idle machine of two cores, the middle one of several where
they are short. CPU is user and system time of a process and of the descendants that it waited for.
The first run plays the matches; `--games DIR` keeps them for the next.
"""

import argparse
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import psutil
import requests

from bgduel.shard import Conditions, ShardFiles, play, programs
from bgleague import eloworld, logistic
from bgleague.pair_counts import PairCounts
from bgmatch import read_matches
from bgmatch.board import plays, start
from bgrating import BgratingError
from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands
from bgrating.engine.engine_errors import EngineError
from bgrating.engine.known_engines import known_engines
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine, find_engine
from bgrating.places import DATA as PROJECT
from bgrating.play import designs
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.shards import play_shard
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_table, write_table

STUDY = designs.design("bench")
ORDINARY_MATCHES = 10
"""How many matches are played with the wall clock: a computer's every decision then takes 10 ms or
more."""
PAIRS, DROPPED = 5, 20
"""Pairs of runs of `rate` and `serve`, and the matches that both are given."""
SPECIFIED = PROJECT / "tests" / "unit" / "bgduel" / "spec_engine.py"
"""An engine that thinks next to nothing."""
LENGTH, USUAL = 3, 7
"""Points of short matches, and of matches as most people play them."""
FEW, MANY, FILES = 100, 1_000, 20_000
"""Matches; a large collection; files, for memory."""

RESULTS, GAMES, PLAYERS = 100_000, 24_570, 126
ENTRANTS, GAMES_PER_CELL = 53, 400


OWN_CPU = """import atexit, pathlib, runpy, sys, time
path = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: path.write_text(str(time.process_time()), "ascii"))
runpy.run_module("bgrating", run_name="__main__", alter_sys=True)"""
"""Runs bgrating and writes the CPU seconds of its main process alone into the file that is named
first."""


class BenchmarkError(BgratingError, RuntimeError):
    """A run that was to be measured failed; the message ends with what it said."""


class Cost(NamedTuple):
    """Seconds of wall time and of CPU (all processes), seconds until the first line, megabytes of
    the largest process.

    `rolls`: how many were played for them.
    """

    wall: float
    cpu: float
    first: float = math.nan
    memory: float = math.nan
    rolls: int = 0


@dataclass(frozen=True)
class Measure:
    """What was measured, with its bound (none where it stands beside others).

    `at_most` tells on which side the bound is. `cpu` has the CPU seconds of the command whose time
    it is, which hardly depend on what else the machine does.
    """

    name: str
    value: float
    bound: float = math.nan
    at_most: bool = True
    cpu: float = math.nan

    @property
    def kept(self) -> bool:
        """Tell whether the value keeps its bound."""
        return not (self.value > self.bound if self.at_most else self.value < self.bound)

    @property
    def asked(self) -> str:
        """Return the bound in words."""
        return (
            "" if math.isnan(self.bound) else f"{'<=' if self.at_most else '>='} {self.bound:.3g}"
        )


@dataclass(frozen=True)
class Bench:
    """An engine, a folder for everything that is written, and one that keeps the matches."""

    engine: Engine
    folder: Path
    games: Path

    def run(self, *command: object, status: int = 0) -> Cost:
        """Run Python with these words, in a home of its own. Raises BenchmarkError."""
        own = {
            "HOME": self.folder,
            "PYTHONPATH": PROJECT / "scripts",
            "BGRATING_STORE": self.folder / "store",
        }
        return _run(
            [sys.executable, *map(str, command)],
            os.environ | {name: str(path) for name, path in own.items()},
            self.folder,
            status,
        )

    def rate(self, *words: object, check: str = "none") -> Cost:
        """Run rate, without a second look at errors unless that is asked for."""
        results = [
            "--check",
            check,
            "--results",
            self.folder / "results",
            "--engine",
            _named(self.engine),
        ]
        return self.run("-c", OWN_CPU, self.folder / "own", "rate", *words, *results)

    def decide(self, sides: str, length: int, *words: object, name: str = "usual") -> float:
        """Return the CPU seconds of FEW matches of decide."""
        place = [
            "--results",
            self.folder / "decide",
            "--name",
            name.replace(" ", "-"),
            "--engine",
            _named(self.engine),
        ]
        asked = ["--levels", sides, "--match-length", length, "--most", FEW, "--better", "0.1"]
        return self.run("-m", "bgrating", "decide", *asked, *words, *place, status=3).cpu

    def bare(self, files: Sequence[Path], level: str = "0-ply") -> Cost:
        """Import and analyse clean files with the engine and its own commands alone."""
        commands = list(analysis_commands(levels.analysis(level)))
        for path in files:
            commands += [f'import mat "{path}"', "analyse match", "show statistics match"]
        script = self.folder / "commands.py"
        script.write_text(
            f"import gnubg\nfor command in {commands!r}:\n    gnubg.command(command)\n",
            encoding="utf-8",
        )
        command, variables = self.engine.launch(ANALYSIS_CLOCK, script)
        own = {"HOME": str(self.folder), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        return _run(command, variables | own, self.folder)

    def played(self, count: int, length: int = LENGTH) -> list[Path]:
        """Return the files of so many matches, played on two cores where they are not yet."""
        folders = [self.games / f"{length}-{number}" for number in range(count // FEW)]

        def play(number: int) -> None:
            archive = folders[number].with_suffix(".zip")
            point = replace(STUDY.points[0], match_length=length)
            if not archive.is_file():
                play_shard(
                    self.engine,
                    STUDY.task(point, Shard(number, FEW)),
                    archive,
                    self._limits(number),
                )
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folders[number])

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(play, range(len(folders))))
        return [path for folder in folders for path in sorted(folder.iterdir())]

    def collection(self, count: int, length: int = LENGTH) -> tuple[Path, list[Path]]:
        """Return a folder of so many played matches, and them."""
        folder = self.folder / f"collection-{count}"
        folder.mkdir()
        for number, path in enumerate(self.played(count, length)):
            (folder / f"{number:04d}.mat").symlink_to(path)
        return folder, sorted(folder.iterdir())

    def shard(self, engine: Engine, point: DesignPoint, matches: int | None = None) -> Cost:
        """Play and analyse the first shard of a design point; return the cost of both processes."""
        archive, table, limits = (
            self.folder / "shard.zip",
            self.folder / "shard.csv",
            self._limits(0),
        )
        task = STUDY.task(point, Shard(0, matches or point.shard_matches))
        began, before = time.monotonic(), _children_cpu()
        play_shard(engine, task, archive, limits)
        analyse_archive(ArchiveAnalyst(engine, STUDY.analysis_level(), limits), archive, table)
        spent = Cost(time.monotonic() - began, _children_cpu() - before)
        return spent._replace(
            rolls=int(read_table(table)["rolls"].sum()) // 2
        )  # one row per player

    def _limits(self, number: int) -> Limits:
        return Limits(3600.0, self.folder / f"engine-{number}.log")


def _run(
    command: Sequence[str], environment: dict[str, str], folder: Path, status: int = 0
) -> Cost:
    environment = {
        name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    log, began = folder / "stderr.log", time.monotonic()
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdout
        process.stdout.readline()
        first = time.monotonic() - began
        process.stdout.read()
        _, ended, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        raise BenchmarkError(
            "what was to be measured failed,"
            f" {command}:\n{log.read_text('utf-8', 'replace')[-2000:]}"
        )
    return Cost(
        time.monotonic() - began, used.ru_utime + used.ru_stime, first, used.ru_maxrss / 1024
    )


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _others_cpu() -> float:
    """Return the CPU seconds that processes of others have taken.

    Only differences mean something.
    """
    own, spent = resource.getrusage(resource.RUSAGE_SELF), psutil.cpu_times()
    return (
        float(spent.user + spent.nice + spent.system)
        - own.ru_utime
        - own.ru_stime
        - _children_cpu()
    )


def _named(engine: Engine) -> str:
    return engine.known.name if engine.known.is_module else str(engine.program)


def _time(name: str, runs: Callable[[], Cost] | Sequence[Cost], bound: float = math.nan) -> Measure:
    """Return the wall time of a run, or the middle one of several."""
    costs = [runs() for _ in range(3)] if callable(runs) else runs
    middle = sorted(costs)[len(costs) // 2]
    return Measure(f"{name}, s", middle.wall, bound, cpu=middle.cpu)


def waits(bench: Bench) -> Iterator[Measure]:
    """Yield how long the answers of short commands take."""
    folder, files = bench.collection(FEW, USUAL)
    bench.rate(files[-1], "--no-store")  # set up before: compiled, and read from the disk once
    pandas = _time("import of pandas", lambda: bench.run("-c", "import pandas"))
    yield from (_time("Python's bare start", lambda: bench.run("-c", "")), pandas)
    yield _time("bare engine, one match", lambda: bench.bare(files[:1]))
    yield _time("one match", [bench.rate(path) for path in files[:3]], 2.5)
    yield _time(
        "the same match again", [bench.rate(path) for path in files[:3]], pandas.value + 0.5
    )
    for level, words in (("0-ply", []), ("0-ply-no-luck", ["--no-luck"])):
        bare = bench.bare(files, level)
        yield _time(f"bare engine, {FEW} matches, {level}", [bare])
        bound = 4.5 if words else bare.cpu / 2 + 2.5
        name, cost = " ".join([f"{FEW} matches", *words]), bench.rate(folder, *words, "--no-store")
        yield Measure(f"{name}, the answer, s", cost.first, math.nan if words else 3.0)
        yield _time(f"{name}, with pages", [cost], bound)
        if not words:
            yield Measure(f"CPU of {name} beside the bare engine", cost.cpu / bare.cpu, 1.08)
            again = bench.rate(folder, "--no-store", check="errors")
            yield Measure(f"CPU of the second look at {name}, s", again.cpu - cost.cpu)
    club, games = _lists(bench.folder)

    def ratings(path: Path) -> Cost:
        return bench.run("-m", "bgrating", "ratings", path, "--results", bench.folder / "results")

    ratings(games), ratings(club)
    yield _time("a club's list of 60 rows", lambda: ratings(club), 2.5)
    yield _time("20,000 games of 500 players", [ratings(games)], 16.1)
    yield _time(
        "calc", lambda: bench.run("-m", "bgrating", "calc", "--length", "7", "--pr", "6,5"), 0.2
    )
    wrong = bench.folder / "none.mat"
    yield _time(
        "an error of the user's", lambda: bench.run("-m", "bgrating", "rate", wrong, status=1), 0.5
    )


def commands(bench: Bench) -> Iterator[Measure]:
    """Yield how long the commands take that README names first, without the set-up."""
    quick = bench.run("-m", "study", "quick", "--nolock", "--results", bench.folder / "results")
    yield _time("./run", [quick], 150.0)
    yield _time(
        "./run rate examples/", lambda: bench.rate("examples/", "--no-store", check="errors")
    )


def tests(bench: Bench) -> Iterator[Measure]:
    """Yield how long the tests take, without the set-up."""
    words = ("-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    yield _time("./run test", [bench.run(*words)], 240.0)
    yield _time("./run test --fast", [bench.run(*words, "--fast")], 60.0)


def setup(bench: Bench) -> Iterator[Measure]:
    """Yield what a set-up costs in a new clone: the part of `rate`, then all the rest."""
    clone = bench.folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(clone)], check=True)
    for name, words in (("set-up for rate", ["--version"]), ("set-up of all the rest", ["set-up"])):
        cost = _run([str(clone / "run"), *words], dict(os.environ), bench.folder)
        yield Measure(f"{name}, CPU s", cost.cpu, 15.0)
        held = sum(file.stat().st_size for file in (clone / ".venv").rglob("*") if file.is_file())
        yield Measure(f"{name}, MB on the disk", held / 1e6)


def lists(bench: Bench) -> Iterator[Measure]:
    """Yield what a list of a hundred thousand results takes, which all systems rate."""
    path = bench.folder / "results.csv"
    with ProcessPoolExecutor(
        1
    ) as pool:  # Linux counts what this process has used as memory of every child too
        pool.submit(_write_list, path, RESULTS, 1000).result()
    cost = bench.run("-m", "bgrating", "ratings", path, "--results", bench.folder / "results")
    yield _time(f"a list of {RESULTS:,} results", [cost], 15.0)
    yield Measure(f"memory of a list of {RESULTS:,} results, MB", cost.memory, 400.0)


def cores(bench: Bench) -> Iterator[Measure]:
    """Yield what a large collection costs beside the engine alone, and what a second core is
    worth.
    """
    folder, files = bench.collection(MANY)
    bare = bench.bare(files)
    yield _time(f"bare engine, {MANY} matches", [bare])
    one, two = (bench.rate(folder, "--no-store", "--name", f"on-{n}", "--cores", n) for n in (1, 2))
    own = float((bench.folder / "own").read_text(encoding="ascii"))
    yield from (
        _time(f"{MANY} matches on {words}", [cost])
        for words, cost in (("one core", one), ("two cores", two))
    )
    yield Measure(
        f"CPU of a match beside the engine's, {MANY} matches, ms",
        1000 * (one.cpu - bare.cpu) / MANY,
        40.0,
    )
    yield Measure(
        f"CPU of the main process for a match, {MANY} matches, ms", 1000 * own / MANY, 6.0
    )
    name = f"CPU of the workers for a match beside the engine's, {MANY} matches, ms"
    yield Measure(name, 1000 * (two.cpu - own - bare.cpu) / MANY, 6.0)
    yield Measure(
        f"wall time of {MANY} matches, one core beside two", one.wall / two.wall, 1.9, at_most=False
    )


def formulas(bench: Bench) -> Iterator[Measure]:
    """Yield how long another formula, offset or table of aliases takes where all matches are
    analysed.
    """
    folder, _ = bench.collection(MANY)
    aliases = bench.folder / "aliases.csv"
    aliases.write_text("alias,name\nsomebody,somebody else\n", encoding="utf-8")
    yield _time("import of pandas", lambda: bench.run("-c", "import pandas"))
    yield _time(f"{MANY} matches --no-luck, not analysed before", [bench.rate(folder, "--no-luck")])
    for words in (("--formula", "published"), ("--offset", "2000"), ("--aliases", aliases)):
        cost = bench.rate(folder, "--no-luck", *words)
        name = f"another {words[0].removeprefix('--')}, {MANY} matches"
        yield Measure(f"{name}, tables, s", cost.first, 3.0)
        yield _time(f"{name}, tables and pages", [cost], 20.0)


def pages(bench: Bench) -> Iterator[Measure]:
    """Yield what opening pages of a large collection costs a browser, less an empty page, and how
    large pages are.
    """
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if browser is None:
        raise BenchmarkError("no Chromium on this machine (Debian: package chromium)")
    folder, _ = bench.collection(MANY)
    bench.rate(folder, "--no-luck")
    site, empty = bench.folder / "results" / "human" / folder.name, bench.folder / "empty.html"
    empty.write_text("<!DOCTYPE html><p>", encoding="utf-8")
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--single-process",
        "--virtual-time-budget=20000",
    ]

    def opened(page: Path) -> float:
        profile = f"--user-data-dir={bench.folder / 'profile'}"
        command = [browser, *options, profile, "--window-size=400,800", "--dump-dom", page.as_uri()]
        return min(_run(command, dict(os.environ), bench.folder).cpu for _ in range(3))

    beside = opened(empty)
    largest = [
        max(site.glob(f"{kind}/*.html"), key=lambda page: page.stat().st_size)
        for kind in ("players", "matches")
    ]
    yield Measure("an empty page, s", beside)
    yield Measure(f"the page of {MANY} matches, s", opened(site / "report.html") - beside, 0.5)
    yield from (
        Measure(f"the largest page of {page.parent.name}, s", opened(page) - beside, 1.0)
        for page in largest
    )
    held = sum(page.stat().st_size for page in site.rglob("*.html"))
    yield Measure(f"pages of {MANY} matches, MB", held / 1e6, 100.0)
    yield Measure("the largest page of matches, kB", largest[1].stat().st_size / 1e3, 200.0)


def files(bench: Bench) -> Iterator[Measure]:
    """Yield the memory that a very large collection takes."""
    folder = bench.folder / "files"
    folder.mkdir()
    for number, text in zip(range(FILES), _short_games(), strict=False):
        (folder / f"{number:05d}.mat").write_text(text, encoding="ascii")
    yield Measure(f"main process, {FILES} files, MB", bench.rate(folder, "--no-luck").memory, 400.0)


def study(bench: Bench) -> Iterator[Measure]:
    """Yield what whole runs of a study cost beside their engines, and the engine beside a gnubg
    program, if any.
    """
    engine, program = bench.engine, find_program()

    def run_workflow(cores: int) -> Cost:
        results = bench.folder / f"run-{cores}"
        target = results / f"{engine.known.version}/{STUDY.study}/report.html"
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--cores",
            str(cores),
            "--nolock",
            str(target),
            "--config",
        ]
        command += [
            f"results={results}",
            f"engine={_named(engine)}",
            f"nets={engine.known.version}",
        ]
        return _run(command, dict(os.environ), bench.folder)

    # The engine's processes by themselves, some before and some after: machines grow slower and
    # faster.
    shards = [bench.shard(engine, point) for point in STUDY.points[::2]]
    for length, bound in ((5, 1.03), (1, 1.08)):
        archive, folder = bench.folder / f"{length}.zip", bench.folder / f"{length}-points"
        task = STUDY.task(replace(STUDY.points[0], match_length=length), Shard(0, FEW))
        play_shard(engine, task, archive, bench._limits(0))
        before = _children_cpu()
        analyst = ArchiveAnalyst(engine, STUDY.analysis_level(), bench._limits(0))
        analyse_archive(analyst, archive, bench.folder / f"{length}.csv")
        spent = _children_cpu() - before
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
        name = f"CPU of the analysis of a shard to {length} beside the bare engine"
        yield Measure(name, spent / bench.bare(sorted(folder.iterdir())).cpu, bound)
    one, two = run_workflow(1), run_workflow(2)
    shards += [bench.shard(engine, point) for point in STUDY.points[1::2]]
    engine_cpu, rolls = sum(shard.cpu for shard in shards), sum(shard.rolls for shard in shards)
    yield Measure("CPU of a whole study beside its engines", one.cpu / engine_cpu, 1.05)
    yield Measure(
        "matches a second of a whole study, two cores beside one",
        one.wall / two.wall,
        1.9,
        at_most=False,
    )
    yield Measure(
        "share of two cores' time that a whole study used",
        two.cpu / (2 * two.wall),
        0.95,
        at_most=False,
    )
    if program is None:
        return
    if engine.known.is_module:
        embedded, system = shards[-1], bench.shard(program, STUDY.points[-1])
        name = f"CPU of a roll played and analysed, embedded engine beside {program.known.reported}"
        yield Measure(name, embedded.cpu / embedded.rolls / (system.cpu / system.rolls), 1.15)
    ordinary = bench.shard(replace(program, clock=()), STUDY.points[-1], ORDINARY_MATCHES)
    name = "rolls a second of a whole study on one core, beside gnubg with the wall clock"
    yield Measure(name, rolls / one.wall / (ordinary.rolls / ordinary.wall), 10.0, at_most=False)


def verdict(bench: Bench) -> Iterator[Measure]:
    """Yield the CPU of a match of `decide`: played and judged.

    gnubg plays its levels alone; the referee lets programs play. A match played is the part without
    a judge.
    """
    began = _children_cpu()
    _, files = bench.collection(FEW)
    alone = (_children_cpu() - began) / FEW
    errors, both = (bench.bare(files, level).cpu / FEW for level in ("0-ply-no-luck", "0-ply"))
    engine = _named(bench.engine)
    refereed = bench.decide(f"expert@{engine},noise-0.02", LENGTH) / FEW
    yield Measure("errors of a match judged, CPU ms", 1000 * errors)
    yield Measure("errors and luck of a match judged, CPU ms", 1000 * both)
    yield Measure(
        "CPU of a match of `decide` beside one played by gnubg alone", 1 + both / alone, 3.0
    )
    yield Measure("gnubg alone: a match played, CPU ms", 1000 * alone)
    yield Measure("the referee: a match played, CPU ms", 1000 * (refereed - both))


def referee(bench: Bench) -> Iterator[Measure]:
    """Yield what the referee and `decide` take beside two trivial engines, each written from a
    specification alone.
    """
    names = {version: f"ubgi:{sys.executable} {SPECIFIED} {version}" for version in ("0.1", "0.2")}
    log = bench.folder / "referee.log"
    both = programs(names, Conditions(bench.engine, 1), log)
    own, of_engines = time.process_time(), _children_cpu()
    archive = bench.folder / "refereed.zip"
    play(both, ShardFiles(DesignPoint("0.1", "0.2", 1, FEW, FEW), Shard(0, FEW), archive, log))
    both.close()
    own, of_engines = time.process_time() - own, _children_cpu() - of_engines
    with zipfile.ZipFile(archive) as texts:
        matches = [read_matches(texts.read(name)).matches[0] for name in texts.namelist()]
    plies = sum(len(game.actions) for match in matches for game in match.games)
    yield Measure("CPU of the referee itself, ms a ply", 1000 * own / plies, 0.3)
    yield Measure("CPU of two trivial engines, ms a match", 1000 * of_engines / FEW)
    yield Measure("CPU of a match that is refereed over that of its engines", 1 + own / of_engines)
    for name, words in (("without luck", ["--no-luck"]), ("with luck", [])):
        decided = bench.decide(",".join(names.values()), 1, *words, name=name)
        yield Measure(
            f"CPU of a match of `decide` {name} over that of its engines", decided / of_engines
        )


def drops(bench: Bench) -> Iterator[Measure]:
    """Yield how much later than `rate` the page of `serve` has the answer on the same files, in
    pairs of runs.
    """
    played, folder = bench.played(FEW)[:DROPPED], bench.folder / "dropped"
    folder.mkdir()
    for path in played:
        shutil.copy(path, folder)
    for pair in range(1, PAIRS + 1):
        rated = bench.rate(folder, "--no-store", "--name", f"pair-{pair}", check="errors")
        served = _dropped(bench, played)
        yield Measure(
            f"pair {pair}: from drop to answer, less that of rate, s",
            served.first - rated.first,
            1.0,
        )
        yield from (
            _time(f"pair {pair}: {name}", [cost])
            for name, cost in (("rate", rated), ("serve", served))
        )


def _dropped(bench: Bench, files: Sequence[Path]) -> Cost:
    """Drop files on a new server until they are rated; `first` is the answer.

    The CPU is that of the start too.
    """
    results = tempfile.mkdtemp(dir=bench.folder)
    own = {
        "HOME": str(bench.folder),
        "PYTHONPATH": str(PROJECT / "scripts"),
        "BGRATING_STORE": "off",
    }
    command = [
        sys.executable,
        "-m",
        "bgrating",
        "serve",
        "--no-open",
        "--json",
        "--results",
        results,
    ]
    server = subprocess.Popen(
        command, env=os.environ | own, cwd=bench.folder, stdout=subprocess.PIPE
    )
    assert server.stdout
    page, first, began = json.loads(server.stdout.readline())["page"], math.nan, time.monotonic()
    for told in _drop(page, files):
        first = time.monotonic() - began if math.isnan(first) and told["told"] else first
    ended = time.monotonic() - began
    server.send_signal(signal.SIGINT)
    _, status, used = os.wait4(server.pid, 0)
    server.returncode = os.waitstatus_to_exitcode(status)
    if told["state"] != "rated":
        raise BenchmarkError(f"serve left the files {told['state']}")
    return Cost(ended, used.ru_utime + used.ru_stime, first)


def _drop(page: str, files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Drop files on a new page of `serve`; yield what it tells of them until they are rated."""
    with requests.Session() as browser:
        browser.get(page, timeout=600).raise_for_status()  # its answer is the cookie with the token
        page = page.partition("/?")[0]
        browser.headers["Origin"] = page
        parts = [("files", (path.name, path.read_bytes())) for path in files]
        form = {"collection": "dropped", "level": "0-ply"}
        browser.post(f"{page}/drop", form, files=parts, timeout=600).raise_for_status()
        with browser.get(f"{page}/events", stream=True, timeout=600) as events:
            for line in filter(None, events.iter_lines(chunk_size=1)):
                (state,) = json.loads(line.removeprefix(b"data: "))
                yield state
                if state["state"] not in {"waiting", "running"}:
                    return


def league(_: Bench) -> Iterator[Measure]:
    """Yield how long ratings from results take, on made-up games of the sizes that they were asked
    to cope with.
    """
    drawn = np.random.default_rng(1)
    games, cells = _games(drawn, GAMES, PLAYERS), _cells(drawn)
    began = time.monotonic()
    logistic.fit(games.assign(count=1, row=np.arange(GAMES) + 1), {"p000": 0.0})
    fitted = time.monotonic()
    yield Measure(f"a logistic fit to {GAMES:,} games of {PLAYERS} players, s", fitted - began, 2.0)
    eloworld.elo_world(cells, 1)
    name = f"Elo World, {ENTRANTS} players, {GAMES_PER_CELL} games a cell, s"
    yield Measure(name, time.monotonic() - fitted, 60.0)


PARTS = {
    part.__name__: part
    for part in (
        setup,
        waits,
        commands,
        tests,
        lists,
        cores,
        formulas,
        pages,
        files,
        study,
        verdict,
        referee,
        drops,
        league,
    )
}


def measured(part: Callable[[Bench], Iterator[Measure]], bench: Bench) -> Iterator[Measure]:
    """Yield the measures of a part, and whether the machine was idle."""
    began, others = time.monotonic(), _others_cpu()
    yield from part(bench)
    yield Measure(
        "cores that others used meanwhile",
        (_others_cpu() - others) / (time.monotonic() - began),
        0.1,
    )


def find_program() -> Engine | None:
    """Return the system's gnubg program, if there is one that the project knows."""
    for known in known_engines():
        try:
            if not known.is_module:
                return find_engine(known.name)
        except EngineError:
            continue
    return None


def _short_games() -> Iterator[str]:
    """Yield matches of four random plays each, which the loser leaves; no two are alike."""
    drawn, seen = random.Random(1), set()
    while True:
        sides, rows = start(), []
        for ply in range(4):
            dice = drawn.choice([(a, b) for a in range(1, 7) for b in range(1, 7) if ply or a != b])
            if not (possible := plays(*sides, dice)):  # a chequer on the bar stays there
                break
            hops, mine, other = drawn.choice(possible)
            rows.append(
                "{}{}: ".format(*dice)
                + " ".join(f"{'bar' if a == 25 else a}/{b or 'off'}" for a, b in hops)
            )
            sides = other, mine
        if len(rows) == 4 and tuple(rows) not in seen:
            seen.add(tuple(rows))
            one, two = drawn.sample(range(400), 2)
            yield (
                f" 1 point match\n\n Game 1\n P{one} : 0                     Q{two} : 0\n  1)"
                f" {rows[0]:<28} {rows[1]}\n  2) {rows[2]:<28} {rows[3]}\n      Wins 1 point and"
                " the match\n"
            )


def _lists(folder: Path) -> tuple[Path, Path]:
    """Write a club's list of 60 matches of 12 members, and a table of 20,000 games of 500
    players.
    """
    drawn = np.random.default_rng(1)
    club, games = folder / "club.csv", folder / "games.csv"
    rows = _games(drawn, 60, 12)
    lines = ["date,player1,player2,score1,score2,length"]
    for number, (first, second, score) in enumerate(rows.to_numpy().tolist()):
        points = (5, int(drawn.integers(5)))[:: 1 if score else -1]
        day = f"2026-{number // 28 + 1:02d}-{number % 28 + 1:02d}"
        lines.append(f"{day},{first},{second},{points[0]},{points[1]},5")
    club.write_text("\n".join(lines) + "\n", encoding="ascii")
    _games(drawn, 20_000, 500).to_csv(games, index=False)
    return club, games


def _write_list(path: Path, count: int, players: int) -> None:
    """Write a list of dated results of ten years, with scores and lengths of 3 to 11 points."""
    drawn = np.random.default_rng(1)
    games, length = _games(drawn, count, players), drawn.choice([3, 5, 7, 9, 11], count)
    least, won = (drawn.random(count) * length).astype(int), games["first_score"] > 0
    days = np.datetime64("2015-01-01") + np.sort(drawn.integers(3650, size=count))
    scores = {
        "score1": np.where(won, length, least),
        "score2": np.where(won, least, length),
        "length": length,
    }
    pd.DataFrame(
        {"date": days, "player1": games["first"], "player2": games["second"], **scores}
    ).to_csv(path, index=False)


def _games(drawn: np.random.Generator, count: int, players: int) -> pd.DataFrame:
    """Draw games of random pairs, with a first-mover bias of 200 points and a draw in seventeen."""
    first = drawn.integers(players, size=count)
    second = (first + drawn.integers(1, players, size=count)) % players
    chance = 1 / (1 + np.exp(-math.log(3) / 200 * (200 + (first - second) * 1500 / players)))
    score = np.where(drawn.random(count) < 1 / 17, 0.5, (drawn.random(count) < chance) * 1.0)
    names = np.array([f"p{number:03d}" for number in range(players)])
    return pd.DataFrame({"first": names[first], "second": names[second], "first_score": score})


def _cells(drawn: np.random.Generator) -> PairCounts:
    """Draw full cells of players who stand evenly over 1,500 points, with a tenth of draws."""
    strength = np.linspace(0, 1500, ENTRANTS)
    chance = 1 / (1 + 10 ** ((strength[None, :] - strength[:, None]) / 400))
    draws = drawn.binomial(GAMES_PER_CELL, 0.1, size=chance.shape)
    wins = drawn.binomial(GAMES_PER_CELL - draws, chance)
    names = tuple(f"p{number:02d}" for number in range(ENTRANTS))
    return PairCounts(names, np.stack([wins, GAMES_PER_CELL - draws - wins, draws]))


def main() -> None:
    """Run the benchmarks, print each figure beside its bound, write the table, and say which miss
    theirs.
    """
    parser = argparse.ArgumentParser(
        prog="./run bench", description="An idle machine is needed, and some minutes."
    )
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (all of them)"
    )
    parser.add_argument(
        "--engine", default="", help="a name of gnubg_configs/engines, or the path of gnubg"
    )
    parser.add_argument(
        "--results", type=Path, default=PROJECT / "results", help="bench/bench.csv goes there"
    )
    parser.add_argument(
        "--games", type=Path, help="a folder that keeps the matches for the next time"
    )
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    path = asked.results / "bench" / "bench.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = read_table(path).fillna({"bound": ""}).to_numpy().tolist() if path.is_file() else []
    for part in asked.parts or PARTS:
        rows, missed = [row for row in rows if row[0] != part], 0
        with tempfile.TemporaryDirectory(prefix="bgrating-bench-") as folder:
            games = (asked.games or Path(folder, "games")).resolve()
            games.mkdir(parents=True, exist_ok=True)
            for measure in measured(
                PARTS[part], Bench(find_engine(asked.engine), Path(folder), games)
            ):
                rows.append(
                    [
                        part,
                        measure.name,
                        round(measure.value, 3),
                        measure.asked,
                        measure.kept,
                        round(measure.cpu, 3),
                    ]
                )
                wanted = (
                    f" (wanted: {measure.asked}{'' if measure.kept else '; MISSED'})"
                    if measure.asked
                    else ""
                )
                print(f"{measure.name}: {measure.value:.3f}{wanted}", flush=True)
                missed += not measure.kept
        rows.sort(key=lambda row: list(PARTS).index(row[0]))  # the order of measures stays
        write_table(pd.DataFrame(rows, columns=columns("bench/bench")), path, "bench/bench")
        print(
            f"{part}: {missed or 'none'} of its measures miss{'es' if missed == 1 else ''} the"
            " bound."
        )


if __name__ == "__main__":
    main()
