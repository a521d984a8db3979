"""gnubg's own matches, replayed with the same dice through the referee: equal decisions."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from bgduel.match import Referee
from bgduel.programs import spec
from bgduel.sides import Seat, start
from bgmatch import board, read_matches, write_mat
from bgmatch.model import Action, CubeAction, Dice, Game
from bgrating.engine import levels
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive, write_archive
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.play.shards import play_shard
from bgrating.tables.provenance import write_provenance
from bgrating.tables.table_files import read_table
from commands import run

SEED, MATCHES, NAMES = 7, 10, ("expert", "expert")
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


def engine_rolls(engine: Engine, seeds: tuple[int, ...], folder: Path) -> dict[int, list[Dice]]:
    """Return the rolls of gnubg's own generator after each seed, in its order."""
    script, rolls = folder / "rolls.py", folder / "rolls.json"
    script.write_text(ROLLS, encoding="utf-8")
    variables = {"HOME": str(folder), "SEEDS": json.dumps(seeds), "ROLLS": str(rolls)}
    command, launched = engine.launch(ANALYSIS_CLOCK, script)
    done = run(command, env={**os.environ, **launched, **variables}, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(rolls.read_text())
    return {int(seed): [(one, two) for one, two in found[seed]] for seed in found}


def one_stream(rolls: list[Dice], referee: Referee) -> Callable[[int], Iterator[Dice]]:
    """Return dice that go on from game to game, as gnubg's do; a dropped double has no roll."""
    place = 0

    def thrown(_: int) -> Iterator[Dice]:
        nonlocal place
        place -= bool(referee.games and referee.games[-1].result.ending == "drop")
        while True:
            place += 1
            yield rolls[place - 1]

    return thrown


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


def judged(engine: Engine, archive: Path, limits: Limits) -> pd.DataFrame:
    table = archive.with_suffix(".csv")
    analyse_archive(ArchiveAnalyst(engine, levels.analysis("0-ply"), limits), archive, table)
    return (
        read_table(table).set_index(["match", "side"]).drop(columns=["player", "opponent"])
    )  # their names differ


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3])
def test_gnubg_through_the_referee_plays_as_it_does_alone(
    engine: Engine, limits: Limits, tmp_path: Path, length: int
) -> None:
    """Equal plays up to the first resignation; without one, equal results and statistics."""
    first, second = (levels.player(name) for name in NAMES)
    play_shard(
        engine, ShardTask((first, second), length, SEED, 0, MATCHES), tmp_path / "alone.zip", limits
    )
    seeds = shard_seeds(SEED, *NAMES, length, 0, MATCHES).dice
    rolls = engine_rolls(engine, seeds, tmp_path)
    clock = datetime(2001, 1, 1, tzinfo=UTC)
    sides = [
        start(spec(name, engine), Seat(seat, clock, 20.0, tmp_path / "side.log"))
        for seat, name in enumerate(NAMES)
    ]
    whole, actions = dict[str, str](), list[Action]()
    try:
        with zipfile.ZipFile(tmp_path / "alone.zip") as archive:
            for seed, name in zip(seeds, sorted(archive.namelist()), strict=True):
                alone = read_matches(archive.read(name)).matches[0]
                referee = Referee((sides[0], sides[1]), length, lambda _: iter(()))
                referee.dice = one_stream(rolls[seed], referee)
                through = referee.play()
                for ours, theirs in zip(through.games, alone.games, strict=False):
                    one, other = story(ours), story(theirs)
                    actions += theirs.actions
                    assert one[: len(other)] == other, (name, theirs.number)
                    if theirs.result.ending == "resignation":
                        break
                    assert len(one) == len(other), (name, theirs.number)
                else:
                    assert through.final_score == alone.final_score, name
                    whole[name] = write_mat(through)
    finally:
        for side in sides:
            side.close()
    write_archive(tmp_path / "through.zip", whole)
    write_provenance(tmp_path / "through.zip")
    by_itself, by_referee = (
        judged(engine, tmp_path / f"{one}.zip", limits) for one in ("alone", "through")
    )
    pd.testing.assert_frame_equal(by_referee, by_itself.loc[by_referee.index], check_exact=True)
    assert by_referee.size > 50 * len(whole) > 0
    assert len(actions) > 200
    assert sum(isinstance(action, CubeAction) for action in actions) > (10 if length > 1 else -1)
