"""Which files hold the formulas that names stand for: light enough for the rules, which plan with them."""

from pathlib import Path

from bgrating.engine.nets import kept

# `fitted` is the one formula of this project; `fitted-epc` goes with the EPC that gnubg shows.
FITTED = {"fitted": ("law/formula.json", "statistics/recommended.json"), "fitted-epc": ("part2/formula.json",)}
"""The first of these that is there."""
PUBLISHED = ("published", "published-2003")


def formula_file(coefficients: str, nets: str) -> Path:
    """Return the file of coefficients that are not the published ones, for errors as these nets judge them.

    `fitted` is the law's (study/law/formula.py); until it has been fitted for these nets, what rules of `statistics`
    recommend.
    """
    if coefficients not in FITTED:
        return Path(coefficients)
    files = [kept(nets) / path for path in FITTED[coefficients]]
    return next((path for path in files if path.is_file()), files[0])


def field_table(nets: str) -> Path:
    """Return the stored field that players of small collections are shrunk towards, as these nets judge it."""
    return kept(nets) / "field" / "matches.csv"


def depth_table(nets: str) -> Path:
    """Return the table of what deeper analysis by these nets finds otherwise in the same matches."""
    return kept(nets) / "law" / "depth.csv"
