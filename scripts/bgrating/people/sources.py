"""What the check on people reads and makes, by name: light, since every start of the workflow asks for it."""

from collections.abc import Collection
from pathlib import Path

from bgrating.frozen import frozen_table

RESULTS = Path(__file__).resolve().parents[3] / "results"
"""The repository's own results: the frozen matches that people are compared with, wherever a run writes."""
SIMULATED = {"part2": (3, 5, 7, 11), "check-both-noisy": (5,)}
"""Studies of simulated matches and their lengths: noise against a player without errors, and against noise."""
EQUAL_NOISE = (7, 5, 11, 3)
"""Match lengths of Part I, whose players have the same noise at chequer play and the cube; the first that is frozen."""
NOISE = RESULTS / "people-noise" / "frozen" / "error_sizes.csv"
PUBLISHED, FITTED, RECOMMENDED = "published, 2003", "study, EPC", "study, recommended"
FORMULAS = {FITTED: RESULTS / "part2" / "formula.json", RECOMMENDED: RESULTS / "statistics" / "recommended.json"}
NAMES = (
    "strengths", "appendix", "lines", "calibration", "mixed", "fits", "factors", "identity", "whom", "sizes", "kinds",
    "scores", "slopes", "bins", "conversions", "conversion_values", "pr_gap",
)  # fmt: skip


def frozen_tables() -> list[str]:
    """Return the frozen tables that people are compared with, as far as they are there."""
    held = {**SIMULATED, "part1": EQUAL_NOISE}
    paths = [frozen_table(RESULTS, study, length) for study, lengths in held.items() for length in lengths]
    return [str(path) for path in paths if path.is_file()]


def formula_files() -> list[str]:
    """Return the formula files that are compared, as far as they are there."""
    return [str(path) for path in FORMULAS.values() if path.is_file()]


def best_of(compared: Collection[str]) -> str:
    """Name the formula that answers go by: the recommended one, else this project's for EPC, else the published."""
    return next(name for name in (RECOMMENDED, FITTED, PUBLISHED) if name in compared)
