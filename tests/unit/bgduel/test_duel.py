"""A duel beside its test: who plays which shard, what ends it, and what it says."""

import json
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bgduel import duel
from bgduel.decision import STRONGER, UNDECIDED
from bgduel.duel import INVALID, decide
from bgduel.plan import Alone, Plan, plan
from bgduel.shard import FORFEITS, VOID, ShardFiles
from bgduel.verdict import TABLE, answer, summary, write
from bgrating.engine.locate import Engine
from bgrating.play.archive import ArchiveAnalyst, write_archive
from bgrating.play.match_tables import SCHEMA
from bgrating.rating.fibs_formula import win_probability
from bgrating.settings_files import SettingsError
from bgrating.tables.folder import locked
from bgrating.tables.provenance import provenance_path, write_provenance

LEVELS = {"levels": "expert,advanced", "answer_limit": 60.0, "time_limit": 1.0}


Play = Callable[[ShardFiles, bool], None]


@dataclass(frozen=True)
class Pretend(Alone):
    """Who plays the shards of a test, in the place of engines."""

    pretended: Play = field(default=lambda files, with_luck: None)

    def play(self, files: ShardFiles, analyst: ArchiveAnalyst) -> None:
        self.pretended(files, analyst.level.luck)


def planned(place: Path, engine: Engine, play: Play, **settings: Any) -> Plan:
    return played_by(plan({**LEVELS, **settings}, place, engine, lambda matches: None), play)


def played_by(one: Plan, play: Play) -> Plan:
    assert isinstance(one.player, Alone)
    return replace(one, player=Pretend(one.player.levels, one.player.conditions, play))


def pretend(
    strength: float,
    played: list[Path],
    forfeits: Callable[[int], bool] = lambda _: False,
    void: Collection[tuple[str, int]] = (),
    given_up: str = "",
) -> Play:
    """Return what leaves a shard's table as analysis does, with results of levels so far apart."""

    def play(files: ShardFiles, with_luck: bool) -> None:
        cell, shard, archive, _ = files
        table = files.table
        sign = 1.0 if cell.player == "expert" else -1.0
        random = np.random.default_rng(shard.number + (1000 if sign > 0 else 0))
        chance = float(win_probability(-sign * strength, 3))
        won = (random.random(shard.matches) < chance).astype(float)
        luck = 0.8 * (won - won.mean()) + random.normal(0, 0.15, shard.matches)
        columns = [name.split("_", 1)[1] for name in SCHEMA.names if name.startswith("player_")]
        about: dict[str, Any] = dict.fromkeys(columns, 0)
        about |= {"match": np.arange(shard.matches), "games": 1, "rolls": 1}
        about |= {"luck_adjusted_result": 0.0}
        sides = [
            about
            | {
                "side": side,
                "actual_result": one * (won - 0.5),
                "luck_mwc": one * luck / 2 if with_luck else None,
            }
            for side, one in (("left", 1.0), ("right", -1.0))
        ]
        rows = pd.concat(map(pd.DataFrame, sides)).sort_values(["match", "side"])
        table.parent.mkdir(parents=True, exist_ok=True)
        write_archive(archive, {})
        lost = [forfeit(0, cell.player, "crash", "it ended", "> go")] * forfeits(shard.number)
        where = {"left": cell.player, "right": cell.opponent, "shard": shard.number}
        endless = [{**where, "match": 1, "sentence": "game 1 had no end"}] * (
            (cell.player, shard.number) in void
        )
        if endless:
            rows = rows[rows["match"] != 1]
        write_provenance(archive, forfeits=lost, void=endless, given_up=given_up)
        rows.to_csv(table, index=False)
        write_provenance(table, rows=len(rows))
        played.append(table)

    return play


def forfeit(match: int, player: str, reason: str, sentence: str, line: str) -> dict[str, Any]:
    about = {"match": match, "side": "left", "player": player, "reason": reason}
    return about | {"sentence": sentence, "conversation": [line]}


def silent(_: pd.DataFrame) -> None:
    pass


def test_no_more_is_played_than_the_answer_needs_whatever_the_workers(
    engine: Engine, tmp_path: Path
) -> None:
    tables = []
    for workers in (1, 6):
        played: list[Path] = []
        one = planned(tmp_path / str(workers), engine, pretend(80.0, played))
        outcome = decide(one, workers, silent)
        assert outcome.decision == outcome.table["decision"].iloc[-1] == STRONGER
        assert 10 * len(played) <= outcome.table["matches"].iloc[-1] + 20 * workers
        tables.append(outcome.table)
        deciding = len(outcome.records)
        for files in islice(one.shard_files(), deciding, deciding + 2 * workers):
            provenance_path(files.table).unlink(missing_ok=True)
        again: list[Path] = []
        assert decide(played_by(one, pretend(80.0, again)), 1, silent).table.equals(outcome.table)
        assert again == []
        assert one.stored_matches() == outcome.table["matches"].iloc[-1]
        assert "expert is stronger than advanced" in summary(outcome)
    assert tables[0].equals(tables[1])


def test_workers_do_not_wait_for_one_another(engine: Engine, tmp_path: Path) -> None:
    """While the first shard is unfinished, the other worker plays on, but one turn at most."""
    others = threading.Semaphore(0)
    quick = pretend(80.0, [])

    def play(files: ShardFiles, with_luck: bool) -> None:
        if files.shard.number == 0 and files.cell.player == "expert":
            assert all(others.acquire(timeout=600) for _ in range(3))
        quick(files, with_luck)
        others.release()

    assert decide(planned(tmp_path, engine, play), 2, silent).decision == STRONGER


def test_the_first_failure_ends_the_engines_of_the_other_shards(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(duel, "end_all", ended.set)

    def play(files: ShardFiles, with_luck: bool) -> None:
        if files.cell.player == "expert":
            raise OSError(28, "No space left on device")
        assert ended.wait(600)

    one = planned(tmp_path, engine, play)
    with pytest.raises(OSError, match="No space left"):
        decide(one, 2, silent)
    assert one.player.conditions.stop.is_set()


def test_a_failure_in_a_shard_after_the_answer_changes_no_answer(
    engine: Engine, tmp_path: Path
) -> None:
    """A single worker plays no such shard; here it fails before the deciding one is finished."""
    alone = decide(planned(tmp_path / "1", engine, pretend(80.0, [])), 1, silent)
    last = divmod(len(alone.records) - 1, 2)
    failed = threading.Event()
    play_soundly = pretend(80.0, [])

    def play(files: ShardFiles, with_luck: bool) -> None:
        place = files.shard.number, int(files.cell.player == "advanced")
        if place > last:
            failed.set()
            raise OSError(28, "No space left on device")
        assert place < last or failed.wait(600)
        play_soundly(files, with_luck)

    assert decide(planned(tmp_path / "2", engine, play), 2, silent).table.equals(alone.table)


def test_a_side_that_forfeits_too_often_makes_the_verdict_invalid(
    engine: Engine, tmp_path: Path
) -> None:
    one = planned(tmp_path, engine, pretend(80.0, [], lambda number: number < 3))
    outcome = decide(one, 2, silent)
    assert outcome.decision == INVALID
    assert len(outcome.records) == 5  # the third forfeit of expert, in its third shard
    text, told = summary(outcome), answer(outcome)
    assert "invalid, since too many matches were forfeited" in text
    assert "expert, left seat, match 0: it ended" in text
    assert "expert forfeited 3 (3 crash)" in text
    assert text.count("  > go\n") == 2, "the conversation of the first of each side"
    assert (told["status"], told["forfeits"]["expert"]) == (4, {"crash": 3})


@pytest.mark.parametrize(("kind", "words"), [(FORFEITS, "were forfeited"), (VOID, "had no end")])
def test_a_shard_that_was_given_up_makes_the_verdict_invalid(
    engine: Engine, tmp_path: Path, kind: str, words: str
) -> None:
    """It does so before the first look."""
    played: list[Path] = []
    one = planned(tmp_path, engine, pretend(80.0, played, given_up=kind))
    outcome = decide(one, 2, silent)
    assert (outcome.decision, len(outcome.records)) == (INVALID, 1)
    assert f"invalid, since too many matches {words}." in summary(outcome)
    assert json.loads(json.dumps(answer(outcome)))["matches"] == 0


def test_a_match_that_was_forfeited_before_its_first_roll_is_a_loss_without_luck(
    engine: Engine, tmp_path: Path
) -> None:
    play = pretend(80.0, [])
    files = next(planned(tmp_path, engine, play).shard_files())
    play(files, True)
    table = pd.read_csv(files.table)
    table[table["match"] > 0].to_csv(files.table, index=False)
    write_provenance(files.table)
    record = {"scores": [], FORFEITS: [forfeit(0, "expert", "crash", "it ended", "> go")]}
    assert duel.results(files, record, "expert")[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert duel.results(files, record, "advanced")[:, 0].tolist() == [1.0, 0.0, 1.0]


def test_a_difference_is_in_the_unit_that_was_asked_and_has_no_infinite_end(
    engine: Engine, tmp_path: Path
) -> None:
    words = {}
    for unit, settings in (("FIBS points", {}), ("Elo", {"elo0": 0.0, "elo1": 10.0})):
        one = planned(tmp_path / unit[:3], engine, pretend(80.0, []), **settings)
        outcome = decide(one, 2, silent)
        told = answer(outcome)
        assert told["unit"] == unit
        assert told["ci_low"] < told["difference"] < told["ci_high"]
        words[unit] = told["difference"] / outcome.table["difference"].iloc[-1]
        assert f"{told['difference']:+.1f} [" in summary(outcome)
        units, last = told["units"], outcome.table.iloc[-1]
        assert next(iter(units)) == unit
        assert units["Elo"] == pytest.approx(
            [3**0.5 / 5 * value for value in units["FIBS points"]], abs=2e-3
        )
        per_match = 347.4356 / (last["std_error"] * last["matches"] ** 0.5)
        for points, normalised in zip(units["FIBS points"], units["normalised Elo"], strict=True):
            ahead = float(win_probability(-points, 3)) - 0.5
            assert normalised == pytest.approx(per_match * ahead, abs=2e-3)
        outcome.table[["difference", "ci_low", "ci_high"]] = np.inf
        assert "its advantage is unbounded [unbounded, unbounded]" in summary(outcome)
        assert answer(outcome)["difference"] is None
    assert words["FIBS points"] == pytest.approx(1, rel=1e-3)
    assert words["Elo"] == pytest.approx(3**0.5 / 5, rel=1e-3)  # at 3 points


def test_another_question_uses_the_matches_and_keeps_the_first_answer(
    engine: Engine, tmp_path: Path
) -> None:
    played: list[Path] = []
    first = planned(tmp_path, engine, pretend(80.0, played), most=40, name="any")
    write(decide(first, 1, silent))
    text = (first.folder / TABLE).read_text()
    assert len(played) == 4
    second = planned(tmp_path, engine, pretend(80.0, played), most=40, better=200.0, name="any")
    assert second.stored_matches() == 40
    write(decide(second, 1, silent))
    assert (first.folder / TABLE).read_text() == text
    assert (second.folder / TABLE).read_text() != text
    assert len(played) == 4
    for settings in ({"seed": 3}, {"match_length": 5}, {"levels": "expert,beginner"}):
        other = planned(tmp_path, engine, pretend(80.0, played), name="any", **settings)
        assert other.matches != first.matches
        assert other.stored_matches() == 0


def test_two_runs_do_not_play_the_same_matches_at_once(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bgrating.tables.folder._PATIENCE", 0.0)
    one = planned(tmp_path, engine, pretend(0.0, []), most=40)
    with (
        locked(one.matches),
        pytest.raises(SettingsError, match="another command has been writing"),
    ):
        decide(one, 1, silent)
    decide(one, 1, silent)


@pytest.mark.parametrize(
    ("asked", "words"), [({}, "are equal"), ({"elo0": 5.0, "elo1": 10.0}, "differ by 5 Elo")]
)
def test_a_test_that_does_not_decide_ends_undecided(
    engine: Engine, tmp_path: Path, asked: dict[str, float], words: str
) -> None:
    one = planned(tmp_path, engine, pretend(0.0, []), most=60, **asked)
    outcome = decide(one, 2, silent)
    assert outcome.decision == UNDECIDED
    assert outcome.table["matches"].tolist() == [40, 60]
    assert "not settled after 60 matches" in summary(outcome)
    assert f"the length of this test: if the sides {words}, it takes" in summary(outcome)


SHARDS = (("expert", 0), ("advanced", 0))


@pytest.mark.parametrize(
    ("void", "status", "words"),
    [
        (SHARDS[:1], 0, "1 match is void and left out."),
        (SHARDS, 4, "2 matches are void and left out."),
    ],
)
def test_void_matches_are_left_out_counted_and_named_and_too_many_are_invalid(
    engine: Engine, tmp_path: Path, void: Collection[tuple[str, int]], status: int, words: str
) -> None:
    outcome = decide(planned(tmp_path, engine, pretend(80.0, [], void=void)), 1, silent)
    told, text = answer(outcome), summary(outcome)
    assert (told["status"], words in text) == (status, True)
    assert [(row["left"], row["shard"], row["match"]) for row in told["void"]] == [
        (*one, 1) for one in void
    ]
    assert "expert (left) against advanced, shard 0, match 1: game 1 had no end" in text
    assert ("invalid, since too many matches had no end" in text) == (status == 4)
    assert outcome.results.shape[1] == 10 * len(outcome.records) - len(void)


@pytest.mark.parametrize(
    ("void", "matches", "is_invalid"), [(1, 9, False), (2, 197, True), (2, 198, False)]
)
def test_two_void_matches_that_are_more_than_1_percent_make_a_test_invalid(
    void: int, matches: int, is_invalid: bool
) -> None:
    assert duel.too_many_void(void, matches) == is_invalid
