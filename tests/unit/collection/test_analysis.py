"""A batch through the real engine: the matches that an engine cannot survive are found and named, the others kept."""

import os
from pathlib import Path

import pandas as pd
import pytest

from bgrating.collection.analysis import analyse_batch
from bgrating.collection.batches import all_killed, batch_rolls, known_contents, read_batch, time_limit, write_batches
from bgrating.collection.collection import make_plan
from bgrating.engine.errors import EngineCrashedError
from bgrating.engine.levels import analysis
from bgrating.engine.locate import Engine
from bgrating.play.shards import Limits
from wrapped_engine import wrapped

LEVEL = analysis("0-ply-no-luck")
DANCE = """ 3 point match

 Game 1
 ann : 0                         bob : 0
  1)                             {dice}
  2) 31: 8/5 6/5                  Doubles => 2
  3)  Drops
                                  Wins 1 point
"""
DICE = ["41: 13/9 24/23", "51: 13/8 24/23", "61: 13/7 8/7", "21: 13/11 6/5"]


@pytest.fixture(name="batch")
def _batch(tmp_path: Path) -> Path:
    collection = tmp_path / "collection"
    collection.mkdir()
    for number, dice in enumerate(DICE):
        (collection / f"{number}.mat").write_text(DANCE.format(dice=dice))
    (collection / "no.sgf").write_text("not a game record")
    plan = make_plan(str(collection), tmp_path / "readings.jsonl", tmp_path, LEVEL, tmp_path / "batches")
    assert plan.batches == ("00000",)
    return tmp_path / "batches" / "00000.zip"


def test_figures_of_all(engine: Engine, batch: Path, limits: Limits) -> None:
    table = batch.with_suffix(".csv")
    analyse_batch(engine, LEVEL, batch, table, limits)
    found = pd.read_csv(table)
    (problem,) = found["problem"].dropna()
    no_reader = "the engine refused it: this engine has no reader of sgf"
    assert problem.startswith(no_reader if "sgf" in engine.known.unreadable else "the engine found no match in it")
    assert len(found) == 2 * len(DICE) + 1
    assert found["differences"].isna().all()
    assert found["rolls"].dropna().eq(2).all()


@pytest.mark.parametrize(
    ("end", "reason"),
    [("kill -SEGV $$", "crashed"), ("kill -KILL $$", "killed from outside"), ("sleep 600", "did not finish")],
)
def test_the_match_that_ends_the_engine_is_found(
    engine: Engine, batch: Path, limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, reason: str
) -> None:
    """A wrapper stands for the engine: it does the matches before the guilty one, then ends so."""
    broken = wrapped(
        engine,
        tmp_path / "gnubg",
        "#!/bin/sh\n"
        'guilty=$(grep -l "51:" "$HOME"/*.mat)\n'
        '[ -z "$guilty" ] && exec "$@"\n'
        'rm "$guilty"\n'
        '"$@"\n'
        "sed -i '/no such file/,$d' \"$BGRATING_ANSWER\"\n"
        f"{end}\n",
    )
    monkeypatch.setattr("bgrating.collection.batches._START_SECONDS", 5.0 if "sleep" in end else 120.0)
    table = batch.with_suffix(".csv")
    analyse_batch(broken, LEVEL, batch, table, limits)
    found = pd.read_csv(table)
    problems = found["problem"].dropna().tolist()
    assert len(problems) == 2
    assert any(reason in problem for problem in problems)
    assert found["epm"].notna().sum() == 2 * (len(DICE) - 1)
    guilty = found.loc[found["problem"].str.contains(reason, na=False), "key"].tolist()
    assert [key for _, key in all_killed(batch.parent)] == (guilty if "KILL" in end else [])


def test_an_engine_that_never_begins_is_an_error(engine: Engine, batch: Path, limits: Limits, tmp_path: Path) -> None:
    broken = wrapped(engine, tmp_path / "gnubg", "#!/bin/sh\nkill -SEGV $$\n")
    with pytest.raises(EngineCrashedError):
        analyse_batch(broken, LEVEL, batch, batch.with_suffix(".csv"), limits)
    assert not batch.with_suffix(".csv").exists()


def test_batches_keep_their_members(batch: Path, tmp_path: Path) -> None:
    before = batch.read_bytes()
    extra = tmp_path / "collection" / "extra.mat"
    extra.write_text(DANCE.format(dice="64: 24/14"))
    plan = make_plan(str(extra.parent), tmp_path / "readings.jsonl", tmp_path, LEVEL, batch.parent)
    assert (plan.files_read, plan.new_contents, plan.batches) == (1, 1, ("00000", "00001"))
    assert batch.read_bytes() == before
    os.utime(extra)
    again = make_plan(str(extra.parent), tmp_path / "readings.jsonl", tmp_path, LEVEL, batch.parent)
    assert (again.files_read, again.new_contents, again.batches) == (1, 0, plan.batches)
    (extra.parent / "0.mat").unlink()
    fewer = make_plan(str(extra.parent), tmp_path / "readings.jsonl", tmp_path, LEVEL, batch.parent)
    assert fewer.contents == again.contents - 1


def test_another_level_takes_contents_from_unchanged_files(batch: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    plan = make_plan(str(tmp_path / "collection"), tmp_path / "readings.jsonl", tmp_path, analysis("2-ply"), other)
    assert plan.files_read == 0
    assert known_contents(other).keys() == known_contents(batch.parent).keys()
    assert {one["key"]: one for one in read_batch(other / "00000.zip")} == {
        one["key"]: one for one in read_batch(batch)
    }


def test_batches_are_even(tmp_path: Path) -> None:
    contents = [b'{"key": "%d", "rolls": 10}' % number for number in range(100)]
    assert write_batches(tmp_path, contents, 250.0) == ["00000", "00001", "00002", "00003"]
    assert [len(list(read_batch(tmp_path / f"0000{n}.zip"))) for n in range(4)] == [25, 25, 25, 25]


def test_sizes_and_limits() -> None:
    level = analysis("0-ply")
    assert batch_rolls(level, 1000, cores=2) == 1000
    assert batch_rolls(level, 50_000, cores=2) == 25_000
    assert batch_rolls(level, 50_000_000, cores=2) < 60_000
    assert time_limit(level, 10, longest=1e9) < time_limit(level, 100_000, longest=1e9) < 5000
    assert time_limit(analysis("4-ply"), 10_000, longest=7200.0) == 7200.0
