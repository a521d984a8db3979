"""Make the variables of the page of a match.

The page shows who won and why, a curve, boards to step through, and the errors.
"""

import math
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from bgmatch.records import Json, Record
from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.pages.charts import winning
from bgrating.pages.formatting import number
from bgrating.pages.positions import for_boards, number_or_none


def match_variables(sides: Sequence[Json], decisions: Sequence[Json], reader: str = "") -> Json:
    """Return the variables of the template of a match.

    `sides` are the two rows of matches.csv as pages show them, left and right. `decisions` are in
    the order of play: rows of decisions.parquet with the additions of `with_depth`. The errors of
    the `reader` come first.
    """
    rows = with_chances(decisions)
    is_money = sides[0]["length"] == "money"
    errors = [row for row in rows if row["is_error"]]
    errors.sort(key=itemgetter("loss_mwc"), reverse=True)
    has_luck = any(number_or_none(row["luck_mwc"]) is not None for row in rows)
    luck_difference = sum(row["left_luck"] for row in rows) if has_luck else math.nan
    return {
        "players": [
            _player(side, rows, net_luck)
            for side, net_luck in zip(sides, (luck_difference, -luck_difference), strict=True)
        ],
        "reader_first": sorted(sides, key=lambda side: side["player"] != reader),
        "errors": errors,
        "amount": _points if is_money else _share,
        "curve": _curve(rows, sides[0]),
        "has_luck": has_luck,
        "worst": sorted(errors, key=lambda row: row["player"] != reader)[:1],
        "n_decisions": sum(row["unforced"] for row in rows),
        "decisions": for_boards(rows)
        | {
            "chance": [round(row["left_chance"], 3) for row in rows],
            "names": [side["player"] for side in sides],
            "reader": reader,
            "what": "game" if is_money else "match",
            "costly": COSTLY,
            "blunder": BLUNDER,
        },
    }


def _points(value: float) -> str:
    return f"{number(value, 2)} points"


def _share(value: float) -> str:
    return f"{number(100 * value, 1)}\u00a0%"


def with_chances(decisions: Sequence[Record]) -> list[Json]:
    """Return decisions with their index, and the left player's luck and chance (0 to 1) after each.

    `is_error` is true for an error, `starts` for the first decision of a game. A roll without a
    possible play has no evaluation: its luck is added to the chance before it.
    """
    rows: list[Json] = []
    last = 0.5
    for index, row in enumerate(decisions):
        is_left = row["side"] == "left"
        luck = number_or_none(row["luck_mwc"]) or 0.0
        left_luck = luck if is_left else -luck
        chance = number_or_none(row["chance"])
        if chance is not None:
            last = chance if is_left else 1.0 - chance
        elif row["match_length"]:
            last += left_luck
        last = min(1.0, max(0.0, last))
        figures = {
            "index": index,
            "left_luck": left_luck,
            "left_chance": last,
            "is_error": row["loss_emg"] >= COSTLY,
            "starts": not rows or rows[-1]["game"] != row["game"],
        }
        rows.append({**row, **figures})
    return rows


def _curve(rows: Sequence[Json], left: Json) -> str:
    """Return the curve of a match, to the last chance if the winner is not known.

    A match without a decision has no curve.
    """
    if not rows:
        return ""
    end = rows[-1]["left_chance"] if math.isnan(left["won"]) else float(left["won"])
    return winning(rows, end, f"Chance of winning of {left['player']} after every decision")


def _player(side: Json, rows: Sequence[Json], net_luck: float) -> Json:
    own_rows = [row for row in rows if row["side"] == side["side"]]
    errors = [row["loss_emg"] for row in own_rows if row["is_error"]]
    smaller = [row["loss_emg"] for row in own_rows if 0 < row["loss_emg"] < COSTLY]
    is_known = not math.isnan(side["luck_adjusted_result"])
    return side | {
        "errors": len(errors),
        "errors_cost": sum(errors),
        "smaller": len(smaller),
        "smaller_cost": sum(smaller),
        "decisions": side["unforced_moves"] + side["close_cube_decisions"],
        "blunders": sum(loss >= BLUNDER for loss in errors),
        "cost": sum(row["loss_mwc"] for row in own_rows),
        "net_luck": net_luck,
        "without_luck": np.clip(side["won"] - net_luck, 0, 1) if is_known else math.nan,
    }
