"""Draw the outcome picture of Elo World.

It has a square of colour for every cell, players from the worst to the best.

The player of a row moves first. Red shows their losses, green their wins, blue their draws; each
channel is round((1/2 + share / 2) 255). A cell without games is grey. A cell with only wins or only
losses has a black x.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bgleague.pair_counts import PairCounts
from bgrating.tables.table_files import write_text

CELL = 16  # pixels of a cell's side
GREY = (119, 119, 119)
_NEAR = 3
_FAR = CELL - 4
_GAP = 6
_FONT = ImageFont.truetype(
    Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), CELL - 5
)


@dataclass(frozen=True)
class Picture:
    """An outcome picture, with the position of its cells and their players.

    The cell of row r and column c has its corner at (left + c CELL, top + r CELL).
    """

    image: Image.Image
    left: int
    top: int
    players: tuple[str, ...]

    def png(self) -> bytes:
        file = io.BytesIO()
        self.image.save(file, format="PNG")
        return file.getvalue()

    def write(self, path: Path, **metadata: Any) -> None:
        """Write the picture as PNG; its provenance has the cells' position and their players."""
        write_text(
            self.png(),
            path,
            **metadata,
            left=self.left,
            top=self.top,
            cell_pixels=CELL,
            players=self.players,
        )


def picture(cells: PairCounts, ratings: Sequence[float]) -> Picture:
    """Draw the picture of cells with names and ratings.

    The players are in the order from worst to best.
    """
    names = cells.players
    beside = _labels(
        [f"{name}  {value:.0f}" for name, value in zip(names, ratings, strict=True)], "rm"
    )
    above = _labels(names, "lm").transpose(Image.Transpose.ROTATE_90)  # from bottom to top
    body = _body(cells)
    left = beside.width
    top = above.height
    image = Image.new("RGB", (left + body.width + _GAP, top + body.height + _GAP), "white")
    image.paste(above, (left, 0))
    image.paste(beside, (0, top))
    image.paste(body, (left, top))
    return Picture(image, left, top, names)


def _labels(texts: Sequence[str], anchor: str) -> Image.Image:
    """Return lines of text, each as high as a cell, that begin at the left (`lm`) or end at the
    right (`rm`).
    """
    width = 2 * _GAP + max(round(_FONT.getlength(text)) for text in texts)
    image = Image.new("RGB", (width, CELL * len(texts)), "white")
    draw = ImageDraw.Draw(image)
    start = _GAP if anchor == "lm" else width - _GAP
    for line, text in enumerate(texts):
        draw.text((start, line * CELL + CELL // 2), text, fill="black", font=_FONT, anchor=anchor)
    return image


def _body(cells: PairCounts) -> Image.Image:
    """Return the squares of all cells, with an x if one side won every game."""
    games = cells.games
    wins, losses, draws = cells.counts / np.maximum(games, 1)
    shares = np.stack([losses, wins, draws], axis=-1)
    # Half up, as the original rounds.
    colours = np.floor((0.5 + shares / 2) * 255 + 0.5).astype(np.uint8)
    colours[games == 0] = GREY
    side = CELL * len(games)
    image = Image.fromarray(colours).resize((side, side), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(image)
    for y, x in np.argwhere((wins == 1) | (losses == 1)) * CELL:
        draw.line((x + _NEAR, y + _NEAR, x + _FAR, y + _FAR), fill="black")
        draw.line((x + _FAR, y + _NEAR, x + _NEAR, y + _FAR), fill="black")
    return image
