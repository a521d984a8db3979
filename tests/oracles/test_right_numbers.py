"""The rating differences of cube noise alone, measured afresh, beside those of the published study."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play.designs import DesignPoint, ShardTask
from bgrating.play.matches import shard_rows
from bgrating.play.shards import Limits, analyse_archive, play_shard
from study.formula.points import points

LENGTH, MATCHES = 5, 75


def measured(engine: Engine, player: str, folder: Path) -> dict[str, float]:
    """Play and analyse five-point matches against the expert; return the luck-adjusted point."""
    archive, limits = folder / f"{player}.zip", Limits(900.0, folder / f"{player}.log")
    players = (levels.player(player), levels.player("expert"))
    play_shard(engine, ShardTask(players, LENGTH, 5, 0, MATCHES), archive, limits)
    analyse_archive(engine, levels.analysis("0-ply"), archive, archive.with_suffix(".csv"), limits)
    point = DesignPoint(player, "expert", LENGTH, MATCHES, MATCHES)
    found = points(shard_rows(archive.with_suffix(".csv"), point, 0))
    return dict(found[found["method"] == "luck-adjusted"].iloc[0])


def test_cube_noise_alone_costs_what_it_should(old_engine: Engine, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        small, large = pool.map(
            lambda player: measured(old_engine, player, tmp_path), ("expert+beginner", "expert+noise-1")
        )
    print({name: (small[name], large[name]) for name in ("rating_difference", "ci_low", "ci_high", "epc", "epc_2003")})
    assert 5 <= small["rating_difference"] <= 50  # published: 31 [21, 41]
    assert 0.015 <= small["epc"] <= 0.030
    assert 160 <= large["rating_difference"] <= 250  # published: 191 [176, 206]
    assert small["epm"] == pytest.approx(0.0, abs=1e-6)
