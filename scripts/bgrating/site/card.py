"""A picture of a player to send on: name, rating, PR and interval as SVG, which every program shows alike."""

import unicodedata
from html import escape

WIDTH, HEIGHT = 1200, 630
"""Pixels: what messengers and forums show of a link."""
_FONT = 'font-family="system-ui, Segoe UI, DejaVu Sans, sans-serif"'


def card(
    name: str, figures: list[tuple[str, str]], bar: tuple[float, float, float] | None, notes: tuple[str, ...]
) -> str:
    """Return the picture: a name, figures (what it is, its value), notes below, a line each.

    `bar` is the rating and the ends of its interval as shares of the scale, from 0 to 1.
    """
    step = (WIDTH - 160) / max(1, len(figures))
    parts = [
        f'<text x="{80 + step * place:.0f}" y="330" font-size="92" font-weight="700" fill="#fff">{escape(value)}</text>'
        f'<text x="{80 + step * place:.0f}" y="385" font-size="32" fill="#b9cbe0">{escape(words)}</text>'
        for place, (words, value) in enumerate(figures)
    ]
    if bar:
        at, low, high = (80 + (WIDTH - 160) * share for share in bar)
        line = f'<line x1="80" x2="{WIDTH - 80}" y1="465" y2="465" stroke="#3f5877" stroke-width="4"/>'
        parts.append(
            f'{line}<line x1="{low:.0f}" x2="{high:.0f}" y1="465" y2="465" stroke="#7fbcf7" stroke-width="24" '
            f'stroke-linecap="round" stroke-opacity=".5"/><circle cx="{at:.0f}" cy="465" r="18" fill="#7fbcf7"/>'
        )
    lines = [
        f'<text x="80" y="{545 + 45 * place}" font-size="28" fill="#b9cbe0">{escape(_fitting(note, 28))}</text>'
        for place, note in enumerate(notes)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f"{_FONT}>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#14263d"/>'
        f'<text x="80" y="150" font-size="64" font-weight="700" fill="#fff">{escape(_fitting(name, 64))}</text>'
        f"{''.join(parts)}{''.join(lines)}</svg>"
    )


def _fitting(text: str, size: int) -> str:
    """Return as much of a text as a line has room for, at a font size in pixels; letters are taken for wide ones."""
    room = (WIDTH - 160) / size
    for place, letter in enumerate(text):
        is_wide = letter in "MWmw@" or unicodedata.east_asian_width(letter) in "WF"
        room -= 1.15 if is_wide else 0.85 if letter.isupper() else 0.68
        if room < 0:
            return f"{text[: place - 1]}…"
    return text
