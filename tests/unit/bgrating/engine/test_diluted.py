"""Diluted players: a coin for each decision, and otherwise the matches of gnubg alone."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bgrating.engine import levels
from bgrating.engine.levels import Dilution, PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.play.archive import ArchiveAnalyst, Limits, texts_of
from bgrating.play.designs import ShardTask
from bgrating.play.seeds import shard_seeds
from bgrating.play.shards import play_shard
from bgrating.tables.provenance import read_provenance

SEED, LENGTH, MATCHES = 5, 3, 5
STRONG, WEAK, OTHER = (
    levels.player("advanced"),
    levels.player("noise-0.4"),
    levels.player("beginner+noise-0.8"),
)
DILUTED = levels.player("expert-diluted-0.3")

# sha256 of the shard below by the engine's package; packages of other systems have only to repeat
# themselves.
BYTES = {
    "gnubg 1.1.0a16": "6b1c57843443aeee0d026cddd50e3b128acfa9a08ac5497c7f1e6940b51c30ec",
}

Play = Callable[..., Path]


@pytest.fixture
def play(engine: Engine, limits: Limits, tmp_path: Path) -> Play:
    def run(first: PlayerLevel, second: PlayerLevel, name: str, shard: int = 0) -> Path:
        archive = tmp_path / f"{name}.zip"
        play_shard(
            engine, ShardTask((first, second), LENGTH, SEED, shard, MATCHES), archive, limits
        )
        return archive

    return run


@pytest.mark.parametrize(("share", "level"), [(0.0, STRONG), (1.0, WEAK)])
def test_one_level_decision_by_decision_plays_what_gnubg_plays_alone(
    play: Play, share: float, level: PlayerLevel
) -> None:
    # Both levels and the opponent are noisy, so one evaluation too many or in another order would
    # change everything.
    steps = play(replace(STRONG, dilution=Dilution(share, WEAK)), OTHER, "steps")
    assert steps.read_bytes() == play(replace(level, name=STRONG.name), OTHER, "alone").read_bytes()


@pytest.mark.slow
def test_two_diluted_players_play_the_same_bytes_again(play: Play) -> None:
    other = levels.player("expert-diluted-0.1")
    archives = [play(DILUTED, other, name) for name in ("first", "second")]
    assert archives[0].read_bytes() == archives[1].read_bytes()
    assert play(DILUTED, other, "third", shard=1).read_bytes() != archives[0].read_bytes()
    played = hashlib.sha256(archives[0].read_bytes()).hexdigest()
    assert BYTES.get(read_provenance(archives[0])["engine"]["package"], played) == played


@pytest.mark.slow
def test_the_weak_level_takes_exactly_the_decisions_of_the_coin(
    play: Play, engine: Engine, limits: Limits
) -> None:
    archive = play(DILUTED, STRONG, "diluted")
    texts = texts_of(archive).values()
    matches = [
        match
        for match, _ in ArchiveAnalyst(engine, levels.analysis("0-ply-no-luck"), limits).analysed(
            texts
        )
    ]
    seeds = [
        left for left, _ in shard_seeds(SEED, DILUTED.name, STRONG.name, LENGTH, 0, MATCHES).coins
    ]
    lost: dict[bool, list[float]] = {True: [], False: []}
    decisions = weak = 0
    for number, seed in enumerate(seeds):
        decision = 0
        for game in matches[number]["games"]:
            for action in (action for action in game["actions"] if action["side"] == 0):
                is_weak = coin(seed, decision)
                decision += 1
                weak += is_weak
                if "error" in action:
                    lost[is_weak].append(action["error"])
            last = game["actions"][-1]
            if (
                last["kind"] == "resign" and last["side"] == 1
            ):  # to accept is a decision, but no action
                weak += coin(seed, decision)
                decision += 1
        decisions += decision
    # The strong level is gnubg at 0-ply, so analysis at 0-ply finds no better move than its own.
    assert set(lost[False]) == {0.0}
    assert sum(loss > 0 for loss in lost[True]) > len(lost[True]) / 2
    assert min(len(lost[True]), len(lost[False])) > 20
    counts = read_provenance(archive)["dilution"]
    assert counts == {DILUTED.name: {"decisions": decisions, "weak_decisions": weak}}
    assert abs(weak / decisions - 0.3) < 4 * (0.3 * 0.7 / decisions) ** 0.5


def coin(seed: int, decision: int) -> bool:
    digest = hashlib.sha256(f"{seed}/{decision}".encode()).hexdigest()
    return int(digest[:16], 16) * 10 < 3 * 2**64
