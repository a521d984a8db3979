"""Play a shard of a design point, and analyse archives of matches."""

import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.commands import analysis_commands, check_analysis, check_players, level_commands, play_commands
from bgrating.engine.errors import EngineFailedError
from bgrating.engine.levels import Analysis, PlayerLevel
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.engine.session import Answer, run_job
from bgrating.engine.statistics import match_rows
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import coin_seeds, shard_seeds
from bgrating.settings import SettingsError
from bgrating.tables.provenance import engine_facts, has_provenance, verified, write_atomic, write_provenance
from bgrating.tables.tables import write_table

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_LENGTH = re.compile(r"^ *(\d+) point match", re.MULTILINE)
_SCORE = re.compile(r"^ *\S+ : (\d+) +\S+ : (\d+) *$", re.MULTILINE)
_WINS = re.compile(r"^(.*)Wins (\d+) points?", re.MULTILINE)
_MIDDLE = 20  # the right column of gnubg's text begins after this character


@dataclass(frozen=True)
class Limits:
    """Limits of an engine process: `seconds` of wall time, and the `log` for its output."""

    seconds: float
    log: Path


def limits_of(config: Mapping[str, Any], log: str) -> Limits:
    return Limits(seconds=60.0 * float(config["time_limit_minutes"]), log=Path(log))


def play_shard(engine: Engine, task: ShardTask, archive: Path, limits: Limits, texts: Path | None = None) -> None:
    """Play a shard's matches and write them as an archive of .mat files; the folder `texts` gets these files too.

    The same shard and engine give the same bytes on every run and machine. The archive is a zip without dates and
    without compression, whose bytes would depend on the library.
    """
    first, second = players = task.players
    if first.match_equity_table != second.match_equity_table:
        raise SettingsError(f"{first.name} and {second.name} use different match-equity tables; an engine has one")
    shard = task.study_seed, first.name, second.name, task.match_length, task.shard, task.matches
    seeds = shard_seeds(*shard)
    names = [f"{number:04d}.mat" for number in range(task.matches)]
    job = {
        "task": "play",
        "match_equity_table": first.match_equity_table,
        "commands": play_commands(first, second),
        "show": ["show player"],
        "matches": [
            {"file": name, "seed": seed, "length": task.match_length}
            for name, seed in zip(names, seeds.dice, strict=True)
        ],
    }
    if any(player.dilution for player in players):
        job = diluted_job(job, players, coin_seeds(*shard))
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        folder = Path(place)
        answer = run_job(engine, job, folder=folder, clock=seeds.clock, time_limit=limits.seconds, log=limits.log)
        check_players(answer.shown["show player"], players)
        if "diluted" in job:
            check_players(answer.shown["show player, weak"], (_weak(first), _weak(second)))
        write_archive(archive, [(name, _finished_match(folder / name, limits)) for name in names])
        for name in names if texts else ():
            (folder / name).replace(Path(str(texts), name))
    write_provenance(
        archive,
        **engine_facts(answer),
        match_equity_table=first.match_equity_table,
        noise_mode="pseudo-random",
        noise_second=f"{seeds.clock:%Y-%m-%d %H:%M:%S}",
        study_seed=task.study_seed,
        shard=task.shard,
        match_length=task.match_length,
        players=[asdict(player) for player in players],
        rows=task.matches,
        **_dilution_facts(players, answer.matches),
    )


def play_and_judge(
    engine: Engine, task: ShardTask, level: Analysis, table: Path, limits: Limits, *, resume: bool = False
) -> None:
    """Play a shard and write its table (`analyse_archive`); with `resume` an archive beside the table is not played."""
    archive = table.with_suffix(".zip")
    archive.parent.mkdir(parents=True, exist_ok=True)
    limits.log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        texts = None if resume and has_provenance(archive) else Path(place)
        if texts:
            play_shard(engine, task, archive, limits, texts)
        analyse_archive(engine, level, archive, table, limits, texts=texts)


def _finished_match(file: Path, limits: Limits) -> bytes:
    """Return a match that gnubg exported. Raises EngineFailedError for a match without a winner."""
    text = file.read_bytes() if file.is_file() else b""
    if not is_finished(text.decode("ascii", "replace")):
        free = shutil.disk_usage(file.parent).free // 2**20
        raise EngineFailedError(
            f"gnubg wrote {file.name} without its end; {free} MB are free in {file.parent.parent}: if that is too "
            f"little, set TMPDIR to another folder and run again. Its output is in {limits.log}"
        )
    return text


def is_finished(text: str) -> bool:
    """Tell from gnubg's text of a match whether its last game brings one side, and only that side, to the match length.

    The column of the last "Wins" is the winner's.
    """
    length, scores, wins = _LENGTH.search(text), _SCORE.findall(text), _WINS.findall(text)
    if not length or not scores or len(scores) != len(wins):
        return False
    left, right = map(int, scores[-1])
    before, points = wins[-1]
    winner, other = (left, right) if len(before) < _MIDDLE else (right, left)
    return winner + int(points) >= int(length[1]) > other


def diluted_job(
    job: Mapping[str, Any], players: tuple[PlayerLevel, PlayerLevel], coins: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    diluted = {
        str(seat): {
            "share": player.dilution.share,
            "strong": level_commands(seat, player),
            "weak": level_commands(seat, player.dilution.weak),
        }
        for seat, player in enumerate(players)
        if player.dilution
    }
    matches = [
        {**match, "coins": {seat: seeds[int(seat)] for seat in diluted}}
        for match, seeds in zip(job["matches"], coins, strict=True)
    ]
    return {**job, "diluted": diluted, "matches": matches}


def _weak(player: PlayerLevel) -> PlayerLevel:
    return player.dilution.weak if player.dilution else player


def _dilution_facts(players: tuple[PlayerLevel, PlayerLevel], matches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    coins = {seat: "".join(match["weak"][seat] for match in matches) for seat in matches[0].get("weak", ())}
    counts = {
        players[int(seat)].name: {"decisions": len(thrown), "weak_decisions": thrown.count("1")}
        for seat, thrown in coins.items()
    }
    return {"dilution": counts} if counts else {}


def analyse_archive(
    engine: Engine,
    level: Analysis,
    archive: Path,
    table: Path,
    limits: Limits,
    *,
    unfinished: Set[int] = frozenset(),
    texts: Path | None = None,
) -> None:
    """Analyse the .mat files of an archive and write a table of one row per match and player.

    Columns: `match` (the file's number), then those of engine/statistics.py. `texts` is a folder with the same files,
    if the caller has one. Raises EngineFailedError naming a match that gnubg refused or that has no end, unless it is
    one of the `unfinished`, and ProvenanceError if the archive differs from its provenance.
    """
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        folder = texts or Path(place)
        if texts is None:
            verified(archive)
            with zipfile.ZipFile(archive) as matches:
                matches.extractall(folder)
        names = sorted(file.name for file in folder.iterdir())
        answer = analyse_files(engine, level, names, folder, limits)
    rows = []
    for match in answer.matches:
        number = int(Path(match["file"]).stem)
        if "refused" in match:
            raise EngineFailedError(f"{archive}: gnubg refused {match['file']}: {match['refused']}")
        for row in match_rows(match, answer.match_equity_tables.get(match["length"])):
            if not row["match_length"]:  # a money game: its luck in points
                row |= {"complete": row["score"] != row["opponent_score"]}
                row |= {"luck_mwc": match["figures"]["X" if row["side"] == "left" else "O"]["luck_mwc"]}
            if not row["complete"] and number not in unfinished:
                raise EngineFailedError(f"{archive}: {match['file']} has no end")
            rows.append({"match": number, **row})
    facts = {**engine_facts(answer), "analysis": asdict(level), "archive": archive.name}
    write_table(pd.DataFrame(rows), table, "study/shard", **facts)


def analyse_files(
    engine: Engine, level: Analysis, names: Sequence[str], folder: Path, limits: Limits, *, actions: bool = False
) -> Answer:
    """Let one engine process import and analyse .mat files of `folder`; with `actions` it returns every action."""
    job = {
        "task": "analyse",
        "match_equity_table": level.match_equity_table,
        "commands": analysis_commands(level),
        "show": ["show analysis"],
        "matches": [{"file": name, "actions": actions} for name in names],
    }
    answer = run_job(engine, job, folder=folder, clock=ANALYSIS_CLOCK, time_limit=limits.seconds, log=limits.log)
    check_analysis(answer.shown["show analysis"], level)
    return answer


def write_archive(archive: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a zip whose bytes depend only on these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files:
            entry = zipfile.ZipInfo(name, _ZIP_DATE)
            entry.create_system = 3
            packed.writestr(entry, data)
    write_atomic(archive, content.getvalue())
