"""Charts as part of a page: pictures (SVG) that take the page's colours and stretch with it, with values to point at.

The words of a chart are HTML beside the picture, so they keep their size on a phone. Pages of hundreds of players have
several charts each. A plotting library would be too slow and its figures too large.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from bgrating.pages.words import number, short, span


class Step(NamedTuple):
    """A decision of a match and the left player's chances (0 to 1).

    `chance` is that after it, `luck` what the roll gave, `loss` what the decision cost; `is_left` says whose it was,
    `is_error` whether it is to be marked, `starts` whether a game begins with it.
    """

    chance: float
    luck: float
    loss: float
    is_left: bool
    is_error: bool
    starts: bool


class Line(NamedTuple):
    """A curve: its name, and rows of a place, the value there and the ends of its interval (NaN: none)."""

    name: str
    rows: Sequence[tuple[float, float, float, float]]


SHADED = 4
"""One of so many rolls is shaded: those with most luck, good or bad."""
APART = 0.04
"""Share of a curve's width that the numbers of two games are apart at least."""
# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def curves(lines: Sequence[Line], ends: tuple[str, str], words: str) -> str:
    """Return curves over one scale and their legend; `ends` label the first and the last place.

    A value without an interval holds until the next one; values with intervals are joined.
    """
    places = [row[0] for line in lines for row in line.rows]
    values = [value for line in lines for row in line.rows for value in row[1:] if not math.isnan(value)]
    start, span = min(places), (max(places) - min(places)) or 1.0
    parts, labels, y = _levels(values)
    legend = []

    def x(place: float) -> str:
        return f"{1000 * (place - start) / span:.1f}"

    for number_of_line, (name, rows) in enumerate(lines):
        colour = COLOURS[number_of_line % len(COLOURS)]
        dash = ";stroke-dasharray:5 3" * (number_of_line >= len(COLOURS))
        steps = math.isnan(rows[0][2])
        if not steps:
            edge = [f"{x(row[0])} {y(row[3]):.2f}" for row in rows] + [
                f"{x(row[0])} {y(row[2]):.2f}" for row in rows[::-1]
            ]
            parts.append(f'<path d="M{"L".join(edge)}z" style="fill:{colour};opacity:.08"/>')
        path = "".join(f"H{x(at)}V{y(v):.2f}" if steps else f"L{x(at)} {y(v):.2f}" for at, v, *_ in rows[1:])
        title = f"<title>{escape(name)}: {number(rows[-1][1])}</title>"
        first = f"M{x(rows[0][0])} {y(rows[0][1]):.2f}"
        parts.append(f'<path class="curve" d="{first}{path}H1000" style="stroke:{colour}{dash}">{title}</path>')
        legend.append(f'<span style="color:{colour}">{"┄" if dash else "━"}</span> {escape(short(name, 22))}')
    return f'{_chart("", words, parts, labels + _ends(*ends))}<p class="note">{" &ensp; ".join(legend)}</p>'


def winning(steps: Sequence[Step], end: float, words: str) -> str:
    """Return the curve of a match: the left player's chance after every decision, rolls with much luck shaded, errors.

    There is one step or more. `end` is the chance after the last one: 1 or 0 where the match was won. An error's path
    begins at its place, from which report/play.js knows what to tell of it.
    """
    before = steps[0].chance - steps[0].luck + steps[0].loss * (1 if steps[0].is_left else -1)
    line, errors, games = [f"0 {100 - 100 * before:.1f}"], [], []
    luck = {"left": "", "right": ""}
    swings = sorted((abs(step.luck) for step in steps if step.luck), reverse=True)
    least = swings[len(swings) // SHADED] if swings else math.inf
    for index, step in enumerate([*steps, Step(end, 0.0, 0.0, True, False, False)], 1):
        line.append(f"{index} {100 - 100 * step.chance:.1f}")
        if step.starts and index > 1:
            games.append(f"M{index - 0.5:g} 0v100")
        if abs(step.luck) >= least:
            top, bottom = sorted((100 - 100 * before, 100 - 100 * min(1.0, max(0.0, before + step.luck))))
            luck["left" if step.luck > 0 else "right"] += f"M{index - 1} {top:.1f}h1v{bottom - top:.1f}h-1z"
        if step.is_error:
            size = min(22, 7 + 60 * step.loss)
            errors.append(
                f'<path class="error-{"left" if step.is_left else "right"}" stroke-width="{size:.0f}" '
                f'd="M{index} {100 - 100 * step.chance:.1f}h0"/>'
            )
        before = step.chance
    parts = [_grid(tick, len(steps) + 1) for tick in (0, 50, 100)]
    parts += [
        f'<path class="game" d="{"".join(games)}"/>',
        *(f'<path class="lucky-{side}" d="{path}"/>' for side, path in luck.items()),
        f'<path class="curve" d="M{"L".join(line)}"/>',
        *errors,
    ]
    parts.append('<line class="here" x1="0" x2="0" y1="0" y2="100"/>')
    labels = [f'<span class="y" style="top:{top}%">{100 - top} %</span>' for top in (0, 50, 100)]
    labelled = -1.0
    for game, index in enumerate((index for index, step in enumerate(steps) if step.starts), 1):
        share = (index + 0.5) / (len(steps) + 1)
        if share > labelled + APART:
            labels.append(f'<span class="g" style="left:calc(3rem + (100% - 3rem)*{share:.3f})">{game}</span>')
            labelled = share
    return _chart("tall playable", words, parts, labels, len(steps) + 1)


def interval(value: float, low: float, high: float, scale: tuple[float, float]) -> str:
    """Return a bar from `low` to `high` with its value, on a scale between two ends; nothing without a value."""
    if math.isnan(value):
        return ""
    start, end = scale
    words = f"{number(value)}, {span(low, high)}".removesuffix(", ")

    def x(place: float) -> str:
        return f"{1000 * min(1.0, max(0.0, (place - start) / (end - start))):.0f}"

    ends = "" if math.isnan(low + high) else f'<line class="range" x1="{x(low)}" x2="{x(high)}" y1="50" y2="50"/>'
    return (
        '<svg class="interval" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{words}"><title>{words}</title>'
        f'<line class="scale" x1="0" x2="1000" y1="50" y2="50"/>{ends}'
        f'<line class="value" x1="{x(value)}" x2="{x(value)}" y1="50" y2="50"/></svg>'
    )


def _levels(values: Sequence[float]) -> tuple[list[str], list[str], Callable[[float], float]]:
    """Return the lines of a grid round values, their labels, and what gives a value's place, 0 (top) to 100."""
    ticks = _ticks(min(values), max(values))
    low, high = min(ticks[0], *values), max(ticks[-1], *values)

    def y(value: float) -> float:
        return 100 * (high - value) / (high - low)

    labels = [f'<span class="y" style="top:{y(tick):.1f}%">{_label(tick, ticks)}</span>' for tick in ticks]
    return [_grid(y(tick)) for tick in ticks], labels, y


def _ends(first: str, last: str) -> list[str]:
    return [
        f'<span class="x" style="left:3rem">{escape(first)}</span>',
        f'<span class="x" style="right:0">{escape(last)}</span>',
    ]


def _grid(y: float, width: int = 1000) -> str:
    return f'<line class="grid" x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _chart(kind: str, words: str, parts: Sequence[str], labels: Sequence[str], width: int = 1000) -> str:
    return (
        f'<div class="{f"chart {kind}".strip()}"><svg viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>{"".join(labels)}</div>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return two to five round values from below `low` to above `high`."""
    span = high - low or max(1.0, abs(high) / 10)
    step = 10 ** math.floor(math.log10(span))
    step = next(step * factor for factor in (0.5, 1, 2, 5, 10) if span / (step * factor) <= 3)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * tick for tick in range(first, max(last, first + 1) + 1)]


def _label(tick: float, ticks: Sequence[float]) -> str:
    return number(tick, max(0, math.ceil(-math.log10(ticks[1] - ticks[0]) - 1e-9)))
