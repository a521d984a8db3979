"""What the check on people reads and makes, by name: light, since every start of the workflow asks for it."""

from collections.abc import Collection
from pathlib import Path

from bgrating.formula import formula_file
from bgrating.gnubg.nets import kept
from bgrating.study.designs import frozen_table

SIMULATED = {"part2": (3, 5, 7, 11), "check-both-noisy": (5,)}
"""Studies of simulated matches and their lengths: noise against a player without errors, and against noise."""
EQUAL_NOISE = (7, 5, 11, 3)
"""Match lengths of Part I, whose players have the same noise at chequer play and the cube; the first that is frozen."""
PUBLISHED, FITTED, LAW = "published", "fitted-epc", "fitted"  # as the setting `coefficients` names them
_CALLED = {LAW: "the law", FITTED: "the formula for gnubg's EPC", PUBLISHED: "the published formula"}
NAMES = (
    "strengths", "appendix", "lines", "calibration", "mixed", "fits", "factors", "identity", "whom", "sizes", "kinds",
    "scores", "slopes", "bins", "conversions", "conversion_values", "pr_gap", "few_matches",
)  # fmt: skip
NAMING = ("strengths", "appendix")
"""Those of NAMES that name players."""


def noise_table(nets: str) -> Path:
    """Return the table of the sizes of noise's errors that the repository keeps of these nets."""
    return kept(nets) / "people-noise" / "frozen" / "error_sizes.csv"


def frozen_tables(nets: str) -> list[str]:
    """Return the frozen tables of these nets that people are compared with, as far as they are there."""
    held = {**SIMULATED, "part1": EQUAL_NOISE}
    paths = [frozen_table(kept(nets), study, length) for study, lengths in held.items() for length in lengths]
    return [str(path) for path in paths if path.is_file()]


def formula_files(nets: str) -> dict[str, Path]:
    """Return the formula files of these nets that are compared, by name, as far as they are there."""
    paths = {name: formula_file(name, nets) for name in (FITTED, LAW)}
    return {name: path for name, path in paths.items() if path.is_file()}


def best_of(compared: Collection[str]) -> str:
    """Name the formula that answers go by: the law, else this project's for EPC, else the published."""
    return next(name for name in (LAW, FITTED, PUBLISHED) if name in compared)


def called(name: str) -> str:
    """Return what pages call a formula, or another predictor, of a table."""
    return _CALLED.get(name, name)
