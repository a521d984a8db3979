"""Single pairs of players: predicted from other fits, and erring at the cube alone."""

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.published import beside_published, published_points
from bgrating.rating.rates import KEY, differences, totals
from bgrating.tables.dictionary import columns
from study.comparison.studies import PlayedStudy
from study.formula.recommended import METHOD

PAPER = "van den Doel 2003"
CUBE_RATES = ("epc", "epc_2003", "cube_per_decision", "cube_per_game")
PER_GAME = {
    "close_per_game": "close_cube_decisions", "close_2003_per_game": "close_cube_decisions_2003",
    "decisions_per_game": "total_cube_decisions",
}  # fmt: skip


def out_of_sample(studies: list[PlayedStudy], formula: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of pairs (comparison/out_of_sample).

    `predicted` is by `formula` (of Part II, EPC of today); a deviation is measured less predicted over the root of both
    squared errors. `published_formula` has our error rates with EPC counted as in 2003; `distance` is how far our
    rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        found = _predict(formula, *rows[["match_length", "epm", "epc"]].to_numpy(float).T)
        rows["predicted"], rows["predicted_se"] = found
        spread = np.hypot(rows["rating_difference_se"], rows["predicted_se"])
        rows["deviation"] = (rows["rating_difference"] - rows["predicted"]) / spread
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/out_of_sample"))


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that says nothing about their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error


def cube_only(studies: list[PlayedStudy]) -> pd.DataFrame:
    """Return every design point whose players play chequers alike, with its cube errors over several counts.

    Error rates are EMG, differences of both players; counts per game are the player's own. `r_over_…` is the rating
    difference over the rate: constant where a straight line through 0 holds. The paper's rows are those of its
    Appendix II, its EPC counted as in 2003.
    """
    paper = published_points()
    paper = paper[(paper["epm"] == 0) & (paper["epc"] > 0)]
    parts = [*map(_cube_only, studies), paper.assign(source=PAPER, epc_2003=paper["epc"]).drop(columns="epc")]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    for name in CUBE_RATES:
        table[f"r_over_{name}"] = table["rating_difference"] / (table[name] if name in table else float("nan"))
    return table.reindex(columns=columns("comparison/cube_only"))


def _cube_only(study: PlayedStudy) -> pd.DataFrame:
    sums = totals(study.matches)
    counts = pd.DataFrame({name: sums[f"player_{count}"] / sums["games"] for name, count in PER_GAME.items()})
    rates = differences(study.matches)[[*KEY, *CUBE_RATES]].merge(counts.reset_index(), on=KEY)
    rows = study.rows.drop(columns=list(CUBE_RATES), errors="ignore")
    chequer = [rows[side].str.partition("+")[0] for side in ("player", "opponent")]
    return rows[chequer[0] == chequer[1]].merge(rates, on=KEY).assign(source=study.name)
