"""The comparison as one HTML page that needs nothing besides itself."""

from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.compare import curvature as bend
from bgrating.compare.names import DEEP, PAIRS, SHALLOW
from bgrating.model.formula import RatingFormula
from bgrating.report import comparison, contents, words
from bgrating.report.comparison import PAPER, Comparison
from bgrating.report.page import picture, template


def comparison_page(given: Comparison, figures: list[Path]) -> str:
    """Write the page of the comparison with its figures (SVG files)."""
    tables = given.tables
    return template("comparison.html.j2").render(
        held=[(name, words.number(matches)) for name, matches in given.held.items()],
        absent=given.absent,
        absent_pairs=[name for name in given.absent if name in PAIRS],
        absent_depth=[name for name in given.absent if name in (SHALLOW, DEEP)],
        pictures={path.stem: picture(path) for path in figures},
        coefficients=comparison.coefficients(tables["coefficients"]),
        causes=comparison.causes(tables["causes"]),
        definition_raises=_definition_raises(tables["causes"]),
        paper_cube=comparison.paper_cube(tables["cube_only"], given.published),
        cube_only=comparison.cube_only(tables["cube_only"]),
        curvature=comparison.curvature(tables["curvature"]),
        convex=_convex(tables["curvature"]),
        small=words.milli(bend.SMALL),
        large=words.milli(bend.LARGE),
        widest=words.milli(bend.WIDEST),
        losses=comparison.losses(given.fitted, given.published) if given.fitted else [],
        formula_lines=_lines(given.fitted),
        alternative_lines=_lines(given.alternative),
        fit=_fit(given.fitted),
        alternative_fit=_fit(given.alternative),
        rivals=comparison.rivals(tables["rivals"]),
        n_points=int(tables["rivals"]["n_points"].max()) if len(tables["rivals"]) else 0,
        pairs=comparison.pairs(tables["out_of_sample"]),
        depth=comparison.depth(tables["depth"]),
        both_err=comparison.both_err(tables["both_err"]),
        provenance=contents.provenance_rows(dict(given.provenance)),
        **_widest(tables["cube_only"]),
    )


def _lines(formula: RatingFormula | None) -> list[str]:
    return [] if formula is None else [f"{name}(N) = {words.line(formula, name)}" for name in formula.coefficients]


def _fit(formula: RatingFormula | None) -> dict[str, str]:
    if formula is None:
        return {"chi_square": words.ABSENT, "dof": words.ABSENT}
    facts = formula.facts["goodness_of_fit"]
    return {"chi_square": words.number(facts["chi_square"]), "dof": words.number(facts["dof"])}


def _definition_raises(causes: pd.DataFrame) -> bool:
    """Say whether the count of 2003 raises b at every length."""
    mine = causes[(causes["cause"] == "definition") & (causes["term"] == "b")]
    return len(mine) > 0 and bool((mine["ci_low"] > 1).all())


def _convex(curvature: pd.DataFrame) -> bool:
    """Say whether the square of EPC has a positive coefficient at every length."""
    square = curvature.loc[curvature["shape"] == "square", "extra"]
    return len(square) > 0 and bool((square > 0).all())


def _widest(table: pd.DataFrame) -> dict[str, Any]:
    """Give the cube-only players with the greatest EPC at 5 points, ours and the paper's; compare their intervals."""
    at_5 = table[table["match_length"] == 5]
    ours, paper = (at_5[at_5["source"] != PAPER], at_5[at_5["source"] == PAPER])
    if ours.empty or paper.empty:
        return {"widest_today": None, "widest_paper": None, "same_loss": False}
    today, theirs = (comparison.records(rows.sort_values("epc_2003"))[-1] for rows in (ours, paper))
    said = [
        {
            "epc_2003": words.milli(row["epc_2003"]),
            "rating": comparison.with_interval(row, "rating_difference", "ci_low", "ci_high"),
        }
        for row in (today, theirs)
    ]
    overlap = today["ci_low"] <= theirs["ci_high"] and theirs["ci_low"] <= today["ci_high"]
    return {"widest_today": said[0], "widest_paper": said[1], "same_loss": bool(overlap)}
