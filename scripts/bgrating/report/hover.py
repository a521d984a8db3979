"""A figure of matplotlib as part of a page (SVG), with the values of its marks where the pointer rests."""

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.figure import Figure

from bgrating.report.style import RC

_SVG = "http://www.w3.org/2000/svg"

Titles = Mapping[str, Sequence[str]]
"""What the marks of artists say, by the artists' gid: a line's markers in order, or the one shape of a patch."""


def drawn(figure: Figure, name: str, title: str, titles: Titles) -> dict[str, str]:
    """Return a figure for the macro `figure`: its title and the SVG (`drawn`), whose `name` is its own on the page.

    Raises ValueError where an artist has not as many marks as titles.
    """
    text = io.BytesIO()
    with mpl.rc_context(RC), warnings.catch_warnings():
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
