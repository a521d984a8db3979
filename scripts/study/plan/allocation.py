"""How many matches at every design point, for a wanted half-width of rating differences or for a budget of CPU time.

The standard error of R from n matches is |dR/dP| s / root(n). s is the spread of results less luck (control variates)
in matches already played. The mean half-width over design points is least for CPU in proportion to a power of two
thirds. The base is a point's half-width per root of CPU (Lagrange; Neyman 1934 for the sum of variances).

Costs are measured: CPU of the engine by match length, players and depth of analysis, user and system time as the
operating system accounts them. The cost of starting a process is measured separately and subtracted. So a cost per
match holds for shards of any size.
"""

import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from bgrating import BgratingError
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play import designs
from bgrating.play.designs import ShardTask
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.rating.fibs import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE, anytime_factor, quantile
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table
from study.formula.catalogue import METHOD
from study.formula.points import points
from study.rates import KEY

STUDY, SHARD = "part2", 990  # a shard that no study plays
OPPONENT = "expert"
PLAYERS = ("expert+noise-0.05", "noise-0.02+noise-0.1", "beginner+noise-0.8")
PLAY, ERRORS, LUCK = "play", "analyse", "analyse with luck"
LEVELS = {ERRORS: "0-ply-no-luck", LUCK: "0-ply"}
POINTS = 300  # matches times match length that one measurement plays
COLUMNS = columns("statistics/costs")


def costs(engine: Engine, folder: Path, lengths: Sequence[int]) -> pd.DataFrame:
    """Measure every task at every match length (COLUMNS; seconds of CPU), working in an empty folder.

    About POINTS points are played for each of PLAYERS; a lone match beside them measures the start.
    """
    rows = [row for length in lengths for player in PLAYERS for row in _measured(engine, folder, player, length)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(engine: Engine, folder: Path, player: str, length: int) -> Iterator[dict[str, Any]]:
    matches = max(2, round(POINTS / length))
    limits = Limits(3600.0, folder / "engine.log")
    archives = {count: folder / f"{player}-{length}-{count}.zip" for count in (1, matches)}

    def play(count: int) -> None:
        players = levels.player(player), levels.player(OPPONENT)
        task = ShardTask(players, length, designs.design(STUDY).seed, SHARD, count)
        play_shard(engine, task, archives[count], limits)

    def analyse(count: int, level: str) -> None:
        analyse_archive(engine, levels.analysis(level), archives[count], folder / "table.csv", limits)

    tasks: dict[str, Callable[[int], None]] = {PLAY: play}
    for task, level in LEVELS.items():
        tasks[task] = lambda count, level=level: analyse(count, level)  # type: ignore[misc]
    spent = {
        task: [_cpu(lambda count=count, run=run: run(count)) for count in (1, matches)]  # type: ignore[misc]
        for task, run in tasks.items()
    }
    rolls = int(read_table(folder / "table.csv")["rolls"].sum()) // 2  # one row per player
    for task, (start, cpu_seconds) in spent.items():
        more = (cpu_seconds - start) / (matches - 1)
        yield {
            "match_length": length, "player": player, "opponent": OPPONENT, "task": task, "matches": matches,
            "rolls": rolls, "cpu_seconds": cpu_seconds, "start_cpu_seconds": start,
            "cpu_per_match": more, "cpu_per_roll": more / (rolls / matches),
        }  # fmt: skip


def _cpu(run: Callable[[], None]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


HOUR = 3600.0
LEAST = 100  # fewer matches do not tell how luck and result are correlated
SHARD_MATCHES = 200  # a minute or less at 5 points


class PlanError(BgratingError, ValueError):
    """A plan cannot be made; the message names the remedy."""


def make_plan(
    matches: pd.DataFrame, costs: pd.DataFrame, half_width: float | None, hours: float | None, lengths: Sequence[int]
) -> pd.DataFrame:
    """Plan for a half-width of every R (points) or for a budget (core-hours), at `lengths` or all that were played.

    `matches` have luck; `costs` is the table of that name. Returns statistics/plan. Raises PlanError.
    """
    there = sorted(int(n) for n in matches["match_length"].unique())
    if missing := [n for n in lengths if n not in there]:
        raise PlanError(
            f"lengths={','.join(map(str, lengths))}: nothing has been played at {', '.join(map(str, missing))} points, "
            f"so variances are not known there; there are {', '.join(map(str, there))}"
        )
    wanted = matches[matches["match_length"].isin(list(lengths) or there)]
    rows = points(wanted)
    plan = rows[(rows["method"] == METHOD) & rows["rating_difference_se"].notna()].reset_index(drop=True)
    played, error = plan["n_matches"].to_numpy(float), plan["rating_difference_se"].to_numpy(float)
    z, p = quantile(CONFIDENCE), plan["p_win"].to_numpy(float)
    cost = _cost_of_a_match(plan, wanted, costs)
    spread = error * np.sqrt(played)  # of R, from one match
    if half_width is not None:
        number = np.ceil((z * spread / half_width) ** 2)
    else:
        seconds = HOUR * float(hours or 0)
        if seconds < LEAST * cost.sum():
            raise PlanError(
                f"{seconds / HOUR:g} core-hours do not reach for {LEAST} matches at every design point: allow "
                f"{LEAST * cost.sum() / HOUR:.2f}"
            )
        weight = (spread * np.sqrt(cost)) ** (2 / 3)
        number = np.round(seconds * weight / weight.sum() / cost)
    number = np.maximum(number, LEAST)
    cpu = number * cost
    adjusted = wanted.groupby(KEY, observed=True)["luck_adjusted_result"].std()
    published = np.array([adjusted[key] for key in plan[KEY].itertuples(index=False, name=None)])
    slope = 1 / (np.abs(log_odds_per_point(plan["match_length"].to_numpy(float))) * p * (1 - p))
    everywhere = cpu.sum() / cost.sum()  # the published design plays as many matches at every point
    return plan[[*KEY, "p_win"]].assign(
        matches=number.astype(int), cpu_seconds=cpu, half_width=z * spread / np.sqrt(number),
        published_half_width=z * slope * published / np.sqrt(everywhere), confidence=CONFIDENCE,
        played=plan["n_matches"], half_width_now=z * error,
        half_width_anytime=error * anytime_factor(played, CONFIDENCE, 500),
    )[columns("statistics/plan")]  # fmt: skip


def _cost_of_a_match(plan: pd.DataFrame, matches: pd.DataFrame, costs: pd.DataFrame) -> np.ndarray:
    """Return the CPU seconds of playing and analysing a match of each design point.

    A task costs as much a roll whoever plays (the median over the players measured). Raises PlanError.
    """
    per_roll: Mapping[Any, float] = (
        costs[costs["task"].isin([PLAY, LUCK])]
        .groupby(["match_length", "task"])["cpu_per_roll"].median().groupby("match_length").sum().to_dict()
    )  # fmt: skip
    if missing := sorted(set(plan["match_length"]) - set(per_roll)):
        raise PlanError(
            f"no costs were measured at {', '.join(map(str, missing))} points, only at "
            f"{', '.join(map(str, per_roll))}: ./run costs --config lengths={missing[0]}"
        )
    rolls = matches.groupby(KEY, observed=True)["rolls"].mean()
    return np.array([rolls[key] * per_roll[key[0]] for key in plan[KEY].itertuples(index=False, name=None)])


def described(plan: pd.DataFrame, folder: Path) -> str:
    cpu, planned, published = plan["cpu_seconds"].sum(), plan["half_width"].mean(), plan["published_half_width"].mean()
    lines = [
        f"Plan for {len(plan)} design points, {plan['matches'].sum():,} matches, {cpu / HOUR:.2f} core-hours, "
        f"{CONFIDENCE:.0%} intervals of R:",
        f"  {'N':>3} {'player':<26}{'matches':>9}{'+-':>7}{'as published +-':>17}{'played':>8}{'+- now':>8}",
    ]
    lines += [
        f"  {row['match_length']:>3} {row['player']:<26}{row['matches']:>9}{row['half_width']:>7.1f}"
        f"{row['published_half_width']:>17.1f}{row['played']:>8}{row['half_width_now']:>8.1f}"
        for row in plan.to_dict("records")
    ]
    lines += [
        f"  Mean half-width {planned:.1f} points; equally many matches everywhere, as published, give {published:.1f} "
        f"for the same CPU ({planned / published:.2f}).",
        "Stopping: play in batches of 100 matches or more and stop a design point when its own half-width is small",
        "enough; whoever stops because of the value of R must go by half_width_anytime (docs/reference/tables.md).",
        f"Plan: {folder / 'plan.csv'}; a design to copy to config/designs beside it.",
    ]
    return "\n".join(lines) + "\n"


def design_text(plan: pd.DataFrame, name: str, seed: int) -> str:
    settings = {
        "title": f"{name}: as many matches as planned", "description": "Written by ./run plan.", "published": False,
        "seed": seed, "analysis": "0-ply", "shard_matches": SHARD_MATCHES,
        "points": [
            {
                "players": [str(row["player"])], "opponent": str(row["opponent"]),
                "match_lengths": [int(row["match_length"])], "matches": int(row["matches"]),
            }
            for row in plan.to_dict("records")
        ],
    }  # fmt: skip
    return yaml.safe_dump(settings, sort_keys=False, width=116)
