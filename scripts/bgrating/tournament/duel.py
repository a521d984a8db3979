"""Play two sides against each other for as long as the question whether the first is stronger needs.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before the referee.

Matches are played in rounds of one shard of both seats, with the seeds and at the places of a tournament of these
levels, so nothing that was played is played again. Rounds beyond the one that decides, which other cores played
meanwhile, do not count: the answer does not depend on the number of cores.
"""

from collections.abc import Callable, Mapping
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
from bgrating.engine.session import end_engines
from bgrating.play.designs import DesignPoint, Shard, shard_table
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.rating.fibs import Floats
from bgrating.referee.match import FORFEITS
from bgrating.referee.process import end_sides
from bgrating.referee.shard import Programs, introduce, play_part, require_same_sides
from bgrating.referee.sides import names_of, spec
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance, verified
from bgrating.tables.provenance import write_atomic as write_text
from bgrating.tables.tables import read_table, write_table
from bgrating.tournament.decision import NOT_STRONGER, STRONGER, UNDECIDED, Question, answers, of_elo, question
from bgrating.tournament.design import DEFAULTS, tournament

Play = Callable[[DesignPoint, Shard, Path], None]
Part = tuple[DesignPoint, Shard, Path]
STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3}
"""Exit status by the verdict; 1 is an error."""
_ERRORS = ("unforced_moves", "chequer_error_emg", "close_cube_decisions", "cube_error_emg", "luck_mwc")


@dataclass(frozen=True)
class Duel:
    """Two sides that meet, what is asked of them, the folder of the answer, and the shards of every round.

    A round has one shard of each seat; `names` are as asked for, `players` as in tables and matches.
    """

    names: tuple[str, str]
    players: tuple[str, str]
    question: Question
    seed: int
    folder: Path
    rounds: tuple[tuple[Part, ...], ...]


def duel(config: Mapping[str, Any], results: Path) -> Duel:
    """Return the duel of two levels that the settings ask for. Raises SettingsError unless they name two levels."""
    asked = tournament(config)
    if len(asked.levels) != 2:
        raise SettingsError("decide: name two levels, the one that may be stronger first: --levels NEW,OLD")
    size = asked.design.points[0].shard_matches
    wanted = question(config, asked.match_length, 2 * size)
    whole = tournament({**config, "games_per_cell": -(-wanted.max_matches // 2)}).design
    cells = [
        [(cell, shard, shard_table(results, whole.study, cell, shard.number)) for shard in cell.shards()]
        for cell in whole.points
    ]
    first, second = asked.levels
    names = (first, second)
    return Duel(names, names, wanted, whole.seed, results / whole.study, tuple(zip(*cells, strict=False)))


def duel_of_programs(
    config: Mapping[str, Any], results: Path, engine: Engine, seconds: float, stop: Event
) -> tuple[Duel, Programs]:
    """Return the duel of two programs that the settings ask for, and the sides, each of which has started once.

    `engine` judges, in at most so many seconds a shard, and plays the levels that name no other. Raises SettingsError,
    EngineError, SideError.
    """
    names = names_of(str(config["levels"]))
    if len(names) != 2 or names[0] == names[1]:
        raise SettingsError("decide: name two different sides, the one that may be stronger first: --levels NEW,OLD")
    specs = [spec(name, engine) for name in names]
    slugs = [one.slug for one in specs]
    if slugs[0] == slugs[1]:
        slugs = [f"{slug}-{number}" for number, slug in enumerate(slugs, 1)]
    defaults = load_yaml(DEFAULTS)
    length, seed = (config.get(key, defaults[key]) for key in ("match_length", "seed"))
    size = defaults["shard_games"]
    asked = question(config, length, 2 * size)
    study = f"decide/{config.get('name') or '~'.join(slugs) + f'-{length}-points'}"
    cells = [DesignPoint(one, other, length, -(-asked.max_matches // 2), size) for one, other in (slugs, slugs[::-1])]
    parts = [
        [(cell, shard, shard_table(results, study, cell, shard.number)) for shard in cell.shards()] for cell in cells
    ]
    folder = results / study
    limits = Limits(seconds, folder / "logs" / "decide.log")
    found = Duel((names[0], names[1]), (slugs[0], slugs[1]), asked, seed, folder, tuple(zip(*parts, strict=False)))
    by_slug = dict(zip(slugs, specs, strict=True))
    programs = Programs(
        specs=by_slug, about=introduce(by_slug, limits.log), seed=seed, seconds=float(config.get("answer_limit", 60.0)),
        judge=engine, level=levels.analysis(defaults["analysis"]), limits=limits, stop=stop,
    )  # fmt: skip
    for archive in sorted((folder / "shards").rglob("*.zip")):
        require_same_sides(archive, programs)
    return found, programs


def engine_play(engine: Engine, config: Mapping[str, Any], limits: Limits) -> Play:
    """Return what plays and analyses a shard of two levels with an engine."""
    design = tournament(config).design

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        own = _own_limits(limits, cell, shard)
        table.parent.mkdir(parents=True, exist_ok=True)
        archive = table.with_suffix(".zip")
        if not provenance_path(archive).is_file():
            play_shard(engine, design.task(cell, shard), archive, own)
        analyse_archive(engine, design.analysis_level(), archive, table, own)

    return play


def programs_play(programs: Programs) -> Play:
    """Return what plays a shard of two programs and lets the engine judge it."""

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        play_part(replace(programs, limits=_own_limits(programs.limits, cell, shard)), cell, shard, table)

    return play


def _own_limits(limits: Limits, cell: DesignPoint, shard: Shard) -> Limits:
    own = replace(limits, log=limits.log.with_name(f"{cell.player}~{cell.opponent}-{shard.number:03d}.log"))
    own.log.parent.mkdir(parents=True, exist_ok=True)
    return own


def decide(
    duel: Duel, play: Play, threads: int, say: Callable[[str], None] = print, stop: Event | None = None
) -> pd.DataFrame:
    """Play until the test says something, at most as many matches as are asked for; return the test's looks.

    Raises what playing raises; the shards that were finished stay, and another run goes on from them. `stop` is set
    where an exception ends the run: a side that is ended then has not forfeited.
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
                    own = results(part, duel.players[0])
                    won.append(own[0])
                    luck.append(own[1])
                looked = len(table)
                table = answers(duel.question, np.concatenate(won), np.concatenate(luck))
                for row in table.iloc[looked:].to_dict("records"):
                    say(line(duel, row))
                if len(table) and table["decision"].iloc[-1] != UNDECIDED:
                    return table
    return table


def _finish(shards: list["Future[None]"], stop: Event | None) -> None:
    """Wait for shards. The first exception, in one of them or here (Ctrl-C), ends all others at once."""
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
    found: list[dict[str, Any]] = read_provenance(archive).get("forfeits", []) if has_provenance(archive) else []
    return found


def results(part: Part, player: str) -> tuple[Floats, Floats]:
    """Return who won a shard's matches (1 the player, 0 the other) and the player's net luck, in their order.

    Who forfeits has lost, with the luck of what was played. Raises ProvenanceError.
    """
    cell, _, path = part
    own, other = _both(path)
    won = dict(zip(own["match"], own["actual_result"] > 0, strict=True))
    luck = dict(zip(own["match"], own["luck_mwc"] - other["luck_mwc"], strict=True))
    for forfeit in forfeits_of(part):
        won[forfeit["match"]] = forfeit["side"] == "right"
    sign = 1.0 if cell.player == player else -1.0
    numbers = sorted(won)
    ahead = np.array([won[number] for number in numbers], dtype=float)
    return 0.5 + sign * (ahead - 0.5), sign * np.array([luck.get(number, 0.0) for number in numbers], dtype=float)


def _both(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    verified(path)
    both = read_table(path)
    return both[both["side"] == "left"].reset_index(drop=True), both[both["side"] == "right"].reset_index(drop=True)


def line(duel: Duel, row: Mapping[Any, Any]) -> str:
    """Write a look in one line."""
    per_elo = of_elo(1.0, duel.question.match_length)
    # No difference is so large that a side should win every match.
    endless = float(np.copysign(np.inf, row["chance"] - 0.5))
    points = [endless if np.isnan(row[name]) else row[name] for name in ("difference", "ci_low", "ci_high")]
    return (
        f"{row['matches']:,.0f} matches, at most {duel.question.max_matches - row['matches']:,.0f} left: "
        f"{duel.players[0]} won {row['wins']:,.0f} and is {points[0]:+.1f} [{points[1]:+.1f}, {points[2]:+.1f}] points "
        f"the stronger (Elo {points[0] / per_elo:+.1f}); log likelihood ratio {row['log_likelihood_ratio']:.2f} of "
        f"{row['lower']:.2f} to {row['upper']:.2f}: {row['decision']}"
    )


def sides(duel: Duel, looked: int) -> pd.DataFrame:
    """Return what both sides did in the first matches, as many as the last look counted: a row a side."""
    rows = {player: dict.fromkeys(("matches", "wins", *FORFEITS, *_ERRORS), 0.0) for player in duel.players}
    for both in duel.rounds:
        if rows[duel.players[0]]["matches"] >= looked:
            break
        for part in both:
            won, _ = results(part, duel.players[0])
            for player, wins in zip(duel.players, (won.sum(), len(won) - won.sum()), strict=True):
                rows[player]["matches"] += len(won)
                rows[player]["wins"] += wins
            for seat, table in zip((part[0].player, part[0].opponent), _both(part[2]), strict=True):
                for name in _ERRORS:
                    rows[seat][name] += float(table[name].sum())
            for forfeit in forfeits_of(part):
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


def write(duel: Duel, table: pd.DataFrame, programs: Programs | None = None) -> str:
    """Write the looks of the test (decision.csv, decision.txt) and the sides; return the lines that a run ends with."""
    path = duel.folder / "decision.csv"
    judged = [read_provenance(part[2]) for part in duel.rounds[0]]
    facts = {"levels": duel.names, "study_seed": duel.seed, **asdict(duel.question)}
    facts |= {key: judge[key] for judge in judged for key in ("engine", "analysis") if key in judge}
    facts |= {"sides": dict(programs.about)} if programs else {}
    write_table(table, path, "tournament/decision", **facts)
    both = sides(duel, int(table["matches"].iloc[-1]))
    write_table(both, duel.folder / "sides.csv", "tournament/sides", **facts)
    text = summary(duel, table, both, str(path))
    write_text(path.with_suffix(".txt"), text)
    return text


def summary(duel: Duel, table: pd.DataFrame, both: pd.DataFrame, path: str) -> str:
    """Return the lines that a run prints at its end."""
    asked, (first, second) = duel.question, duel.players
    last = table.iloc[-1].to_dict()
    words = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {asked.min_gain:g} points stronger than {second}",
    }
    says = words.get(last["decision"], f"not settled after {asked.max_matches:,} matches (--most)")
    equal = f"differ by {asked.equal:g} points" if asked.equal else "are equal"
    lines = [
        f"Is {first} stronger than {second}, in matches to {asked.match_length} points? {says}.",
        f"The test says so wrongly in {100 * asked.alpha:g} % of cases where they {equal}, and denies "
        f"{asked.min_gain:g} points wrongly in {100 * asked.beta:g} %; the interval of 90 % allows for all looks.",
        line(duel, last),
    ]
    for row in both.to_dict("records"):
        lost = {reason: row[reason] for reason in FORFEITS if row[reason]}
        told = f"; forfeited {sum(lost.values())} ({', '.join(f'{n} {reason}' for reason, n in lost.items())})"
        own = f"{row['player']}: {row['wins']:,} of {row['matches']:,} won, PR {row['pr']:.2f}"
        lines.append(own + told * bool(lost))
    if duel.names != duel.players:
        lines.append(
            "Results less luck are the verdict. Error rates explain it, and may flatter a side of the judge's family."
        )
    first_forfeits = {forfeit["player"]: forfeit for both_seats in reversed(duel.rounds[: len(table) + 1])
                      for part in both_seats for forfeit in forfeits_of(part)}  # fmt: skip
    lines += [f"{player}, match {one['match']}: {one['sentence']} ({duel.folder / 'logs'})"
              for player, one in first_forfeits.items()]  # fmt: skip
    return "\n".join([*lines, f"Table: {path}", ""])
