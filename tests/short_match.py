"""A short match as text: two games to three points, a double dropped and a double taken."""

from pathlib import Path

from corpus import data_text

MATCH = data_text("short_match.mat")
OPENINGS = {"41": "13/9 24/23", "43": "13/9 13/10", "21": "13/11 6/5", "61": "13/7 8/7"}
OPENINGS |= {"54": "24/20 13/8", "52": "13/11 13/8", "32": "24/21 13/11"}


def match(
    left: str = "ann", right: str = "bob", dice: str = "41", month: int = 3, points: int = 2
) -> str:
    """Return the match, of a month of 2024 (0: no date); another opening is another match."""
    date = f'; [EventDate "2024.0{month}.01"]\n\n' if month else ""
    opening = f"{dice}: {OPENINGS[dice]}"
    return date + MATCH.format(left=left, right=right, opening=opening, points=points)


def write_matches(folder: Path, *openings: str, month: int = 3) -> Path:
    """Write a match of each opening into a new folder, and return the folder."""
    folder.mkdir()
    for dice in openings:
        (folder / f"{dice}.mat").write_text(match(dice=dice, month=month))
    return folder
