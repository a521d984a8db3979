"""Judge the rules that were written before the matches of their studies were played.

`python benchmarks/law_checks.py VERSION` writes the table, law/slopes.csv.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgmatch.records import Json, Record
from bgrating.rating.chances import fit_chances
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.result_files import results_of
from bgrating.tables.dictionary import columns
from study.formula.cells import PointMatches, Results, cells
from study.law.fit import Points, points_of, predicted_by, smooth_variances

# Whose luck coefficients the rules take: those fitted to a cell's other matches.
LUCK_OF_RULE = "of each cell"


class Rule(NamedTuple):
    """A rule that was written before the matches of its study were played.

    `before`: the file in results/<nets>/law with the coefficients that were fixed then. `bounds`:
    those of the slope. The verdict is `inside` or `outside` if an interval lies wholly there.
    """

    before: str
    bounds: tuple[float, float]
    inside: str
    outside: str


# The rules by study (docs/preregistration-pairs.md, docs/preregistration-short.md). That on matches
# to 1 point has an estimate and no verdict.
RULES = {
    "pairs": Rule("pairs-before.json", (0.97, 1.03), "confirmed", "open"),
    "two-points": Rule("short-before.json", (0.95, 1.05), "holds", "fails"),
    "one-point": Rule("short-before.json", (0.0, float("inf")), "", ""),
}


def judged(engine_version: str, matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the slopes of all studies with a rule (law/slopes)."""
    parts = [pd.DataFrame(columns=columns("law/slopes"))]
    for study, rule in RULES.items():
        path = results_of(engine_version) / "law" / rule.before
        if study in matches and path.is_file():
            before = json.loads(path.read_text(encoding="utf-8"))
            parts.append(slopes(study, matches[study], before))
    return pd.concat(parts, ignore_index=True)


def slopes(study: str, matches: pd.DataFrame, before: Record) -> pd.DataFrame:
    """Return the slopes of measured on predicted differences of a study with a rule (law/slopes).

    The rule judges all cells, with luck coefficients of each cell. Beside it stand the frozen form,
    if it was fixed too, two other ways to take luck off, and parts of the cells.
    """
    law = dict(zip(before["law"]["terms"], before["law"]["estimate"], strict=True))
    about: Json = {
        "study": study,
        "part": "all",
        "form": "law",
        "fitted_to": "fixed before",
        "luck": LUCK_OF_RULE,
    }
    tested = points_of({study: matches})
    variance = smooth_variances(tested, law) / tested.matches
    predicted = predicted_by(law, tested)
    rows = [about | slope(tested, predicted, variance)]
    if "frozen" in before:
        frozen = frozen_form(tested, *before["frozen"]["estimate"][:4])
        rows.append(about | {"form": "frozen form"} | slope(tested, frozen, variance))
    for row in rows:
        row["verdict"] = verdict(RULES[study], row["slope_low"], row["slope_high"])
    for luck, coefficient in (
        ("one for all cells", common_coefficient(cells(matches))),
        ("gnubg's", 1.0),
    ):
        other = points_of({study: matches}, partial(less_luck, coefficient=coefficient))
        own_variance = smooth_variances(other, law) / other.matches
        rows.append(about | {"luck": luck} | slope(other, predicted_by(law, other), own_variance))
    for part, here in parts_of(tested, predicted).items():
        rows.append(
            about | {"part": part} | slope(tested.select(here), predicted[here], variance[here])
        )
    return pd.DataFrame(rows, columns=columns("law/slopes"))


def parts_of(points: Points, predicted: Floats) -> dict[str, NDArray[np.bool_]]:
    """Return the cells by kind of error, and by length or, if there is one, by difference."""
    blunders = np.array(["blunders" in name for name in points.pair])
    parts = {"with blunders": blunders, "noise alone": ~blunders}
    lengths = np.unique(points.length)
    if len(lengths) > 1:
        return parts | {f"{length:g} points": points.length == length for length in lengths}
    is_small = np.abs(predicted) < np.median(np.abs(predicted))
    return parts | {"small differences": is_small, "large differences": ~is_small}


def frozen_form(points: Points, const: float, inverse: float, b: float, root: float) -> Floats:
    """Return the predictions of the form that shipped before.

    Its a2 is divided by 1 + root × sqrt(N / 7).
    """
    chequer, cube = (points.rates[:, :2] - points.rates[:, 2:]).T
    a2 = (const + inverse / points.length) / (1 + root * np.sqrt(points.length / 7))
    return np.asarray(a2 * chequer + b * cube)


def clusters_of(points: Points) -> NDArray[np.int64]:
    """Return the number of the pair of players of each cell."""
    return np.unique(points.pair, return_inverse=True)[1].astype(np.int64)


def slope(points: Points, predicted: Floats, variance: Floats) -> Json:
    """Return the slope of measured on predicted differences (rating points), with pairs as
    clusters.

    `variance` is that of each cell's deviation.
    """
    found = fit_chances(
        points.chance,
        points.length,
        predicted[:, None],
        np.sqrt(variance),
        np.ones(1),
        clusters=clusters_of(points),
    )
    value = float(found.params[0])
    error = float(found.bse[0])
    pairs = len(np.unique(points.pair))
    half = error * quantile(CONFIDENCE, pairs - 1)
    return {
        "n_pairs": pairs,
        "n_points": len(points),
        "n_matches": int(points.matches.sum()),
        "slope": value,
        "std_error": error,
        "slope_low": value - half,
        "slope_high": value + half,
        "confidence": CONFIDENCE,
    }


def verdict(rule: Rule, low: float, high: float) -> str:
    """Return the verdict of a rule on an interval of the slope."""
    least, most = rule.bounds
    if least <= low and high <= most:
        return rule.inside
    return rule.outside if high < least or low > most else "undecided"


def less_luck(results: Results, coefficient: float) -> Floats:
    """Return each match's result less a coefficient times net luck.

    The coefficient 1 gives gnubg's luck-adjusted result.
    """
    return results.actual - coefficient * (results.player_luck - results.opponent_luck)


def common_coefficient(cells: Sequence[PointMatches]) -> float:
    """Return the one coefficient of net luck that fits the results of all cells best, each round
    its own mean.
    """
    both = np.zeros((2, 2))
    for cell in cells:
        net = cell.results.player_luck - cell.results.opponent_luck
        both += (cell.n_matches - 1) * np.cov(net, cell.results.actual)
    return float(both[0, 1] / both[0, 0])
