"""The engine process: the same bytes every time, and an error of its own for each way to fail."""

import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from bgrating.engine import levels, session
from bgrating.engine.commands import check_players
from bgrating.engine.errors import (
    EngineCrashedError,
    EngineError,
    EngineFailedError,
    EngineKilledError,
    EngineNotFoundError,
    EngineTimeoutError,
    EngineVersionError,
)
from bgrating.engine.locate import Engine
from bgrating.engine.nets import nets_of
from bgrating.engine.process import SHARED_MEMORY
from bgrating.engine.reciprocal import reciprocals
from bgrating.play import shards
from bgrating.play.designs import ShardTask
from bgrating.play.shards import Limits, analyse_archive, play_shard, write_archive
from bgrating.tables.provenance import ProvenanceError, read_provenance, write_provenance
from wrapped_engine import wrapped

# sha256 of the shard below by package, on every processor; packages of other systems have only to repeat themselves.
BYTES = {
    "gnubg 1.1.0a16": "ea4d0846a2b6b82a1b3ae2e488fd2d4309ee389d752f0dea0c4b45b38cabeb60",
}
# Of 1.07.001 on Intel's processors, and with docs/gnubg/intel_reciprocal.c on others.
INTEL_BYTES = "e9f4be38bda3580262d0e69e17d6ec21a980f3eb917a3083489dfdd39756eb18"
INTEL_TABLE = "[(2**26 // (4096 + k - k % 2 + 1) + 1) // 2 - 4096 for k in range(4096)]"
PLAYERS = (levels.player("beginner+noise-0.8"), levels.player("expert"))

Play = Callable[..., Path]


@pytest.fixture
def play(engine: Engine, limits: Limits, tmp_path: Path) -> Play:
    def run(name: str = "shard.zip", *, use: Engine = engine, bounds: Limits = limits, matches: int = 3) -> Path:
        archive = tmp_path / name
        play_shard(use, ShardTask(PLAYERS, 3, 1, 0, matches), archive, bounds)
        return archive

    return run


def test_a_shard_gives_the_same_bytes_on_every_run_and_machine(play: Play) -> None:
    first, second = play("first.zip"), play("second.zip")
    assert first.read_bytes() == second.read_bytes()
    played = hashlib.sha256(first.read_bytes()).hexdigest()
    assert BYTES.get(read_provenance(first)["engine"]["package"], played) == played


@pytest.mark.slow
def test_no_processor_decides_what_1_07_plays(
    play: Play, old_engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With Intel's reciprocals in our table it plays what it plays on Intel's processors, here too."""
    changed(monkeypatch, tmp_path, "reciprocal.py", "    return found\n", f"    return {INTEL_TABLE}\n")
    assert hashlib.sha256(play(use=old_engine).read_bytes()).hexdigest() == INTEL_BYTES


def test_reciprocals_are_as_exact_as_the_instruction_promises() -> None:
    """Intel's and AMD's manuals: the relative error of RCPPS is at most 1.5 / 4096."""
    found = (np.array(reciprocals()) + 4096) / 8192
    for end in (0, 1):
        assert np.abs(found * (1 + (np.arange(4096) + end) / 4096) - 1).max() <= 1.5 / 4096


def test_provenance_names_engine_weights_noise_and_seeds(play: Play, engine: Engine) -> None:
    facts = read_provenance(play())
    assert facts["engine"]["version"].startswith(engine.known.version)
    assert engine.known.checksums.items() <= facts["engine"]["checksums"].items()
    assert nets_of(facts["engine"], "here") == engine.known.nets
    assert facts["noise_mode"] == "pseudo-random"
    assert facts["match_equity_table"] == "Kazaross-XG2"
    assert facts["study_seed"] == 1
    assert facts["rows"] == 3


def test_a_wrong_version_is_named_with_the_one_wanted_and_nothing_is_left(
    play: Play, engine: Engine, tmp_path: Path
) -> None:
    other = replace(engine, known=replace(engine.known, version="GNU Backgammon 9.99"))
    with pytest.raises(EngineVersionError, match=r"'GNU Backgammon 1.*', not GNU Backgammon 9\.99"):
        play(use=other)
    assert not list(tmp_path.glob("shard.zip*"))


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_engine_that_wants_all_memory_is_ended(play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed(monkeypatch, tmp_path, "inside.py", "    export = ", "    bytes(MEMORY)\n    export = ")
    with pytest.raises(EngineFailedError, match="MemoryError"):
        play(matches=200)


@pytest.mark.parametrize(
    ("sent", "error", "message"),
    [
        (signal.SIGSEGV, EngineCrashedError, r"crashed \(SIGSEGV\).*run again"),
        (signal.SIGKILL, EngineKilledError, r"ended from outside \(SIGKILL.*run again"),
    ],
)
def test_an_engine_that_is_ended_is_told_with_its_signal(
    play: Play, sent: signal.Signals, error: type[EngineError], message: str
) -> None:
    def kill() -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (running := children()):
            time.sleep(0.05)
        os.kill(running[0], sent)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(error, match=message):
        play(matches=2000)
    killer.join()


def test_a_match_without_its_end_is_never_kept(play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a full temporary folder leaves them: gnubg ends with exit code 0 all the same."""
    run_job = shards.run_job

    def cut(*arguments: Any, folder: Path, **settings: Any) -> Any:
        answer = run_job(*arguments, folder=folder, **settings)
        text = (folder / "0001.mat").read_bytes()
        (folder / "0001.mat").write_bytes(text[: len(text) // 2])
        return answer

    monkeypatch.setattr(shards, "run_job", cut)
    with pytest.raises(EngineFailedError, match=r"0001\.mat without its end; \d+ MB are free"):
        play()
    assert not list(tmp_path.glob("shard.zip*"))


def test_an_archive_that_was_changed_is_not_analysed(
    play: Play, engine: Engine, limits: Limits, tmp_path: Path
) -> None:
    archive = play()
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(ProvenanceError, match=r"shard\.zip: .*checksum"):
        analyse_archive(engine, levels.analysis("0-ply"), archive, tmp_path / "shard.csv", limits)


def test_an_answer_that_breaks_off_is_told(play: Play, engine: Engine, tmp_path: Path) -> None:
    script = '#!/bin/sh\n"$@"\nhead -c 400 "$BGRATING_ANSWER" > part && mv part "$BGRATING_ANSWER"\n'
    with pytest.raises(EngineFailedError, match="breaks off"):
        play(use=wrapped(engine, tmp_path / "cut", script))


def test_a_program_that_cannot_be_started_is_named(play: Play, engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(EngineNotFoundError, match=r"gnubg.*Exec format error"):
        play(use=wrapped(engine, tmp_path / "gnubg", "not a program"))


def test_a_file_that_gnubg_refuses_is_named(engine: Engine, limits: Limits, tmp_path: Path) -> None:
    archive = tmp_path / "bad.zip"
    write_archive(archive, [("0000.mat", b"no match\n")])
    write_provenance(archive)
    with pytest.raises(EngineFailedError, match=r"gnubg refused 0000\.mat: .*not a valid"):
        analyse_archive(engine, levels.analysis("0-ply"), archive, tmp_path / "bad.csv", limits)


def test_a_match_equity_table_that_the_engine_lacks_is_named(engine: Engine, limits: Limits, tmp_path: Path) -> None:
    players = tuple(replace(player, match_equity_table="Elsewhere") for player in PLAYERS)
    with pytest.raises(EngineFailedError, match=r"has no match-equity table Elsewhere; it has Kazaross-XG2") as told:
        play_shard(engine, ShardTask(players, 3, 1, 0, 1), tmp_path / "shard.zip", limits)  # type: ignore[arg-type]
    assert "Traceback" not in str(told.value)


def test_a_setting_that_gnubg_did_not_take_is_told(play: Play) -> None:
    text = "Player 0:\n 0-ply evaluation.\nPlayer 1:\n 0-ply evaluation.\n"
    with pytest.raises(EngineFailedError, match=r"'0-ply evaluation\. not using pruning"):
        check_players(text, PLAYERS)


def changed(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, old: str, new: str) -> None:
    """Let engines run a copy of inside.py and the modules beside it, with one of them changed."""
    engine = folder / "bgrating" / "engine"
    shutil.copytree(session.INSIDE.parent, engine)
    (folder / "bgrating" / "__init__.py").touch()
    text = (engine / name).read_text()
    assert text.count(old) == 1
    (engine / name).write_text(text.replace(old, new))
    monkeypatch.setattr(session, "INSIDE", engine / "inside.py")


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children() if "embedded.py" in " ".join(child.cmdline())]
