"""SVG charts that take the page's colours, stretch with the page and show values under the pointer.

The labels of a chart are HTML beside the SVG, so they keep their size on a phone. A collection has
hundreds of pages with several charts each: a plotting library would be too slow, and its figures
too large. The template charts.html.j2 writes them.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bgmatch.records import Record
from bgrating.pages.formatting import number, span
from bgrating.pages.template import drawn


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


def curves(lines: Sequence[Line], ends: tuple[str, str], label: str) -> str:
    """Return curves on common axes with their legend; `ends` label the first and the last x.

    Curves without intervals are step functions; curves with intervals join their points.
    """
    table = np.vstack([np.asarray(line.rows, float) for line in lines])
    start = table[:, 0].min()
    width = (table[:, 0].max() - start) or 1.0
    ticks = _ticks(float(np.nanmin(table[:, 1:])), float(np.nanmax(table[:, 1:])))

    def to_canvas(x: float, value: float) -> tuple[float, float]:
        return 1000 * (x - start) / width, 100 * (ticks[-1] - value) / (ticks[-1] - ticks[0])

    drawn_lines = []
    for index, line in enumerate(lines):
        band = [(row[0], row[3]) for row in line.rows]
        band += [(row[0], row[2]) for row in reversed(line.rows)]
        drawn_lines.append(
            {
                "name": line.name,
                "last": line.rows[-1][1],
                "colour": COLOURS[index % len(COLOURS)],
                "is_dashed": index >= len(COLOURS),
                "points": [to_canvas(*row[:2]) for row in line.rows],
                "band": [] if math.isnan(line.rows[0][2]) else [to_canvas(*end) for end in band],
            }
        )
    decimals = max(0, math.ceil(-math.log10(ticks[1] - ticks[0]) - 1e-9))
    levels = [(to_canvas(start, tick)[1], number(tick, decimals)) for tick in ticks]
    return drawn("curves", drawn_lines, levels, ends, label)


def winning(rows: Sequence[Record], end: float, label: str) -> str:
    """Return the curve of a match.

    It shows the left player's chance after every decision, with errors and shaded luck.

    `rows` are decisions with the additions of `match_page.with_chances`, one or more. `end` is the
    final chance: 1 or 0 in a complete match. The path of an error begins at the number of its
    decision; report/play.js reads it there.
    """
    first = rows[0]
    cost = first["loss_mwc"] if first["side"] == "left" else -first["loss_mwc"]
    before = first["left_chance"] - first["left_luck"] + cost
    swings = sorted((abs(row["left_luck"]) for row in rows if row["left_luck"]), reverse=True)
    least = swings[len(swings) // SHADED] if swings else math.inf
    starts = [(row["index"] + 0.5) / (len(rows) + 1) for row in rows if row["starts"]]
    numbered_games: list[tuple[int, float]] = []
    for game, share in enumerate(starts, 1):
        if not numbered_games or share > numbered_games[-1][1] + APART:
            numbered_games.append((game, share))
    chances = [before, *(row["left_chance"] for row in rows), end]
    return drawn("winning", rows, chances, least, numbered_games, label)


def interval(value: float, low: float, high: float, scale: tuple[float, float]) -> str:
    """Return a bar from `low` to `high` with a mark at the value; `scale` is the range of the axis.

    A value that is NaN has no bar.
    """
    if math.isnan(value):
        return ""
    start, end = scale
    label = f"{number(value)}, {span(low, high)}".removesuffix(", ")
    positions = 1000 * np.clip((np.array([low, high, value]) - start) / (end - start), 0.0, 1.0)
    return drawn("interval", positions.tolist(), label, not math.isnan(low + high))


def _ticks(low: float, high: float) -> list[float]:
    """Return two to five round values, the first at most `low` and the last at least `high`."""
    span = high - low or max(1.0, abs(high) / 10)
    step = 10 ** math.floor(math.log10(span))
    step = next(step * factor for factor in (0.5, 1, 2, 5, 10) if span / (step * factor) <= 3)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [step * tick for tick in range(first, max(last, first + 1) + 1)]
