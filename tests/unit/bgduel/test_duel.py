"""A duel beside its test: who plays which shard, what ends it, what it says, and what a question leaves alone."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bgduel import duel
from bgduel.decision import STRONGER, UNDECIDED
from bgduel.duel import INVALID, Duel, Play, decide, facts, line, summary
from bgduel.shard import GivenUpError
from bgrating.engine.locate import Engine
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.matches import SCHEMA
from bgrating.play.shards import write_archive
from bgrating.rating.fibs import win_probability
from bgrating.settings import SettingsError
from bgrating.tables.folder import locked
from bgrating.tables.provenance import write_provenance

LEVELS = {"levels": "expert,advanced"}


def planned(place: Path, engine: Engine, play: Play, **settings: Any) -> Duel:
    return replace(duel.duel({**LEVELS, **settings}, place, engine, 60.0, threading.Event()), play=play)


def pretend(strength: float, played: list[Path], forfeits: Callable[[int], bool] = lambda _: False) -> Play:
    """Return what leaves a shard's table as analysis does, with results of levels so far apart."""

    def play(cell: DesignPoint, shard: Shard, table: Path, with_luck: bool) -> None:
        sign = 1.0 if cell.player == "expert" else -1.0
        random = np.random.default_rng(shard.number + (1000 if sign > 0 else 0))
        won = (random.random(shard.matches) < float(win_probability(-sign * strength, 3))).astype(float)
        luck = 0.8 * (won - won.mean()) + random.normal(0, 0.15, shard.matches)
        about = dict.fromkeys((name.split("_", 1)[1] for name in SCHEMA.names if name.startswith("player_")), 0)
        about |= {"match": np.arange(shard.matches), "games": 1, "rolls": 1, "luck_adjusted_result": 0.0}
        sides = [
            about
            | {"side": side, "actual_result": one * (won - 0.5), "luck_mwc": one * luck / 2 if with_luck else None}
            for side, one in (("left", 1.0), ("right", -1.0))
        ]
        rows = pd.concat(map(pd.DataFrame, sides)).sort_values(["match", "side"])
        table.parent.mkdir(parents=True, exist_ok=True)
        write_archive(table.with_suffix(".zip"), ())
        lost = [forfeit(0, cell.player, "crash", "it ended", "> go")] * forfeits(shard.number)
        write_provenance(table.with_suffix(".zip"), forfeits=lost, ended=[])
        rows.to_csv(table, index=False)
        write_provenance(table, rows=len(rows))
        played.append(table)

    return play


def forfeit(match: int, player: str, reason: str, sentence: str, line: str) -> dict[str, Any]:
    about = {"match": match, "side": "left", "player": player, "reason": reason}
    return about | {"sentence": sentence, "conversation": [line]}


def silent(_: pd.DataFrame) -> None:
    pass


def test_no_more_is_played_than_the_answer_needs_whatever_the_workers(engine: Engine, tmp_path: Path) -> None:
    tables = []
    for workers in (1, 6):
        played: list[Path] = []
        one = planned(tmp_path / str(workers), engine, pretend(80.0, played))
        outcome = decide(one, workers, silent)
        assert outcome.decision == outcome.table["decision"].iloc[-1] == STRONGER
        assert 10 * len(played) <= outcome.table["matches"].iloc[-1] + 20 * workers
        tables.append(outcome.table)
        again: list[Path] = []
        assert decide(replace(one, play=pretend(80.0, again)), 1, silent).table.equals(outcome.table)
        assert again == []
        assert one.kept() >= outcome.table["matches"].iloc[-1]
        assert "expert is stronger than advanced" in summary(one, outcome)
    assert tables[0].equals(tables[1])


def test_workers_do_not_wait_for_one_another(engine: Engine, tmp_path: Path) -> None:
    """While the first shard is not finished, the other worker plays on, but no more than a turn of all ahead."""
    others = threading.Semaphore(0)
    quick = pretend(80.0, [])

    def play(cell: DesignPoint, shard: Shard, table: Path, with_luck: bool) -> None:
        if shard.number == 0 and cell.player == "expert":
            assert all(others.acquire(timeout=30) for _ in range(3))
        quick(cell, shard, table, with_luck)
        others.release()

    assert decide(planned(tmp_path, engine, play), 2, silent).decision == STRONGER


def test_the_first_failure_ends_the_engines_of_the_other_shards(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, stop = threading.Event(), threading.Event()
    monkeypatch.setattr(duel, "end_all", ended.set)

    def play(cell: DesignPoint, shard: Shard, table: Path, with_luck: bool) -> None:
        if cell.player == "advanced":
            raise OSError(28, "No space left on device")
        assert ended.wait(30)

    with pytest.raises(OSError, match="No space left"):
        decide(planned(tmp_path, engine, play), 2, silent, stop)
    assert stop.is_set()


def test_a_side_that_forfeits_too_often_makes_the_verdict_invalid(engine: Engine, tmp_path: Path) -> None:
    one = planned(tmp_path, engine, pretend(80.0, [], lambda number: number < 3))
    outcome = decide(one, 2, silent)
    assert outcome.decision == INVALID
    assert len(outcome.parts) == 5  # the third forfeit of expert, in its third shard
    text, told = summary(one, outcome), facts(one, outcome)
    assert "invalid, since too many matches were forfeited" in text
    assert "expert, left seat, match 0: it ended" in text
    assert (told["status"], told["forfeits"]["expert"]) == (4, {"crash": 3})


def test_a_shard_that_was_given_up_makes_the_verdict_invalid(engine: Engine, tmp_path: Path) -> None:
    """It does so before the first look."""
    lost = [forfeit(number, "advanced", "late", "it did not answer", "> go chequer") for number in range(3)]

    def play(cell: DesignPoint, shard: Shard, table: Path, with_luck: bool) -> None:
        raise GivenUpError(lost)

    one = planned(tmp_path, engine, play)
    outcome = decide(one, 2, silent)
    assert outcome.decision == INVALID
    assert summary(one, outcome).count("  > go chequer\n") == 1
    assert "advanced forfeited 3 (3 late)" in summary(one, outcome)
    assert json.loads(json.dumps(facts(one, outcome)))["matches"] == 0


def test_a_difference_is_in_the_unit_that_was_asked_and_has_no_infinite_end(engine: Engine, tmp_path: Path) -> None:
    words = {}
    for unit, settings in (("FIBS points", {}), ("Elo", {"elo0": 0.0, "elo1": 10.0})):
        one = planned(tmp_path / unit[:3], engine, pretend(80.0, []), **settings)
        outcome = decide(one, 2, silent)
        told = facts(one, outcome)
        assert told["unit"] == unit
        assert told["ci_low"] < told["difference"] < told["ci_high"]
        words[unit] = told["difference"] / outcome.table["difference"].iloc[-1]
        assert f"{told['difference']:+.1f} [" in line(told)
        units, last = told["units"], outcome.table.iloc[-1]
        assert next(iter(units)) == unit
        assert units["Elo"] == pytest.approx([3**0.5 / 5 * value for value in units["FIBS points"]], abs=2e-3)
        normalised = 347.4356 * (last["chance"] - 0.5) / (last["std_error"] * last["matches"] ** 0.5)
        assert units["normalised Elo"][0] == pytest.approx(normalised, abs=2e-3)
        assert 0 < units["normalised Elo"][1] < normalised < units["normalised Elo"][2]
        outcome.table[["difference", "ci_low", "ci_high"]] = np.nan
        assert "its advantage is unbounded [unbounded, unbounded]" in line(facts(one, outcome))
        assert facts(one, outcome)["difference"] is None
    assert words["FIBS points"] == pytest.approx(1, rel=1e-3)
    assert words["Elo"] == pytest.approx(3**0.5 / 5, rel=1e-3)  # at 3 points


def test_another_question_uses_the_matches_and_keeps_the_first_answer(engine: Engine, tmp_path: Path) -> None:
    played: list[Path] = []
    first = planned(tmp_path, engine, pretend(80.0, played), most=40, name="any")
    duel.write(first, decide(first, 1, silent))
    text = (first.folder / duel.TEXT).read_text()
    assert len(played) == 4
    second = planned(tmp_path, engine, pretend(80.0, played), most=40, better=200.0, name="any")
    assert second.kept() == 40
    duel.write(second, decide(second, 1, silent))
    assert (first.folder / duel.TEXT).read_text() == text
    assert (second.folder / duel.TEXT).read_text() != text
    assert len(played) == 4
    for settings in ({"seed": 3}, {"match_length": 5}, {"levels": "expert,beginner"}):
        other = planned(tmp_path, engine, pretend(80.0, played), name="any", **settings)
        assert other.matches != first.matches
        assert other.kept() == 0


def test_two_runs_do_not_play_the_same_matches_at_once(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bgrating.tables.folder._PATIENCE", 0.0)
    one = planned(tmp_path, engine, pretend(0.0, []), most=40)
    with locked(one.matches), pytest.raises(SettingsError, match="another command has been writing"):
        decide(one, 1, silent)
    decide(one, 1, silent)


def test_a_test_that_does_not_decide_ends_undecided(engine: Engine, tmp_path: Path) -> None:
    one = planned(tmp_path, engine, pretend(0.0, []), most=60)
    outcome = decide(one, 2, silent)
    assert outcome.decision == UNDECIDED
    assert outcome.table["matches"].tolist() == [40, 60]
    assert "not settled after 60 matches" in summary(one, outcome)
