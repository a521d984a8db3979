"""Seeds that depend only on the study and its matches: not on time, host or the order of jobs."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# gnubg seeds its noise with the second of the clock. Every C library supports these dates.
_FIRST_SECOND = datetime(1990, 1, 1, tzinfo=UTC)
_SECONDS = int(timedelta(days=40 * 365).total_seconds())
_DICE_SEEDS = 2**31


@dataclass(frozen=True)
class ShardSeeds:
    """The seeds of a shard.

    `clock` is that of its engine process, which seeds the noise. `dice` has a seed for each match.
    `coins` has for each match two seeds of coins, for a diluted player in the left and in the right
    column.
    """

    clock: datetime
    dice: tuple[int, ...]
    coins: tuple[tuple[int, int], ...]


def shard_seeds(
    study_seed: int, player: str, opponent: str, match_length: int, shard: int, matches: int
) -> ShardSeeds:
    """Return the seeds of a shard of `matches` matches.

    They derive from SHA-256 of the study's seed, the design point (two players and the match
    length) and the shard number. The seeds of a match do not depend on the number of matches.
    """
    point = f"{study_seed}/{player}/{opponent}/{match_length}/{shard}"
    return ShardSeeds(
        clock=clock_second(f"{point}/noise"),
        dice=tuple(_hash(f"{point}/dice/{match}") % _DICE_SEEDS for match in range(matches)),
        coins=tuple(
            (_hash(f"{point}/coin/{match}/0"), _hash(f"{point}/coin/{match}/1"))
            for match in range(matches)
        ),
    )


def clock_second(text: str) -> datetime:
    return _FIRST_SECOND + timedelta(seconds=_hash(text) % _SECONDS)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
