"""The picture of every cell."""

import numpy as np

from bgleague.outcomes import CELL, picture
from bgleague.pair_counts import pair_counts
from unit.bgleague.test_eloworld import CELLS, table


def test_every_pixel_of_the_cells_follows_the_rule() -> None:
    cells = pair_counts(
        table(*CELLS[:5], ("c", "b", 0, 8, 0), ("b", "b", 4, 0, 0), ("c", "c", 0, 0, 3)),
        ["c", "b", "a"],
    )
    drawn = picture(cells, [900.0, 1000.0, 1100.0])
    pixels = np.asarray(drawn.image)
    for row, first in enumerate(cells.players):
        for column, second in enumerate(cells.players):
            wins, losses, draws = cells.counts[:, row, column].tolist()
            played = wins + losses + draws
            color = (
                [int(0.5 + (0.5 + 0.5 * n / played) * 255) for n in (losses, wins, draws)]
                if played
                else [119] * 3
            )
            crossed = played > 0 and played in (wins, losses)
            for y in range(CELL):
                for x in range(CELL):
                    on_mark = 3 <= x < CELL - 3 and (x in (y, CELL - 1 - y))
                    expected = [0, 0, 0] if crossed and on_mark else color
                    pixel = pixels[drawn.top + row * CELL + y, drawn.left + column * CELL + x]
                    assert pixel.tolist() == expected, (first, second, x, y)


def test_names_end_beside_the_squares() -> None:
    drawn = picture(pair_counts(table(("a", "b", 3, 1, 0)), ["a", "b" * 40]), [900.0, 1100.0])
    rows = (
        np.asarray(drawn.image.convert("L"))[drawn.top : drawn.top + 2 * CELL, : drawn.left] < 128
    )
    assert drawn.left > 40 * 6, "the name is cut"
    ends = [drawn.left - np.flatnonzero(row.any(axis=0)).max() for row in np.split(rows, 2)]
    assert max(ends) <= CELL // 2
