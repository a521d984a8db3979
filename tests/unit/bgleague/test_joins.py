"""Matches of files and of a list count once."""

import pandas as pd

from bgleague.joins import counted_once
from bgleague.settings import MATCH_FILES

COLUMNS = ("list", "date", "points")
FILES = [(0, "2025-01-01", (7, 3)), (0, "", (7, 5)), (0, "2025-01-03", ())]
CLUB = [
    (1, "2025-01-01", (7, 3)),  # that of a file
    (1, "2025-01-02", (7, 5)),  # the file has no date
    (1, "2025-01-02", (7, 3)),  # another day
    (1, "2025-01-03", ()),  # no score tells
    (1, "2025-01-01", (7, 3)),  # the file is used up
]


def test_a_row_of_a_list_is_that_of_a_file_by_its_score_and_its_date_if_both_have_one() -> None:
    rows = pd.DataFrame(FILES + CLUB, columns=COLUMNS)
    rows = rows.assign(first="ann", second="bob", first_score=1.0, count=1, id="", row=rows.index)
    counted, notes = counted_once(rows, [MATCH_FILES, "club.csv"])
    assert counted["row"].tolist() == [0, 1, 2, 5, 6, 7]
    assert notes[:1] == [f"club.csv: 2 rows of {MATCH_FILES} again: counted once"]
