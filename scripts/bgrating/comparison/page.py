"""The comparison as one HTML page that needs nothing besides itself."""

from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.comparison import DEEP, PAIRS, SHALLOW
from bgrating.comparison import curvature as bend
from bgrating.comparison import wording as comparison
from bgrating.comparison.rivals import ALTERNATIVE
from bgrating.comparison.wording import PAPER, Comparison
from bgrating.report import template, words

TITLES = {
    "moved": "Found over published",
    "cube-only": "Cube errors alone: rating difference by three counts of the same error",
    "rivals": "Rival shapes, judged at what they were not fitted to",
    "out-of-sample": "Pairs that no formula was fitted to",
}


def comparison_page(given: Comparison, figures: list[Path]) -> str:
    """Write the page of the comparison with its figures (SVG files)."""
    tables = given.tables
    cube_only = tables["cube_only"]
    return template.page(
        "comparison.html.j2",
        held=given.held,
        in_short=comparison.in_short(tables["causes"]),
        absent=given.absent,
        absent_pairs=[name for name in given.absent if name in PAIRS],
        absent_depth=[name for name in given.absent if name in (SHALLOW, DEEP)],
        pictures=template.pictures(figures, TITLES),
        coefficients=comparison.coefficients(tables["coefficients"]),
        causes=comparison.causes(tables["causes"]),
        definition_raises=_definition_raises(tables["causes"]),
        paper_cube=comparison.paper_cube(cube_only, given.published),
        cube_only=cube_only[cube_only["source"] != PAPER],
        curvature=tables["curvature"],
        convex=_convex(tables["curvature"]),
        small=bend.SMALL,
        large=bend.LARGE,
        widest=bend.WIDEST,
        losses=comparison.losses(given.fitted, given.published) if given.fitted else [],
        fitted=given.fitted,
        alternative=given.alternative,
        words=words,
        rivals=tables["rivals"].assign(chosen=tables["rivals"]["rival"] == ALTERNATIVE).sort_values("left_out_point"),
        n_points=int(tables["rivals"]["n_points"].max()) if len(tables["rivals"]) else 0,
        pairs=tables["out_of_sample"],
        depth=comparison.depth(tables["depth"]),
        both_err=tables["both_err"],
        provenance=given.provenance,
        **_widest(cube_only),
    )


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
    today, theirs = (template.records(rows.sort_values("epc_2003"))[-1] for rows in (ours, paper))
    overlap = today["ci_low"] <= theirs["ci_high"] and theirs["ci_low"] <= today["ci_high"]
    return {"widest_today": today, "widest_paper": theirs, "same_loss": bool(overlap)}
