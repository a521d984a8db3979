"""Play two levels against each other for as long as the question whether the first is stronger needs.

Matches are played in rounds of one shard of both seats, with the seeds and at the places of a tournament of these
levels, so nothing that was played is played again. Rounds beyond the one that decides, which other cores played
meanwhile, do not count: the answer does not depend on the number of cores.
"""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine.locate import Engine
from bgrating.engine.session import end_engines
from bgrating.play.designs import DesignPoint, Shard, shard_table
from bgrating.play.matches import shard_rows
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.settings import SettingsError
from bgrating.tables.provenance import provenance_path, read_provenance, verified
from bgrating.tables.provenance import replace as write_text
from bgrating.tables.tables import write_table
from bgrating.tournament.decision import UNDECIDED, Question, answers, question
from bgrating.tournament.design import Tournament, tournament

Play = Callable[[DesignPoint, Shard, Path], None]


@dataclass(frozen=True)
class Duel:
    """Two levels that meet, what is asked of them, and where their shards stand."""

    tournament: Tournament
    asked: Question
    results: Path

    @property
    def levels(self) -> tuple[str, str]:
        """Return the level that may be stronger, and the other."""
        first, second = self.tournament.levels
        return first, second

    def rounds(self) -> list[list[tuple[DesignPoint, Shard, Path]]]:
        """Return the shards of every round: both seats, with their tables."""
        design = self.tournament.design
        cells = [[(cell, shard) for shard in cell.shards()] for cell in design.points]
        return [
            [(cell, shard, shard_table(self.results, design.study, cell, shard.number)) for cell, shard in both]
            for both in zip(*cells, strict=False)
        ]


def duel(config: Mapping[str, Any], results: Path) -> Duel:
    """Return the duel that the settings ask for. Raises SettingsError unless they name two levels."""
    asked = tournament(config)
    if len(asked.levels) != 2:
        raise SettingsError("decide: name two levels, the one that may be stronger first: --levels NEW,OLD")
    size = asked.design.points[0].shard_matches
    wanted = question(config, asked.match_length, 2 * size)
    whole = tournament({**config, "games_per_cell": -(-wanted.most // 2)})
    return Duel(whole, wanted, results)


def engine_play(engine: Engine, found: Duel, limits: Limits) -> Play:
    """Return what plays and analyses a shard with an engine."""
    design = found.tournament.design

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        own = replace(limits, log=limits.log.with_name(f"{cell.player}~{cell.opponent}-{shard.number:03d}.log"))
        own.log.parent.mkdir(parents=True, exist_ok=True)
        table.parent.mkdir(parents=True, exist_ok=True)
        archive = table.with_suffix(".zip")
        if not provenance_path(archive).is_file():
            play_shard(engine, design.task(cell, shard), archive, own)
        analyse_archive(engine, design.analysis_level(), archive, table, own)

    return play


def decide(found: Duel, play: Play, threads: int, say: Callable[[str], None] = print) -> pd.DataFrame:
    """Play until the test says something, at most as many matches as are asked for; return the test's looks.

    Raises what playing raises; the shards that were finished stay, and another run goes on from them.
    """
    won: list[np.ndarray] = []
    luck: list[np.ndarray] = []
    table = answers(found.asked, np.empty(0), np.empty(0))
    waiting = iter(found.rounds())
    with ThreadPoolExecutor(threads) as pool:
        while several := list(islice(waiting, -(-threads // 2))):
            missing = [shard for both in several for shard in both if not provenance_path(shard[2]).is_file()]
            _finish([pool.submit(play, *shard) for shard in missing])
            for both in several:
                for cell, shard, path in both:
                    verified(path)
                    rows = shard_rows(path, cell, shard.number)
                    sign = 1.0 if cell.player == found.levels[0] else -1.0
                    won.append(0.5 + sign * np.sign(rows["actual_result"].to_numpy(float)) / 2)
                    luck.append(sign * (rows["player_luck_mwc"] - rows["opponent_luck_mwc"]).to_numpy(float))
                looked = len(table)
                table = answers(found.asked, np.concatenate(won), np.concatenate(luck))
                for row in table.iloc[looked:].to_dict("records"):
                    say(line(found, row))
                if len(table) and table["decision"].iloc[-1] != UNDECIDED:
                    return table
    return table


def _finish(shards: list["Future[None]"]) -> None:
    """Wait for shards. The first exception, in one of them or here (Ctrl-C), ends all others at once."""
    try:
        done, _ = wait(shards, return_when=FIRST_EXCEPTION)
        for shard in done:
            shard.result()
    except BaseException:
        waiting = {shard for shard in shards if not shard.cancel()}
        while waiting:  # one may be between playing and analysing
            end_engines()
            waiting = wait(waiting, timeout=0.1).not_done
        raise


def line(found: Duel, row: Mapping[Any, Any]) -> str:
    """Write a look in one line."""
    low, high = ("no bound" if math.isnan(row[end]) else f"{row[end]:+.1f}" for end in ("ci_low", "ci_high"))
    return (
        f"{row['matches']:,.0f} matches: {found.levels[0]} is {row['difference']:+.1f} "
        f"[{low}, {high}] points the stronger; log likelihood ratio "
        f"{row['log_likelihood_ratio']:.2f} of {row['lower']:.2f} to {row['upper']:.2f}: {row['decision']}"
    )


def write(found: Duel, table: pd.DataFrame, folder: Path) -> str:
    """Write the looks of the test (decision.csv, decision.txt) and return the lines that a run prints at its end."""
    path = folder / "decision.csv"
    shard = read_provenance(found.rounds()[0][0][2])
    facts = {"levels": found.levels, "study_seed": found.tournament.design.seed, **asdict(found.asked)}
    write_table(table, path, "tournament/decision", **facts, engine=shard["engine"], analysis=shard["analysis"])
    text = summary(found, table, str(path))
    write_text(path.with_suffix(".txt"), text)
    return text


def summary(found: Duel, table: pd.DataFrame, path: str) -> str:
    """Return the lines that a run prints at its end."""
    asked, (first, second) = found.asked, found.levels
    last = table.iloc[-1].to_dict()
    words = {
        "stronger": f"{first} is stronger than {second}",
        "not stronger": f"{first} is not {asked.better:g} points stronger than {second}",
    }
    says = words.get(last["decision"], f"not settled after {asked.most:,} matches (--most)")
    return "\n".join(
        [
            f"Is {first} stronger than {second}, in matches to {asked.match_length} points? {says}.",
            f"The test says so wrongly in {100 * asked.alpha:g} % of cases where they are equal, and denies "
            f"{asked.better:g} points wrongly in {100 * asked.beta:g} %; the interval of 90 % allows for all looks.",
            line(found, last),
            f"Table: {path}",
            "",
        ]
    )
