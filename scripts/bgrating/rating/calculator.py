"""Rate error rates, and set two players against each other: pure functions over the formulas of formulas.json.

report/calculator.js computes the same for the page; tests/unit/rating/test_calculator.py compares them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bgrating import BgratingError
from bgrating.rating.scale import FILE, people_scale

COUNTS = {
    "move": "per unforced move",
    "close": "per close cube decision, as gnubg shows it",
}
"""What cube errors are divided by."""
HIGHEST = {"pr": (100, ""), "epm": (200, " milli-EMG"), "epc": (1000, " milli-EMG")}
"""The highest rate that is taken for a player's, with its unit: twice what random play comes to, or more."""
LIMITS = (2.5, 4.0, 6.5, 10.0)
"""Limits of titles of the Backgammon Masters Awarding Body, which judges PR by eXtreme Gammon over many matches."""
SOURCES = ("formula.json", "law/depth.csv", "people/pr_gap.csv", "people/scale.csv", "field/matches.csv")
"""The results of an engine's nets that formulas.json is gathered from."""


class CalculatorError(BgratingError, ValueError):
    """The calculator is asked for what no formula says."""


@dataclass(frozen=True)
class Player:
    """A player's error rates in milli-EMG: `epm` per unforced move and `epc` by one of COUNTS; or his PR; or all."""

    pr: float | None = None
    epm: float | None = None
    epc: float | None = None
    count: str = "move"

    def __post_init__(self) -> None:
        """Refuse what cannot be a rate. Raises CalculatorError."""
        if self.count not in COUNTS:
            raise CalculatorError(f"cube errors are counted {', '.join(COUNTS)}, not {self.count!r}")
        if self.pr is None and (self.epm is None or self.epc is None):
            raise CalculatorError("a player needs a PR, or EPM and cube error (milli-EMG)")
        for name in ("pr", "epm", "epc"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise CalculatorError(f"{name} is a positive number, not {value}")
            highest, unit = HIGHEST[name]
            if value is not None and value > highest:
                raise CalculatorError(
                    f"{'a PR' if name == 'pr' else f'an {name.upper()}'} of {value:g} is beyond any player "
                    f"(at most {highest}{unit}): is the decimal point missing?"
                )


@dataclass(frozen=True)
class Figure:
    """A number with its interval; the ends are NaN where a formula has none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """What one formula says: the player's rating; against an opponent the points he is worse and his chance of winning.

    `why` says why a formula gives no figure, `warning` where it is used outside the domain it was measured in.
    """

    name: str
    rating: Figure | None = None
    difference: Figure | None = None
    chance: Figure | None = None
    why: str = ""
    warning: str = ""


@cache
def formulas() -> dict[str, Any]:
    """Return the formulas that the project keeps (formulas.json; `./run formulas` writes it from the results)."""
    text: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return text


def known_nets() -> list[str]:
    """Return the engines' nets that there are formulas for, the newest first, as runs take them."""
    return list(dict.fromkeys(formula["nets"] for formula in formulas()["formulas"] if formula["nets"]))


def chance(difference: float, match_length: int) -> float:
    """Return the chance of winning a match (0 to 1) of a player who is this many FIBS points the weaker."""
    return 1 / (1 + 10 ** (difference * math.sqrt(match_length) / 2000))


def calculate(
    player: Player,
    match_length: int,
    opponent: Player | None = None,
    *,
    nets: str = "",
    depth: str = "0-ply",
    offset: float | None = None,
) -> list[Row]:
    """Return what each formula says of a player in matches of a length: ours, the published one, XG's rule.

    `nets` names the engine that judged the errors (empty: the newest), `depth` the level of its analysis. `offset` is
    the rating of a player without errors. Raises CalculatorError.
    """
    if match_length < 1 or match_length != int(match_length):
        raise CalculatorError(f"a match is to a whole number of points, 1 or more, not {match_length}")
    known = formulas()
    chosen = nets or known_nets()[0]
    if chosen not in known_nets():
        raise CalculatorError(f"no formula for gnubg {chosen}; there are: {', '.join(known_nets())}")
    mine = _for_depth([one for one in known["formulas"] if one["nets"] in (chosen, "")], depth)
    start = known["offset"] if offset is None else offset
    return [_row(one, player, match_length, opponent, depth, start, known) for one in mine]


def _for_depth(known: Sequence[Mapping[str, Any]], depth: str) -> list[Mapping[str, Any]]:
    """Return the formulas for errors found at a depth; one that has none for it stays as it was measured, at 0-ply."""
    counts = {one["count"] for one in known if one["depths"] and depth in one["depths"]}
    return [
        one for one in known
        if not one["depths"] or depth in one["depths"] or ("0-ply" in one["depths"] and one["count"] not in counts)
    ]  # fmt: skip


def _row(
    formula: Mapping[str, Any],
    player: Player,
    match_length: int,
    opponent: Player | None,
    depth: str,
    offset: float,
    known: Mapping[str, Any],
) -> Row:
    name = formula["name"]
    if why := _why_not(formula, player, opponent, match_length, depth):
        return Row(name, why=why)
    own = _multipliers(formula, player, match_length)
    loss = _figure(formula, own)
    rating = Figure(offset - loss.value, offset - loss.high, offset - loss.low)
    if opponent is None:
        return Row(name, rating, warning=_warning(formula, loss.value, player.epc or 0.0, known))
    other = _multipliers(formula, opponent, match_length)
    worse = _figure(formula, [a - b for a, b in zip(own, other, strict=True)])
    if formula["apart"]:  # each player has a share of close decisions of his own
        theirs = _figure(formula, other)
        half = math.hypot(loss.high - loss.value, theirs.high - theirs.value)
        worse = Figure(worse.value, worse.value - half, worse.value + half)
    if formula["nets"]:
        worse = Figure(worse.value, *people_scale().widened(worse.value, worse.low, worse.high))
    wins = Figure(*(chance(points, match_length) for points in (worse.value, worse.high, worse.low)))
    both_cubes = (player.epc or 0.0) + (opponent.epc or 0.0)
    return Row(name, rating, worse, wins, warning=_warning(formula, abs(worse.value), both_cubes, known))


def _why_not(formula: Mapping[str, Any], player: Player, opponent: Player | None, match_length: int, depth: str) -> str:
    """Return why a formula says nothing of these players, or nothing."""
    for one in (player, opponent):
        if one is None:
            continue
        if formula["count"] == "pr" and one.pr is None:
            return "it needs a PR"
        if formula["count"] != "pr" and (one.epm is None or one.epc is None):
            return "it needs EPM and the cube error"
        if formula["count"] != "pr" and one.count != formula["count"]:
            return f"it needs the cube error {COUNTS[formula['count']]}"
    low, high = formula["lengths"] or (1, math.inf)
    if not low <= match_length <= high:
        return f"it was fitted to matches of {low} to {high} points and does not hold at {match_length}"
    if formula["depths"] and depth not in formula["depths"]:
        return f"it was fitted to errors found at {', '.join(formula['depths'])}, not at {depth}"
    return ""


def _multipliers(formula: Mapping[str, Any], player: Player, match_length: int) -> list[float]:
    """Return what multiplies each term: an error rate (EMG, or PR), divided by the match length where it says inv.

    A name with a term `one` has that term alone at 1 point, and the others at all other lengths.
    """
    rates = {
        "a2": (player.epm or 0.0) / 1000,
        "b": (player.epc or 0.0) / 1000,
        "pr": player.pr or 0.0,
    }
    parts = [term.partition("_") for term in formula["terms"]]
    apart = {name for name, _, part in parts if part == "one"}
    return [
        rates[name] / (match_length if part == "inv" else 1)
        if name not in apart or (part == "one") == (match_length == 1)
        else 0.0
        for name, _, part in parts
    ]


def _figure(formula: Mapping[str, Any], multipliers: Sequence[float]) -> Figure:
    """Return the points that a formula gives, with the interval that the covariance or the ends of its terms carry."""
    value = _sum(multipliers, formula["estimate"])
    if formula["covariance"]:
        variance = _sum(multipliers, [_sum(multipliers, row) for row in formula["covariance"]])
        half = formula["quantile"] * math.sqrt(max(0.0, variance))
        return Figure(value, value - half, value + half)
    if formula["ends"]:
        return Figure(value, *sorted(_sum(multipliers, end) for end in formula["ends"]))
    return Figure(value, math.nan, math.nan)


def _sum(multipliers: Sequence[float], values: Sequence[float]) -> float:
    return sum(m * value for m, value in zip(multipliers, values, strict=True))


def _warning(formula: Mapping[str, Any], points: float, cubes: float, known: Mapping[str, Any]) -> str:
    """Warn of a use outside the formula's domain; `cubes` are the cube errors of both players, milli-EMG a move."""
    if formula["nets"] and points > known["limit"]:
        return f"outside its domain: {points:.0f} points, where it was measured up to {known['limit']:.0f}"
    if formula["count"] == "move" and cubes > known["cube_limit"]:
        limit = f"{known['cube_limit']:.0f}"
        return f"outside its domain: cube errors of {cubes:.1f} milli-EMG a move, where it was measured up to {limit}"
    return ""


def rating_of(player: Player, match_length: int, **options: Any) -> Figure:
    """Return the player's rating by our formula, with its interval; options as `calculate` has them.

    Raises CalculatorError with the reasons if our formula gives no figure.
    """
    return _ours(calculate(player, match_length, **options)).rating  # type: ignore[return-value]


def predict(player: Player, opponent: Player, match_length: int, **options: Any) -> Figure:
    """Return the player's chance (0 to 1) of winning a match by our formula, with interval; options as `rating_of`."""
    return _ours(calculate(player, match_length, opponent, **options)).chance  # type: ignore[return-value]


def _ours(rows: Sequence[Row]) -> Row:
    fitted = [row for row, formula in zip(rows, _of(rows), strict=True) if formula["nets"]]
    given = [row for row in fitted if row.rating]
    if not given:
        raise CalculatorError("; ".join(f"{row.name}: {row.why}" for row in fitted))
    return given[0]


def _of(rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    named = {formula["name"]: formula for formula in formulas()["formulas"]}
    return [named[row.name] for row in rows]


def page_context() -> dict[str, Any]:
    """Return what report/calculator.html.j2 shows: counts, nets and depths with a formula; `known` for its script."""
    known = formulas()
    fitted = {formula["count"] for formula in known["formulas"]}
    return {
        "known": known | {"counts": COUNTS, "highest": HIGHEST},
        "counts": {name: words for name, words in COUNTS.items() if name in fitted},
        "nets": known_nets(),
        "depths": sorted({depth for formula in known["formulas"] for depth in formula["depths"] or ()}),
    }
