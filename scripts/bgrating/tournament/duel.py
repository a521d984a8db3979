"""Play two sides against each other until a sequential test decides whether the first is stronger.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before the referee.

A round is one shard of both seats. Levels share seeds and folders with a tournament of the same levels, so no match is
played twice. Other cores may have played rounds beyond the deciding one. They do not count, so the answer does not
depend on the number of cores.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.session import end_engines
from bgrating.play.designs import DesignPoint, Shard, shard_table
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.rating.fibs import Floats
from bgrating.referee.names import names_of, slugs
from bgrating.referee.process import end_sides
from bgrating.referee.shard import Programs, play_part, programs, require_same_sides
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance, verified
from bgrating.tables.tables import read_table
from bgrating.tournament.decision import UNDECIDED, Question, answers, question
from bgrating.tournament.design import DEFAULTS, tournament

Play = Callable[[DesignPoint, Shard, Path], None]
Part = tuple[DesignPoint, Shard, Path]


@dataclass(frozen=True)
class Duel:
    """Two sides, the question of the test, the folder of the answer, and the shards of every round.

    A round has one shard of each seat; `names` are as in the settings, `players` as in tables and matches.
    """

    names: tuple[str, str]
    players: tuple[str, str]
    question: Question
    seed: int
    folder: Path
    rounds: tuple[tuple[Part, ...], ...]


def duel(config: Mapping[str, Any], results: Path) -> Duel:
    """Return the duel of the settings between two levels. Raises SettingsError unless they name two levels."""
    levels_met = tournament(config)
    if len(levels_met.levels) != 2:
        raise SettingsError("decide: name two levels, the one that may be stronger first: --levels NEW,OLD")
    first, second = levels_met.levels
    test = question(config, levels_met.match_length, 2 * levels_met.design.points[0].shard_matches)
    design = tournament({**config, "games_per_cell": -(-test.max_matches // 2)}).design
    rounds = _rounds(design.points, design.study, results)
    return Duel((first, second), (first, second), test, design.seed, results / design.study, rounds)


def duel_of_programs(
    config: Mapping[str, Any], results: Path, engine: Engine, seconds: float, stop: Event
) -> tuple[Duel, Programs]:
    """Return the duel of the settings between two programs, and the programs, each of which has started once.

    `engine` judges, in at most `seconds` a shard, and plays the levels that name no other engine. Raises SettingsError,
    EngineError, SideError.
    """
    names = names_of(str(config["levels"]))
    if len(names) != 2 or names[0] == names[1]:
        raise SettingsError("decide: name two different sides, the one that may be stronger first: --levels NEW,OLD")
    first, second = slugs(names)
    defaults = load_yaml(DEFAULTS)
    length, seed = (config.get(key, defaults[key]) for key in ("match_length", "seed"))
    size = defaults["shard_games"]
    test = question(config, length, 2 * size)
    study = f"decide/{config.get('name') or f'{first}~{second}-{length}-points'}"
    seats = (first, second), (second, first)
    cells = [DesignPoint(left, right, length, -(-test.max_matches // 2), size) for left, right in seats]
    folder = results / study
    limits = Limits(seconds, folder / "logs" / "decide.log")
    level, answer_limit = levels.analysis(defaults["analysis"]), float(config.get("answer_limit", 60.0))
    both = programs({first: names[0], second: names[1]}, engine, level, seed, limits, answer_limit, stop)
    for archive in sorted((folder / "shards").rglob("*.zip")):
        require_same_sides(archive, both)
    rounds = _rounds(cells, study, results)
    return Duel((names[0], names[1]), (first, second), test, seed, folder, rounds), both


def _rounds(cells: Iterable[DesignPoint], study: str, results: Path) -> tuple[tuple[Part, ...], ...]:
    parts = (
        [(cell, shard, shard_table(results, study, cell, shard.number)) for shard in cell.shards()] for cell in cells
    )
    return tuple(zip(*parts, strict=False))


def engine_play(engine: Engine, config: Mapping[str, Any], limits: Limits) -> Play:
    """Return the function that plays and analyses a shard of two levels with an engine."""
    design = tournament(config).design

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        shard_limits = _shard_limits(limits, cell, shard)
        table.parent.mkdir(parents=True, exist_ok=True)
        archive = table.with_suffix(".zip")
        if not provenance_path(archive).is_file():
            play_shard(engine, design.task(cell, shard), archive, shard_limits)
        analyse_archive(engine, design.analysis_level(), archive, table, shard_limits)

    return play


def programs_play(both: Programs) -> Play:
    """Return the function that plays a shard of two programs and lets the engine judge it."""

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        play_part(replace(both, limits=_shard_limits(both.limits, cell, shard)), cell, shard, table)

    return play


def _shard_limits(limits: Limits, cell: DesignPoint, shard: Shard) -> Limits:
    log = limits.log.with_name(f"{cell.player}~{cell.opponent}-{shard.number:03d}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    return replace(limits, log=log)


def decide(
    duel: Duel, play: Play, threads: int, say: Callable[[dict[Any, Any]], None], stop: Event | None = None
) -> pd.DataFrame:
    """Play until the test decides, or to its last match; return its looks, each also passed to `say` at once.

    Raises the errors of `play`; finished shards stay, and another run continues from them. `stop` is set when an
    exception ends the run: a side that is ended then has not forfeited.
    """
    won: list[Floats] = []
    luck: list[Floats] = []
    table = answers(duel.question, np.empty(0), np.empty(0))
    waiting = iter(duel.rounds)
    with ThreadPoolExecutor(threads) as pool:
        while several := list(islice(waiting, -(-threads // 2))):
            missing = [part for both in several for part in both if not provenance_path(part[2]).is_file()]
            _finish([pool.submit(play, *part) for part in missing], stop)
            for both in several:
                for part in both:
                    part_won, part_luck = results(part, duel.players[0])
                    won.append(part_won)
                    luck.append(part_luck)
                reported = len(table)
                table = answers(duel.question, np.concatenate(won), np.concatenate(luck))
                for row in table.iloc[reported:].to_dict("records"):
                    say(row)
                if len(table) and table["decision"].iloc[-1] != UNDECIDED:
                    return table
    return table


def _finish(shards: list["Future[None]"], stop: Event | None) -> None:
    """Wait for shards. The first exception, in one of them or here (Ctrl-C), ends all others."""
    try:
        done, _ = wait(shards, return_when=FIRST_EXCEPTION)
        for shard in done:
            shard.result()
    except BaseException:
        if stop:
            stop.set()
        waiting = {shard for shard in shards if not shard.cancel()}
        while waiting:  # one may be between playing and analysing
            end_engines()
            end_sides()
            waiting = wait(waiting, timeout=0.1).not_done
        raise


def forfeits_of(part: Part) -> list[dict[str, Any]]:
    """Return the forfeits of a shard: match, side (left or right), player, reason and sentence."""
    archive = part[2].with_suffix(".zip")
    forfeits: list[dict[str, Any]] = read_provenance(archive).get("forfeits", []) if has_provenance(archive) else []
    return forfeits


def results(part: Part, player: str) -> tuple[Floats, Floats]:
    """Return a shard's results (1 if the player won, else 0) and the player's net luck, by match.

    A forfeit is a loss, with the luck of the moves played. Raises ProvenanceError.
    """
    cell, _, path = part
    left, right = seats(path)
    won = dict(zip(left["match"], left["actual_result"] > 0, strict=True))
    luck = dict(zip(left["match"], left["luck_mwc"] - right["luck_mwc"], strict=True))
    for forfeit in forfeits_of(part):
        won[forfeit["match"]] = forfeit["side"] == "right"
    sign = 1.0 if cell.player == player else -1.0
    numbers = sorted(won)
    ahead = np.array([won[number] for number in numbers], dtype=float)
    return 0.5 + sign * (ahead - 0.5), sign * np.array([luck.get(number, 0.0) for number in numbers], dtype=float)


def seats(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of the left and of the right players of a shard's table. Raises ProvenanceError."""
    verified(path)
    both = read_table(path)
    return both[both["side"] == "left"].reset_index(drop=True), both[both["side"] == "right"].reset_index(drop=True)
