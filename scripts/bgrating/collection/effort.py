"""What analysing a roll costs at an analysis level, roughly: to part the work evenly and to tell when it hangs."""

from bgrating.gnubg.levels import Analysis

# Seconds of CPU a roll, measured for gnubg 1.07.001 on one core of 2 GHz; deeper plies cost about 20 times more each.
_PLAY = (0.0001, 0.003, 0.05, 1.0, 20.0)
_LUCK = (0.001, 0.02, 0.4, 8.0, 160.0)

BATCH_SECONDS = 60.0
LEAST_BATCH_SECONDS = 20.0

_START_SECONDS = 120.0
_ALLOWANCE = 20.0


def seconds_per_roll(level: Analysis) -> float:
    """Return the CPU seconds that analysing a roll takes, within a factor of two or so."""
    play = _PLAY[min(max(level.chequerplay.plies, level.cubedecision.plies), len(_PLAY) - 1)]
    luck = _LUCK[min(level.luckanalysis.plies, len(_LUCK) - 1)] if level.luck else 0.0
    return play + luck


def time_limit(level: Analysis, rolls: int, longest: float) -> float:
    """Return after how many seconds an engine that analyses so many rolls counts as hung; `longest` at most."""
    return min(longest, _START_SECONDS + _ALLOWANCE * rolls * seconds_per_roll(level))


def batch_rolls(level: Analysis, rolls: int, cores: int) -> float:
    """Return how many rolls a batch should have when so many are to be analysed.

    A batch takes about a minute; where that leaves cores idle less, but not so little that starting processes counts.
    """
    seconds = rolls * seconds_per_roll(level)
    batches = max(seconds / BATCH_SECONDS, min(cores, seconds / LEAST_BATCH_SECONDS), 1.0)
    return rolls / round(batches)
