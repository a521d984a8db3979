"""Results of match files: a row for each match that ended, a reason for each other file."""

from pathlib import Path

from bgleague.match_results import read_results
from short_match import match


def test_a_match_is_a_row_and_another_file_has_a_reason(tmp_path: Path) -> None:
    plain = match("Ann", "Bob", month=0)
    texts = {
        "a.mat": f'; [EventDate "2024.05.06"]\n{plain}',
        "b.mat": f'; [EventDate "2024"]\n{plain}',
        "c.mat": match("Ann", "Bob", points=1),
        "d.mat": "nothing",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    table = read_results([tmp_path], tmp_path / "results")
    columns = ["first", "second", "first_score", "count", "row", "date", "length", "points"]
    assert table.games[columns].to_numpy().tolist() == [
        ["Ann", "Bob", 0.0, 1.0, 1, "2024-05-06", 3.0, (0, 3)],
        ["Ann", "Bob", 0.0, 1.0, 2, "", 3.0, (0, 3)],
    ]
    assert [(number, file) for number, _, _, file in table.flagged] == [(3, "c.mat"), (4, "d.mat")]
    assert table.flagged[0][1].startswith("no match that was played to its end")
