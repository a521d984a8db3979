"""What the page of the comparison says: rows of text from the comparison's tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.compare.coefficients import at_length
from bgrating.compare.rivals import ALTERNATIVE
from bgrating.figures.style import points_word
from bgrating.model.formula import RatingFormula
from bgrating.report import words

PAPER = "van den Doel 2003"


@dataclass(frozen=True)
class Comparison:
    """The comparison's tables, its formulas (None where Part II is not played) and what they were made from.

    `held` gives the matches of every study that is there, `absent` names those not played yet.
    """

    tables: Mapping[str, pd.DataFrame]
    fitted: RatingFormula | None
    alternative: RatingFormula | None
    published: RatingFormula
    held: Mapping[str, int]
    absent: tuple[str, ...]
    provenance: Mapping[str, Any]


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Give a table's rows by column name."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def with_interval(row: Mapping[str, Any], middle: str, low: str, high: str, decimals: int = 0) -> str:
    """Write a value with its interval; a dash where there is none."""
    if pd.isna(row[middle]):
        return words.ABSENT
    return f"{words.number(row[middle], decimals)} {words.between(row[low], row[high], decimals)}"


def coefficients(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give every coefficient at every length: published, and ours by three fits."""
    here = table[table["match_length"].notna()]
    keys = here[["term", "match_length"]].drop_duplicates().sort_values(["term", "match_length"])
    rows = []
    for term, length in keys.itertuples(index=False):
        mine = here[(here["term"] == term) & (here["match_length"] == length)]
        alone = mine[(mine["fit"] == "this length") & (mine["epc_definition"] == "today")]
        recommended = mine[(mine["fit"] == "recommended") & (mine["epc_definition"] == "today")]
        row = {
            "term": str(term), "length": str(length), "published": words.number(float(mine["published"].iloc[0])),
            "ratio": _last(recommended if len(recommended) else alone, "ratio", 2),
            "half": _last(alone, "relative_half_width", 1, 100.0),
            "half_recommended": _last(recommended, "relative_half_width", 1, 100.0),
        }  # fmt: skip
        for name, fit, epc in (
            ("published_2003", "as published", "2003"),
            ("published_today", "as published", "today"),
            ("alone", "this length", "today"),
            ("recommended", "recommended", "today"),
        ):
            value, low, high = at_length(table, str(term), int(length), fit, epc)
            row[name] = with_interval({"v": value, "l": low, "h": high}, "v", "l", "h")
        rows.append(row)
    return rows


def _last(rows: pd.DataFrame, column: str, decimals: int, times: float = 1.0) -> str:
    return words.ABSENT if rows.empty else words.number(float(rows[column].iloc[0]) * times, decimals)


def causes(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give every cause with its factor at each length, and in words what that shows."""
    rows = []
    for (cause, term), group in table.groupby(["cause", "term"], sort=False):
        factors = [
            f"{words.number(row['factor'], 2)} {words.between(row['ci_low'], row['ci_high'], 2)} "
            f"at {points_word(int(row['match_length']))}"
            for row in records(group)
        ]
        rows.append(
            {
                "cause": str(cause), "term": str(term), "words": str(group["words"].iloc[0]),
                "factors": "; ".join(factors), "shows": effect(group),
            }
        )  # fmt: skip
    return rows


def effect(group: pd.DataFrame) -> str:
    """Say whether intervals of factors lie above 1, below it, or hold it."""
    above, below = int((group["ci_low"] > 1).sum()), int((group["ci_high"] < 1).sum())
    if above == len(group):
        return "larger at every length"
    if below == len(group):
        return "smaller at every length"
    if above + below == 0:
        return "no change seen"
    return f"larger at {above}, smaller at {below}, unclear at {len(group) - above - below} lengths"


def paper_cube(table: pd.DataFrame, published: RatingFormula) -> list[dict[str, str]]:
    """Give the paper's own cube-only pairs beside its own formula, and beside the same pairs played today."""
    rows = []
    for row in records(table[table["source"] == PAPER]):
        said = published.rating_difference(int(row["match_length"]), epm=0.0, epc=float(row["epc_2003"]))[0]
        same = (table["player"] == row["player"]) & (table["opponent"] == row["opponent"])
        same &= (table["match_length"] == row["match_length"]) & (table["source"] != PAPER)
        today = records(table[same])
        ours = today[0] if today else None
        rows.append(
            {
                "pair": f"{row['player']} against {row['opponent']}, {points_word(int(row['match_length']))}",
                "rating": with_interval(row, "rating_difference", "ci_low", "ci_high"),
                "formula": words.number(said),
                "epc": words.milli(row["epc_2003"]),
                "rating_today": with_interval(ours, "rating_difference", "ci_low", "ci_high") if ours else words.ABSENT,
                "epc_2003_today": words.milli(ours["epc_2003"]) if ours else words.ABSENT,
                "epc_ratio": words.number(row["epc_2003"] / ours["epc_2003"], 2) if ours else words.ABSENT,
                "b": words.number(row["r_over_epc_2003"]),
                "b_today": words.number(ours["r_over_epc_2003"]) if ours else words.ABSENT,
            }
        )
    return rows


def cube_only(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give our cube-only players: error and rating difference by several counts."""
    return [
        {
            "player": row["player"], "length": str(int(row["match_length"])),
            "rating": with_interval(row, "rating_difference", "ci_low", "ci_high"), "epc": words.milli(row["epc"]),
            "epc_2003": words.milli(row["epc_2003"]), "decision": words.milli(row["cube_per_decision"]),
            "game": words.milli(row["cube_per_game"]), "close": words.number(row["close_per_game"], 2),
            "decisions": words.number(row["decisions_per_game"], 2), "over_epc": words.number(row["r_over_epc"]),
            "over_decision": words.number(row["r_over_cube_per_decision"]),
            "over_game": words.number(row["r_over_cube_per_game"]),
        }
        for row in records(table[table["source"] != PAPER])
    ]  # fmt: skip


def curvature(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give the fits with and without a bend in EPC."""
    return [
        {
            "length": str(row["match_length"]), "shape": row["shape"],
            "fit": f"{words.number(row['chi_square'])} on {row['chi_square_dof']}",
            "extra": with_interval(row, "extra", "extra_low", "extra_high"),
            "small": with_interval(row, "slope_small", "slope_small_low", "slope_small_high"),
            "large": with_interval(row, "slope_large", "slope_large_low", "slope_large_high"),
            "widest": words.number(row["slope_widest"]), "published": words.number(row["published"]),
        }
        for row in records(table)
    ]  # fmt: skip


def losses(fitted: RatingFormula, published: RatingFormula) -> list[dict[str, str]]:
    """Give gnubg's "cube errors rating loss" beside that of the fitted formula, for some EPC of today."""
    rows = []
    for length in fitted.match_lengths:
        for epc in (0.02, 0.05, 0.1):
            rate = {"epm": 0.0, "epc": epc}
            value, error = fitted.rating_difference(length, **rate)
            half, theirs = fitted.half_width(error), published.rating_difference(length, **rate)[0]
            rows.append(
                {
                    "length": str(length), "epc": words.milli(epc), "gnubg": words.number(theirs),
                    "found": f"{words.number(value)} {words.between(value - half, value + half)}",
                    "off": words.number(value - theirs),
                }
            )  # fmt: skip
    return rows


def depth(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give error rates of the same matches at two depths of analysis."""
    rows = []
    for row in records(table):
        pair = f"{row['player']} against {row['opponent']}, {points_word(int(row['match_length']))}"
        for rate in ("epm", "epc", "depd"):
            rows.append(
                {
                    "pair": pair, "matches": words.number(row["n_matches"]), "rate": words.NAMES[rate],
                    "shallow": words.milli(row[f"{rate}_shallow"]), "deep": words.milli(row[f"{rate}_deep"]),
                    "ratio": with_interval(row, f"{rate}_ratio", f"{rate}_ratio_low", f"{rate}_ratio_high", 2),
                }
            )  # fmt: skip
    return rows


def pairs(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give the pairs that no formula was fitted to: measured, predicted, published."""
    return [
        {
            "pair": f"{row['player']} against {row['opponent']}, {points_word(int(row['match_length']))}",
            "analysis": str(row["analysis"]), "matches": words.number(row["n_matches"]),
            "epm": words.milli(row["epm"]), "epc": words.milli(row["epc"]), "epc_2003": words.milli(row["epc_2003"]),
            "measured": with_interval(row, "rating_difference", "ci_low", "ci_high"),
            "predicted": f"{words.number(row['predicted'])} ({words.number(row['deviation'], 1)})",
            "alternative": f"{words.number(row['alternative'])} ({words.number(row['alternative_deviation'], 1)})",
            "formula": words.number(row["published_formula"]),
            "published": with_interval(row, "published_difference", "published_low", "published_high"),
            "verdict": _verdict(row["distance"]),
        }
        for row in records(table)
    ]  # fmt: skip


def _verdict(distance: float) -> str:
    if pd.isna(distance):
        return ""
    return "inside" if distance == 0 else f"{words.number(distance)} outside"


def rivals(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Give the rival shapes, best predicting first."""
    return [
        {
            "words": row["words"], "parameters": words.number(row["parameters"]), "chosen": row["rival"] == ALTERNATIVE,
            "fit": words.number(row["chi_square"]), "point": words.number(row["left_out_point"]),
            "player": words.number(row["left_out_player"]), "length": words.number(row["left_out_length"]),
        }
        for row in records(table.sort_values("left_out_point"))
    ]  # fmt: skip


def both_err(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give Part I's pair of two players who err, length by length."""
    return [
        {
            "length": str(row["match_length"]), "measured": with_interval(row, "pair_rating", "pair_low", "pair_high"),
            "depd": words.milli(row["pair_depd"]), "slope": words.number(row["slope_without_pair"]),
            "predicted": words.number(row["predicted"]), "deviation": words.number(row["deviation"], 1),
            "gap": with_interval(row, "rating_gap", "rating_gap_low", "rating_gap_high"),
            "depd_gap": words.milli(row["depd_gap"]),
        }
        for row in records(table)
    ]  # fmt: skip


def summary(comparison: Comparison, report: str) -> str:
    """Write the few lines that the target prints."""
    lines = ["Published against regenerated:"]
    table = comparison.tables["coefficients"]
    for row in coefficients(table):
        shown = row["alone"] if row["recommended"] == words.ABSENT else row["recommended"]
        lines.append(
            f"  {row['term']:>2}({row['length']}) = {shown:<26} published {row['published']:>7}, ratio {row['ratio']}"
        )
    lines += [_not_played(comparison.absent)] if comparison.absent else []
    return "\n".join([*lines, f"Report: {report}"]) + "\n"


def _not_played(studies: Iterable[str]) -> str:
    return f"Not played yet: {', '.join(studies)}."
