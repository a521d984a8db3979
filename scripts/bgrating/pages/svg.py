"""Pictures as part of a page (SVG), with values where the pointer rests: curves, and figures of matplotlib.

Pages of hundreds of players have a curve each: a plotting library would take half a second and 40 kB for each, or
megabytes of script beside them.
"""

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from html import escape
from math import isnan
from typing import NamedTuple
from xml.etree import ElementTree

from matplotlib.figure import Figure

WIDTH, HEIGHT, _LEFT, _EDGE = 800, 260, 52, 22
_SVG = "http://www.w3.org/2000/svg"

Titles = Mapping[str, Sequence[str]]
"""What the marks of artists say, by the artists' gid: a line's markers in order, or the one shape of a patch."""


class Point(NamedTuple):
    """A point: where (any number that rises), what it is called, its value and the ends of its interval."""

    at: float
    name: str
    value: float
    low: float
    high: float


def curve(points: Sequence[Point], words: str) -> str:
    """Return the picture of points in order; `words` says what it shows."""
    ends = [end for point in points for end in (point.low, point.high, point.value) if not isnan(end)]
    low, high = min(ends), max(ends)
    low, high = (low, high) if high > low else (low - 1, high + 1)
    first, last = points[0].at, points[-1].at

    def x(point: Point) -> float:
        return _LEFT + (WIDTH - _LEFT - _EDGE) * ((point.at - first) / (last - first) if last > first else 0.5)

    def y(value: float) -> float:
        return HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * (value - low) / (high - low)

    known = [point for point in points if not isnan(point.low + point.high)]
    band = [f"{x(one):.1f},{y(one.high):.1f}" for one in known]
    band += [f"{x(one):.1f},{y(one.low):.1f}" for one in reversed(known)]
    parts = [f'<polygon class="band" points="{" ".join(band)}"/>'] if known else []
    for value in (low, (low + high) / 2, high):
        parts.append(f'<line x1="{_LEFT}" x2="{WIDTH - _EDGE}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
    line = " ".join(f"{x(one):.1f},{y(one.value):.1f}" for one in points)
    parts.append(f'<polyline class="curve" points="{line}"/>')
    for one in points:
        interval = f" [{one.low:,.0f}, {one.high:,.0f}]" if one in known else ""
        title = f"{escape(one.name)}: {one.value:,.0f}{interval}"
        parts.append(f'<circle cx="{x(one):.1f}" cy="{y(one.value):.1f}" r="4"><title>{title}</title></circle>')
    names = ((points[0], "start", _LEFT), (points[-1], "end", WIDTH - _EDGE))
    parts += [f'<text x="{at}" y="{HEIGHT - 4}" text-anchor="{a}">{escape(one.name)}</text>' for one, a, at in names]
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(words)}</title>{''.join(parts)}</svg>"
    )


def drawn(figure: Figure, name: str, title: str, titles: Titles) -> dict[str, str]:
    """Return a figure for the macro `figure`: its title and the SVG (`drawn`), whose `name` is its own on the page.

    Raises ValueError where an artist has not as many marks as titles.
    """
    text = io.BytesIO()
    with warnings.catch_warnings():
        # What a font has no glyph for is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(text.getvalue())
    for gid, said in titles.items():
        (group,) = root.iterfind(f".//*[@id='{gid}']")
        marks = list(group.iter(f"{{{_SVG}}}use")) or list(group.iter(f"{{{_SVG}}}path"))
        for mark, words_of_mark in zip(marks, said, strict=True):
            ElementTree.SubElement(mark, f"{{{_SVG}}}title").text = words_of_mark
    for part in root.iter():
        for style in part.findall(f"{{{_SVG}}}style"):  # it would hold for the whole page
            part.remove(style)
    root.attrib |= {"role": "img", "aria-label": title, "stroke-linejoin": "round"}
    for size in ("width", "height"):
        root.attrib.pop(size)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    # Names of parts are those of this figure: a page has several.
    picture = re.sub(r'( id="|href="#|url\(#)', rf"\1{name}-", ElementTree.tostring(root, encoding="unicode"))
    return {"title": title, "drawn": picture}
