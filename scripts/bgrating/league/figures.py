"""Pictures of ratings as part of the page (SVG, in the page's colours), with values where the pointer rests.

A plotting library would take half a second to import and as long for each picture.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from bgrating.pages.words import number, short

WIDTH, MOST_LETTERS = 800, 28
MOST_CURVES, MOST_POINTS = 10, 800
"""Players that a figure has room for, and points of a curve that it can show."""
# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class Curve(NamedTuple):
    """A player's ratings at rising places, with their intervals where there are any."""

    name: str
    at: np.ndarray
    rating: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def curves(lines: Iterable[Curve], ends: tuple[str, str], words: str, *, steps: bool = False) -> str:
    """Draw curves of players, each with the name at its end; `ends` name the first and the last place."""
    shown = [_thinned(line) for line in lines if len(line.at)]
    values = np.concatenate([part for line in shown for part in line[2:] if part is not None])
    right, bottom = WIDTH - 190, 330
    x = _Scale(min(line.at[0] for line in shown), max(line.at[-1] for line in shown), 50, right)
    y = _Scale(values.min(), values.max(), bottom - 10, 10)
    parts = [_grid(y, 50, right)]
    labels = _spread([y(line.rating[-1]) for line in shown])
    for place, (line, label) in enumerate(zip(shown, labels, strict=True)):
        across = [x(at) for at in line.at]
        if line.low is not None and line.high is not None:
            band = [*zip(across, line.high, strict=True), *zip(across[::-1], line.low[::-1], strict=True)]
            points = " ".join(f"{at:.1f},{y(value):.1f}" for at, value in band)
            parts.append(f'<polygon points="{points}" style="fill:{_colour(place)};opacity:.12"/>')
        path = "".join(
            f"H{at:.1f}V{y(value):.1f}" if steps and number else f"{'L' if number else 'M'}{at:.1f},{y(value):.1f}"
            for number, (at, value) in enumerate(zip(across, line.rating, strict=True))
        )
        dash = ";stroke-dasharray:5 3" * (place >= len(COLOURS))
        title = f"<title>{escape(line.name)}: {number(line.rating[-1])}</title>"
        look = f"fill:none;stroke-width:1.6;stroke:{_colour(place)}{dash}"
        parts.append(f'<path d="{path}H{right}" style="{look}">{title}</path>')
        parts.append(_line(right, y(line.rating[-1]), right + 12, label, _colour(place)))
        parts.append(_text(right + 15, label + 4, short(line.name, MOST_LETTERS)))
    parts += [_text(50, bottom + 15, ends[0]), _text(right, bottom + 15, ends[1], "end")]
    return _svg(bottom + 25, parts, words)


class _Scale:
    """Values to places: `low` at `start`, `high` at `end`, with round values between for a grid."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        low, high = (low, high) if high > low else (low - 1, high + 1)
        self.low, self.start, self.factor = low, start, (end - start) / (high - low)
        step = 10 ** math.floor(math.log10((high - low) / 3))
        step *= next(times for times in (5, 2, 1) if (high - low) / (step * times) >= 3 or times == 1)
        self.ticks = [step * place for place in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def __call__(self, value: float) -> float:
        return self.start + (float(value) - self.low) * self.factor


def _svg(height: float, parts: Sequence[str], words: str) -> str:
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {height:.0f}" role="img"><title>{escape(words)}</title>'
    return f"{head}{''.join(parts)}</svg>"


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" style="stroke:{colour};stroke-width:1.4"/>'


def _grid(scale: _Scale, start: float, end: float) -> str:
    ticks = [(scale(tick), number(tick)) for tick in scale.ticks]
    return "".join(
        _line(start, at, end, at, "var(--line)") + _text(start - 6, at + 4, word, "end") for at, word in ticks
    )


def _thinned(line: Curve) -> Curve:
    """Return as many points as the eye can tell apart, the first and the last always."""
    kept = np.unique(np.linspace(0, len(line.at) - 1, min(len(line.at), MOST_POINTS)).round().astype(int))
    return Curve(line.name, *(None if part is None else np.asarray(part)[kept] for part in line[1:]))  # type: ignore[arg-type]


def _spread(wanted: Sequence[float], gap: float = 14.0) -> list[float]:
    """Move places apart to at least `gap`, keeping their order, as near as that allows to where they were."""
    order = np.argsort(wanted, kind="stable")
    placed = np.array(wanted, dtype=float)[order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    placed -= max(0.0, float((placed - np.array(wanted)[order]).mean()))
    found = np.empty_like(placed)
    found[order] = placed
    return [*map(float, found)]
