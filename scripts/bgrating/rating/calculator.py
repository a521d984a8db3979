"""Compute ratings and chances of winning from error rates.

The functions are pure, over the formulas of rating/known.py. report/calculator.js computes the same
for the page; tests/unit/bgrating/rating/test_calculator.py compares them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bgmatch.records import Json
from bgmatch.scales import OFFSET
from bgrating import BgratingError
from bgrating.places import DATA
from bgrating.rating.cube_counts import OPTIONS
from bgrating.rating.known import (
    ENGINE_VERSIONS,
    Entry,
    of_others,
    of_version,
    people_error,
)
from bgrating.rating.terms import beyond, chance, multipliers, total, variance
from bgrating.suggestion import did_you_mean

Rates = Mapping[str, float]

LEVELS = DATA / "gnubg_configs" / "analysis"
HIGHEST = {"pr": (100, ""), "epm": (200, " milli-EMG"), "epc": (1000, " milli-EMG")}
"""Largest accepted error rates, with their units: at least twice the rate of random play."""
NOTE = (
    f"Compare these ratings with each other only: {OFFSET:.0f} for play without errors is a"
    " convention (docs/formula.md)."
)
"""What stands below ratings, once."""
MOST_OFFSET = 100_000.0
"""Largest absolute rating that a player without errors may have."""
GRADES = {
    2.5: "world class",
    4.0: "grandmaster level",
    6.5: "master level",
    10.0: "advanced",
    16.0: "intermediate",
}
"""Names of the players below each limit of PR, by the Backgammon Masters Awarding Body, which
judges with XG."""
DEPTH = "0-ply"
CHECKED = "checked"
"""The level whose errors our formulas rate, and that of the second look (decisions/thresholds.py).
"""
PER_PR_AT_ONE = {"epm": 1 / 500, "epc": 0.0}
"""The rates that go with a point of PR where there is no cube."""
LIMITS = tuple(GRADES)[:4]
"""Limits of PR; a player has a chance that the true PR is below each."""


class CalculatorError(BgratingError, ValueError):
    """The calculator has no formula for these rates, this match length, engine or depth."""


@dataclass(frozen=True)
class Player:
    """A player's error rates: a PR, or EPM and cube error, or all three.

    Attributes
    ----------
    pr
        Performance rating: 500 times the error per unforced move and close cube decision.
    epm
        Chequer error in milli-EMG per unforced move.
    epc
        Cube error in milli-EMG per decision that `count` counts.
    count
        What the cube error is divided by: "close" (close cube decisions as gnubg counts them), or
        "move" (unforced moves).

    Raises
    ------
    CalculatorError
        A rate is missing, negative, or beyond any player.
    """

    pr: float | None = None
    epm: float | None = None
    epc: float | None = None
    count: str = "close"

    def __post_init__(self) -> None:
        """Raise CalculatorError for impossible rates."""
        if self.count not in OPTIONS:
            raise CalculatorError(
                f"cube errors are counted {', '.join(OPTIONS)}, not {self.count!r}"
            )
        if self.pr is None and (self.epm is None or self.epc is None):
            raise CalculatorError("a player needs a PR, or EPM and cube error (milli-EMG)")
        for name, (highest, unit) in HIGHEST.items():
            value = getattr(self, name)
            if value is None:
                continue
            if not 0 <= value < math.inf:
                raise CalculatorError(f"{name.upper()} is a positive number, not {value}")
            if value > highest:
                raise CalculatorError(
                    f"{name.upper()} {value:g} is beyond any player (at most {highest}{unit}): is"
                    " the decimal point missing?"
                )


@dataclass(frozen=True)
class Figure:
    """A number with its interval; the ends are NaN where a formula has none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """One formula's figures.

    They are the player's rating, and with an opponent the difference in points and the chance to
    win.

    `difference` is positive if the player is weaker. `why` is the reason if the formula gives no
    figure; `lacks_rates` if it needs other error rates. `warning` is about a use outside the domain
    in which the formula was measured. `nets` is the engine of our formulas; empty for the formulas
    of others.
    """

    name: str
    nets: str
    rating: Figure | None = None
    difference: Figure | None = None
    chance: Figure | None = None
    why: str = ""
    lacks_rates: bool = False
    warning: str = ""


class Question(NamedTuple):
    """The arguments of `calculate`, which every formula answers."""

    player: Player
    match_length: int
    opponent: Player | None
    depth: str
    offset: float


def calculate(
    player: Player,
    match_length: int,
    opponent: Player | None = None,
    *,
    nets: str = "",
    depth: str = "0-ply",
    offset: float | None = None,
) -> list[Row]:
    """Return the figures by each formula for a player in matches of a length.

    Parameters
    ----------
    player, opponent
        Their error rates. Without an opponent there is no chance of winning.
    match_length
        Points, 1 or more.
    nets
        Version of the engine that found the errors, for example "1.08"; empty for the newest.
    depth
        Level of the analysis that found the errors.
    offset
        Rating of a player without errors, in FIBS points; None for 2050.

    Returns
    -------
    list of Row
        Our formula, the constants of 2003 and XG's rule. A row has `rating` and `chance` (figures
        with 90 % intervals), or the reason `why` it has none.

    Raises
    ------
    CalculatorError
        The length, the version or the level is unknown.
    """
    if match_length < 1 or match_length != int(match_length):
        raise CalculatorError(
            f"a match is to a whole number of points, 1 or more, not {match_length}"
        )
    nets = nets or ENGINE_VERSIONS[0]
    if nets not in ENGINE_VERSIONS:
        raise CalculatorError(
            f"no formula for gnubg {nets}; there are: {', '.join(ENGINE_VERSIONS)}"
        )
    depths = [
        *sorted(path.stem for path in LEVELS.glob("*.yaml") if not path.stem.endswith("-no-luck")),
        CHECKED,
    ]
    if depth not in depths:
        raise CalculatorError(
            f"no analysis level {depth!r}{did_you_mean(depth, depths)}; there are:"
            f" {', '.join(depths)}"
        )
    if offset is not None and not abs(offset) <= MOST_OFFSET:
        raise CalculatorError(
            f"offset {offset:g}: a rating is a number from {-MOST_OFFSET:,.0f} to"
            f" {MOST_OFFSET:,.0f}"
        )
    start = OFFSET if offset is None else offset
    question = Question(player, match_length, opponent, depth, start)
    return [_row(formula, question) for formula in (*of_version(nets), *of_others())]


def _row(formula: Entry, question: Question) -> Row:
    name = formula["name"]
    nets = formula["nets"]
    if nets and question.depth != DEPTH:
        why = f"it is for errors that {DEPTH} finds, not for those at {question.depth}"
        return Row(name, nets, why=f"{why}: give the rates at {DEPTH}")
    if lacking := _lacking(formula, question):
        return Row(name, nets, why=lacking, lacks_rates=True)
    length = question.match_length
    player_rates = _rates(formula, question.player, length)
    loss = _figure(formula, length, player_rates, player_rates)
    rating = Figure(
        question.offset - loss.value, question.offset - loss.high, question.offset - loss.low
    )
    if question.opponent is None:
        return Row(name, nets, rating, warning=_warning(formula, length, loss.value, player_rates))
    opponent_rates = _rates(formula, question.opponent, length)
    player_slopes = _rates(formula, question.player, length, "slope")
    opponent_slopes = _rates(formula, question.opponent, length, "slope")
    slope_gap = {rate: player_slopes[rate] - opponent_slopes[rate] for rate in player_slopes}
    difference = _figure(formula, length, slope_gap, player_rates, opponent_rates)
    winning = Figure(
        *(chance(points, length) for points in (difference.value, difference.high, difference.low))
    )
    warning = _warning(formula, length, abs(difference.value), player_rates, opponent_rates)
    return Row(name, nets, rating, difference, winning, warning=warning)


def _lacking(formula: Entry, question: Question) -> str:
    for rates in (question.player, question.opponent or question.player):
        if formula["count"] == "pr":
            if rates.pr is None:
                return "it needs a PR"
        elif rates.epm is None or rates.epc is None:
            return "it needs EPM and the cube error"
        elif rates.count != formula["count"]:
            return f"it needs the cube error {OPTIONS[formula['count']].short}"
    return ""


def _rates(formula: Entry, player: Player, match_length: int, per_pr: str = "ratio") -> Rates:
    """Return the error rates that the formula's terms multiply, from those of the player (EMG; PR
    unchanged).

    A point of PR has the rates of people by their `ratio`. A point more between two players has the
    rates of the `slope`. `share` has the close decisions per unforced move as a line in 1/N. A
    match to 1 point has no cube.
    """
    pr = player.pr or 0.0
    if formula["per_pr"]:
        each = formula["per_pr"][per_pr] if match_length > 1 else PER_PR_AT_ONE
        return {name: value * pr for name, value in each.items()}
    const, inv = formula["share"] or (1.0, 0.0)
    epc = (player.epc or 0.0) / 1000 * (const + inv / match_length) if match_length > 1 else 0.0
    return {"epm": (player.epm or 0.0) / 1000, "epc": epc, "pr": pr}


def _figure(formula: Entry, match_length: int, rates: Rates, *players: Rates) -> Figure:
    """Return the loss by error rates, or by the difference of two players' rates.

    The interval includes the errors of the coefficients, and the relative error for people
    (rating/known.py). It includes what is unknown of each player: the scatter round the formula,
    and how the given rates divide.
    """
    terms = formula["terms"]
    estimate = formula["estimate"]

    def points(rates: Rates) -> float:
        return float(total(multipliers(terms, match_length, rates), estimate))

    value = points(rates)
    if not formula["covariance"]:
        return Figure(value, math.nan, math.nan)
    square = (
        variance(multipliers(terms, match_length, rates), formula["covariance"])
        + (people_error() * value) ** 2
    )
    per_pr = formula["per_pr"] if match_length > 1 else None
    relative = formula["player_scatter"]
    if per_pr:
        relative = math.hypot(relative, per_pr["relative_error"]["epm"])
    for player in players:
        square += (relative * points(player)) ** 2
        if formula["share"]:
            square += (formula["share_error"] * points({"epm": 0.0, "epc": player["epc"]})) ** 2
    if per_pr and len(players) > 1:
        moved = per_pr["std_error"]["epm"] / per_pr["slope"]["epm"] * rates["epm"]
        square += points({"epm": moved, "epc": -moved}) ** 2
    half = formula["quantile"] * math.sqrt(square)
    return Figure(value, value - half, value + half)


def _warning(formula: Entry, match_length: int, points: float, *players: Rates) -> str:
    """Return a warning if match length, points, or the cube errors of both players are outside the
    formula's domain.
    """
    limit = formula["limit"]
    cube_limit = formula["cube_limit"]
    cubes = 1000 * sum(rates["epc"] for rates in players)
    reasons = [beyond(formula["lengths"] or [match_length], match_length)]
    if limit and points > limit:
        reasons.append(
            f"outside its domain: {points:.0f} points, where it was measured up to {limit:.0f}"
        )
    elif cube_limit and cubes > cube_limit:
        reasons.append(
            f"outside its domain: cube errors of {cubes:.1f} milli-EMG a move, where it was"
            f" measured up to {cube_limit:.0f}"
        )
    return "; ".join(filter(None, reasons))


def worth_showing(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a figure, and the rows of our formulas without one.

    A formula of ours that needs other rates is left out if another one of ours gives a figure.
    """
    have_ours = any(row.rating and row.nets for row in rows)
    return [row for row in rows if row.rating or (row.nets and not (row.lacks_rates and have_ours))]


def rating_of(
    player: Player,
    match_length: int,
    *,
    nets: str = "",
    depth: str = "0-ply",
    offset: float | None = None,
) -> Figure:
    """Return the player's rating by our formula.

    Parameters
    ----------
    player, match_length, nets, depth, offset
        As for `calculate`.

    Returns
    -------
    Figure
        FIBS points: `value`, and `low` and `high`, the ends of the 90 % interval.

    Raises
    ------
    CalculatorError
        Our formula gives no figure; the message has the reasons.
    """
    rows = calculate(player, match_length, nets=nets, depth=depth, offset=offset)
    return _ours(rows).rating  # type: ignore[return-value]


def predict(
    player: Player,
    opponent: Player,
    match_length: int,
    *,
    nets: str = "",
    depth: str = "0-ply",
) -> Figure:
    """Return the player's chance of winning a match by our formula.

    Parameters
    ----------
    player, opponent, match_length, nets, depth
        As for `calculate`.

    Returns
    -------
    Figure
        A chance from 0 to 1: `value`, and `low` and `high`, the ends of the 90 % interval.

    Raises
    ------
    CalculatorError
        Our formula gives no figure; the message has the reasons.
    """
    rows = calculate(player, match_length, opponent, nets=nets, depth=depth)
    return _ours(rows).chance  # type: ignore[return-value]


def _ours(rows: Sequence[Row]) -> Row:
    fitted = [row for row in rows if row.nets]
    for row in fitted:
        if row.rating:
            return row
    raise CalculatorError("; ".join(f"{row.name}: {row.why}" for row in fitted))


def page_context() -> Json:
    """Return the context of report/calculator.html.j2: counts, nets, and `known` for its script."""
    entries = [formula for nets in ENGINE_VERSIONS for formula in of_version(nets)] + of_others()
    counts = {name: count.short for name, count in OPTIONS.items()}
    return {
        "known": {
            "offset": OFFSET,
            "formulas": [formula | {"people_error": people_error()} for formula in entries],
            "counts": counts,
            "highest": HIGHEST,
        },
        "counts": counts,
        "nets": ENGINE_VERSIONS,
    }
