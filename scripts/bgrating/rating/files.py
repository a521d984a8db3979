"""Which files hold the formulas that names stand for: light enough for the rules, which plan with them."""

from pathlib import Path

from bgrating.engine.nets import committed_results

FITTED = "fitted"
"""The one formula of an engine, `formula.json` among its results."""
PUBLISHED = ("published", "published-2003")


def formula_file(coefficients: str, nets: str) -> Path:
    """Return the file of coefficients that are not the published ones, for errors as these nets judge them.

    `fitted` is the engine's own formula; anything else is a path.
    """
    return committed_results(nets) / "formula.json" if coefficients == FITTED else Path(coefficients)


def field_table(nets: str) -> Path:
    """Return the stored field that players of small collections are shrunk towards, as these nets judge it."""
    return committed_results(nets) / "field" / "matches.csv"


def depth_table(nets: str) -> Path:
    """Return the table of what deeper analysis by these nets finds otherwise in the same matches."""
    return committed_results(nets) / "law" / "depth.csv"
