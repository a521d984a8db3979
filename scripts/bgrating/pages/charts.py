"""SVG charts that take the page's colours, stretch with the page and show values under the pointer.

The labels of a chart are HTML beside the SVG, so they keep their size on a phone. A collection has
hundreds of pages with several charts each: a plotting library would be too slow, and its figures
too large.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from bgrating.pages.words import number, short, span


class Step(NamedTuple):
    """A decision of a match and the left player's chance of winning (0 to 1).

    `chance` is the chance after the decision, `luck` the change by the roll, `loss` the cost of the
    decision. `is_left` is true for the left player's decision. An error (`is_error`) has a mark.
    `starts` is true for the first of a game.
    """

    chance: float
    luck: float
    loss: float
    is_left: bool
    is_error: bool
    starts: bool


class Line(NamedTuple):
    """A curve: its name, and rows of x, y and the ends of the interval of y (NaN: no interval)."""

    name: str
    rows: Sequence[tuple[float, float, float, float]]


SHADED = 4
"""One in four rolls is shaded: those with most luck, good or bad."""
APART = 0.04
"""Smallest distance of the numbers of two games, as a share of the curve's width."""
# Okabe and Ito's palette, distinct with any colour vision (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def curves(lines: Sequence[Line], ends: tuple[str, str], words: str) -> str:
    """Return curves on common axes with their legend; `ends` label the first and the last x.

    Curves without intervals are step functions; curves with intervals join their points.
    """
    places = [row[0] for line in lines for row in line.rows]
    values = [
        value for line in lines for row in line.rows for value in row[1:] if not math.isnan(value)
    ]
    start = min(places)
    span = (max(places) - min(places)) or 1.0
    parts, labels, y = _levels(values)
    legend = []

    def x(place: float) -> str:
        return f"{1000 * (place - start) / span:.1f}"

    for index, (name, rows) in enumerate(lines):
        colour = COLOURS[index % len(COLOURS)]
        dash = ";stroke-dasharray:5 3" if index >= len(COLOURS) else ""
        if math.isnan(rows[0][2]):
            path = "".join(f"H{x(place)}V{y(value):.2f}" for place, value, *_ in rows[1:])
        else:
            path = "".join(f"L{x(place)} {y(value):.2f}" for place, value, *_ in rows[1:])
            ends_of_intervals = [
                *((row[0], row[3]) for row in rows),
                *((row[0], row[2]) for row in rows[::-1]),
            ]
            edge = "L".join(f"{x(place)} {y(value):.2f}" for place, value in ends_of_intervals)
            parts.append(f'<path d="M{edge}z" style="fill:{colour};opacity:.08"/>')
        title = f"<title>{escape(name)}: {number(rows[-1][1])}</title>"
        first = f"M{x(rows[0][0])} {y(rows[0][1]):.2f}"
        parts.append(
            f'<path class="curve" d="{first}{path}H1000"'
            f' style="stroke:{colour}{dash}">{title}</path>'
        )
        legend.append(
            f'<span style="color:{colour}">{"┄" if dash else "━"}</span> {escape(short(name, 22))}'
        )
    for side, label in zip(("left:3rem", "right:0"), ends, strict=True):
        labels.append(f'<span class="x" style="{side}">{escape(label)}</span>')
    return f'{_chart("chart", words, parts, labels)}<p class="note">{" &ensp; ".join(legend)}</p>'


def winning(steps: Sequence[Step], end: float, words: str) -> str:
    """Return the curve of a match.

    The left player's chance after every decision, with errors and shaded luck.

    There must be a step. `end` is the final chance: 1 or 0 in a complete match. The path of an
    error begins at the number of its decision; report/play.js reads it there.
    """
    before = steps[0].chance - steps[0].luck + steps[0].loss * (1 if steps[0].is_left else -1)
    line = [f"0 {100 - 100 * before:.1f}"]
    errors = []
    games = []
    luck = {"left": "", "right": ""}
    swings = sorted((abs(step.luck) for step in steps if step.luck), reverse=True)
    least = swings[len(swings) // SHADED] if swings else math.inf
    for index, step in enumerate([*steps, Step(end, 0.0, 0.0, True, False, False)], 1):
        place = f"{index} {100 - 100 * step.chance:.1f}"
        line.append(place)
        if step.starts and index > 1:
            games.append(f"M{index - 0.5:g} 0v100")
        if abs(step.luck) >= least:
            top, bottom = sorted(
                (100 - 100 * before, 100 - 100 * min(1.0, max(0.0, before + step.luck)))
            )
            luck["left" if step.luck > 0 else "right"] += (
                f"M{index - 1} {top:.1f}h1v{bottom - top:.1f}h-1z"
            )
        if step.is_error:
            size = min(22, 7 + 60 * step.loss)
            errors.append(
                f'<path class="error-{"left" if step.is_left else "right"}"'
                f' stroke-width="{size:.0f}" d="M{place}h0"/>'
            )
        before = step.chance
    parts = [
        *(_grid(tick, len(steps) + 1) for tick in (0, 50, 100)),
        f'<path class="game" d="{"".join(games)}"/>',
        *(f'<path class="lucky-{side}" d="{path}"/>' for side, path in luck.items()),
        f'<path class="curve" d="M{"L".join(line)}"/>',
        *errors,
        '<line class="here" x1="0" x2="0" y1="0" y2="100"/>',
    ]
    labels = [f'<span class="y" style="top:{top}%">{100 - top} %</span>' for top in (0, 50, 100)]
    labelled = -1.0
    starts = [index for index, step in enumerate(steps) if step.starts]
    for game, index in enumerate(starts, 1):
        share = (index + 0.5) / (len(steps) + 1)
        if share > labelled + APART:
            labels.append(
                f'<span class="g" style="left:calc(3rem + (100% - 3rem)*{share:.3f})">{game}</span>'
            )
            labelled = share
    return _chart("chart tall playable", words, parts, labels, len(steps) + 1)


def interval(value: float, low: float, high: float, scale: tuple[float, float]) -> str:
    """Return a bar from `low` to `high` with a mark at the value; `scale` is the range of the axis.

    Empty for NaN.
    """
    if math.isnan(value):
        return ""
    start, end = scale
    words = f"{number(value)}, {span(low, high)}".removesuffix(", ")

    def x(place: float) -> str:
        return f"{1000 * min(1.0, max(0.0, (place - start) / (end - start))):.0f}"

    ends = (
        ""
        if math.isnan(low + high)
        else f'<line class="range" x1="{x(low)}" x2="{x(high)}" y1="50" y2="50"/>'
    )
    return (
        '<svg class="interval" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{words}"><title>{words}</title>'
        f'<line class="scale" x1="0" x2="1000" y1="50" y2="50"/>{ends}'
        f'<line class="value" x1="{x(value)}" x2="{x(value)}" y1="50" y2="50"/></svg>'
    )


def _levels(values: Sequence[float]) -> tuple[list[str], list[str], Callable[[float], float]]:
    """Return the grid lines for some values, their labels, and the function from a value to y, 0
    (top) to 100.
    """
    ticks = _ticks(min(values), max(values))
    low = min(ticks[0], *values)
    high = max(ticks[-1], *values)

    def y(value: float) -> float:
        return 100 * (high - value) / (high - low)

    labels = [
        f'<span class="y" style="top:{y(tick):.1f}%">{_label(tick, ticks)}</span>' for tick in ticks
    ]
    return [_grid(y(tick)) for tick in ticks], labels, y


def _grid(y: float, width: int = 1000) -> str:
    return f'<line class="grid" x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _chart(
    style: str, words: str, parts: Sequence[str], labels: Sequence[str], width: int = 1000
) -> str:
    return (
        f'<div class="{style}"><svg viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img"'
        f' aria-label="{escape(words)}">{"".join(parts)}</svg>{"".join(labels)}</div>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return two to five round values, the first at most `low` and the last at least `high`."""
    span = high - low or max(1.0, abs(high) / 10)
    step = 10 ** math.floor(math.log10(span))
    step = next(step * factor for factor in (0.5, 1, 2, 5, 10) if span / (step * factor) <= 3)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [step * tick for tick in range(first, max(last, first + 1) + 1)]


def _label(tick: float, ticks: Sequence[float]) -> str:
    return number(tick, max(0, math.ceil(-math.log10(ticks[1] - ticks[0]) - 1e-9)))
