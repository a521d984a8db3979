"""Sides from nothing to a level: what they play, that they never double, and that a stopped shard goes on alike."""

import threading
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.matchtext import board, read_matches
from bgrating.matchtext.model import LEFT, CubeAction, CubeKind, Match
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.shards import Limits
from bgrating.referee.match import State
from bgrating.referee.names import are_levels, slugs, spec
from bgrating.referee.shard import StoppedError, play_part, programs
from bgrating.referee.sides import LadderSide
from bgrating.settings import SettingsError

LENGTH = 3


def test_names_of_the_ladder(engine: Engine) -> None:
    half = spec("expert%0.5", engine)
    assert (half.level, half.share, half.is_worst) == (levels.player("expert"), 0.5, False)
    assert spec("random", engine).share == 1.0
    assert spec("worst", engine).is_worst
    assert not any(are_levels(("expert", name)) for name in ("random", "worst", "expert%0.5"))
    assert slugs(("expert%0.5", "random", "expert")) == ("expert-random-0.5", "random", "expert")
    for wrong in ("expert%", "expert%1.5", "expert%x", "expert%-1"):
        with pytest.raises(SettingsError, match=f"{wrong}: after the % comes a share from 0 to 1, as in expert%0.3"):
            spec(wrong, engine)


def test_every_legal_play_is_as_likely_as_the_others() -> None:
    side = object.__new__(LadderSide)
    side.share, side.random, side._seat, asked = 1.0, Random(1), LEFT, []
    side._ask = lambda question: asked.append(question[3]["choice"]) or ""  # type: ignore[method-assign,func-returns-value]
    state = State(LENGTH, (0, 0), crawford=False)
    plays = board.plays(*board.start(), (3, 1))
    for _ in range(200 * len(plays)):
        side.turn(state, (3, 1), may_double=False)
    counts = Counter(asked)
    assert len(counts) == len(plays)
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 2 * len(plays)


def matches(archive: Path) -> list[Match]:
    with zipfile.ZipFile(archive) as texts:
        return [read_matches(texts.read(name)).matches[0] for name in texts.namelist()]


@pytest.fixture(scope="module")
def shards(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the tables of the same shard, `worst` against `expert%0.5`: played at once, and stopped once."""
    place = tmp_path_factory.mktemp("ladder")
    names = {"worst": "worst", "half": "expert%0.5"}
    sides = programs(names, engine, levels.analysis("0-ply"), 1, Limits(600.0, place / "log" / "a.log"))
    cell, shard = DesignPoint("worst", "half", LENGTH, 4, 4), Shard(0, 4)
    tables = place / "once" / "000.csv", place / "twice" / "000.csv"
    play_part(sides, cell, shard, tables[0])
    stop, played = threading.Event(), []

    def after_two() -> None:
        played.append(1)
        if len(played) == 2:
            stop.set()

    with pytest.raises(StoppedError):
        play_part(replace(sides, stop=stop, on_match=after_two), cell, shard, tables[1])
    play_part(sides, cell, shard, tables[1])
    return tables


@pytest.mark.slow
def test_a_stopped_shard_goes_on_with_the_same_random_plays(shards: tuple[Path, Path]) -> None:
    assert shards[0].with_suffix(".zip").read_bytes() == shards[1].with_suffix(".zip").read_bytes()


@pytest.mark.slow
def test_the_worst_plays_cost_more_than_random_ones_and_nobody_doubles(shards: tuple[Path, Path]) -> None:
    table = pd.read_csv(shards[0])
    totals = table.groupby("side")[["chequer_error_emg", "unforced_moves", "actual_result"]].sum()
    epm = totals["chequer_error_emg"] / totals["unforced_moves"]
    assert epm["left"] > 2 * epm["right"] > 0.1
    assert totals.loc["left", "actual_result"] == -0.5 * 4
    for match in matches(shards[0].with_suffix(".zip")):
        assert match.complete
        assert not match.findings
        assert not [action for game in match.games for action in game.actions if isinstance(action, CubeAction)]


@pytest.mark.slow
def test_they_answer_doubles(engine: Engine, tmp_path: Path) -> None:
    """`worst` takes or drops against the level's judgement; a share of the answers of the other is random."""
    for name in ("worst", "expert%0.5"):
        sides = programs({"level": "expert", "low": name}, engine, levels.analysis("0-ply"), 1,
                         Limits(600.0, tmp_path / "log" / "a.log"))  # fmt: skip
        play_part(sides, DesignPoint("level", "low", 5, 3, 3), Shard(0, 3), tmp_path / name / "000.csv")
        played = matches(tmp_path / name / "000.zip")
        actions = [action for match in played for game in match.games for action in game.actions]
        cube = [action for action in actions if isinstance(action, CubeAction)]
        assert {action.side for action in cube if action.kind is CubeKind.DOUBLE} == {LEFT}
        assert len(cube) >= 4
