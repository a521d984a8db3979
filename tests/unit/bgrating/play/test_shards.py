"""Shards: the same bytes every time, and nothing is kept of a match that lacks its end."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bgrating.engine import levels
from bgrating.engine.engine_errors import EngineCrashedError, EngineFailedError, EngineTimeoutError
from bgrating.engine.known_engines import version_of
from bgrating.engine.locate import Engine
from bgrating.engine.session import Session
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive, write_archive
from bgrating.play.designs import ShardTask
from bgrating.play.shards import play_shard
from bgrating.tables.provenance import ProvenanceError, read_provenance, write_provenance

# sha256 of the shard below by package, on every processor; packages of other systems have only to
# repeat themselves.
BYTES = {
    "gnubg 1.1.0a16": "ea4d0846a2b6b82a1b3ae2e488fd2d4309ee389d752f0dea0c4b45b38cabeb60",
}
PLAYERS = (levels.player("beginner+noise-0.8"), levels.player("expert"))
LEVEL = levels.analysis("0-ply")

Play = Callable[..., Path]


@pytest.fixture
def play(engine: Engine, limits: Limits, tmp_path: Path) -> Play:
    def run(name: str = "shard.zip") -> Path:
        play_shard(engine, ShardTask(PLAYERS, 3, 1, 0, 3), tmp_path / name, limits)
        return tmp_path / name

    return run


def test_a_shard_gives_the_same_bytes_on_every_run_and_machine(play: Play, engine: Engine) -> None:
    first, second = play("first.zip"), play("second.zip")
    assert first.read_bytes() == second.read_bytes()
    facts, played = read_provenance(first), hashlib.sha256(first.read_bytes()).hexdigest()
    assert BYTES.get(facts["engine"]["package"], played) == played
    assert facts["engine"]["version"].startswith(engine.known.reported)
    assert engine.known.checksums.items() <= facts["engine"]["checksums"].items()
    assert version_of(facts["engine"], "here") == engine.known.version
    assert facts["noise_mode"] == "pseudo-random"
    assert facts["match_equity_table"] == "Kazaross-XG2"
    assert (facts["study_seed"], facts["rows"]) == (1, 3)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda answer: {"text": answer["text"][:-20]}, r"0000\.mat without its end; \d+ MB are"),
        (lambda _: {"machine": "/tmp has no room"}, "no room: free some or set TMPDIR, then run"),
        (lambda _: {"failed": "ValueError: x"}, "inside the engine: ValueError: x; its output"),
    ],
)
def test_a_match_that_was_not_played_is_never_kept(
    play: Play,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    spoil: Callable[[Any], Any],
    sentence: str,
) -> None:
    """As a full temporary folder leaves them: gnubg reports nothing."""
    ask = Session.ask

    def spoilt(session: Session, request: Any, *seconds: float) -> Any:
        answer = ask(session, request, *seconds)
        return spoil(answer) if "task" in request else answer

    monkeypatch.setattr(Session, "ask", spoilt)
    with pytest.raises(EngineFailedError, match=sentence):
        play()
    assert not list(tmp_path.glob("shard.zip*"))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (EngineTimeoutError, "time_limit_minutes"),
        (EngineCrashedError, "run again to repeat just this job"),
    ],
)
def test_a_shard_whose_engine_ended_names_the_remedy(
    play: Play, monkeypatch: pytest.MonkeyPatch, error: type[Exception], sentence: str
) -> None:
    ask = Session.ask

    def end(session: Session, request: Any, *seconds: float) -> Any:
        if "task" in request:
            raise error("the engine ended")
        return ask(session, request, *seconds)

    monkeypatch.setattr(Session, "ask", end)
    with pytest.raises(error, match=f"the engine ended.*{sentence}"):
        play()


def test_an_archive_that_was_changed_is_not_analysed(
    play: Play, engine: Engine, limits: Limits, tmp_path: Path
) -> None:
    archive = play()
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(ProvenanceError, match=r"shard\.zip: .*checksum"):
        analyse_archive(ArchiveAnalyst(engine, LEVEL, limits), archive, tmp_path / "shard.csv")


def test_a_file_that_gnubg_refuses_is_named(engine: Engine, limits: Limits, tmp_path: Path) -> None:
    archive = tmp_path / "bad.zip"
    write_archive(archive, {"0000.mat": "no match\n"})
    write_provenance(archive)
    with pytest.raises(EngineFailedError, match=r"0000\.mat: the engine refused it: .*not a valid"):
        analyse_archive(ArchiveAnalyst(engine, LEVEL, limits), archive, tmp_path / "bad.csv")
