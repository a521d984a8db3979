"""The formulas that are compared as predictors, by name: light, since every start of the workflow asks for it."""

from collections.abc import Collection
from pathlib import Path

from bgrating.rating.files import formula_file

PUBLISHED, LAW = "published", "fitted"  # as the setting `coefficients` names them
_CALLED = {LAW: "our formula", PUBLISHED: "the published formula"}


def formula_files(nets: str) -> dict[str, Path]:
    path = formula_file(LAW, nets)
    return {LAW: path} if path.is_file() else {}


def best_of(compared: Collection[str]) -> str:
    """Name the formula that answers go by: ours, else the published."""
    return LAW if LAW in compared else PUBLISHED


def called(name: str) -> str:
    return _CALLED.get(name, name)
