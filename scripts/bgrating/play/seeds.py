"""Seeds that depend only on the matches: not on time, host or the order of jobs."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# gnubg seeds its noise with the clock's second; any date that every C library knows will do.
_FIRST_SECOND = datetime(1990, 1, 1, tzinfo=UTC)
_SECONDS = int(timedelta(days=40 * 365).total_seconds())
_DICE_SEEDS = 2**31


@dataclass(frozen=True)
class ShardSeeds:
    """The seeds of a shard: the clock of its engine process (the noise seed), and a dice seed for each match."""

    clock: datetime
    dice: tuple[int, ...]


def shard_seeds(study_seed: int, player: str, opponent: str, match_length: int, shard: int, matches: int) -> ShardSeeds:
    """Return the seeds of a shard of `matches` matches.

    They derive by SHA-256 from the study's seed, the design point (two players and the match length) and the shard
    number. The first k dice seeds do not depend on how many matches follow.
    """
    point = f"{study_seed}/{player}/{opponent}/{match_length}/{shard}"
    return ShardSeeds(
        clock=clock_second(f"{point}/noise"),
        dice=tuple(_hash(f"{point}/dice/{match}") % _DICE_SEEDS for match in range(matches)),
    )


def clock_second(text: str) -> datetime:
    return _FIRST_SECOND + timedelta(seconds=_hash(text) % _SECONDS)


def coin_seeds(
    study_seed: int, player: str, opponent: str, match_length: int, shard: int, matches: int
) -> tuple[tuple[int, int], ...]:
    """Return the seeds of the coins of diluted players: for each match the left and the right column's.

    They derive like those of the shard, and do not depend on the number of matches that follow.
    """
    point = f"{study_seed}/{player}/{opponent}/{match_length}/{shard}"
    left, right = ([_hash(f"{point}/coin/{match}/{seat}") for match in range(matches)] for seat in (0, 1))
    return tuple(zip(left, right, strict=True))


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
