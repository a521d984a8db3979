"""Play a shard of a design point, and analyse archives of matches."""

import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bgmatch.records import Json, Record
from bgrating.engine import levels
from bgrating.engine.commands import (
    analysis_setup,
    check_analysis,
    check_players,
    level_commands,
    play_setup,
)
from bgrating.engine.errors import (
    EngineCrashedError,
    EngineFailedError,
    EngineKilledError,
    EngineTimeoutError,
)
from bgrating.engine.levels import Analysis, PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.session import Session, session
from bgrating.engine.statistics import match_rows
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.settings import SettingsError
from bgrating.tables.lines import write_plain
from bgrating.tables.provenance import (
    engine_metadata,
    has_provenance,
    verified,
    write_atomic,
    write_provenance,
)

# The level that selects decisions for a second analysis, and the move filter of the levels that do
# this analysis.
FIRST = "0-ply-no-luck"
SCREENED = "screened"
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
# The end of a match in gnubg's text.
_END = re.compile(r"Wins \d+ points? *\n\n$")


@dataclass(frozen=True)
class Limits:
    """Limits of an engine process: `seconds` of CPU, and the `log` for its output."""

    seconds: float
    log: Path


def limits_of(config: Record, log: str) -> Limits:
    return Limits(seconds=60.0 * float(config["time_limit_minutes"]), log=Path(log))


def play_shard(engine: Engine, task: ShardTask, archive: Path, limits: Limits) -> None:
    """Play a shard's matches and write them as an archive of .mat files.

    The same shard and engine give the same bytes on every run and machine. The archive is a zip
    without dates. It is not compressed, since compressed bytes depend on the library.
    """
    first, second = players = task.players
    if first.match_equity_table != second.match_equity_table:
        raise SettingsError(
            f"{first.name} and {second.name} use different match-equity tables; an engine has one"
        )
    seeds = shard_seeds(
        task.study_seed, first.name, second.name, task.match_length, task.shard, task.matches
    )
    setup = play_setup(first, second)
    requests = [{"task": "play", "seed": seed, "length": task.match_length} for seed in seeds.dice]
    if diluted := _diluted(players):
        setup["diluted"] = diluted
        for request, coins in zip(requests, seeds.coins, strict=True):
            request["coins"] = {seat: coins[int(seat)] for seat in diluted}
    with session(
        engine, setup, seconds=limits.seconds, log=limits.log, clock=seeds.clock
    ) as playing:
        shown = playing.about["shown"]
        check_players(shown["show player"], players)
        if diluted:
            check_players(shown["show player, weak"], (_weak(first), _weak(second)))
        played = [_result(playing, request) for request in requests]
    names = [f"{number:04d}.mat" for number in range(task.matches)]
    write_archive(
        archive,
        [
            (name, _finished_match(name, match["text"], limits))
            for name, match in zip(names, played, strict=True)
        ],
    )
    write_provenance(
        archive,
        **engine_metadata(playing.about),
        match_equity_table=first.match_equity_table,
        noise_mode="pseudo-random",
        noise_second=f"{seeds.clock:%Y-%m-%d %H:%M:%S}",
        study_seed=task.study_seed,
        shard=task.shard,
        match_length=task.match_length,
        players=[asdict(player) for player in players],
        rows=task.matches,
        **_dilution_metadata(players, played),
    )


def _result(asked: Session, request: Record) -> Json:
    """Return the answer to a request; add the remedy to an error of the engine."""
    try:
        return asked.result(request)
    except EngineTimeoutError as late:
        raise EngineTimeoutError(
            f"{late}. If it only needs longer, raise the limit (--time-limit, of a study --config"
            " time_limit_minutes=…)"
        ) from late
    except (EngineCrashedError, EngineKilledError) as problem:
        raise type(problem)(
            f"{problem}. Nothing of this job is kept; run again to repeat just this job"
        ) from problem


def play_and_judge(
    engine: Engine,
    task: ShardTask,
    level: Analysis,
    table: Path,
    limits: Limits,
    *,
    resume: bool = False,
) -> None:
    """Play a shard and write its table (`analyse_archive`).

    `resume` uses an archive that is already there.
    """
    archive = table.with_suffix(".zip")
    archive.parent.mkdir(parents=True, exist_ok=True)
    if not (resume and has_provenance(archive)):
        play_shard(engine, task, archive, limits)
    analyse_archive(engine, level, archive, table, limits)


def _finished_match(name: str, text: str, limits: Limits) -> bytes:
    """Return the bytes of a match that gnubg exported.

    Raises EngineFailedError for an incomplete text.
    """
    if not _END.search(text):
        place = tempfile.gettempdir()
        free = shutil.disk_usage(place).free // 2**20
        raise EngineFailedError(
            f"gnubg wrote {name} without its end; {free} MB are free in {place}: if that is too"
            f" little, set TMPDIR to another folder and run again. Its output is in {limits.log}"
        )
    return text.encode("ascii")


def _diluted(players: tuple[PlayerLevel, PlayerLevel]) -> Json:
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


def _dilution_metadata(players: tuple[PlayerLevel, PlayerLevel], matches: Sequence[Record]) -> Json:
    coins = {
        seat: "".join(match["weak"][seat] for match in matches)
        for seat in matches[0].get("weak", ())
    }
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
    about: Record | None = None,
) -> None:
    """Analyse the .mat files of an archive and write a table of one row per match and player.

    Columns: `match` (the file's number), then those of engine/statistics.py. A level with the
    filter SCREENED judges the decisions that the level FIRST flags (decisions/flagged.py); kinds of
    cube errors stay those of FIRST. `about` has further metadata of the provenance. Raises
    EngineFailedError naming a match that gnubg refused or that is not complete, unless it is one of
    the `unfinished`, and ProvenanceError if the archive differs from its provenance.
    """
    verified(archive)
    rows = []
    texts = texts_of(archive)
    with session(engine, analysis_setup(level), seconds=limits.seconds, log=limits.log) as judge:
        check_analysis(judge.about["shown"]["show analysis"], level)
        if level.movefilter == SCREENED:
            matches = _checked(engine, judge, texts.values(), limits)
        else:
            matches = (
                _result(judge, {"task": "analyse", "text": text})["rows"] for text in texts.values()
            )
        for name in texts:
            try:
                sides = next(matches)
            except EngineFailedError as problem:
                raise EngineFailedError(f"{archive}: {name}: {problem}") from problem
            number = int(Path(name).stem)
            for row in sides:
                if not row["complete"] and number not in unfinished:
                    raise EngineFailedError(f"{archive}: {name} has no end")
                rows.append({"match": number, **row})
    metadata = {
        **engine_metadata(judge.about),
        "analysis": asdict(level),
        "archive": archive.name,
        **(about or {}),
    }
    write_plain(rows, table, "study/shard", **metadata)


def _checked(
    engine: Engine, judge: Session, texts: Collection[str], limits: Limits
) -> Iterator[list[Json]]:
    """Yield the rows of matches at level `checked`.

    Losses of the level FIRST, replaced for decisions judged again.
    """
    # These import pandas, which takes longer than the start of an engine; few levels need it.
    from bgrating.decisions.decision_rows import decisions  # noqa: PLC0415
    from bgrating.decisions.decision_table import SCHEMA, packed, unpacked  # noqa: PLC0415
    from bgrating.decisions.flagged import changes, flagged, place_of  # noqa: PLC0415

    first = analysed(engine, levels.analysis(FIRST), texts, limits)
    for text, (match, table) in zip(texts, first, strict=True):
        actions = list(decisions(match, table))
        batch = unpacked(
            packed({name: [row.get(name) for row in actions] for name in SCHEMA.names})
        )
        doubtful = flagged(batch)
        request = {
            "task": "judge",
            "text": text,
            "expected": {"places": list(range(1, len(match["games"]) + 1))},
            "check": [decision.place for decision in doubtful],
        }
        judged = {place_of(row): row for row in _result(judge, request)["checked"]}
        rows = {row["side"]: row for row in match_rows(match, table)}
        for (side, name), change in changes(doubtful, judged).items():
            rows[side][name] += change
        yield list(rows.values())


def texts_of(archive: Path) -> dict[str, str]:
    """Return the texts of an archive's matches by name."""
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name).decode("ascii") for name in sorted(packed.namelist())}


def analysed(
    engine: Engine, level: Analysis, texts: Iterable[str], limits: Limits
) -> Iterator[tuple[Json, Any]]:
    """Yield analysed matches with all their actions (bgmatch/gnubg_sgf.py), and their match-equity
    tables.
    """
    with session(engine, analysis_setup(level), seconds=limits.seconds, log=limits.log) as judge:
        check_analysis(judge.about["shown"]["show analysis"], level)
        for text in texts:
            answer = _result(judge, {"task": "analyse", "text": text, "actions": True})
            yield answer["match"], answer["table"]


def write_archive(archive: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a zip whose bytes depend only on the files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files:
            entry = zipfile.ZipInfo(name, _ZIP_DATE)
            entry.create_system = 3
            packed.writestr(entry, data)
    write_atomic(archive, content.getvalue())
