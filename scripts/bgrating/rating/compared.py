"""The formulas that are compared as predictors, by name: light, since every start of the workflow asks for it."""

from collections.abc import Collection
from pathlib import Path

from bgrating.rating.files import formula_file

PUBLISHED, FITTED, LAW = "published", "fitted-epc", "fitted"  # as the setting `coefficients` names them
_CALLED = {LAW: "the law", FITTED: "the formula for gnubg's EPC", PUBLISHED: "the published formula"}


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
