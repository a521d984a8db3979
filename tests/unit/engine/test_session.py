"""The engine process: the same bytes every time, and an error of its own for each way to fail."""

import hashlib
import os
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bgrating import levels
from bgrating.engine.commands import check_players
from bgrating.engine.errors import (
    ClockNotFoundError,
    EngineCrashedError,
    EngineError,
    EngineFailedError,
    EngineNotFoundError,
    EngineTimeoutError,
    EngineVersionError,
)
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.session import SHARED_MEMORY
from bgrating.provenance import read_provenance
from bgrating.shards import Limits, analyse_archive, play_shard, write_archive

# sha256 of the shard below by the chance to win that the engine gives the opening position, which tells whose processor
# it runs on: the first is AMD's, the second Intel's (played with docs/upstream/intel_reciprocal.c).
BYTES = {
    0.521513819694519: "3fe8074ba8e17af541c66f099465b45b7a3941c630224fabec13361da1298adc",
    0.5214830636978149: "e9f4be38bda3580262d0e69e17d6ec21a980f3eb917a3083489dfdd39756eb18",
}
PLAYERS = (levels.player("beginner+noise-0.8"), levels.player("expert"))

Play = Callable[..., Path]


@pytest.fixture
def play(engine: Engine, limits: Limits, tmp_path: Path) -> Play:
    """Return a function that plays a small shard and returns its archive."""

    def run(name: str = "shard.zip", *, use: Engine = engine, bounds: Limits = limits, matches: int = 3) -> Path:
        archive = tmp_path / name
        play_shard(use, PLAYERS, 3, study_seed=1, shard=0, matches=matches, archive=archive, limits=bounds)
        return archive

    return run


def test_a_shard_gives_the_same_bytes_on_every_run_and_machine(play: Play) -> None:
    first, second = play("first.zip"), play("second.zip")
    assert first.read_bytes() == second.read_bytes()
    facts = read_provenance(first)
    package, won = facts["engine"]["package"], facts["opening_evaluation"][0]
    if package != "gnubg 1.07.001-1+b1" or won not in BYTES:
        pytest.skip(f"no bytes to compare with for {package} on a processor that gives the opening {won!r}")
    assert hashlib.sha256(first.read_bytes()).hexdigest() == BYTES[won]


def test_provenance_names_engine_weights_noise_and_seeds(play: Play) -> None:
    facts = read_provenance(play())
    assert facts["engine"]["version"].startswith("GNU Backgammon 1.07.001")
    assert {"gnubg.wd", "gnubg_os0.bd", "gnubg_ts0.bd"} <= set(facts["engine"]["checksums"])
    assert facts["noise_mode"] == "pseudo-random"
    assert facts["match_equity_table"] == "Kazaross-XG2"
    assert facts["study_seed"] == 1
    assert facts["rows"] == 3


def test_nothing_is_left_of_a_shard_that_fails(play: Play, engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        play(use=replace(engine, version="9.99.999"))
    assert not list(tmp_path.glob("shard.zip*"))


def test_an_absent_engine_says_how_to_get_one() -> None:
    with pytest.raises(EngineNotFoundError, match=r"engine=/no/such/gnubg: .*package gnubg.*--config engine=PATH"):
        find_engine("1.07.001", "/no/such/gnubg")


def test_no_engine_on_path_nor_in_usr_games(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("bgrating.engine.locate.GAMES", str(tmp_path))
    with pytest.raises(EngineNotFoundError, match=r"neither on PATH nor in .*package gnubg"):
        find_engine("1.07.001")


def test_an_absent_clock_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, engine: Engine, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClockNotFoundError, match="package faketime"):
        find_engine("1.07.001", str(engine.program))


def test_a_wrong_version_is_named_with_the_one_wanted(play: Play, engine: Engine) -> None:
    with pytest.raises(EngineVersionError, match=r"1\.07\.001 .*not version 1\.08\.003.*engine_version"):
        play(use=replace(engine, version="1.08.003"))


def test_a_program_that_is_no_gnubg_is_named(play: Play, engine: Engine) -> None:
    with pytest.raises(EngineFailedError, match=r"true ended with exit code 0 and no answer"):
        play(use=replace(engine, program=Path("/bin/true")))


def test_a_hung_engine_is_ended_at_its_limit_and_leaves_nothing(
    play: Play, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    wait = subprocess.Popen.wait

    def noting(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        started.append(process.pid)
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", noting)
    with pytest.raises(EngineTimeoutError, match=r"within 1 s .*time_limit_minutes"):
        play(bounds=replace(limits, seconds=1.0), matches=2000)
    assert started
    assert not children()
    assert not list(SHARED_MEMORY.glob(f"*faketime_*_{started[0]}"))


def test_a_crashed_engine_is_told_with_its_signal(play: Play) -> None:
    def kill() -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (running := children()):
            time.sleep(0.05)
        os.kill(running[0], signal.SIGSEGV)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(EngineCrashedError, match=r"ended by signal SIGSEGV.*run again"):
        play(matches=2000)
    killer.join()


def test_a_program_that_cannot_be_started_is_named(play: Play, engine: Engine, tmp_path: Path) -> None:
    program = tmp_path / "gnubg"
    program.write_text("not a program")
    program.chmod(stat.S_IRWXU)
    with pytest.raises(EngineNotFoundError, match=r"gnubg cannot be started: Exec format error"):
        play(use=replace(engine, program=program))


def test_a_file_that_gnubg_refuses_is_named(engine: Engine, limits: Limits, tmp_path: Path) -> None:
    archive = tmp_path / "bad.zip"
    write_archive(archive, [("0000.mat", b"no match\n")])
    with pytest.raises(EngineFailedError, match=r"gnubg refused 0000\.mat: .*not a valid \.mat file"):
        analyse_archive(engine, levels.analysis("0-ply"), archive, tmp_path / "bad.csv", limits)


def test_a_setting_that_gnubg_did_not_take_is_told(play: Play) -> None:
    text = "Player 0:\n 0-ply evaluation.\nPlayer 1:\n 0-ply evaluation.\n"
    with pytest.raises(EngineFailedError, match=r"did not take the setting '0-ply evaluation\. not using pruning"):
        check_players(text, PLAYERS)


def children() -> list[int]:
    """Return the process numbers of engines that this process started."""
    return [child.pid for child in psutil.Process().children() if child.name() == "gnubg"]
