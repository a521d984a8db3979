"""The page of a match.

Who won and why, its curve, its boards to step through, its errors.
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from bgmatch.records import Json, Record
from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.pages.charts import Step, winning
from bgrating.pages.formatting import isolated, number
from bgrating.pages.positions import for_boards, number_or_none

Amount = Callable[[float], str]
"""A function that writes a cost or luck: in per cent of the match, or in points."""


def match_contents(sides: Sequence[Json], decisions: Sequence[Json], reader: str = "") -> Json:
    """Return the variables of the template of a match.

    `sides` are the two rows of matches.csv as pages show them, left and right. `decisions` are in
    the order of play: rows of decisions.parquet with the additions of `with_depth`. The errors of
    the `reader` come first.
    """
    rows = with_chances(decisions)
    is_money = sides[0]["length"] == "money"
    amount = _points if is_money else _share
    errors = [row for row in rows if row["loss_emg"] >= COSTLY]
    errors.sort(key=itemgetter("loss_mwc"), reverse=True)
    has_luck = any(number_or_none(row["luck_mwc"]) is not None for row in rows)
    luck_difference = sum(row["left_luck"] for row in rows) if has_luck else math.nan
    return {
        "players": [
            _player(side, rows, net_luck, amount)
            for side, net_luck in zip(sides, (luck_difference, -luck_difference), strict=True)
        ],
        "story": _story(sides, rows, luck_difference, amount),
        "reader_first": sorted(sides, key=lambda side: side["player"] != reader),
        "errors": errors,
        "amount": amount,
        "curve": _curve(rows, sides[0]),
        "has_luck": has_luck,
        "costly": [row["index"] for row in errors],
        "worst": sorted(errors, key=lambda row: row["player"] != reader)[:1],
        "n_blunders": sum(row["loss_emg"] >= BLUNDER for row in rows),
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
    """Return decisions with their place, and the left player's luck and chance (0 to 1) after each.

    A roll without a possible play has no evaluation: its luck is added to the chance before it.
    """
    rows = []
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
        rows.append({**row, "index": index, "left_luck": left_luck, "left_chance": last})
    return rows


def _curve(rows: Sequence[Json], left: Json) -> str:
    """Return the curve of a match, to the last chance if the winner is not known.

    Nothing without a decision.
    """
    if not rows:
        return ""
    starts = {next(game)["index"] for _, game in groupby(rows, key=itemgetter("game"))}
    steps = [
        Step(
            row["index"] + 1,
            row["left_chance"],
            row["left_luck"],
            row["loss_mwc"],
            row["side"] == "left",
            row["loss_emg"] >= COSTLY,
            row["index"] in starts,
        )
        for row in rows
    ]
    end = rows[-1]["left_chance"] if math.isnan(left["won"]) else float(left["won"])
    return winning(steps, end, f"Chance of winning of {left['player']} after every decision")


def _player(side: Json, rows: Sequence[Json], net_luck: float, amount: Amount) -> Json:
    own_rows = [row for row in rows if row["side"] == side["side"]]
    losses = [row["loss_emg"] for row in own_rows]
    errors = [loss for loss in losses if loss >= COSTLY]
    smaller = [loss for loss in losses if 0 < loss < COSTLY]
    without_luck = side["won"] - net_luck
    is_known = not math.isnan(side["luck_adjusted_result"] + without_luck)
    chance = min(1.0, max(0.0, without_luck))
    return side | {
        "errors": len(errors),
        "errors_cost": sum(errors),
        "smaller": len(smaller),
        "smaller_cost": sum(smaller),
        "decisions": side["unforced_moves"] + side["close_cube_decisions"],
        "blunders": sum(loss >= BLUNDER for loss in errors),
        "cost": amount(sum(row["loss_mwc"] for row in own_rows)),
        "luck": "" if math.isnan(net_luck) else amount(net_luck),
        "without_luck": f"{100 * chance:.0f} %" if is_known else "",
    }


def _story(
    sides: Sequence[Json], rows: Sequence[Json], luck_difference: float, amount: Amount
) -> list[str]:
    """Say who was luckier, whose errors cost more, and which of both decided the match.

    `luck_difference` is the luck of the left side less that of the right.
    """
    left, right = (isolated(side["player"]) for side in sides)
    won = sides[0]["won"]
    is_money = sides[0]["length"] == "money"
    of_match = "" if is_money else " of the match"
    sentences = []
    if math.isnan(won) and not is_money:
        end = "The record does not tell who won." if sides[0]["complete"] else _UNFINISHED
        sentences.append(end)
    if not math.isnan(luck_difference):
        lucky = left if luck_difference >= 0 else right
        sentences.append(f"{lucky} was luckier, by {amount(abs(luck_difference))}{of_match}.")
    signs = {"left": 1, "right": -1}
    cost = sum(signs[row["side"]] * row["loss_mwc"] for row in rows)
    if rows:
        worse = left if cost >= 0 else right
        sentences.append(f"{worse}'s errors cost {amount(abs(cost))}{of_match} more.")
    for_winner = 1 if won else -1
    luck = for_winner * luck_difference
    errors = -for_winner * cost
    if not math.isnan(won + luck_difference) and max(luck, errors) > 0:
        is_luck = luck > errors
        sentences.append(_BY_LUCK if is_luck else "Errors decided it more than luck.")
    return sentences


_UNFINISHED = "The match is not complete."
_BY_LUCK = "Luck decided it more than errors."
