"""The files of formulas by name, and of fields; light, since every start of the workflow imports it."""

from pathlib import Path

from bgrating.engine.nets import committed_results

FITTED = "fitted"
"""The one formula of an engine, `formula.json` among its results."""
PUBLISHED = ("published", "published-2003")


def formula_file(coefficients: str, nets: str) -> Path:
    """Return the file of coefficients that are not the published ones, for errors as these nets judge them.

    `fitted` is the engine's formula; anything else is a path.
    """
    return committed_results(nets) / "formula.json" if coefficients == FITTED else Path(coefficients)


def field_table(nets: str) -> Path:
    return committed_results(nets) / "field" / "matches.csv"
