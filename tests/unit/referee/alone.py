"""Matches that gnubg plays alone, played again from the same dice through the referee."""

import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.matchtext import board, read_matches, write_mat
from bgrating.matchtext.model import CubeAction, Game
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.play.shards import Limits, analyse_archive, play_shard, write_archive
from bgrating.referee.match import Dice, Referee
from bgrating.referee.names import spec
from bgrating.referee.sides import start
from bgrating.tables.provenance import write_provenance
from bgrating.tables.tables import read_table

SEED = 7
ROLLS = """
import gnubg, json, os
rolls = {}
for seed in json.loads(os.environ["SEEDS"]):
    for command in ("set rng mersenne", f"set seed {seed}"):
        gnubg.command(command)
    rolls[seed] = gnubg.dicerolls(1500)
with open(os.environ["ROLLS"], "w") as file:
    json.dump(rolls, file)
"""


@dataclass
class Comparison:
    """How many matches were compared, how many of them to their end, how many actions, and what differed.

    `texts` are the matches compared to their end, `figures` how many results and statistics of these were compared.
    """

    matches: int = 0
    whole: int = 0
    actions: int = 0
    cubes: int = 0
    different: tuple[str, ...] = ()
    texts: dict[str, bytes] = field(default_factory=dict)
    figures: int = 0


def engine_rolls(engine: Engine, seeds: tuple[int, ...], folder: Path) -> dict[int, list[Dice]]:
    """Return the rolls that gnubg's own generator gives after each seed, in the order in which it rolls them."""
    script, rolls = folder / "rolls.py", folder / "rolls.json"
    script.write_text(ROLLS, encoding="utf-8")
    variables = {"HOME": str(folder), "SEEDS": json.dumps(seeds), "ROLLS": str(rolls), "BGRATING_INSIDE": str(script)}
    subprocess.run(
        engine.command(script), env={**os.environ, **engine.environment(ANALYSIS_CLOCK, "play"), **variables},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder, check=True,
    )  # fmt: skip
    return {
        int(seed): [(left, right) for left, right in pairs] for seed, pairs in json.loads(rolls.read_text()).items()
    }


def story(game: Game) -> list[object]:
    """Return a game's actions, plays as the positions that they lead to: notation differs."""
    sides, events = board.start(), list[object]()
    for action in game.actions:
        if isinstance(action, CubeAction):
            events.append((action.side, action.kind, action.value))
        elif action.verdict != "resigned":
            board.make(sides[action.side], sides[1 - action.side], action.hops)
            events.append((action.side, sorted(action.dice), bytes(sides[0]), bytes(sides[1])))
    return events


def compare(engine: Engine, names: tuple[str, str], length: int, matches: int, shard: int, folder: Path) -> Comparison:
    """Let gnubg play matches alone and the referee the same; compare them up to the first resignation."""
    first, second = (levels.player(name) for name in names)
    limits = Limits(seconds=600.0, log=folder / "engine.log")
    play_shard(engine, ShardTask((first, second), length, SEED, shard, matches), folder / "alone.zip", limits)
    seeds = shard_seeds(SEED, *names, length, shard, matches).dice
    rolls = engine_rolls(engine, seeds, folder)
    clock = datetime(2001, 1, 1, tzinfo=UTC)
    sides = [start(spec(name, engine), seat, clock, 20.0, folder / "side.log") for seat, name in enumerate(names)]
    comparison = Comparison()
    try:
        with zipfile.ZipFile(folder / "alone.zip") as archive:
            for seed, name in zip(seeds, sorted(archive.namelist()), strict=True):
                alone = read_matches(archive.read(name)).matches[0]
                referee = Referee((sides[0], sides[1]), length, lambda _: iter(()))
                referee.dice = one_stream(rolls[seed], referee)
                through = referee.play()
                comparison.matches += 1
                for ours, theirs in zip(through.games, alone.games, strict=False):
                    one, other = story(ours), story(theirs)
                    resigned = theirs.result.ending == "resignation"
                    comparison.actions += len(other)
                    comparison.cubes += sum(isinstance(action, CubeAction) for action in theirs.actions)
                    if one[: len(other)] != other or (not resigned and len(one) != len(other)):
                        comparison.different += (f"{name}, game {theirs.number}",)
                        break
                    if resigned:
                        break
                else:
                    comparison.whole += 1
                    comparison.texts[name] = write_mat(through).encode()
                    if through.final_score != alone.final_score:
                        comparison.different += (f"{name}: {through.final_score} for {alone.final_score}",)
    finally:
        for side in sides:
            side.close()
    if comparison.texts:
        write_archive(folder / "through.zip", comparison.texts.items())
        write_provenance(folder / "through.zip")
        judged = [judge(engine, folder / f"{one}.zip", limits) for one in ("alone", "through")]
        ours = judged[1]
        theirs = judged[0].loc[ours.index]
        comparison.figures = ours.size
        comparison.different += tuple(f"statistics: {name}" for name in ours if not ours[name].equals(theirs[name]))
    return comparison


def judge(engine: Engine, archive: Path, limits: Limits) -> pd.DataFrame:
    table = archive.with_suffix(".csv")
    analyse_archive(engine, levels.analysis("0-ply"), archive, table, limits)
    return read_table(table).set_index(["match", "side"]).drop(columns=["player", "opponent"])  # their names differ


def one_stream(rolls: list[Dice], referee: Referee) -> Callable[[int], Iterator[Dice]]:
    """Return dice that go on from game to game, as gnubg's do: it does not roll before a double is dropped."""
    place = 0

    def thrown(_: int) -> Iterator[Dice]:
        nonlocal place
        place -= bool(referee.games and referee.games[-1].result.ending == "drop")
        while True:
            place += 1
            yield rolls[place - 1]

    return thrown
