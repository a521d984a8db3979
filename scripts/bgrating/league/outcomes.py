"""The outcome picture of Elo World: a square of colour for every cell, players from the worst to the best.

Row: the player who moves first; red his losses, green his wins, blue his draws, each channel round((1/2 + share / 2)
255). Grey where nothing was played; a black x where there are only wins or only losses.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bgrating.league.cells import PairCounts
from bgrating.pages.words import short
from bgrating.tables.provenance import write_atomic, write_provenance

CELL = 16  # pixels of a cell's side
GREY = (119, 119, 119)
MARK = (0, 0, 0)
_MARGIN, _GAP, _LETTERS = 3, 6, 24
# That of matplotlib, which takes half a second to import.
_MATPLOTLIB = find_spec("matplotlib")
assert _MATPLOTLIB is not None
_FONT = Path(str(_MATPLOTLIB.origin)).with_name("mpl-data") / "fonts" / "ttf" / "DejaVuSans.ttf"


@dataclass(frozen=True)
class Picture:
    """An outcome picture: the cell of row r and column c has its corner at (left + c CELL, top + r CELL)."""

    image: Image.Image
    left: int
    top: int
    players: tuple[str, ...]

    def png(self) -> bytes:
        content = io.BytesIO()
        self.image.save(content, format="PNG")
        return content.getvalue()

    def write(self, path: Path, **facts: Any) -> None:
        """Write the picture as PNG; its provenance says where its cells stand and whose they are."""
        write_atomic(path, self.png())
        place = {"left": self.left, "top": self.top, "cell_pixels": CELL, "players": list(self.players)}
        write_provenance(path, **facts, **place)


def colours(cells: PairCounts) -> np.ndarray:
    """Return the colours of the cells, rows and columns as in `cells`: whole numbers, (players, players, 3)."""
    games = cells.games
    played = np.maximum(games, 1)
    shares = np.stack([cells.losses / played, cells.wins / played, cells.draws / played], axis=-1)
    # Half up, as the original rounds; numpy would round half to even.
    answer: np.ndarray = np.floor((0.5 + shares / 2) * 255 + 0.5).astype(np.uint8)
    answer[games == 0] = GREY
    return answer


def mark() -> np.ndarray:
    """Return which pixels of a cell its x covers: both diagonals, three pixels short of the edges."""
    pixels = np.zeros((CELL, CELL), dtype=bool)
    inner = np.arange(_MARGIN, CELL - _MARGIN)
    pixels[inner, inner] = True
    pixels[inner, CELL - 1 - inner] = True
    return pixels


def squares(cells: PairCounts) -> np.ndarray:
    """Return the cells' pixels with their marks, without labels: (CELL players, CELL players, 3)."""
    games, pixels = cells.games, colours(cells).repeat(CELL, axis=0).repeat(CELL, axis=1)
    one_sided = (games > 0) & ((cells.wins == games) | (cells.losses == games))
    pixels[np.kron(one_sided, mark()).astype(bool)] = MARK
    return pixels


def picture(cells: PairCounts, ratings: Sequence[float] | None = None) -> Picture:
    """Draw the picture of cells whose players stand from the worst to the best, with names and perhaps ratings."""
    names = [short(name, _LETTERS) for name in cells.players]
    labels = names if ratings is None else [f"{name}  {value:.0f}" for name, value in zip(names, ratings, strict=True)]
    font = ImageFont.truetype(_FONT, CELL - 5)
    left = _GAP + max((round(font.getlength(label)) for label in labels), default=0) + _GAP
    top = _GAP + max((round(font.getlength(name)) for name in names), default=0) + _GAP
    body = squares(cells)
    image = Image.new("RGB", (left + body.shape[1] + _GAP, top + body.shape[0] + _GAP), "white")
    draw = ImageDraw.Draw(image)
    for row, label in enumerate(labels):
        place = (left - _GAP, top + row * CELL + CELL // 2)
        draw.text(place, label, fill="black", font=font, anchor="rm")
    for column, name in enumerate(names):
        strip = Image.new("RGB", (top - 2 * _GAP, CELL), "white")
        ImageDraw.Draw(strip).text((0, CELL // 2), name, fill="black", font=font, anchor="lm")
        image.paste(strip.transpose(Image.Transpose.ROTATE_90), (left + column * CELL, _GAP))  # from bottom to top
    image.paste(Image.fromarray(body), (left, top))
    return Picture(image, left, top, cells.players)
