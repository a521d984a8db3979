"""Sizes of single errors: bins by hand, and totals against gnubg's own."""

from pathlib import Path

import pytest

from bgrating.engine import levels
from bgrating.engine.error_sizes import COLUMNS, EDGES, LOSS_UNIT, binned, error_sizes
from bgrating.engine.locate import Engine
from bgrating.engine.statistics import match_rows
from bgrating.play.designs import ShardTask
from bgrating.play.shards import Limits, analyse_files, play_shard


def test_an_error_stands_in_the_bin_from_its_edge() -> None:
    counts, losses = binned([0.0, 0.00004, 0.0005, 0.001, 0.0019, 0.6])
    assert counts == "2 1 2 0 0 0 0 0 0 0 0 1"
    assert losses == "0 5 29 0 0 0 0 0 0 0 0 6000"
    assert len(counts.split()) == len(EDGES)


def test_sizes_add_up_to_gnubgs_totals(engine: Engine, limits: Limits, tmp_path: Path) -> None:
    """Losses to gnubg's error totals (which it sums itself), counts of unforced moves to its count."""
    archive = tmp_path / "played.zip"
    players = (levels.player("intermediate+noise-0.4"), levels.player("noise-0.02+noise-0.1"))
    play_shard(engine, ShardTask(players, 5, 1, 0, 6), archive, limits)
    import zipfile

    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
        names = packed.namelist()
    answer = analyse_files(engine, levels.analysis("0-ply-no-luck"), names, tmp_path, limits, actions=True)
    for match in answer.matches:
        table = answer.match_equity_tables[5]
        sizes = error_sizes(match, table)
        for row in match_rows(match, table):
            numbers = [[int(text) for text in sizes[row["side"]][name].split()] for name in COLUMNS]
            rounding = LOSS_UNIT * len(EDGES) / 2
            assert sum(numbers[0]) == row["unforced_moves"]
            assert sum(numbers[1]) * LOSS_UNIT == pytest.approx(row["chequer_error_emg"], abs=rounding)
            assert sum(numbers[3]) * LOSS_UNIT == pytest.approx(row["cube_error_emg"], abs=rounding)
