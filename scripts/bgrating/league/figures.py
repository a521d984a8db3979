"""Curves of ratings as part of the page (SVG, in the page's colours), each with its player's name as a tooltip.

A plotting library would take half a second to import and as long for each picture.
"""

import math
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np

from bgrating.pages.words import number, short

WIDTH, HEIGHT, LEFT, MOST_LETTERS = 1000, 300, 60, 22
MOST_CURVES, MOST_POINTS = 10, 800
"""Players of a figure, and points of a curve."""
# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class Curve(NamedTuple):
    """A player's ratings at increasing x, with intervals where there are any."""

    name: str
    at: np.ndarray
    rating: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def curves(lines: Iterable[Curve], ends: tuple[str, str], words: str, *, steps: bool = False) -> str:
    """Draw curves of players above a legend; `ends` label the first and the last x, `words` is the title."""
    drawn = [_thinned(line) for line in lines if len(line.at)]
    values = np.concatenate([part for line in drawn for part in line[2:] if part is not None])
    start, end = min(line.at[0] for line in drawn), max(line.at[-1] for line in drawn)
    low, high = float(values.min()), float(values.max())

    def x(at: float) -> float:
        return float(LEFT + (WIDTH - LEFT) * (at - start) / ((end - start) or 1))

    def y(rating: float) -> float:
        return 10.0 + (HEIGHT - 20) * (high - float(rating)) / ((high - low) or 1)

    parts = []
    for tick in _round_values(low, high):
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH}" style="stroke:var(--line)"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(tick) + 5:.1f}" text-anchor="end">{number(tick)}</text>')
    for place, line in enumerate(drawn):
        points = [(x(at), y(rating)) for at, rating in zip(line.at, line.rating, strict=True)]
        if line.low is not None and line.high is not None:
            band = [*zip(line.at, line.high, strict=True), *zip(line.at[::-1], line.low[::-1], strict=True)]
            corners = " ".join(f"{x(at):.1f},{y(rating):.1f}" for at, rating in band)
            parts.append(f'<polygon points="{corners}" style="fill:{_colour(place)};opacity:.08"/>')
        path = "".join(f"H{a:.1f}V{b:.1f}" if steps else f"L{a:.1f},{b:.1f}" for a, b in points[1:])
        title = f"<title>{escape(line.name)}: {number(line.rating[-1])}</title>"
        look = f"fill:none;stroke-width:1.8;stroke:{_colour(place)}{_dash(place)}"
        parts.append(f'<path d="M{points[0][0]:.1f},{points[0][1]:.1f}{path}H{WIDTH}" style="{look}">{title}</path>')
    parts += [
        f'<text x="{at}" y="{HEIGHT + 16}" text-anchor="{anchor}">{escape(text)}</text>'
        for at, anchor, text in ((LEFT, "start", ends[0]), (WIDTH, "end", ends[1]))
    ]
    legend = "".join(
        f'<tspan x="{LEFT + 190 * (place % 5)}" dy="{20 * (place % 5 == 0)}" style="fill:{_colour(place)}">'
        f"{'┄' if _dash(place) else '━'} {escape(short(line.name, MOST_LETTERS))}</tspan>"
        for place, line in enumerate(drawn)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 70}" role="img" style="width:100%;min-width:34rem;font-size:14px;'
        f'fill:currentColor"><title>{escape(words)}</title>{"".join(parts)}'
        f'<text y="{HEIGHT + 20}">{legend}</text></svg>'
    )


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _dash(place: int) -> str:
    return ";stroke-dasharray:5 3" * (place >= len(COLOURS))


def _round_values(low: float, high: float) -> list[float]:
    """Return two to seven round values from `low` to `high`."""
    step: float = 10 ** math.floor(math.log10((high - low) / 3 or 1))
    step *= next(times for times in (5, 2, 1) if (high - low) / (step * times) >= 3 or times == 1)
    return [step * place for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _thinned(line: Curve) -> Curve:
    """Return at most MOST_POINTS points, among them the first and the last."""
    kept = np.unique(np.linspace(0, len(line.at) - 1, min(len(line.at), MOST_POINTS)).round().astype(int))
    return Curve(line.name, *(None if part is None else np.asarray(part)[kept] for part in line[1:]))  # type: ignore[arg-type]
