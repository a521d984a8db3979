"""The page of a match.

Who won and why, its curve, its boards to step through, its games, errors and dice.
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from bgmatch.records import Json, Record
from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.pages.charts import Step, winning
from bgrating.pages.positions import for_boards, number_or_none
from bgrating.pages.words import isolated, number
from bgrating.site.dice import dice_facts

SHOWN = 3
"""Most errors of a player above the list of all."""
Amount = Callable[[float], str]
"""A function that writes a cost or luck: in per cent of the match, or in points."""


def match_contents(sides: Sequence[Json], rows: Sequence[Json], reader: str = "") -> Json:
    """Return the variables of the template of a match.

    `sides` are the two rows of matches.csv as pages show them, left and right. `rows` are the
    decisions in the order of play: rows of decisions.parquet with the additions of `with_depth`.
    The errors of the `reader` come first.
    """
    left, right = sides
    is_money = left["length"] == "money"
    amount: Amount = (
        (lambda value: f"{number(value, 2)} points")
        if is_money
        else lambda value: f"{number(100 * value, 1)}\u00a0%"
    )
    rows = [row | {"place": place} for place, row in enumerate(rows)]
    games = [list(game) for _, game in groupby(rows, key=itemgetter("game"))]
    starts = {game[0]["place"] for game in games}
    chances = left_chances(rows)
    won = left["won"]
    steps = [
        Step(
            chance,
            _left_luck(row),
            row["loss_mwc"],
            row["side"] == "left",
            row["loss_emg"] >= COSTLY,
            row["place"] in starts,
        )
        for row, chance in zip(rows, chances, strict=True)
    ]
    errors = sorted(
        (row for row in rows if row["loss_emg"] >= COSTLY), key=lambda row: -row["loss_mwc"]
    )
    names = [left["player"], right["player"]]
    reader_first = [right, left] if right["player"] == reader else [left, right]
    gap = _luck_of(left, rows) - _luck_of(right, rows)
    return {
        "players": [
            _player(side, [row for row in rows if row["side"] == side["side"]], net_luck, amount)
            for side, net_luck in zip(sides, (gap, -gap), strict=True)
        ],
        "story": _story(sides, rows, won, gap, amount),
        "costliest": [_costliest(side, errors, amount) for side in reader_first],
        "curve": _curve(steps, won, names[0]),
        "games": _games(sides, games, amount),
        "has_luck": any(_luck(row) for row in rows),
        "dice": [(side["player"], dice_facts(rows, side["side"])) for side in sides],
        "costly": [row["place"] for row in errors],
        "disputed": [
            _event(row, f"{row['loss_emg']:.3f}") | {"others": row["others"]}
            for row in rows
            if row["disputed"]
        ],
        "n_blunders": sum(row["loss_emg"] >= BLUNDER for row in rows),
        "n_decisions": sum(row["unforced"] for row in rows),
        "decisions": (
            for_boards(rows)
            | {
                "chance": [round(1000 * chance) for chance in chances],
                "names": names,
                "reader": names.index(reader) if reader in names else None,
                "what": "game" if is_money else "match",
                "costly": COSTLY,
                "blunder": BLUNDER,
            }
        ),
    }


def _curve(steps: Sequence[Step], won: float, left: str) -> str:
    """Return the curve of a match, to the last chance if the winner is not known.

    Nothing without a decision.
    """
    if not steps:
        return ""
    end = steps[-1].chance if math.isnan(won) else float(won)
    return winning(steps, end, f"Chance of winning of {left} after every decision")


def left_chances(rows: Sequence[Record]) -> list[float]:
    """Return the left player's chance of winning after each decision, from 0 to 1.

    A roll without a possible play has no evaluation: its luck is added to the chance before it.
    """
    chances = []
    last = 0.5
    for row in rows:
        chance = number_or_none(row["chance"])
        if chance is not None:
            last = chance if row["side"] == "left" else 1.0 - chance
        elif row["match_length"]:
            last += _left_luck(row)
        last = min(1.0, max(0.0, last))
        chances.append(last)
    return chances


def _luck(row: Record) -> float:
    return number_or_none(row["luck_mwc"]) or 0.0


def _left_luck(row: Record) -> float:
    return _luck(row) if row["side"] == "left" else -_luck(row)


def _luck_of(side: Json, rows: Sequence[Json]) -> float:
    """Return a player's luck in matches, or in points of a money session.

    NaN without an analysis of luck.
    """
    if not math.isnan(side["luck_mwc"]):
        return float(side["luck_mwc"])
    rolls = [number_or_none(row["luck_mwc"]) for row in rows if row["side"] == side["side"]]
    analysed = [luck for luck in rolls if luck is not None]
    return sum(analysed) if analysed else math.nan


def _player(side: Json, decisions: Sequence[Json], net_luck: float, amount: Amount) -> Json:
    without_luck = math.nan if math.isnan(side["luck_adjusted_result"]) else side["won"] - net_luck
    losses = [row["loss_emg"] for row in decisions]
    errors = [loss for loss in losses if loss >= COSTLY]
    smaller = [loss for loss in losses if 0 < loss < COSTLY]
    return side | {
        "errors": len(errors),
        "errors_cost": sum(errors),
        "smaller": len(smaller),
        "smaller_cost": sum(smaller),
        "decisions": side["unforced_moves"] + side["close_cube_decisions"],
        "blunders": sum(loss >= BLUNDER for loss in errors),
        "cost": amount(sum(row["loss_mwc"] for row in decisions)),
        "luck": "" if math.isnan(net_luck) else amount(net_luck),
        "without_luck": (
            "" if math.isnan(without_luck) else f"{100 * min(1.0, max(0.0, without_luck)):.0f} %"
        ),
    }


def _story(
    sides: Sequence[Json], rows: Sequence[Json], won: float, gap: float, amount: Amount
) -> list[str]:
    """Say who was luckier, whose errors cost more, and which of both decided the match.

    `gap` is the luck of the left side less that of the right.
    """
    left, right = sides
    cost = sum(row["loss_mwc"] if row["side"] == "left" else -row["loss_mwc"] for row in rows)
    sentences = []
    of = "" if left["length"] == "money" else " of the match"
    if math.isnan(won) and left["length"] != "money":
        sentences.append(
            "The record does not tell who won."
            if left["complete"]
            else "The match is not complete."
        )
    if not math.isnan(gap):
        lucky = left if gap >= 0 else right
        sentences.append(f"{isolated(lucky['player'])} was luckier, by {amount(abs(gap))}{of}.")
    if rows:
        worse = left if cost >= 0 else right
        sentences.append(f"{isolated(worse['player'])}'s errors cost {amount(abs(cost))}{of} more.")
    luck, errors = (gap, -cost) if won else (-gap, cost)  # in favour of the winner
    if not math.isnan(won + gap) and max(luck, errors) > 0:
        larger, smaller = ("Luck", "errors") if luck > errors else ("Errors", "luck")
        sentences.append(f"{larger} decided it more than {smaller}.")
    return sentences


def _costliest(side: Json, errors: Sequence[Json], amount: Amount) -> Json:
    """Return a player and the player's costliest errors, of which `errors` has the costliest
    first.
    """
    own = [_event(row, amount(row["loss_mwc"])) for row in errors if row["side"] == side["side"]]
    return {"player": side["player"], "side": side["side"], "errors": own[:SHOWN]}


def _event(row: Json, size: str) -> Json:
    words = f"{row['dice']} {row['played']}".strip()
    event = {name: row[name] for name in ("game", "player", "best", "by")}
    return event | {"ply": row["place"], "words": words, "size": size}


def _games(sides: Sequence[Json], games: Sequence[Sequence[Json]], amount: Amount) -> list[Json]:
    scores = [_score(rows[0]) for rows in games] + [(sides[0]["points"], sides[1]["points"])]
    lines = []
    for rows, before, after in zip(games, scores, scores[1:], strict=False):
        gains = zip(sides, before, after, strict=True)
        results = [
            f"{isolated(side['player'])} +{new - old:.0f}" for side, old, new in gains if new > old
        ]
        lines.append(
            {
                "game": rows[0]["game"],
                "ply": rows[0]["place"],
                "score": f"{before[0]:.0f}–{before[1]:.0f}",
                "cube": max(row["cube"] * (2 if row["kind"] == "take" else 1) for row in rows),
                "result": results[0] if results else "–",
                "left": _errors(rows, "left"),
                "right": _errors(rows, "right"),
                "luck": _net_luck(rows, sides, amount),
            }
        )
    return lines


def _score(row: Json) -> tuple[float, float]:
    score = row["score"], row["opponent_score"]
    return score if row["side"] == "left" else score[::-1]


def _errors(rows: Sequence[Json], side: str) -> str:
    losses = [row["loss_emg"] for row in rows if row["side"] == side]
    return f"{sum(loss >= COSTLY for loss in losses)} ({sum(losses):.2f})"


def _net_luck(rows: Sequence[Json], sides: Sequence[Json], amount: Amount) -> str:
    if all(number_or_none(row["luck_mwc"]) is None for row in rows):
        return "–"
    net = sum(map(_left_luck, rows))
    return f"{isolated(sides[0 if net >= 0 else 1]['player'])} {amount(abs(net))}"
