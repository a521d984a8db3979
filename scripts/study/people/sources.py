"""Tables that the check on people reads and makes, by name: light, as every start of the workflow imports it."""

from pathlib import Path

from bgrating.engine.nets import committed_results
from bgrating.play.designs import frozen_table

NOISE_LENGTHS = (3, 5, 7, 11)
"""Match lengths of Part II, whose noisy players are what people are compared with."""
EQUAL_NOISE = (7, 5, 11, 3)
"""Match lengths of Part I, whose players have the same noise at chequer play and the cube; the first that is frozen."""
NAMES = (
    "appendix", "calibration", "scale", "sizes", "kinds", "scores", "slopes", "bins", "conversions", "pr_gap",
    "few_matches", "limits",
)  # fmt: skip
NAMING = ("appendix",)
"""Those of NAMES that name players."""


def noise_table(nets: str) -> Path:
    """Return the table of the sizes of noise's errors that the repository keeps of these nets."""
    return committed_results(nets) / "people-noise" / "frozen" / "error_sizes.csv"


def frozen_tables(nets: str) -> list[str]:
    """Return the frozen tables of these nets that people are compared with, as far as they are there."""
    held = {"part2": NOISE_LENGTHS, "part1": EQUAL_NOISE}
    paths = [
        frozen_table(committed_results(nets), study, length) for study, lengths in held.items() for length in lengths
    ]
    return [str(path) for path in paths if path.is_file()]
