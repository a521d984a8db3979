"""Design points beside what the 2003 study measured for the same players, and what its formula says."""

from typing import Any

import pandas as pd

from bgrating.formula.published import published_formula, published_points


def beside_published(points: pd.DataFrame, method: str) -> pd.DataFrame:
    """Set the published numbers beside the rows of one method of a points table.

    Added columns: `published_difference`, `published_low` and `published_high` (rating points, NaN where the paper
    has no such players; a row of the paper without match length stands for any), `published_formula` (the rating
    difference that the published formula gives for our error rates, EPC counted as in 2003), and `distance`: how far
    our rating difference lies outside the published interval, 0 inside it.
    """
    rows = points[points["method"] == method].reset_index(drop=True)
    formula = published_formula("bilinear")
    paper = published_points()
    answers: list[dict[str, Any]] = []
    for row in rows.to_dict("records"):
        same = paper[(paper["player"] == row["player"]) & (paper["opponent"] == row["opponent"])]
        same = same[same["match_length"].isna() | (same["match_length"] == row["match_length"]).fillna(value=False)]
        theirs = same.iloc[0] if len(same) else None
        answer: dict[str, float] = {}
        if theirs is not None:
            low, high, ours = float(theirs["ci_low"]), float(theirs["ci_high"]), float(row["rating_difference"])
            answer |= {
                "published_difference": float(theirs["rating_difference"]),
                "published_low": low,
                "published_high": high,
                "distance": max(low - ours, ours - high, 0.0),
            }
        answers.append(answer)
    columns = ["published_difference", "published_low", "published_high", "published_formula", "distance"]
    table = pd.DataFrame(answers, columns=columns, index=rows.index)
    rates = {"epm": rows["epm"].to_numpy(float), "epc": rows["epc_2003"].to_numpy(float)}
    table["published_formula"] = formula.rating_difference(rows["match_length"].to_numpy(float), **rates)[0]
    return rows.join(table.astype(float))
