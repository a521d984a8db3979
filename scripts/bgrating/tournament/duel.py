"""Play two sides against each other until a sequential test decides whether the first is stronger.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before the referee.

A round is one shard of both seats. Levels share seeds and folders with a tournament of the same levels, so no match is
played twice. Other cores may have played rounds beyond the deciding one. They do not count, so the answer does not
depend on the number of cores.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.process import end_all
from bgrating.play.designs import DesignPoint, Shard, shard_table
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.rating.fibs import Floats
from bgrating.referee.match import FORFEITS
from bgrating.referee.names import names_of, slugs
from bgrating.referee.shard import Programs, play_part, programs, require_same_sides
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.folder import check_name
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance, write_atomic
from bgrating.tables.tables import read_table, write_table
from bgrating.tournament.decision import NOT_STRONGER, STRONGER, UNDECIDED, Question, answers, of_elo, question
from bgrating.tournament.design import DEFAULTS, require_engine, require_same_play, tournament

Play = Callable[[DesignPoint, Shard, Path], None]
Part = tuple[DesignPoint, Shard, Path]

STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3}  # exit status by the verdict; 1 is an error
TABLE, TEXT, SIDES = "decision.csv", "decision.txt", "sides.csv"
_ERRORS = ("unforced_moves", "chequer_error_emg", "close_cube_decisions", "cube_error_emg", "luck_mwc")


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


def duel(config: Mapping[str, Any], results: Path, engine: Engine) -> Duel:
    """Return the duel of the settings between two levels of an engine.

    Raises SettingsError unless the settings name two levels, and for a folder that holds what others made.
    """
    levels_met = tournament(config)
    if len(levels_met.levels) != 2:
        raise SettingsError("decide: name two levels, the one that may be stronger first: --levels NEW,OLD")
    first, second = levels_met.levels
    test = question(config, levels_met.match_length, 2 * levels_met.design.points[0].shard_matches)
    design = tournament({**config, "games_per_cell": -(-test.max_matches // 2)}).design
    _check_tables(results / design.study)
    require_same_play(design, results, engine)
    rounds = _rounds(design.points, design.study, results)
    return Duel((first, second), (first, second), test, design.seed, results / design.study, rounds)


def _check_tables(folder: Path) -> None:
    """Raise SettingsError for a file of another author in the place of one of ours."""
    for name, mark in ((TABLE, TABLE), (TEXT, TABLE), (SIDES, SIDES)):
        if (folder / name).exists() and not provenance_path(folder / mark).exists():
            raise SettingsError(
                f"{folder} holds a {name} that this program did not make; it is left as it is: choose another --name, "
                "or move the file"
            )


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
    if config.get("name"):
        check_name(config["name"])
    study = f"decide/{config.get('name') or f'{first}~{second}-{length}-points'}"
    seats = (first, second), (second, first)
    cells = [DesignPoint(left, right, length, -(-test.max_matches // 2), size) for left, right in seats]
    folder = results / study
    _check_tables(folder)
    limits = Limits(seconds, folder / "logs" / "decide.log")
    level, answer_limit = levels.analysis(defaults["analysis"]), float(config.get("answer_limit", 60.0))
    both = programs({first: names[0], second: names[1]}, engine, level, seed, limits, answer_limit, stop)
    for archive in sorted((folder / "shards").rglob("*.zip")):
        require_same_sides(archive, both)
        if has_provenance(archive.with_suffix(".csv")):
            require_engine(archive.with_suffix(".csv"), engine)
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
            end_all()
            waiting = wait(waiting, timeout=0.1).not_done
        raise


def results(part: Part, player: str) -> tuple[Floats, Floats]:
    """Return a shard's results (1 if the player won, else 0) and the player's net luck, by match.

    A forfeit is a loss, with the luck of the moves played. Raises ProvenanceError.
    """
    left, right = _seats(part)
    won = dict(zip(left["match"], left["actual_result"] > 0, strict=True))
    luck = dict(zip(left["match"], left["luck_mwc"] - right["luck_mwc"], strict=True))
    for forfeit in _noted(part, "forfeits"):
        won[forfeit["match"]] = forfeit["side"] == "right"
    sign = 1.0 if part[0].player == player else -1.0
    numbers = sorted(won)
    ahead = np.array([won[number] for number in numbers], dtype=float)
    return 0.5 + sign * (ahead - 0.5), sign * np.array([luck.get(number, 0.0) for number in numbers], dtype=float)


def _seats(part: Part) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of the left and of the right players of a shard's table. Raises ProvenanceError."""
    both = read_table(part[2])
    return both[both["side"] == "left"].reset_index(drop=True), both[both["side"] == "right"].reset_index(drop=True)


def _noted(part: Part, kind: str) -> list[dict[str, Any]]:
    """Return the `forfeits` of a shard, or the matches played again after a signal `ended` a side.

    Each has match, side (left or right), player and sentence, a forfeit its reason too.
    """
    archive = part[2].with_suffix(".zip")
    noted: list[dict[str, Any]] = read_provenance(archive).get(kind, []) if has_provenance(archive) else []
    return noted


def _parts(duel: Duel, table: pd.DataFrame) -> list[Part]:
    """Return the shards of the matches that the test has looked at."""
    left = int(table["matches"].iloc[-1])
    parts: list[Part] = []
    for both in duel.rounds:
        if left > 0:
            parts += both
            left -= sum(shard.matches for _, shard, _ in both)
    return parts


def line(duel: Duel, row: Mapping[Any, Any]) -> str:
    per_elo = of_elo(1.0, duel.question.match_length)
    # A chance of 0 or 1 has no finite difference.
    infinite = float(np.copysign(np.inf, row["chance"] - 0.5))
    points = [infinite if np.isnan(row[name]) else row[name] for name in ("difference", "ci_low", "ci_high")]
    return (
        f"{row['matches']:,.0f} matches, at most {duel.question.max_matches - row['matches']:,.0f} left: "
        f"{duel.players[0]} won {row['wins']:,.0f} and is {points[0]:+.1f} [{points[1]:+.1f}, {points[2]:+.1f}] points "
        f"the stronger (Elo {points[0] / per_elo:+.1f}); log likelihood ratio {row['log_likelihood_ratio']:.2f} of "
        f"{row['lower']:.2f} to {row['upper']:.2f}: {row['decision']}"
    )


def write(duel: Duel, table: pd.DataFrame, programs: Programs | None = None) -> str:
    """Write decision.csv, decision.txt and sides.csv; return the lines that a run prints at its end."""
    path = duel.folder / TABLE
    shards = [read_provenance(part[2]) for part in duel.rounds[0]]
    facts = {"levels": duel.names, "study_seed": duel.seed, **asdict(duel.question)}
    facts |= {key: shard[key] for shard in shards for key in ("engine", "analysis") if key in shard}
    facts |= {"sides": dict(programs.about)} if programs else {}
    for mark in (provenance_path(duel.folder / name) for name in (TABLE, SIDES)):
        if not mark.is_file():  # the tables are ours even if this run is ended between a table and its provenance
            write_atomic(mark, "{}\n")
    write_table(table, path, "tournament/decision", **facts)
    both = sides(duel, table)
    write_table(both, duel.folder / SIDES, "tournament/sides", **facts)
    text = summary(duel, table, both, str(path))
    write_atomic(duel.folder / TEXT, text)
    return text


def sides(duel: Duel, table: pd.DataFrame) -> pd.DataFrame:
    """Return results, forfeits and errors of both sides in the matches of the last look: a row a side."""
    rows = {player: dict.fromkeys(("matches", "wins", *FORFEITS, *_ERRORS), 0.0) for player in duel.players}
    for part in _parts(duel, table):
        won, _ = results(part, duel.players[0])
        for player, wins in zip(duel.players, (won.sum(), len(won) - won.sum()), strict=True):
            rows[player]["matches"] += len(won)
            rows[player]["wins"] += wins
        for seat, figures in zip((part[0].player, part[0].opponent), _seats(part), strict=True):
            for name in _ERRORS:
                rows[seat][name] += float(figures[name].sum())
        for forfeit in _noted(part, "forfeits"):
            rows[forfeit["player"]][forfeit["reason"]] += 1
    frame = pd.DataFrame([{"player": player, "asked": name, **rows[player]}
                          for player, name in zip(duel.players, duel.names, strict=True)])  # fmt: skip
    counts = ["matches", "wins", *FORFEITS, "unforced_moves", "close_cube_decisions"]
    frame = frame.astype(dict.fromkeys(counts, int))
    moves, cubes = frame["unforced_moves"].replace(0, np.nan), frame["close_cube_decisions"].replace(0, np.nan)
    frame["epm"] = frame["chequer_error_emg"] / moves
    frame["epc"] = frame["cube_error_emg"] / cubes
    frame["pr"] = 500 * (frame["chequer_error_emg"] + frame["cube_error_emg"]) / (moves + cubes.fillna(0))
    return frame


def summary(duel: Duel, table: pd.DataFrame, both: pd.DataFrame, path: str) -> str:
    """Return the lines that a run prints at its end."""
    question, (first, second) = duel.question, duel.players
    last = table.iloc[-1].to_dict()
    verdict = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {question.min_gain:g} points stronger than {second}",
    }.get(last["decision"], f"not settled after {question.max_matches:,} matches (--most)")
    equal = f"differ by {question.equal:g} points" if question.equal else "are equal"
    points = f"{question.match_length} point{'s' * (question.match_length > 1)}"
    lines = [
        f"Is {first} stronger than {second}, in matches to {points}? {verdict}.",
        f"False positives: {100 * question.alpha:g} % if they {equal}. "
        f"False negatives: {100 * question.beta:g} % if the first is {question.min_gain:g} points stronger. "
        f"The 90 % interval holds at every look.",
        line(duel, last),
    ]
    for row in both.to_dict("records"):
        counts = {reason: row[reason] for reason in FORFEITS if row[reason]}
        words = f"{row['player']}: {row['wins']:,} of {row['matches']:,} won"
        words += "" if np.isnan(row["pr"]) else f", PR {row['pr']:.2f}"
        if counts:
            reasons = ", ".join(f"{number} {reason}" for reason, number in counts.items())
            words += f"; forfeited {sum(counts.values())} ({reasons})"
        lines.append(words)
    if duel.names != duel.players:
        lines.append(
            "Results less luck are the verdict. Error rates explain it, and may flatter a side of the judge's family."
        )
    for kind, words in (("forfeits", ""), ("ended", "; the match was played again")):
        noted = [row for part in _parts(duel, table) for row in _noted(part, kind)]
        for player, row in {row["player"]: row for row in reversed(noted)}.items():
            times = sum(other["player"] == player for other in noted)
            more = f" (and {times - 1} more)" if words and times > 1 else ""
            lines.append(f"{player}, {row['side']} seat, match {row['match']}: {row['sentence']}{words}{more} "
                         f"({duel.folder / 'logs'})")  # fmt: skip
    return "\n".join([*lines, f"Table: {path}", ""])
