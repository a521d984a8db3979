"""Paths of formula files and of fields.

Imports little, since every start of the workflow imports it.
"""

from pathlib import Path

from bgrating.engine.nets import committed_results

FITTED = "fitted"
"""The formula of an engine, `formula.json` among its results."""
PUBLISHED = ("published", "published-2003")


def formula_file(coefficients: str, nets: str) -> Path:
    """Return the file of a formula that is not published.

    `fitted` is the engine's formula, anything else a path.
    """
    return (
        committed_results(nets) / "formula.json" if coefficients == FITTED else Path(coefficients)
    )


def plan_costs_table() -> Path:
    """Return the table of what game plans cost players of a level.

    Only one engine has judged enough people for it.
    """
    return committed_results("1.08") / "people" / "plans.csv"


def field_table(nets: str) -> Path:
    return committed_results(nets) / "field" / "matches.csv"
