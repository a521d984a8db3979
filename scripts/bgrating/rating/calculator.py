"""Compute ratings and chances of winning from error rates: pure functions over the formulas of rating/known.py.

report/calculator.js computes the same for the page; tests/unit/bgrating/rating/test_calculator.py compares them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bgmatch.records import Json
from bgmatch.scales import OFFSET
from bgrating import BgratingError
from bgrating.places import DATA
from bgrating.rating.formula_reader import formula_of
from bgrating.rating.known import (
    NETS,
    Entry,
    appendix_below,
    nets_with_formula,
    of_nets,
    of_others,
    people_error,
)
from bgrating.rating.rates import OPTIONS
from bgrating.rating.terms import chance, multipliers, total, variance
from bgrating.suggestion import did_you_mean

Rates = Mapping[str, float]

LEVELS = DATA / "gnubg_configs" / "analysis"
HIGHEST = {"pr": (100, ""), "epm": (200, " milli-EMG"), "epc": (1000, " milli-EMG")}
"""Largest accepted error rates, with their units: at least twice the rate of random play."""
MOST_OFFSET = 100_000.0
"""Largest absolute rating that a player without errors may have."""
GRADES = {2.5: "world class", 4.0: "grandmaster level", 6.5: "master level", 10.0: "advanced", 16.0: "intermediate"}
"""Names of the players below each limit of PR, by the Backgammon Masters Awarding Body, which judges with XG."""
DEPTH, CHECKED = "0-ply", "checked"
"""The level whose errors our formulas rate, and that of the second look (decisions/thresholds.py)."""
LIMITS = (2.5, 4.0, 6.5, 10.0)
"""Limits of PR; a player has a chance that the true PR is below each."""


class CalculatorError(BgratingError, ValueError):
    """The calculator has no formula for these rates, this match length, engine or depth."""


@dataclass(frozen=True)
class Player:
    """A player's PR, or error rates in milli-EMG (`epm` per unforced move, `epc` per `count` of OPTIONS), or all."""

    pr: float | None = None
    epm: float | None = None
    epc: float | None = None
    count: str = "close"

    def __post_init__(self) -> None:
        """Raise CalculatorError for impossible rates."""
        if self.count not in OPTIONS:
            raise CalculatorError(f"cube errors are counted {', '.join(OPTIONS)}, not {self.count!r}")
        if self.pr is None and (self.epm is None or self.epc is None):
            raise CalculatorError("a player needs a PR, or EPM and cube error (milli-EMG)")
        for name, (highest, unit) in HIGHEST.items():
            value = getattr(self, name)
            if value is None:
                continue
            if not 0 <= value < math.inf:
                raise CalculatorError(f"{name} is a positive number, not {value}")
            if value > highest:
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
    """One formula's figures: the player's rating; with an opponent the difference in points and the chance to win.

    `difference` is positive if the player is weaker. `why` is the reason if the formula gives no figure; `lacks_rates`
    if it needs other error rates. `warning` is about a use outside the domain in which the formula was measured.
    `nets` is the engine of our formulas; empty for the formulas of others.
    """

    name: str
    nets: str
    rating: Figure | None = None
    difference: Figure | None = None
    chance: Figure | None = None
    why: str = ""
    lacks_rates: bool = False
    warning: str = ""


def calculate(
    player: Player,
    match_length: int,
    opponent: Player | None = None,
    *,
    nets: str = "",
    depth: str = "0-ply",
    offset: float | None = None,
) -> list[Row]:
    """Return the figures by each formula for a player in matches of a length: ours, the published one, XG's rule.

    `nets` names the engine that judged the errors (empty: the newest), `depth` the level of its analysis. `offset` is
    the rating of a player without errors. Raises CalculatorError.
    """
    if match_length < 1 or match_length != int(match_length):
        raise CalculatorError(f"a match is to a whole number of points, 1 or more, not {match_length}")
    nets = nets or NETS[0]
    if nets not in nets_with_formula():
        is_missing = f": {formula_of(nets)} is missing" if nets in NETS else ""
        there = ", ".join(nets_with_formula()) or "none"
        raise CalculatorError(f"no formula for gnubg {nets}{is_missing}; there are: {there}")
    depths = [*sorted(path.stem for path in LEVELS.glob("*.yaml") if not path.stem.endswith("-no-luck")), CHECKED]
    if depth not in depths:
        raise CalculatorError(
            f"no analysis level {depth!r}{did_you_mean(depth, depths)}; there are: {', '.join(depths)}"
        )
    if offset is not None and not abs(offset) <= MOST_OFFSET:
        raise CalculatorError(f"offset {offset:g}: a rating is a number from {-MOST_OFFSET:,.0f} to {MOST_OFFSET:,.0f}")
    candidates = [*of_nets(nets), *of_others()]
    start = OFFSET if offset is None else offset
    return [_row(formula, player, match_length, opponent, depth, start) for formula in candidates]


def _row(formula: Entry, player: Player, match_length: int, opponent: Player | None, depth: str, offset: float) -> Row:
    name, nets = formula["name"], formula["nets"]
    lacking = _lacking(formula, player, opponent)
    if why := _why_not(formula, match_length, depth) or lacking:
        return Row(name, nets, why=why, lacks_rates=bool(lacking))
    own = _rates(formula, player, match_length)
    loss = _figure(formula, match_length, own)
    rating = Figure(offset - loss.value, offset - loss.high, offset - loss.low)
    if opponent is None:
        return Row(name, nets, rating, warning=_warning(formula, loss.value, own))
    other = _rates(formula, opponent, match_length)
    worse = _figure(formula, match_length, own, other)
    wins = Figure(*(chance(points, match_length) for points in (worse.value, worse.high, worse.low)))
    return Row(name, nets, rating, worse, wins, warning=_warning(formula, abs(worse.value), own, other))


def _lacking(formula: Entry, player: Player, opponent: Player | None) -> str:
    for rates in (player, opponent or player):
        if formula["count"] == "pr":
            if rates.pr is None:
                return "it needs a PR"
        elif rates.epm is None or rates.epc is None:
            return "it needs EPM and the cube error"
        elif rates.count != formula["count"]:
            return f"it needs the cube error {OPTIONS[formula['count']].short}"
    return ""


def _why_not(formula: Entry, match_length: int, depth: str) -> str:
    low, high = formula["lengths"] or (1, math.inf)
    if not low <= match_length <= high:
        return f"it was fitted to matches of {low} to {high} points and does not hold at {match_length}"
    if formula["nets"] and depth != DEPTH:
        return f"it is for errors that {DEPTH} finds, not for those at {depth}: give the rates at {DEPTH}"
    return ""


def _rates(formula: Entry, player: Player, match_length: int) -> Rates:
    """Return the error rates that the formula's terms multiply, from those of the player (EMG; PR unchanged).

    `per_pr` has the rates that go with a point of PR, `share` the close decisions per unforced move as a line in 1/N.
    """
    pr, per_pr = player.pr or 0.0, formula["per_pr"]
    if per_pr:
        return {"epm": per_pr["epm"] * pr, "epc": per_pr["epc"] * pr}
    const, inv = formula["share"] or (1.0, 0.0)
    epc = (player.epc or 0.0) / 1000 * (const + inv / match_length)
    return {"epm": (player.epm or 0.0) / 1000, "epc": epc, "pr": pr}


def _figure(
    formula: Entry,
    match_length: int,
    player: Rates,
    opponent: Rates | None = None,
) -> Figure:
    """Return the loss of a player with these rates, or its difference from the opponent's loss.

    The interval includes the errors of the coefficients and the scatter of pairs of players round the formula; that of
    a difference also the relative error for people (rating/known.py).
    """
    terms, estimate = formula["terms"], formula["estimate"]

    def points(rates: Rates) -> float:
        return float(total(multipliers(terms, match_length, rates), estimate))

    apart = {name: value - (opponent[name] if opponent else 0.0) for name, value in player.items()}
    value = points(apart)
    if not formula["covariance"]:
        return Figure(value, math.nan, math.nan)
    square = variance(multipliers(terms, match_length, apart), formula["covariance"])
    square += (formula["pair_scatter"] * value) ** 2
    if opponent:
        square += (people_error() * value) ** 2
    if formula["share"]:
        cubes = (points({"epm": 0.0, "epc": rates["epc"]}) for rates in (player, opponent) if rates)
        square += sum((formula["share_error"] * cube) ** 2 for cube in cubes)
    if formula["per_pr"]:
        moved = formula["per_pr"]["std_error"] / formula["per_pr"]["epm"] * apart["epm"]
        square += points({"epm": moved, "epc": -moved}) ** 2
    half = formula["quantile"] * math.sqrt(square)
    return Figure(value, value - half, value + half)


def _warning(formula: Entry, points: float, *players: Rates) -> str:
    """Return a warning if the points, or the cube errors of both players, are outside the formula's domain."""
    limit, cube_limit = formula["limit"], formula["cube_limit"]
    if limit and points > limit:
        return f"outside its domain: {points:.0f} points, where it was measured up to {limit:.0f}"
    cubes = 1000 * sum(rates["epc"] for rates in players)
    if cube_limit and cubes > cube_limit:
        return (
            f"outside its domain: cube errors of {cubes:.1f} milli-EMG a move, where it was measured up to "
            f"{cube_limit:.0f}"
        )
    return ""


def worth_showing(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a figure, and the rows of our formulas without one.

    A formula of ours that needs other rates is left out if another one of ours gives a figure.
    """
    have_ours = any(row.rating and row.nets for row in rows)
    return [row for row in rows if row.rating or (row.nets and not (row.lacks_rates and have_ours))]


def notes() -> list[str]:
    """Return the notes below figures: the meaning of ratings and intervals, and the distance from recorded ratings."""
    below = f"The nine people of 2003 come out {appendix_below():.0f} points below their recorded ratings"
    return [
        f"A rating is the difference from play without errors. That play has {OFFSET:.0f} by convention.",
        f"{below}; players of another server come out above theirs.",
        "Rating intervals include the scatter of players around the formula.",
        "Those of differences also hold that errors of people may cost more or less than those of simulated players.",
    ]


def rating_of(player: Player, match_length: int, **options: Any) -> Figure:
    """Return the player's rating by our formula, with its interval; options as of `calculate`.

    Raises CalculatorError with the reasons if our formula gives no figure.
    """
    return _ours(calculate(player, match_length, **options)).rating  # type: ignore[return-value]


def predict(player: Player, opponent: Player, match_length: int, **options: Any) -> Figure:
    """Return the player's chance (0 to 1) of winning a match by our formula, with interval; options as `rating_of`."""
    return _ours(calculate(player, match_length, opponent, **options)).chance  # type: ignore[return-value]


def _ours(rows: Sequence[Row]) -> Row:
    fitted = [row for row in rows if row.nets]
    for row in fitted:
        if row.rating:
            return row
    raise CalculatorError("; ".join(f"{row.name}: {row.why}" for row in fitted))


def page_context() -> Json:
    """Return the context of report/calculator.html.j2: counts, nets, and `known` for its script."""
    fitted = [formula for nets in nets_with_formula() for formula in of_nets(nets)] + of_others()
    counts = {name: count.short for name, count in OPTIONS.items()}
    fitted_counts = {formula["count"] for formula in fitted}
    return {
        "known": {
            "offset": OFFSET,
            "formulas": [formula | {"people_error": people_error()} for formula in fitted],
            "counts": counts,
            "highest": HIGHEST,
        },
        "counts": {name: words for name, words in counts.items() if name in fitted_counts},
        "nets": nets_with_formula(),
    }
