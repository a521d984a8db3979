"""What the embedded engine must show to be the default: the figures of Debian's 1.08.003,
endurance, one processor's digits on all of them. Bytes from run to run:
tests/unit/bgrating/engine/test_session.py; its CPU: ./run bench.
"""

import contextlib
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

from bgrating.engine import levels
from bgrating.engine.locate import ANALYSIS_CLOCK, INSIDE, Engine, find_engine
from bgrating.engine.session import Session
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive, texts_of
from bgrating.play.designs import ShardTask
from bgrating.play.shards import play_shard
from commands import Done, run

# Figures of every game of these matches as Debian's gnubg 1.08.003-3 gives them, written by
# write_oracle below.
ORACLE = Path(__file__).with_name("debian-1.08.003.csv")
PLAYERS = (levels.player("noise-0.02+noise-0.4"), levels.player("intermediate+noise-0.1"))
LEVEL = levels.analysis("0-ply-no-luck")
MATCHES = {3: 60, 7: 40}
COUNTS = ["unforced_moves", "total_moves", "total_cube_decisions", "doubles", "takes", "passes"]
ERRORS = ["chequer_error_emg", "cube_error_emg"]
# Played three times in one process.
ENDURANCE = int(os.environ.get("BGRATING_ENDURANCE", "100"))
MEGABYTE = 1 << 20
ILLEGAL, NOTHING = b"\x0f\x0b", b"\x90"  # instructions: ud2, nop


def figures(engine: Engine, folder: Path, limits: Limits) -> pd.DataFrame:
    """Analyse the matches and return one row a game and seat: COUNTS, ERRORS."""
    rows = []
    for length in MATCHES:
        texts = texts_of(folder / f"{length}.zip").values()
        for number, (match, _) in enumerate(ArchiveAnalyst(engine, LEVEL, limits).analysed(texts)):
            for game, found in enumerate(match["games"]):
                for seat, own in zip("XO", found["figures"], strict=True):
                    costs = [own[name] for name in own if name.endswith("_emg")]
                    chequer = own["chequer_error_emg"]
                    row = {"match_length": length, "match": number, "game": game, "seat": seat}
                    row |= {name: own[name] for name in COUNTS}
                    errors = dict(
                        zip(ERRORS, (chequer, round(sum(costs) - chequer, 6)), strict=True)
                    )
                    rows.append(row | errors)
    return pd.DataFrame(rows)


def play(engine: Engine, folder: Path, limits: Limits) -> None:
    for length, matches in MATCHES.items():
        archive = folder / f"{length}.zip"
        play_shard(engine, ShardTask(PLAYERS, length, 108, 0, matches), archive, limits)


def write_oracle(folder: Path) -> None:
    """Write the oracle from archives; on Debian 13 with gnubg 1.08.003-3 and faketime."""
    limits = Limits(600.0, folder / "engine.log")
    figures(find_engine("system-1.08.003"), folder, limits).to_csv(
        ORACLE, index=False, float_format="%.6f"
    )


@pytest.mark.slow
def test_statistics_are_those_of_debians_1_08_003(
    embedded: Engine, limits: Limits, tmp_path: Path
) -> None:
    play(embedded, tmp_path, limits)
    ours, theirs = figures(embedded, tmp_path, limits), pd.read_csv(ORACLE)
    key = ["match_length", "match", "game", "seat"]
    assert ours[key].equals(theirs[key])
    assert ours.groupby(["match_length", "match"]).ngroups == sum(MATCHES.values()) == 100
    ties = (ours[COUNTS] != theirs[COUNTS]).any(axis=1)
    print(f"{len(ours)} games and seats, {ties.sum()} with another count")
    assert ties.mean() <= 0.02
    for name in ERRORS:
        apart = (ours[name] - theirs[name]).abs()
        print(name, ours[name].sum(), theirs[name].sum(), "most in a game", apart.max())
        assert apart[~ties].max() <= 0.005
        assert ours[name].sum() == pytest.approx(theirs[name].sum(), rel=0.001)


@pytest.mark.slow
def test_memory_does_not_grow_from_match_to_match(
    embedded: Engine, limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every process does its matches three times: their longest decides how much it takes."""
    once = Session.result

    def thrice(session: Session, request: dict[str, Any]) -> dict[str, Any]:
        for _ in range(2):
            once(session, request)
        return once(session, request)

    monkeypatch.setattr(Session, "result", thrice)
    sizes: dict[int, list[int]] = {}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            for child in psutil.Process().children():
                with contextlib.suppress(psutil.Error):  # it may end between two questions
                    if "/inside/" in " ".join(child.cmdline()):
                        memory = child.memory_info()
                        # Files (bearoff databases) are read as their positions are met.
                        sizes.setdefault(child.pid, []).append(memory.rss - memory.shared)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        archive = tmp_path / "many.zip"
        long = dataclasses.replace(limits, seconds=7200.0)
        play_shard(embedded, ShardTask(PLAYERS, 3, 1, 0, ENDURANCE), archive, long)
        analyse_archive(ArchiveAnalyst(embedded, LEVEL, long), archive, archive.with_suffix(".csv"))
    finally:
        done.set()
        watcher.join()
    assert len(pd.read_csv(archive.with_suffix(".csv"))) == 2 * ENDURANCE
    assert len(sizes) == 2, "one process plays, one analyses"
    for seen in sizes.values():
        # The first third has the loading of the nets, which takes more for a moment.
        third = len(seen) // 3
        early, late = max(seen[third : 2 * third]), max(seen[2 * third :])
        assert late < early + 2 * MEGABYTE


def made_by(engine: Engine, folder: Path) -> tuple[bytes, bytes]:
    """Return matches that an engine plays, and its table of them with luck."""
    archive, limits = folder / "shard.zip", Limits(300.0, folder / "engine.log")
    play_shard(engine, ShardTask(PLAYERS, 5, 2, 0, 8), archive, limits)
    analyst = ArchiveAnalyst(engine, levels.analysis("0-ply"), limits)
    analyse_archive(analyst, archive, archive.with_suffix(".csv"))
    return archive.read_bytes(), archive.with_suffix(".csv").read_bytes()


@pytest.fixture(scope="module")
def usual(embedded: Engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    return made_by(embedded, tmp_path_factory.mktemp("usual"))


@pytest.mark.slow
def test_no_reciprocal_of_a_processors_maker_is_reached(
    embedded: Engine, usual: tuple[bytes, bytes], tmp_path: Path
) -> None:
    """Every rcpps of the module becomes an illegal instruction: play and analysis do not meet it.

    Its last digits are the maker's own. That the trap works is shown by a command that is not used
    here.
    """
    place = tmp_path / "gnubg"
    shutil.copytree(embedded.program.parent, place)
    shutil.copytree(embedded.program.parents[1] / "gnubg.libs", tmp_path / "gnubg.libs")
    module = place / embedded.program.name
    rcpps = re.compile(rb"[\x40-\x4f]?\x0f\x53[\xc0-\xff]")
    code, count = rcpps.subn(
        lambda found: ILLEGAL.ljust(len(found[0]), NOTHING), module.read_bytes()
    )
    assert count == 3
    module.write_bytes(code)
    engine = dataclasses.replace(embedded, program=module)
    assert market_window(engine, tmp_path) == -signal.SIGILL
    assert market_window(embedded, tmp_path) == 0
    assert made_by(engine, tmp_path) == usual


def market_window(engine: Engine, folder: Path) -> int:
    inside, human = folder / "window.py", ("set player 0 human", "set player 1 human")
    commands = (*human, "set automatic game off", "new session", "show marketwindow")
    inside.write_text(f"import gnubg\nfor command in {commands!r}:\n    gnubg.command(command)\n")
    return run_inside(engine, inside).returncode


def run_inside(engine: Engine, script: Path) -> Done:
    command, variables = engine.launch(ANALYSIS_CLOCK, script)
    return run(command, env={"HOME": str(script.parent)} | variables)


def test_sleeps_are_not_late(embedded: Engine, tmp_path: Path) -> None:
    """Linux may end a sleep so many nanoseconds late: 50,000 unless it is told otherwise."""
    script = tmp_path / "slack.py"
    script.write_text("print(open('/proc/self/timerslack_ns').read())\n")
    assert run_inside(embedded, script).stdout.split() == ["1"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_the_engine_dies_with_a_starter_that_is_killed(embedded: Engine, tmp_path: Path) -> None:
    """It need not read its input for that: an analysis may take minutes."""
    script = tmp_path / "waits.py"
    script.write_text(
        f"import signal, sys\nsys.path[:] = {sys.path!r}\n"
        "from bgrating.inside.engine import bound\n"
        "bound()\nprint('bound', flush=True)\nsignal.pause()\n"
    )
    command, variables = embedded.launch(ANALYSIS_CLOCK, script)
    starter = "import signal, subprocess, sys\nsubprocess.Popen(sys.argv[1:])\nsignal.pause()\n"
    with subprocess.Popen(
        [sys.executable, "-c", starter, *command],
        env=os.environ | {"HOME": str(tmp_path)} | variables,
        stdout=subprocess.PIPE,
    ) as started:
        assert started.stdout
        assert started.stdout.readline() == b"bound\n"
        engines = psutil.Process(started.pid).children()
        started.kill()
        _, alive = psutil.wait_procs(engines, timeout=300)
        for engine in alive:
            engine.kill()
    assert (len(engines), alive) == (1, [])


@dataclasses.dataclass(frozen=True)
class OldProcessor(Engine):
    """An engine whose C library does as on a processor without AVX, AVX2 and FMA."""

    def launch(
        self, clock: datetime | None = None, inside: Path = INSIDE
    ) -> tuple[list[str], dict[str, str]]:
        command, variables = super().launch(clock, inside)
        return command, variables | {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4"}


@pytest.mark.slow
def test_an_older_processors_mathematics_give_the_same_bytes(
    embedded: Engine, usual: tuple[bytes, bytes], tmp_path: Path
) -> None:
    fields = {field.name: getattr(embedded, field.name) for field in dataclasses.fields(Engine)}
    assert made_by(OldProcessor(**fields), tmp_path) == usual


@pytest.mark.slow
def test_an_environment_behind_a_link_gives_the_same_bytes(
    embedded: Engine, usual: tuple[bytes, bytes], tmp_path: Path
) -> None:
    packages, link = embedded.program.parents[1], tmp_path / "packages"
    link.symlink_to(packages)
    linked = dataclasses.replace(embedded, program=link / embedded.program.relative_to(packages))
    assert made_by(linked, tmp_path) == usual
