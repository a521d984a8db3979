"""The page of a match: who won and why, its curve, its boards to step through, its games, errors and rolls."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from bgrating.pages.charts import Step, winning
from bgrating.pages.positions import BLUNDER, COSTLY, for_boards, known
from bgrating.pages.words import grade, isolated, number

Json = dict[str, Any]

ROLLS = 3
"""Luckiest rolls of each player that are listed."""


def match_contents(sides: Sequence[Json], rows: Sequence[Json]) -> Json:
    """Return what the template of a match needs.

    `sides` are the match's two rows of matches.csv as pages show them, left and right; `rows` its decisions, rows of
    decisions.parquet in the order of play.
    """
    left, right = sides
    amount = _amount(is_match=left["length"] != "money")
    numbered = list(enumerate(rows))
    chances = left_chances(rows)
    won = left["won"] if left["won"] is not None else math.nan
    end = float(won) if not math.isnan(won) else chances[-1] if chances else 0.5
    steps = [
        Step(
            chance, signed * (known(row["luck_mwc"]) or 0.0), row["loss_mwc"], signed > 0, row["loss_emg"] >= COSTLY,
            not place or rows[place - 1]["game"] != row["game"],
        )
        for (place, row), chance in zip(numbered, chances, strict=True)
        for signed in (1 if row["side"] == "left" else -1,)
    ]  # fmt: skip
    costly = [place for place, row in numbered if row["loss_emg"] >= COSTLY]
    games = _games(sides, numbered, amount)
    shown = for_boards(rows) | {"chance": [round(1000 * chance) for chance in chances]}
    names = [left["player"], right["player"]]
    return {
        "players": [_player(side, [row for row in rows if row["side"] == side["side"]], amount) for side in sides],
        "story": _story(sides, rows, won, amount),
        "decided": _costliest(numbered, won, amount),
        "curve": winning(steps, end, f"Chance of winning of {names[0]} after every decision") if steps else "",
        "games": games,
        "rolls": _rolls(numbered, amount),
        "costly": costly,
        "n_blunders": sum(rows[place]["loss_emg"] >= BLUNDER for place in costly),
        "n_decisions": sum(row["unforced"] for row in rows),
        "decisions": shown | {
            "names": names, "what": "game" if left["length"] == "money" else "match", "costly": COSTLY,
            "end": len(rows) + 1,
        },
    }  # fmt: skip


def left_chances(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the left player's chance of winning after each decision, from 0 to 1.

    Where the engine evaluated nothing, since no play was possible, the luck of the roll has moved the chance before.
    """
    found = []
    last = 0.5
    for row in rows:
        is_left = row["side"] == "left"
        chance, luck = known(row["chance"]), known(row["luck_mwc"])
        if chance is not None:
            last = chance if is_left else 1.0 - chance
        elif luck is not None and row["match_length"]:
            last += luck if is_left else -luck
        last = min(1.0, max(0.0, last))
        found.append(last)
    return found


def _amount(*, is_match: bool) -> Any:
    """Return what writes a cost or luck: in per cent of the match, or in points."""
    return (
        (lambda value: f"{number(100 * value, 1)}\u00a0%") if is_match else (lambda value: f"{number(value, 2)} points")
    )


def _player(side: Json, own: Sequence[Json], amount: Any) -> Json:
    adjusted = side["luck_adjusted_result"]
    return {
        "name": side["player"],
        "page": side["player_page"],
        "pr": side["pr"],
        "grade": grade(side["pr"]),
        "rating": side["rating"],
        "errors": sum(row["loss_emg"] >= COSTLY for row in own),
        "blunders": sum(row["loss_emg"] >= BLUNDER for row in own),
        "cost": amount(sum(row["loss_mwc"] for row in own)),
        "chequer": side["chequer_error_emg"],
        "cube": side["cube_error_emg"],
        "luck": amount(side["luck_mwc"]),
        "without_luck": "" if math.isnan(adjusted) else f"{100 * min(1.0, max(0.0, 0.5 + adjusted)):.0f} %",
    }


def _story(sides: Sequence[Json], rows: Sequence[Json], won: float, amount: Any) -> list[str]:
    """Say in sentences who won, what the dice gave and errors cost, and which of them decided the match."""
    left, right = sides
    cost = sum(row["loss_mwc"] if row["side"] == "left" else -row["loss_mwc"] for row in rows)
    said = []
    if not math.isnan(won):
        winner, loser = (left, right) if won else (right, left)
        said.append(f"{isolated(winner['player'])} won {winner['score']:.0f}–{loser['score']:.0f}.")
    elif left["length"] != "money":
        said.append("The match is not complete.")
    gap = left["luck_mwc"] - right["luck_mwc"]
    if not math.isnan(gap):
        lucky = left if gap >= 0 else right
        said.append(f"The dice gave {isolated(lucky['player'])} {amount(abs(gap))} more than the opponent.")
    if rows:
        worse = left if cost >= 0 else right
        said.append(f"Errors cost {isolated(worse['player'])} {amount(abs(cost))} more than the opponent.")
    luck, errors = (gap, -cost) if won else (-gap, cost)  # what helped the winner
    if not math.isnan(won + gap) and max(luck, errors) > 0:
        said.append(
            f"{'Luck' if luck > errors else 'Errors'} decided it more than {'errors' if luck > errors else 'luck'}."
        )
    return said


def _costliest(numbered: Sequence[tuple[int, Json]], won: float, amount: Any) -> list[Json]:
    """Return the three costliest errors of the player who lost, or of both where nobody did."""
    loser = "" if math.isnan(won) else "right" if won else "left"
    own = [pair for pair in numbered if pair[1]["loss_emg"] >= COSTLY and loser in {"", pair[1]["side"]}]
    own.sort(key=lambda pair: -pair[1]["loss_mwc"])
    return [_event(pair, amount(pair[1]["loss_mwc"])) for pair in own[:3]]


def _event(pair: tuple[int, Json], size: str) -> Json:
    place, row = pair
    words = f"{row['dice']} {row['played']}".strip()
    return {
        "ply": place,
        "game": row["game"],
        "player": row["player"],
        "words": words,
        "best": row["best"],
        "size": size,
    }


def _games(sides: Sequence[Json], numbered: Sequence[tuple[int, Json]], amount: Any) -> list[Json]:
    """Return a row for each game: the score before, the cube, who won it, the errors, the luck and what decided it."""
    parts = [list(part) for _, part in groupby(numbered, key=lambda pair: pair[1]["game"])]
    starts = [_score(part[0][1]) for part in parts] + [(sides[0]["points"], sides[1]["points"])]
    found = []
    for part, before, after in zip(parts, starts, starts[1:], strict=False):
        gains = [b - a for a, b in zip(before, after, strict=True)]
        result = next(
            (f"{isolated(side['player'])} +{gain:.0f}" for side, gain in zip(sides, gains, strict=True) if gain > 0),
            "–",
        )
        rows = [row for _, row in part]
        found.append(
            {
                "game": rows[0]["game"],
                "ply": part[0][0],
                "score": f"{before[0]:.0f}–{before[1]:.0f}",
                "cube": max(row["cube"] * (2 if row["kind"] == "take" else 1) for row in rows),
                "result": result,
                "left": _errors(rows, "left"),
                "right": _errors(rows, "right"),
                "luck": _luck(rows, sides, amount),
                "decided": _decided(part, amount),
            }
        )
    return found


def _score(row: Json) -> tuple[float, float]:
    pair = row["score"], row["opponent_score"]
    return pair if row["side"] == "left" else pair[::-1]


def _errors(rows: Sequence[Json], side: str) -> str:
    own = [row["loss_emg"] for row in rows if row["side"] == side]
    return f"{sum(loss >= COSTLY for loss in own)} ({sum(own):.2f})"


def _luck(rows: Sequence[Json], sides: Sequence[Json], amount: Any) -> str:
    rolled = [row for row in rows if known(row["luck_mwc"]) is not None]
    if not rolled:
        return "–"
    net = sum(row["luck_mwc"] if row["side"] == "left" else -row["luck_mwc"] for row in rolled)
    return f"{isolated(sides[0 if net >= 0 else 1]['player'])} {amount(abs(net))}"


def _decided(part: Sequence[tuple[int, Json]], amount: Any) -> Json:
    """Return the roll or the error that moved the chance of winning most."""
    place, row = max(part, key=lambda pair: max(pair[1]["loss_mwc"], abs(known(pair[1]["luck_mwc"]) or 0.0)))
    luck = known(row["luck_mwc"]) or 0.0
    if row["loss_mwc"] >= abs(luck):
        return _event((place, row), f"error, {amount(row['loss_mwc'])}")
    return _event((place, row), f"{'lucky' if luck > 0 else 'unlucky'} roll, {amount(abs(luck))}")


def _rolls(numbered: Sequence[tuple[int, Json]], amount: Any) -> list[Json]:
    """Return the luckiest and unluckiest rolls of both players."""
    rolled = [pair for pair in numbered if known(pair[1]["luck_mwc"])]
    rolled.sort(key=lambda pair: -pair[1]["luck_mwc"])
    chosen = [pair for pair in rolled[:ROLLS] if pair[1]["luck_mwc"] > 0]
    chosen += [pair for pair in rolled[-ROLLS:] if pair[1]["luck_mwc"] < 0]
    return [
        _event(pair, f"{'+' if pair[1]['luck_mwc'] > 0 else '−'}{amount(abs(pair[1]['luck_mwc']))}") | {
            "roll": pair[1]["dice"]
        }
        for pair in chosen
    ]  # fmt: skip
