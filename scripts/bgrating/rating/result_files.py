"""Paths of formula files and of populations.

The module imports little, since every start of the workflow imports it.
"""

from pathlib import Path

from bgrating.places import DATA

COMMITTED = DATA / "results"
"""The results in the repository; a run writes its own into the folder of the setting `results`."""
FITTED = "fitted"
"""The formula of an engine, `formula.json` among its results."""
PUBLISHED = ("published", "published-2003")


def results_of(name: str) -> Path:
    """Return the folder of an engine's results in the repository, by its nets, or `published`."""
    return COMMITTED / name


def formula_of(engine_version: str) -> Path:
    return results_of(engine_version) / "formula.json"


def formula_file(coefficients: str, engine_version: str) -> Path:
    """Return the file of a formula that is not published.

    `fitted` is the engine's formula, anything else a path.
    """
    return formula_of(engine_version) if coefficients == FITTED else Path(coefficients)


def plan_costs_table() -> Path:
    """Return the table of what game plans cost players of a level.

    Only one engine has judged enough people for it.
    """
    return results_of("1.08") / "people" / "plans.csv"


def population_table(engine_version: str) -> Path:
    return results_of(engine_version) / "field" / "matches.csv"
