"""Rate error rates, and set two players against each other: pure functions over the formulas of rating/known.py.

report/calculator.js computes the same for the page; tests/unit/rating/test_calculator.py compares them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bgrating import BgratingError
from bgrating.places import DATA
from bgrating.rating.known import OFFSET, formulas, nets_with_formula, scale
from bgrating.rating.terms import linear, multipliers, total, variance
from bgrating.suggestion import did_you_mean

LEVELS = DATA / "gnubg_configs" / "analysis"
COUNTS = {
    "close": "per close cube decision, as gnubg shows it",
    "move": "per unforced move",
}
"""What cube errors are divided by; the first is the default."""
HIGHEST = {"pr": (100, ""), "epm": (200, " milli-EMG"), "epc": (1000, " milli-EMG")}
"""The highest rate that is taken for a player's, with its unit: twice what random play comes to, or more."""
MOST_OFFSET = 100_000.0
"""The highest rating that a player without errors may be given; its negative is the lowest."""
LIMITS = (2.5, 4.0, 6.5, 10.0)
"""Limits of titles of the Backgammon Masters Awarding Body, which judges PR by eXtreme Gammon over many matches."""


class CalculatorError(BgratingError, ValueError):
    """The calculator has no formula for these rates, this match length, engine or depth."""


@dataclass(frozen=True)
class Player:
    """A player's error rates in milli-EMG: `epm` per unforced move and `epc` by one of COUNTS; or his PR; or all."""

    pr: float | None = None
    epm: float | None = None
    epc: float | None = None
    count: str = "close"

    def __post_init__(self) -> None:
        """Refuse what cannot be a rate. Raises CalculatorError."""
        if self.count not in COUNTS:
            raise CalculatorError(f"cube errors are counted {', '.join(COUNTS)}, not {self.count!r}")
        if self.pr is None and (self.epm is None or self.epc is None):
            raise CalculatorError("a player needs a PR, or EPM and cube error (milli-EMG)")
        for name, (highest, unit) in HIGHEST.items():
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise CalculatorError(f"{name} is a positive number, not {value}")
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
    """One formula's figures: the player's rating; against an opponent the points he is worse, his chance of winning.

    `why` is the reason if a formula gives no figure; `lacks_rates` if it takes other error rates than those given.
    `warning` tells of a use outside the domain that a formula was measured in.
    `nets` names the engine that the formula was fitted to; empty for the formulas of others.
    """

    name: str
    nets: str
    rating: Figure | None = None
    difference: Figure | None = None
    chance: Figure | None = None
    why: str = ""
    lacks_rates: bool = False
    warning: str = ""


@dataclass(frozen=True)
class PeopleScale:
    """The factor by which people's differences exceed the formula's, with its 90 % interval.

    The formula was fitted to noise, and people's errors may cost more or less (study/people/scale.py). Ratings take it
    as it is. The interval of a difference between people, and of a chance from it, allows for that.
    """

    estimate: float
    low: float
    high: float

    def widened(self, difference: float, low: float, high: float) -> tuple[float, float]:
        """Return the ends of a difference's interval with the scale's uncertainty; the difference stays as it is."""
        less, more = max(0.0, 1 - self.low) * abs(difference), max(0.0, self.high - 1) * abs(difference)
        down, up = (less, more) if difference >= 0 else (more, less)
        return difference - math.hypot(difference - low, down), difference + math.hypot(high - difference, up)

    @property
    def words(self) -> str:
        return (
            f"People's errors cost {self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}] times what the formula gives, "
            "by a model of their scatter. Intervals of differences between players allow for that."
        )


def people_scale() -> PeopleScale:
    """Return the scale that was measured on people, as the nets of 1.08 judge them; other nets take it too."""
    return PeopleScale(**scale())


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
    """Return each formula's figures for a player in matches of a length: ours, the published one, XG's rule.

    `nets` names the engine that judged the errors (empty: the newest), `depth` the level of its analysis. `offset` is
    the rating of a player without errors. Raises CalculatorError.
    """
    if match_length < 1 or match_length != int(match_length):
        raise CalculatorError(f"a match is to a whole number of points, 1 or more, not {match_length}")
    nets = nets or nets_with_formula()[0]
    if nets not in nets_with_formula():
        raise CalculatorError(f"no formula for gnubg {nets}; there are: {', '.join(nets_with_formula())}")
    depths = sorted(path.stem for path in LEVELS.glob("*.yaml") if not path.stem.endswith("-no-luck"))
    if depth not in depths:
        raise CalculatorError(
            f"no analysis level {depth!r}{did_you_mean(depth, depths)}; there are: {', '.join(depths)}"
        )
    if offset is not None and not abs(offset) <= MOST_OFFSET:
        raise CalculatorError(f"offset {offset:g}: a rating is a number from {-MOST_OFFSET:,.0f} to {MOST_OFFSET:,.0f}")
    candidates = _for_depth([formula for formula in formulas() if formula["nets"] in (nets, "")], depth)
    start = OFFSET if offset is None else offset
    return [_row(formula, player, match_length, opponent, depth, start) for formula in candidates]


def _for_depth(candidates: Sequence[Mapping[str, Any]], depth: str) -> list[Mapping[str, Any]]:
    """Return the formulas for errors found at a depth; one that has none for it stays as it was measured, at 0-ply."""
    counts = {formula["count"] for formula in candidates if formula["depths"] and depth in formula["depths"]}
    return [
        formula for formula in candidates
        if not formula["depths"] or depth in formula["depths"]
        or ("0-ply" in formula["depths"] and formula["count"] not in counts)
    ]  # fmt: skip


def _row(
    formula: Mapping[str, Any], player: Player, match_length: int, opponent: Player | None, depth: str, offset: float
) -> Row:
    name, nets = formula["name"], formula["nets"]
    lacking = _lacking(formula, player, opponent)
    if why := _why_not(formula, match_length, depth) or lacking:
        return Row(name, nets, why=why, lacks_rates=bool(lacking))
    own = _multipliers(formula, player, match_length)
    loss = _figure(formula, own)
    rating = Figure(offset - loss.value, offset - loss.high, offset - loss.low)
    if opponent is None:
        return Row(name, nets, rating, warning=_warning(formula, loss.value, player.epc or 0.0))
    worse = _figure(formula, own, _multipliers(formula, opponent, match_length))
    if nets:
        worse = Figure(worse.value, *people_scale().widened(worse.value, worse.low, worse.high))
    wins = Figure(*(chance(points, match_length) for points in (worse.value, worse.high, worse.low)))
    both_cubes = (player.epc or 0.0) + (opponent.epc or 0.0)
    return Row(name, nets, rating, worse, wins, warning=_warning(formula, abs(worse.value), both_cubes))


def _lacking(formula: Mapping[str, Any], player: Player, opponent: Player | None) -> str:
    for rates in (player, opponent or player):
        if formula["count"] == "pr":
            if rates.pr is None:
                return "it needs a PR"
        elif rates.epm is None or rates.epc is None:
            return "it needs EPM and the cube error"
        elif rates.count != formula["count"]:
            return f"it needs the cube error {COUNTS[formula['count']]}"
    return ""


def _why_not(formula: Mapping[str, Any], match_length: int, depth: str) -> str:
    low, high = formula["lengths"] or (1, math.inf)
    if not low <= match_length <= high:
        return f"it was fitted to matches of {low} to {high} points and does not hold at {match_length}"
    if formula["depths"] and depth not in formula["depths"]:
        return f"it was fitted to errors found at {', '.join(formula['depths'])}, not at {depth}"
    return ""


def _multipliers(formula: Mapping[str, Any], player: Player, match_length: int) -> list[float]:
    """Return what multiplies each term: an error rate in EMG or PR, by the match length (rating/terms.py)."""
    rates = {"epm": (player.epm or 0.0) / 1000, "epc": (player.epc or 0.0) / 1000, "pr": player.pr or 0.0}
    return multipliers(formula["terms"], formula["estimate"], match_length, rates)


def _figure(formula: Mapping[str, Any], player: Sequence[float], opponent: Sequence[float] | None = None) -> Figure:
    """Return a player's loss, or by how much it exceeds the opponent's.

    The interval has the uncertainty of the coefficients (`covariance`), which are the same for both players, and that
    of players (`ends`). It is each player's own where they stand `apart`, as in their shares of close decisions.
    """
    apart = [a - b for a, b in zip(player, opponent, strict=True)] if opponent else player
    estimate, *ends = (linear(formula["terms"], one) for one in (formula["estimate"], *(formula["ends"] or ())))
    value = total(apart, estimate)
    if not (formula["covariance"] or formula["ends"]):
        return Figure(value, math.nan, math.nan)
    half, below, above = 0.0, 0.0, 0.0
    if formula["covariance"]:
        half = formula["quantile"] * math.sqrt(max(0.0, variance(apart, formula["covariance"])))
    if ends:
        for row in (player, opponent) if opponent and formula["apart"] else (apart,):
            middle, (low, high) = total(row, estimate), sorted(total(row, end) for end in ends)
            below, above = math.hypot(below, middle - low), math.hypot(above, high - middle)
    return Figure(value, value - math.hypot(half, below), value + math.hypot(half, above))


def _warning(formula: Mapping[str, Any], points: float, cubes: float) -> str:
    """Warn of a use outside the formula's domain; `cubes` are the cube errors of both players, milli-EMG a move."""
    limit, cube_limit = formula["limit"], formula["cube_limit"]
    if limit and points > limit:
        return f"outside its domain: {points:.0f} points, where it was measured up to {limit:.0f}"
    if formula["count"] == "move" and cubes > cube_limit:
        return (
            f"outside its domain: cube errors of {cubes:.1f} milli-EMG a move, where it was measured up to "
            f"{cube_limit:.0f}"
        )
    return ""


def worth_showing(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a figure, and those of ours that give none.

    A formula of ours that takes other rates is left out where another one of ours gives a figure.
    """
    have_ours = any(row.rating and row.nets for row in rows)
    return [row for row in rows if row.rating or (row.nets and not (row.lacks_rates and have_ours))]


def rating_of(player: Player, match_length: int, **options: Any) -> Figure:
    """Return the player's rating by our formula, with its interval; options as `calculate` has them.

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


def page_context() -> dict[str, Any]:
    """Return what report/calculator.html.j2 shows: counts, nets and depths with a formula; `known` for its script."""
    fitted = formulas()
    return {
        "known": {"offset": OFFSET, "scale": scale(), "formulas": fitted, "counts": COUNTS, "highest": HIGHEST},
        "counts": {count: COUNTS[count] for count in COUNTS if any(formula["count"] == count for formula in fitted)},
        "nets": nets_with_formula(),
        "depths": sorted({depth for formula in fitted for depth in formula["depths"] or ()}),
    }
