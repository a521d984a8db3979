"""The page of a match: who won and why, its curve, its boards to step through, its games, errors and dice."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.pages.charts import Step, winning
from bgrating.pages.positions import for_boards, known
from bgrating.pages.words import isolated, number
from bgrating.site.dice import dice_facts

Json = dict[str, Any]
Amount = Callable[[float], str]
"""What writes a cost or luck: in per cent of the match, or in points."""


def match_contents(sides: Sequence[Json], rows: Sequence[Json]) -> Json:
    """Return what the template of a match needs.

    `sides` are the match's two rows of matches.csv as pages show them, left and right; `rows` its decisions, rows of
    decisions.parquet in the order of play as `with_depth` gives them (positions.py).
    """
    left, right = sides
    is_money = left["length"] == "money"
    amount: Amount = (
        (lambda value: f"{number(value, 2)} points") if is_money else lambda value: f"{number(100 * value, 1)}\u00a0%"
    )
    plies = list(enumerate(rows))
    chances = left_chances(rows)
    won = left["won"]
    end = float(won) if not math.isnan(won) else chances[-1] if chances else 0.5
    steps = [
        Step(
            chance,
            _luck(row) * (1 if row["side"] == "left" else -1),
            row["loss_mwc"],
            row["side"] == "left",
            row["loss_emg"] >= COSTLY,
            not ply or rows[ply - 1]["game"] != row["game"],
        )
        for (ply, row), chance in zip(plies, chances, strict=True)
    ]
    errors = [ply for ply in plies if ply[1]["loss_emg"] >= COSTLY]
    loser = "" if math.isnan(won) else "right" if won else "left"
    decisive = sorted((ply for ply in errors if loser in {"", ply[1]["side"]}), key=lambda ply: -ply[1]["loss_mwc"])
    names = [left["player"], right["player"]]
    gap = _luck_of(left, rows) - _luck_of(right, rows)
    return {
        "players": [
            _player(side, [row for row in rows if row["side"] == side["side"]], net_luck, amount)
            for side, net_luck in zip(sides, (gap, -gap), strict=True)
        ],
        "story": _story(sides, rows, won, gap, amount),
        "decided": [_event(ply, amount(ply[1]["loss_mwc"])) for ply in decisive[:3]],
        "curve": winning(steps, end, f"Chance of winning of {names[0]} after every decision") if steps else "",
        "games": _games(sides, plies, amount),
        "has_luck": any(_luck(row) for row in rows),
        "dice": [(side["player"], dice_facts(rows, side["side"])) for side in sides],
        "costly": [place for place, _ in sorted(errors, key=lambda ply: -ply[1]["loss_mwc"])],
        "disputed": [
            _event(ply, f"{ply[1]['loss_emg']:.3f}") | {"others": ply[1]["others"]}
            for ply in plies
            if ply[1]["disputed"]
        ],
        "n_blunders": sum(row["loss_emg"] >= BLUNDER for row in rows),
        "n_decisions": sum(row["unforced"] for row in rows),
        "decisions": for_boards(rows)
        | {
            "chance": [round(1000 * chance) for chance in chances],
            "names": names,
            "what": "game" if is_money else "match",
            "costly": COSTLY,
            "blunder": BLUNDER,
        },
    }


def left_chances(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the left player's chance of winning after each decision, from 0 to 1.

    Where the engine evaluated nothing, since no play was possible, the luck of the roll has moved the chance before.
    """
    chances = []
    last = 0.5
    for row in rows:
        is_left = row["side"] == "left"
        chance = known(row["chance"])
        if chance is not None:
            last = chance if is_left else 1.0 - chance
        elif row["match_length"]:
            last += _luck(row) if is_left else -_luck(row)
        last = min(1.0, max(0.0, last))
        chances.append(last)
    return chances


def _luck(row: Mapping[str, Any]) -> float:
    return known(row["luck_mwc"]) or 0.0


def _luck_of(side: Json, rows: Sequence[Json]) -> float:
    """Return a player's luck in a match, or in points in a session for money; NaN where no luck was analysed."""
    if not math.isnan(side["luck_mwc"]):
        return float(side["luck_mwc"])
    rolls = [luck for row in rows if row["side"] == side["side"] and (luck := known(row["luck_mwc"])) is not None]
    return sum(rolls) if rolls else math.nan


def _player(side: Json, decisions: Sequence[Json], net_luck: float, amount: Amount) -> Json:
    without_luck = math.nan if math.isnan(side["luck_adjusted_result"]) else side["won"] - net_luck
    losses = [row["loss_emg"] for row in decisions if row["loss_emg"] > 0]
    errors, smaller = ([loss for loss in losses if (loss >= COSTLY) is is_error] for is_error in (True, False))
    return side | {
        "errors": len(errors),
        "errors_cost": sum(errors),
        "smaller": len(smaller),
        "smaller_cost": sum(smaller),
        "decisions": side["unforced_moves"] + side["close_cube_decisions"],
        "blunders": sum(loss >= BLUNDER for loss in errors),
        "cost": amount(sum(row["loss_mwc"] for row in decisions)),
        "luck": "" if math.isnan(net_luck) else amount(net_luck),
        "without_luck": "" if math.isnan(without_luck) else f"{100 * min(1.0, max(0.0, without_luck)):.0f} %",
    }


def _story(sides: Sequence[Json], rows: Sequence[Json], won: float, gap: float, amount: Amount) -> list[str]:
    """Say in sentences who won, what the dice gave (`gap`: left less right) and errors cost, and what decided it."""
    left, right = sides
    cost = sum(row["loss_mwc"] if row["side"] == "left" else -row["loss_mwc"] for row in rows)
    sentences = []
    of = "" if left["length"] == "money" else " of the match"
    if not math.isnan(won):
        winner, loser = (left, right) if won else (right, left)
        sentences.append(f"{isolated(winner['player'])} won {winner['score']:.0f}–{loser['score']:.0f}.")
    elif left["length"] != "money":
        sentences.append("The record does not tell who won." if left["complete"] else "The match is not complete.")
    if not math.isnan(gap):
        lucky = left if gap >= 0 else right
        sentences.append(f"Net luck: {isolated(lucky['player'])} +{amount(abs(gap))}{of}.")
    if rows:
        worse = left if cost >= 0 else right
        sentences.append(f"{isolated(worse['player'])}'s errors cost {amount(abs(cost))}{of} more than the opponent's.")
    luck, errors = (gap, -cost) if won else (-gap, cost)  # what helped the winner
    if not math.isnan(won + gap) and max(luck, errors) > 0:
        larger, smaller = ("Luck", "errors") if luck > errors else ("Errors", "luck")
        sentences.append(f"{larger} decided it more than {smaller}.")
    return sentences


def _event(ply: tuple[int, Json], size: str) -> Json:
    place, row = ply
    words = f"{row['dice']} {row['played']}".strip()
    return {"ply": place, "words": words, "size": size} | {name: row[name] for name in ("game", "player", "best", "by")}


def _games(sides: Sequence[Json], plies: Sequence[tuple[int, Json]], amount: Amount) -> list[Json]:
    parts = [list(part) for _, part in groupby(plies, key=lambda ply: ply[1]["game"])]
    scores = [_score(part[0][1]) for part in parts] + [(sides[0]["points"], sides[1]["points"])]
    games = []
    for part, before, after in zip(parts, scores, scores[1:], strict=False):
        gains = zip(sides, before, after, strict=True)
        results = [f"{isolated(side['player'])} +{new - old:.0f}" for side, old, new in gains if new > old]
        rows = [row for _, row in part]
        games.append(
            {
                "game": rows[0]["game"],
                "ply": part[0][0],
                "score": f"{before[0]:.0f}–{before[1]:.0f}",
                "cube": max(row["cube"] * (2 if row["kind"] == "take" else 1) for row in rows),
                "result": results[0] if results else "–",
                "left": _errors(rows, "left"),
                "right": _errors(rows, "right"),
                "luck": _net_luck(rows, sides, amount),
            }
        )
    return games


def _score(row: Json) -> tuple[float, float]:
    score = row["score"], row["opponent_score"]
    return score if row["side"] == "left" else score[::-1]


def _errors(rows: Sequence[Json], side: str) -> str:
    losses = [row["loss_emg"] for row in rows if row["side"] == side]
    return f"{sum(loss >= COSTLY for loss in losses)} ({sum(losses):.2f})"


def _net_luck(rows: Sequence[Json], sides: Sequence[Json], amount: Amount) -> str:
    if all(known(row["luck_mwc"]) is None for row in rows):
        return "–"
    net = sum(_luck(row) if row["side"] == "left" else -_luck(row) for row in rows)
    return f"{isolated(sides[0 if net >= 0 else 1]['player'])} {amount(abs(net))}"
