"""Play a shard of a design point: gnubg against itself, each side at its level."""

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bgmatch.records import Json, Record
from bgrating.engine.commands import check_players, level_commands, play_setup
from bgrating.engine.engine_errors import EngineFailedError
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.session import session
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive, write_archive
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import ShardSeeds, shard_seeds
from bgrating.settings_files import SettingsError
from bgrating.tables.provenance import engine_metadata, has_provenance, write_provenance

_END = re.compile(r"Wins \d+ points? *\n\n$")  # of a match in gnubg's text


def play_shard(engine: Engine, task: ShardTask, archive: Path, limits: Limits) -> None:
    """Play a shard's matches and write them as an archive of .mat files.

    The same shard and engine give the same bytes on every run and machine. Raises EngineError, and
    SettingsError for levels that cannot share an engine.
    """
    first, second = task.players
    if first.match_equity_table != second.match_equity_table:
        raise SettingsError(
            f"{first.name} and {second.name} use different match-equity tables; an engine has one"
        )
    seeds = shard_seeds(
        task.study_seed, first.name, second.name, task.match_length, task.shard, task.matches
    )
    diluted = _diluted(task.players)
    setup = play_setup(first, second) | {"diluted": diluted}
    with session(engine, setup, limits.seconds, log=limits.log, clock=seeds.clock) as playing:
        settings = playing.report["shown"]
        check_players(settings["show player"], task.players)
        if diluted:
            check_players(settings["show player, weak"], (_weak(first), _weak(second)))
        played = [playing.result(request) for request in _requests(task, seeds, diluted)]
    texts = {f"{number:04d}.mat": match["text"] for number, match in enumerate(played)}
    for name, text in texts.items():
        _require_end(name, text, limits)
    write_archive(archive, texts)
    write_provenance(
        archive,
        **engine_metadata(playing.report),
        match_equity_table=first.match_equity_table,
        noise_mode="pseudo-random",
        noise_second=f"{seeds.clock:%Y-%m-%d %H:%M:%S}",
        study_seed=task.study_seed,
        shard=task.shard,
        match_length=task.match_length,
        players=[asdict(player) for player in task.players],
        rows=task.matches,
        **_dilution(task.players, diluted, played),
    )


def play_and_analyse(analyst: ArchiveAnalyst, task: ShardTask, table: Path) -> None:
    """Play a shard, if its archive is not there, and write its table (`analyse_archive`)."""
    archive = table.with_suffix(".zip")
    archive.parent.mkdir(parents=True, exist_ok=True)
    if not has_provenance(archive):
        play_shard(analyst.engine, task, archive, analyst.limits)
    analyse_archive(analyst, archive, table)


def _requests(task: ShardTask, seeds: ShardSeeds, diluted: Record) -> Iterator[Json]:
    """Yield the request of each match (inside/play.py)."""
    for seed, coins in zip(seeds.dice, seeds.coins, strict=True):
        of_seats = {seat: coins[int(seat)] for seat in diluted}
        yield {"task": "play", "seed": seed, "length": task.match_length, "coins": of_seats}


def _require_end(name: str, text: str, limits: Limits) -> None:
    """Raise EngineFailedError for an incomplete text: gnubg does not report a full disk."""
    if not _END.search(text):
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free // 2**20
        raise EngineFailedError(
            f"gnubg wrote {name} without its end; {free} MB are free in {folder}: if that is too"
            f" little, set TMPDIR to another folder and run again. Its output is in {limits.log}"
        )


def _diluted(players: Sequence[PlayerLevel]) -> Json:
    """Return the parameters of diluted players by seat, for the engine (inside/play.py)."""
    return {
        str(seat): {
            "share": player.dilution.share,
            "strong": level_commands(seat, player),
            "weak": level_commands(seat, player.dilution.weak),
        }
        for seat, player in enumerate(players)
        if player.dilution
    }


def _weak(player: PlayerLevel) -> PlayerLevel:
    return player.dilution.weak if player.dilution else player


def _dilution(players: Sequence[PlayerLevel], diluted: Record, matches: Sequence[Record]) -> Json:
    """Return how many decisions of each diluted player its weak level took."""
    counts = {}
    for seat in diluted:
        coins = "".join(match["weak"][seat] for match in matches)
        counts[players[int(seat)].name] = {
            "decisions": len(coins),
            "weak_decisions": coins.count("1"),
        }
    return {"dilution": counts} if counts else {}
